import { expect, it } from 'vitest';
import { at, inGroup, run, strategy, UpgradeFleet } from './upgrade-fleet.ts';

/** One stage of one member, with a gate after it that is asked unless the member counts as skipped. */
const fleetWith = (spec: object, files: Record<string, string> = {}) =>
  new UpgradeFleet({
    ...files,
    ...strategy([{ name: 'one', afterGates: [{ type: 'Approval' }], groups: [{ name: 'x' }] }]),
    ...run({ updateStrategyId: 'test-then-prod', ...spec }),
  }).with(['x1'], { labels: { ...inGroup('x').labels, 'topology.kubernetes.io/region': 'eu' } });

const own = (kind: string, spec: object) => ({
  [`${kind}.yaml`]: JSON.stringify({ apiVersion: 'gitfleet.dev/v1alpha1', kind, metadata: { name: 'own' }, spec }),
});

const edit = (fleet: UpgradeFleet, spec: object) =>
  Object.assign(fleet.files, run({ updateStrategyId: 'test-then-prod', ...spec }));

/** The member runs what was wanted of it, whoever brought it there last. */
function arrive(fleet: UpgradeFleet, lastOperation: string, version = 'v1.31.5'): void {
  const member = fleet.members.get('x1')!;
  member.versions = at(version);
  member.upgrade = { lastOperation };
}

const gates = (fleet: UpgradeFleet) => fleet.asked().map(({ name }) => name);

it.each([
  ['was requested last', (id: string) => ({ lastOperation: id })],
  ['succeeded', (id: string) => ({ target: id, phase: 'Succeeded' as const })],
])('an upgrade that arrives after its deadline counts in the next attempt: it %s', async (_, upgrade) => {
  const fleet = fleetWith({ progressDeadline: '1h' });
  await fleet.plan();
  const [operation] = fleet.targets().map(({ upgrade }) => upgrade.operationId);
  fleet.later(3600);
  await fleet.plan();
  expect(fleet.states()[1]).toContain('x1 Failed/ProgressDeadlineExceeded');
  arrive(fleet, operation!);
  fleet.members.get('x1')!.upgrade = upgrade(operation!);
  edit(fleet, { progressDeadline: '1h', attempt: 2 });
  await fleet.later(60).plan();
  expect(fleet.states()[1]).toBe('one Pending: x Completed [x1 Completed]');
  expect(gates(fleet)).toEqual(['k8s-after-one']);
  expect(fleet.run().stages[0]!.groups[0]!.members[0]).toMatchObject({
    operationId: operation,
    from: { controlPlane: 'v1.30.9' },
    to: { controlPlane: 'v1.31.5' },
  });
});

it('a member that someone else brings to the target after a hop of the run was upgraded by both', async () => {
  const managedClusterUpdate = { upgrade: { type: 'Full', kubernetesVersion: '1.32' } };
  const kubernetesVersions = ['1.31.5', '1.32.1'].map((version) => ({ version }));
  const fleet = fleetWith(
    { chainMinors: true, managedClusterUpdate },
    {
      ...own('VersionCatalog', { regions: [{ name: 'eu', kubernetesVersions }] }),
      ...own('MaintenanceConfiguration', {
        clusterName: 'x1',
        maintenanceWindow: { schedule: { daily: { intervalDays: 1 } }, startTime: '08:00', durationHours: 4 },
      }),
    },
  );
  await fleet.plan();
  const [hop] = fleet.targets().map(({ upgrade }) => upgrade.operationId);
  fleet.succeed().later(3 * 3600);
  await fleet.plan();
  expect(fleet.states()[1]).toContain('x1 Pending/WindowClosed');
  arrive(fleet, hop!, 'v1.32.1');
  await fleet.later(60).plan();
  expect([fleet.states()[1], gates(fleet)]).toEqual(['one Pending: x Completed [x1 Completed]', ['k8s-after-one']]);
});

it.each([
  ['of an earlier run of the profile', 'stable-1-31-4.x1.20261119T100000Z'],
  ['of the run of another member', 'k8s.x2.20261120T093000Z'],
  ['of a run whose name begins as that of the run', 'k8s-2.x1.20261120T093000Z'],
])('a member at the target whose last operation is %s is Skipped', async (_, lastOperation) => {
  const fleet = fleetWith({ autoUpgradeProfileId: 'stable' });
  arrive(fleet, lastOperation);
  await fleet.plan();
  expect([fleet.states()[1], gates(fleet)]).toEqual(['one Skipped: x Skipped [x1 Skipped/AlreadyAtTarget]', []]);
});

it('a member that is not at the target is upgraded, whatever its last operation was', async () => {
  const fleet = fleetWith({});
  arrive(fleet, 'k8s.x1.20261120T093000Z', 'v1.30.9');
  await fleet.plan();
  expect(fleet.inFlight()).toEqual(['x1']);
});
