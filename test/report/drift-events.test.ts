import { expect, it } from 'vitest';
import { objectEvents } from '../../src/report/object-events.ts';

const web = { version: 'v1', group: 'apps', kind: 'Deployment', namespace: 'shop', name: 'web' };
const replicas = { path: '/spec/replicas', valueInMember: '5', manager: 'kubectl-edit' };
const applied = [{ type: 'Applied', status: 'True', reason: 'AllWorkHaveBeenApplied' }] as const;
const cluster = (clusterName: string, details?: object) => ({
  clusterName,
  conditions: applied,
  ...(details && {
    driftedPlacements: [{ ...web, observationTime: '1970-01-01T00:00:01Z', observedDrifts: [details] }],
  }),
});
const placement = (...placementStatuses: object[]) =>
  ({ kind: 'ClusterResourcePlacement', metadata: { name: 'shop' }, status: { placementStatuses } }) as Parameters<
    typeof objectEvents
  >[1];
const between = (before: ReturnType<typeof placement>, after: ReturnType<typeof placement>) =>
  objectEvents(before, after, 9_000).map(({ type, reason, message, at }) => `${type} ${reason} ${at}: ${message}`);

it('drift is an event when it is found, when it is corrected, and when it is over, once for equal clusters', () => {
  const [calm, drifted] = [
    placement(cluster('a'), cluster('b')),
    placement(cluster('a', replicas), cluster('b', replicas)),
  ];
  const repaired = placement(cluster('a', { ...replicas, repaired: true }), cluster('b', replicas));
  expect(between(calm, drifted)).toEqual([
    'Warning DriftFound 1000: Deployment shop/web (/spec/replicas by kubectl-edit) on a, b',
  ]);
  expect(between(drifted, drifted)).toEqual([]);
  expect(between(drifted, repaired)).toEqual([
    'Normal DriftCorrected 1000: Deployment shop/web (/spec/replicas by kubectl-edit, repaired) on a',
  ]);
  expect(between(repaired, calm)).toEqual([
    'Normal DriftEnded 9000: Deployment shop/web matches its manifest again on b',
  ]);
  expect(between(drifted, placement({ clusterName: 'a', conditions: [] }))).toEqual([]);
});

it('a commit is an event when it is in effect, and when the guard refuses it', () => {
  const [one, two] = ['1'.repeat(40), '2'.repeat(40)];
  const summary = { kind: 'FleetSummary', branch: 'main', guard: [] };
  const refused = {
    ...summary,
    commit: two,
    commitInForce: one,
    guard: [{ message: 'removes from 11 clusters (limit 10)' }],
  };
  expect(objectEvents({ ...summary, commit: one }, refused, 5)).toEqual([
    { type: 'Warning', reason: 'PlanRefused', message: '222222222222: removes from 11 clusters (limit 10)', at: 5 },
  ]);
  expect(objectEvents(refused, { ...refused }, 6)).toEqual([]);
  expect(objectEvents(refused, { ...summary, commit: two }, 7)).toEqual([
    { type: 'Normal', reason: 'CommitAccepted', message: 'commit 222222222222 is in effect', at: 7 },
  ]);
});
