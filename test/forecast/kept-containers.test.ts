import { describe, expect, it } from 'vitest';
import { forecast } from '../../src/forecast/forecast.ts';
import { effectText } from '../../src/report/effect/effect-text.ts';
import { forecastSummary } from '../../src/report/forecast/lines.ts';
import { deployment, member, PaperFleet, placement } from '../support/paper-fleet.ts';
import { assumptions, effectOf, type Files } from './effect-of.ts';

const selects = (selector: string, more = ''): string =>
  placement('x', '{placementType: PickAll}', `{type: RollingUpdate${more}}`).replace(
    /resourceSelectors: .*/,
    `resourceSelectors: [${selector}]`,
  );
const named = (name: string, text: string): string => text.replace('metadata: {name: x}', `metadata: {name: ${name}}`);
const definition = 'group: apiextensions.k8s.io, version: v1, kind: CustomResourceDefinition, name: widgets.acme.dev';
const compared = ', applyStrategy: {type: ReportDiff}';
const abandons = ', deleteStrategy: {propagationPolicy: Abandon}';

/** A definition, an object of its kind by another placement, and something else. */
const present: Files = {
  'clusters/a.yaml': member('a'),
  'clusters/b.yaml': member('b'),
  'definition.yaml': named('definition', selects(`{${definition}}`)),
  'widget.yaml': named('widget', selects('{group: acme.dev, version: v1, kind: Widget, name: one}')),
  'rest.yaml': placement('rest', '{placementType: PickAll}'),
  'resources/rest.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: {name: rest}\n',
  'resources/definition.yaml': `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.acme.dev}
spec:
  group: acme.dev
  scope: Cluster
  names: {kind: Widget, plural: widgets}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`,
  'resources/widget.yaml': 'apiVersion: acme.dev/v1\nkind: Widget\nmetadata: {name: one}\n',
};
const without = (files: Files, ...paths: string[]): Files =>
  Object.fromEntries(Object.entries(files).filter(([path]) => !paths.includes(path)));

async function change(before: Files, after: Files) {
  const paper = new PaperFleet(before);
  await paper.settle();
  return effectOf(paper, after);
}

describe('a definition that a placement drops', () => {
  it('stays, and is held, while objects of its kind are only compared by another placement', async () => {
    const widget = named('widget', selects('{group: acme.dev, version: v1, kind: Widget, name: one}', compared));
    const effect = await change(present, without({ ...present, 'widget.yaml': widget }, 'definition.yaml'));
    expect(effect.changes).toEqual([]);
    expect(effect.held.map(({ reason, subject }) => [reason, subject.name, subject.clusterName])).toEqual([
      ['ContainsForeignObjects', 'definition', 'a'],
      ['ContainsForeignObjects', 'definition', 'b'],
    ]);
    expect(effect.held[0]!.removes).toEqual({
      objects: ['apiextensions.k8s.io/v1/CustomResourceDefinition widgets.acme.dev'],
      contents: [
        'CustomResourceDefinition widgets.acme.dev holds 1 object(s) that are not of this placement: Widget one',
      ],
      count: 1,
    });
    expect(effect.pending).toMatchObject([
      { action: 'remove', isHeld: true, placement: { name: 'definition' }, clusters: ['a', 'b'] },
    ]);
    expect(effect.forecast.doneAt).toBeUndefined();
    const text = effectText(effect);
    expect(text.title).toBe('no change as long as it is held: definition · needs an approval of removals');
    expect(text.isEmpty).toBe(false);
    expect(text.forecast).toContain(': definition (needs an approval of removals on a, b).');
    expect(text.rollout).toContain('definition: not done: needs an approval of removals on a, b');
  });

  it('stays, and is held, while objects of its kind stay of a placement that is abandoned in the same change', async () => {
    const widget = named('widget', selects('{group: acme.dev, version: v1, kind: Widget, name: one}', abandons));
    const effect = await change(
      { ...present, 'widget.yaml': widget },
      without(present, 'definition.yaml', 'widget.yaml'),
    );
    expect(effect.changes.map(({ action, object }) => [action, object.kind])).toEqual([['release', 'Widget']]);
    expect(effect.held.map(({ reason }) => reason)).toEqual(['ContainsForeignObjects', 'ContainsForeignObjects']);
  });

  it('is removed with what another placement removes from it in the same change', async () => {
    const effect = await change(present, without(present, 'definition.yaml', 'widget.yaml'));
    expect(effect.changes.map(({ action, object }) => [action, object.kind])).toEqual([
      ['remove', 'CustomResourceDefinition'],
      ['remove', 'Widget'],
    ]);
    expect(effect.held).toEqual([]);
    expect(effect.forecast.doneAt).toBeDefined();
  });
});

describe('a Namespace of which a member reports that it contains objects of others', () => {
  const fixed = (clusters: string): string =>
    placement('web', `{placementType: PickFixed, clusterNames: [${clusters}]}`);
  const leaving = async (after: string | undefined): Promise<PaperFleet> => {
    const files: Files = {
      'clusters/a.yaml': member('a'),
      'clusters/b.yaml': member('b'),
      'rest.yaml': placement('rest', '{placementType: PickAll}'),
      'resources/rest.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: {name: rest}\n',
      'web.yaml': fixed('a, b'),
      'resources/web.yaml': deployment('web', 'web', 'web:1'),
    };
    const paper = new PaperFleet(files);
    await paper.settle();
    paper.settled.add('b/web');
    paper.files = after === undefined ? without(files, 'web.yaml') : { ...files, 'web.yaml': after };
    for (let round = 0; round < 3; round++) {
      await paper.plan();
      paper.deliver();
      paper.pass(60);
    }
    return paper;
  };

  it.each([
    ['that leaves the cluster', fixed('a')],
    ['that is deleted', undefined],
  ])('keeps a placement %s from its end until that is approved', async (_, after) => {
    const paper = await leaving(after);
    expect((await paper.plan()).holds).toMatchObject([{ reason: 'ContainsForeignObjects' }]);
    const input = await paper.input();
    const never = { ...assumptions, approveAfterMs: undefined };
    const [open, done] = [never, assumptions].map((supposed) => forecast(input, supposed));
    expect(open!.doneAt).toBeUndefined();
    expect(forecastSummary(open!, never)).toBe(
      'Not done until something else changes: web (needs an approval of removals on b).',
    );
    // Ten minutes later, and a member that is done a minute after that.
    expect(Date.parse(done!.doneAt!) - Date.parse(input.now)).toBe(660_000);
  });
});
