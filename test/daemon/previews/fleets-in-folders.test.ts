import { expect, it } from 'vitest';
import { contextOf, failedPreview, markerOf, ofFolder } from '../../../src/daemon/previews/preview-text.ts';

it('fleets in two folders of a repo have comments and commit statuses of their own', () => {
  const text = failedPreview({ title: 'it conflicts', details: 'Rebase it.' }, { head: 'Head 1234' });
  const [root, one, two] = [undefined, 'deploy/fleet', 'deploy/fleet-2'].map((folder) => ({
    marker: markerOf(folder),
    context: contextOf(folder),
    start: ofFolder(text, folder).body.split('\n').slice(0, 2),
  }));
  expect(root).toEqual({
    marker: '<!-- gitfleet plan -->',
    context: 'gitfleet/plan',
    start: ['<!-- gitfleet plan -->', '### gitfleet plan: ❌ it conflicts'],
  });
  expect(one).toEqual({
    marker: '<!-- gitfleet plan deploy/fleet -->',
    context: 'gitfleet/plan:deploy/fleet',
    start: ['<!-- gitfleet plan deploy/fleet -->', '### gitfleet plan of deploy/fleet: ❌ it conflicts'],
  });
  // A comment is found by how it begins.
  for (const { marker } of [root!, two!]) expect(one!.start[0]!.startsWith(marker)).toBe(false);
});
