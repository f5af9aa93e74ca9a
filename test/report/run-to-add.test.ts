import { expect, it } from 'vitest';
import { parse } from 'yaml';
import type { PlacementRef } from '../../src/api/placement.ts';
import { stagedUpdateRun } from '../../src/api/staged.ts';
import { runToAdd } from '../../src/report/run-to-add.ts';

const web: PlacementRef = { kind: 'ClusterResourcePlacement', name: 'web' };
const shop: PlacementRef = { kind: 'ResourcePlacement', name: 'settings', namespace: 'shop' };

it.each([
  ['of cluster scope', [web], 'to start a run, add a file with ', 'ClusterStagedUpdateRun'],
  ['of a namespace', [shop], 'to start a run, add a file with ', 'StagedUpdateRun'],
  ['several', [shop, web], 'to start a run, add for each of them a file such as, for settings, ', 'StagedUpdateRun'],
] as const)('the run to add is a file as it stands: %s', (_, placements, start, kind) => {
  const text = runToAdd(placements.map((of) => ({ placement: of })))!;
  expect(text.slice(0, start.length)).toBe(start);
  const run = stagedUpdateRun.parse(parse(text.slice(start.length).replaceAll('NEW-NAME', 'web-2')));
  const [{ name, namespace }] = placements as readonly PlacementRef[] as [PlacementRef];
  expect([run.kind, run.spec.placementName, run.metadata.namespace]).toEqual([kind, name, namespace]);
});

it('nothing is to add without placements, nor where a run would not start', () => {
  expect(runToAdd([])).toBeUndefined();
  expect(runToAdd([{ placement: web, cannotStart: true }])).toBeUndefined();
  const both = [{ placement: web, cannotStart: true } as const, { placement: shop }];
  expect(runToAdd(both)).toBe(runToAdd([{ placement: shop }]));
});
