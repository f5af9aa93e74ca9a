import { expect, it } from 'vitest';
import { effectText } from '../../src/report/effect/effect-text.ts';
import { deployment, PaperFleet, placement } from '../support/paper-fleet.ts';
import { effectOf, type Files, web } from './effect-of.ts';

const freeze = (name: string, schedule: string): string =>
  `apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {freeze: [{name: ${name}, schedule: "${schedule}", duration: 2h}]}\n`;
const now = freeze('now', '30 9 * * *');
const later = freeze('later', '1 10 * * *');
const none = '# none\n';

async function pendingWith(config: string): Promise<{ readonly paper: PaperFleet; readonly files: Files }> {
  const paper = new PaperFleet({ ...web(), 'fleet.yaml': config });
  await paper.settle();
  const files = { ...paper.files, 'resources/web.yaml': deployment('web', 'web', 'web:2') };
  paper.files = files;
  return { paper, files };
}

it('a change that ends a freeze says what starts earlier by it', async () => {
  const { paper, files } = await pendingWith(none);
  const frozen = { ...files, 'fleet.yaml': now };
  paper.files = frozen;
  await paper.settle();
  const text = effectText(await effectOf(paper, { ...frozen, 'fleet.yaml': none }));
  expect(text.title).toBe('starts earlier on 4 of 4 clusters: web');
  expect(text.isEmpty).toBe(false);
  expect(text.rollout.slice(0, 2)).toEqual([
    'freeze now: removed',
    'web: starts at 2026-11-20 10:00 UTC instead of 2026-11-20 11:30 UTC on ams, fra, lon, nyc',
  ]);
  const more = { ...frozen, 'fleet.yaml': none, 'resources/web.yaml': deployment('web', 'web', 'web:3') };
  const changed = await effectOf(paper, more);
  expect([changed.rescheduled, effectText(changed).title]).toEqual([[], 'changes 4 objects · 4 of 4 clusters']);
});

it('a change that begins a freeze says what starts later by it', async () => {
  const { paper, files } = await pendingWith(none);
  const text = effectText(await effectOf(paper, { ...files, 'fleet.yaml': later }));
  expect(text.title).toBe('starts later on 3 of 4 clusters: web');
  expect(text.rollout.filter((line) => line.startsWith('web: starts'))).toEqual([
    'web: starts at 2026-11-20 12:01 UTC instead of 2026-11-20 10:01 UTC on fra, lon, nyc',
  ]);
});

it('a change that moves a freeze says both, and a pace that it changes is no effect of a freeze', async () => {
  const { paper, files } = await pendingWith(none);
  const frozen = { ...files, 'fleet.yaml': now };
  paper.files = frozen;
  await paper.settle();
  const text = effectText(await effectOf(paper, { ...frozen, 'fleet.yaml': freeze('moved', '1 10 * * *') }));
  expect(text.title).toBe('starts earlier on 1 of 4 clusters: web · starts later on 3 of 4 clusters: web');
  expect(text.rollout.filter((line) => line.startsWith('web: starts'))).toEqual([
    'web: starts at 2026-11-20 10:00 UTC instead of 2026-11-20 11:30 UTC on ams',
    'web: starts at 2026-11-20 12:01 UTC instead of 2026-11-20 11:31 UTC on fra, lon, nyc',
  ]);
  paper.files = files;
  const pace = placement(
    'web',
    '{placementType: PickAll}',
    '{type: RollingUpdate, rollingUpdate: {maxUnavailable: 100%}}',
  );
  const faster = { ...files, 'web.yaml': pace, 'fleet.yaml': freeze('christmas', '0 0 25 12 *') };
  expect((await effectOf(paper, faster)).rescheduled).toEqual([]);
});

it('a freeze stays while fleet.yaml is broken, and is not added once that is mended', async () => {
  const { paper, files } = await pendingWith(now);
  await paper.settle();
  const broken = { ...files, 'fleet.yaml': now.replace('freeze:', 'freezes:') };
  expect((await effectOf(paper, broken)).freezes).toEqual([]);
  paper.files = broken;
  await paper.settle();
  expect((await effectOf(paper, files)).freezes).toEqual([]);
});
