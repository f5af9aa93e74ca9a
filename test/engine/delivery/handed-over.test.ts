import { expect, it } from 'vitest';
import type { ApplyStrategy } from '../../../src/api/placement.ts';
import { handedOver } from '../../../src/engine/delivery/handed-over.ts';
import type { Target } from '../../../src/engine/plan-document.ts';

const space = { apiVersion: 'v1', kind: 'Namespace', name: 'shop' };
const app = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' };
const target = (name: string, more: Partial<Target> = {}): Target => ({
  clusterName: 'a',
  placement: { kind: 'ClusterResourcePlacement', name },
  digest: 'sha256:1',
  remove: false,
  objects: [],
  ...more,
});
const gone = target('old', { remove: true });
const strategy = (more: Partial<ApplyStrategy> = {}): ApplyStrategy => ({
  type: 'ClientSideApply',
  comparisonOption: 'PartialComparison',
  whenToApply: 'Always',
  whenToTakeOver: 'Always',
  allowCoOwnership: false,
  ...more,
});

it.each<[string, Target, Target, Partial<ApplyStrategy>, readonly object[]]>([
  ['a placement that goes, of what another lists', gone, target('new', { objects: [space] }), {}, [space]],
  [
    'one that drops an object',
    target('old', { objects: [app] }),
    target('new', { objects: [space, app] }),
    {},
    [space],
  ],
  [
    'to one that takes over what is equal',
    gone,
    target('new', { objects: [space] }),
    { whenToTakeOver: 'IfNoDiff' },
    [space],
  ],
  ['not of what nobody lists', gone, target('new'), {}, []],
  ['not to one that goes as well', gone, target('new', { remove: true, objects: [space] }), {}, []],
  ['not to one of another cluster', gone, target('new', { clusterName: 'b', objects: [space] }), {}, []],
  [
    'not to one that nobody knows the contents of',
    gone,
    target('new', { digest: undefined, objects: [space] }),
    {},
    [],
  ],
  ['not to one that never takes over', gone, target('new', { objects: [space] }), { whenToTakeOver: 'Never' }, []],
  ['not to one that only compares', gone, target('new', { objects: [space] }), { type: 'ReportDiff' }, []],
])('an object is handed over by %s', (_, from, to, more, objects) => {
  const of = handedOver([from, to], { prunableOf: () => [space, app], strategyOf: () => strategy(more) });
  expect(of(from)).toEqual(objects);
});
