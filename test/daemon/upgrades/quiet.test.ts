import { describe } from 'vitest';
import { plannedUpgradeRuns } from '../../../src/engine/plan-document.ts';
import { upgradeMember, upgradeRun, upgradeStrategy } from '../../support/cluster-upgrades.ts';
import { deployment, placement } from '../../support/paper-fleet.ts';
import type { VirtualDaemon } from '../../support/virtual-fleet.ts';
import { isHeld, isRefused, publishNothing, type Situation } from '../quiet.ts';
import { simulatedMember } from './upgrade-stages.ts';

const json = (value: unknown): string => JSON.stringify(value);
const names = ['one', 'two'] as const;
const region = { 'topology.kubernetes.io/region': 'westeurope' };
const clusters = Object.assign(
  {},
  ...names.map((name) => upgradeMember(name, { ...region, 'gitfleet.dev/update-group': name })),
) as Record<string, string>;
const placed = {
  'placements/web.yaml': placement('web', '{placementType: PickAll}'),
  'resources/web.yaml': deployment('web', 'web', 'web:1'),
};

/** Both members one after the other, with more in the second stage. */
const run = (second: object = {}) => ({
  ...upgradeStrategy([
    { name: 'first', groups: [{ name: 'one' }] },
    { name: 'second', groups: [{ name: 'two' }], ...second },
  ]),
  ...upgradeRun({ updateStrategyId: 'test-then-prod' }),
});

const config = (spec: object) => ({
  'fleet.yaml': json({ apiVersion: 'gitfleet.dev/v1alpha1', kind: 'FleetConfig', spec }),
});

/** It was open at 20:00 of some day. */
const closed = {
  'windows.yaml': json({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'MaintenanceConfiguration',
    metadata: { name: 'night' },
    spec: {
      clusterName: 'one',
      maintenanceWindow: { schedule: { daily: { intervalDays: 1 } }, startTime: '20:00', durationHours: 4 },
    },
  }),
};

const catalog = (...versions: readonly string[]) => ({
  'catalog.yaml': json({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'VersionCatalog',
    metadata: { name: 'aks' },
    spec: { regions: [{ name: 'westeurope', kubernetesVersions: versions.map((version) => ({ version })) }] },
  }),
});
const profile = {
  'profiles/stable.yaml': json({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'AutoUpgradeProfile',
    metadata: { name: 'stable' },
    spec: { channel: 'Stable' },
  }),
};

const situation = (
  files: Readonly<Record<string, string>>,
  { member = {}, ...rest }: Pick<Situation, 'entered'> & Partial<Situation> & { readonly member?: object },
): Situation => ({
  files: { ...clusters, ...placed, ...files },
  members: names.map((name) => simulatedMember(name, member)),
  ...rest,
});

const isRun = (one: VirtualDaemon, state: string): boolean =>
  plannedUpgradeRuns(one.plan()).some(({ status }) => status.status.state === state);
const inFlight = (one: VirtualDaemon): boolean => one.plan().targets.some((target) => 'upgrade' in target);

/** Refuses every removal. */
const empties: Situation['enter'] = (fleet) =>
  void fleet.commit({ 'resources/web.yaml': undefined, ...upgradeRun({ updateStrategyId: 'test-then-prod' }) });

describe('planning cluster upgrades again publishes nothing', () => {
  publishNothing({
    'of a run that is over': situation(run(), { entered: (one) => isRun(one, 'Completed') }),
    'of a run that has failed': situation(run(), {
      member: { upgrades: { controlPlaneSeconds: 10, nodeSeconds: 5, outcome: 'Fails' } },
      entered: (one) => isRun(one, 'Failed'),
    }),
    'that hang': situation(run(), {
      member: { upgrades: { controlPlaneSeconds: 10, nodeSeconds: 5, outcome: 'Hangs' } },
      entered: inFlight,
    }),
    'that hang on a member that does not respond': situation(run(), {
      member: { upgrades: { controlPlaneSeconds: 10, nodeSeconds: 5, outcome: 'Hangs' } },
      enter: (fleet) => void fleet.fault('one', { type: 'Unreachable' }),
      entered: inFlight,
    }),
    'that wait for approval': situation(run({ beforeGates: [{ type: 'Approval' }] }), {
      entered: (one) => isHeld(one, 'WaitingForApproval'),
    }),
    'that wait for a time': situation(
      run({
        beforeGates: [
          {
            type: 'ScheduledStart',
            scheduledStartConfiguration: { startDay: 'Saturday', startTime: '02:00', utcOffset: '+09:00' },
          },
        ],
      }),
      {
        entered: (one) => isHeld(one, 'WaitingForTime'),
      },
    ),
    'that wait for a window': situation({ ...run(), ...closed }, { entered: (one) => isHeld(one, 'WindowClosed') }),
    'that wait for the end of a freeze': situation(
      { ...run(), ...config({ freeze: [{ name: 'always', schedule: '0 9 * * *', duration: '8h' }] }) },
      { entered: (one) => isHeld(one, 'Freeze') },
    ),
    'of a member that does not respond': situation(
      {},
      {
        enter(fleet) {
          fleet.fault('one', { type: 'Unreachable' });
          fleet.commit(run());
          return undefined;
        },
        entered: (one) => isHeld(one, 'ClusterUnavailable'),
      },
    ),
    'of a run that is stopped': situation(
      { ...run(), ...upgradeRun({ updateStrategyId: 'test-then-prod', state: 'Stopped' }) },
      {
        entered: (one) => isRun(one, 'NotStarted'),
      },
    ),
    'that a profile proposes': situation(
      { ...profile, ...catalog('1.30.9', '1.31.5', '1.32.0') },
      {
        enter: (fleet) => void fleet.commit(catalog('1.30.9', '1.31.5', '1.31.6', '1.32.0')),
        entered: (one) => one.plan().approvals.some(({ planned }) => planned.kind === 'UpdateRun'),
      },
    ),
    'of a refused plan, in which a run would start': situation(
      upgradeStrategy([{ name: 'all', groups: [{ name: 'one' }] }]),
      {
        enter: empties,
        entered: isRefused,
      },
    ),
    'of a refused plan, while a run waits': situation(run({ beforeGates: [{ type: 'Approval' }] }), {
      settle: (fleet) => fleet.run(120),
      enter: (fleet) => void fleet.commit({ 'resources/web.yaml': undefined }),
      entered: isRefused,
    }),
    'of a refused plan, while an upgrade hangs': situation(
      {},
      {
        member: { upgrades: { controlPlaneSeconds: 10, nodeSeconds: 5, outcome: 'Hangs' } },
        async settle(fleet) {
          await fleet.run(60);
          fleet.commit(run());
          await fleet.run(60);
        },
        enter: (fleet) => void fleet.commit({ 'placements/web.yaml': undefined }),
        entered: (one) => isRefused(one) && inFlight(one),
      },
    ),
    'whose record was lost': situation(run({ beforeGates: [{ type: 'Approval' }] }), {
      settle: (fleet) => fleet.run(120),
      enter(fleet, one) {
        one.kill();
        fleet.repo.refs.delete('refs/heads/fleet-status');
        return fleet.start({ remote: true });
      },
      entered: (one) => isHeld(one, 'RecordLost'),
    }),
  });
});
