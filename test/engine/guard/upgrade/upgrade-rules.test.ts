import { describe, expect, it } from 'vitest';
import type { UpdateRun } from '../../../../src/api/upgrade-run.ts';
import type { MemberUpgrade, UpgradeRunStatus } from '../../../../src/api/upgrade-status.ts';
import { guard } from '../../../../src/engine/guard/guard.ts';
import type { PlanInput } from '../../../../src/engine/input.ts';
import { planFleet } from '../../../../src/engine/plan.ts';
import { type Plan, plannedUpgradeRuns, type UpgradeTarget } from '../../../../src/engine/plan-document.ts';
import { at, inGroup, run, strategy, type Upgradable, UpgradeFleet } from '../../upgrade/upgrade-fleet.ts';

const stages = [
  { name: 'one', groups: [{ name: 'x', maxConcurrency: '2' }] },
  { name: 'two', beforeGates: [{ type: 'Approval' }], groups: [{ name: 'z' }] },
];

const started = async (files: Record<string, string> = {}) => {
  const fleet = new UpgradeFleet({ ...strategy(stages), ...run({ updateStrategyId: 'test-then-prod' }), ...files })
    .with(['x1', 'x2', 'x3'], inGroup('x'))
    .with(['z1'], inGroup('z'));
  await fleet.plan();
  return fleet;
};

/** The plan with another status of its run, in section and record, and a target for whatever is in flight. */
function withStatus(plan: Plan, change: (status: UpgradeRunStatus) => UpgradeRunStatus): Plan {
  const upgrades = plannedUpgradeRuns(plan).map((it) => ({ ...it, status: change(structuredClone(it.status)) }));
  const targets = upgrades.flatMap(({ name, status }) =>
    status.stages
      .flatMap(({ groups }) => groups.flatMap(({ members }) => members))
      .filter((member) => member.status.state === 'Running')
      .map(
        (member): UpgradeTarget => ({
          clusterName: member.name,
          upgrade: { run: name, operationId: member.operationId!, type: 'Full' },
        }),
      ),
  );
  const record = new Map(
    [...plan.record].map(([path, document]) => {
      const found = upgrades.find(({ name }) => path === `upgrades/${name}.yaml`);
      const value = document.value as UpdateRun;
      return [path, found ? { kind: 'object' as const, value: { ...value, status: found.status } } : document];
    }),
  );
  return { ...plan, upgrades, targets, record };
}

const member = (status: UpgradeRunStatus, name: string): MemberUpgrade =>
  status.stages.flatMap(({ groups }) => groups.flatMap(({ members }) => members)).find((it) => it.name === name)!;

/** Puts a member in flight. */
const starting =
  (name: string, to = 'v1.31.5') =>
  (status: UpgradeRunStatus) => {
    Object.assign(member(status, name), {
      status: { state: 'Running', startTime: '2026-11-20T10:00:00Z' },
      operationId: `k8s.${name}.x`,
      type: 'Full',
      to: { controlPlane: to },
    });
    return status;
  };

const rules = (input: PlanInput, plan: Plan) => [
  ...new Set(guard({ input, recovered: { record: input.record, lost: false }, plan }).findings.map(({ rule }) => rule)),
];

/** Judges the first plan of a fleet, changed. */
async function judged(
  fleet: UpgradeFleet,
  change: (status: UpgradeRunStatus) => UpgradeRunStatus,
  input: Partial<PlanInput> = {},
) {
  const seen = await fleet.input();
  return rules({ ...seen, ...input }, withStatus(planFleet(seen).plan, change));
}

describe('a plan that breaks a rule of cluster upgrades', () => {
  it('is not one that the planner made', async () => {
    expect(await judged(await started(), (status) => status)).toEqual([]);
  });

  it('more members at once than the group allows', async () => {
    expect(await judged(await started(), starting('x3'))).toEqual(['upgrade-concurrency']);
  });

  it('a member of a later stage, and before its gate', async () => {
    expect(await judged(await started(), starting('z1'))).toEqual(['stage-order', 'gate-not-approved']);
  });

  it.each<[string, MemberUpgrade['to'], string[]]>([
    ['of the control plane', { controlPlane: 'v1.29.1' }, ['downgrade']],
    ['of a pool', { pools: [{ name: 'np1', kubernetes: 'v1.30.8' }] }, ['downgrade']],
    ['of an image', { pools: [{ name: 'np1', image: 'AKSUbuntu-2204-202601.13.0' }] }, ['downgrade']],
    ['to an image of another family', { pools: [{ name: 'np1', image: 'AKSUbuntu-2404-202602.13.0' }] }, ['downgrade']],
    ['that is none', { pools: [{ name: 'np1', kubernetes: 'v1.30.9', image: 'AKSUbuntu-2204-202602.13.0' }] }, []],
  ])('a downgrade %s', async (_, to, expected) => {
    const fleet = await started();
    fleet.succeed('x1');
    fleet.members.get('x3')!.versions = at('v1.30.9', 'AKSUbuntu-2204-202601.27.0');
    const change = (status: UpgradeRunStatus) => {
      Object.assign(member(starting('x3')(status), 'x3'), { to });
      return status;
    };
    expect(await judged(fleet, change)).toEqual(expected);
  });

  it('a start in a freeze', async () => {
    const fleet = await started();
    fleet.succeed('x1');
    const plan = planFleet(await fleet.input()).plan;
    fleet.files['fleet.yaml'] = JSON.stringify({
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'FleetConfig',
      spec: { freeze: [{ name: 'now', schedule: '0 9 * * *', duration: '4h' }] },
    });
    expect(rules(await fleet.input(), plan)).toEqual(['frozen']);
  });

  it('a start outside a window', async () => {
    const fleet = await started();
    fleet.succeed('x1');
    const plan = planFleet(await fleet.input()).plan;
    const input = await fleet.input();
    const configuration = {
      apiVersion: 'gitfleet.dev/v1alpha1' as const,
      kind: 'MaintenanceConfiguration' as const,
      metadata: { name: 'w' },
      spec: {
        memberSelector: { byLabel: 'gitfleet.dev/update-group=x' },
        maintenanceWindow: { schedule: { daily: { intervalDays: 1 } }, startTime: '20:00', durationHours: 4 },
      },
    };
    const withWindow = (startTime: string): PlanInput => ({
      ...input,
      fleet: {
        ...input.fleet,
        maintenanceConfigurations: [
          {
            ...configuration,
            spec: { ...configuration.spec, maintenanceWindow: { ...configuration.spec.maintenanceWindow, startTime } },
          },
        ],
      },
    });
    expect(rules(withWindow('20:00'), plan)).toEqual(['upgrade-outside-window']);
    expect(rules(withWindow('09:00'), plan)).toEqual([]);
  });

  it.each<[string, (fleet: UpgradeFleet) => void]>([
    ['stopped', (fleet) => Object.assign(fleet.files, run({ updateStrategyId: 'test-then-prod', state: 'Stopped' }))],
    ['removed', (fleet) => void delete fleet.files['upgrades/k8s.yaml']],
  ])('a start in a run that is %s', async (_, change) => {
    const fleet = await started();
    fleet.succeed('x1');
    const { plan } = planFleet(await fleet.input());
    change(fleet);
    expect(rules(await fleet.input(), plan)).toEqual(['upgrade-not-allowed']);
  });

  it('a start past the failures of a scope, and in a run that is over', async () => {
    const fleet = await started();
    fleet.fail('x1', 'x2').later(60);
    expect(await judged(fleet, starting('x3'))).toEqual(['upgrade-not-allowed']);
    await fleet.plan();
    expect(fleet.run().status.state).toBe('Failed');
    expect(await judged(fleet, starting('x3'))).toEqual(['upgrade-not-allowed']);
  });

  describe('a start on a member', () => {
    const budget = (disruptionsAllowed: number) => ({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web', namespace: 'shop' },
      status: { disruptionsAllowed, expectedPods: 2 },
    });
    const api = (removedRelease: string) => ({ group: 'x.io', version: 'v1beta1', resource: 'things', removedRelease });
    const old = { apiVersion: 'flowcontrol.apiserver.k8s.io/v1beta3', kind: 'FlowSchema', metadata: { name: 'f' } };
    const finding = (severity: 'Blocking' | 'Warning', reason = 'QuotaExceeded') => ({
      findings: [{ reason, severity }],
    });
    const blocked = ['upgrade-blocked'];
    it.each<[string, Partial<Upgradable>, string, string[]]>([
      ['with a Blocking finding of its provider', { upgrade: finding('Blocking') }, 'v1.31.5', blocked],
      ['with a Warning', { upgrade: finding('Warning') }, 'v1.31.5', []],
      ['whose pods no budget lets go', { extras: [budget(0)] }, 'v1.31.5', blocked],
      ['of which the budgets let pods go', { extras: [budget(1)] }, 'v1.31.5', []],
      [
        'of whose budgets its provider warns',
        { extras: [budget(0)], upgrade: finding('Warning', 'PDBConstraint') },
        'v1.31.5',
        [],
      ],
      ['whose clients request what it removes', { preflight: { requestedApis: [api('1.31')] } }, 'v1.31.5', blocked],
      [
        'whose clients request what a later one removes',
        { preflight: { requestedApis: [api('1.32')] } },
        'v1.31.5',
        [],
      ],
      ['whose clients requested what it has no more', { preflight: { requestedApis: [api('1.30')] } }, 'v1.31.5', []],
      ['that has objects of an API that it removes', { objects: [old] }, 'v1.32.0', blocked],
      ['that has objects of an API that a later one removes', { objects: [old] }, 'v1.31.5', []],
      ['that was not asked', { preflight: { done: false } }, 'v1.31.5', blocked],
    ])('%s', async (_, is, to, expected) => {
      const fleet = await started();
      fleet.succeed('x1');
      Object.assign(fleet.members.get('x3')!, is);
      expect(await judged(fleet, starting('x3', to))).toEqual(expected);
      Object.assign(fleet.files, run({ updateStrategyId: 'test-then-prod', onBlocked: 'Ignore' }));
      expect(await judged(fleet, starting('x3', to))).toEqual([]);
    });
  });

  it('two operations on one cluster, or a target that no run has in flight', async () => {
    const fleet = await started({ ...run({}, 'other') });
    const { plan } = planFleet(await fleet.input());
    const twice = withStatus(plan, (status) =>
      member(status, 'x1').status.state === 'Running' ? status : starting('x1')(status),
    );
    expect(rules(await fleet.input(), twice)).toContain('upgrade-target');
    const lost = { ...plan, targets: plan.targets.slice(1) };
    expect(rules(await fleet.input(), lost)).toEqual(['upgrade-target']);
  });

  it('a gate that counts as passed without an approval', async () => {
    const fleet = await started();
    fleet.succeed().later(60);
    await fleet.plan();
    fleet.succeed().later(60);
    await fleet.plan();
    expect(
      await judged(fleet, (status) => {
        status.stages[1]!.beforeGates[0]!.status = { state: 'Completed' };
        return status;
      }),
    ).toEqual(['gate-not-approved']);
  });

  it('a scheduled start that opens before its time', async () => {
    const start = { startDay: 'Saturday', startTime: '02:00', utcOffset: '+00:00' };
    const beforeGates = [{ type: 'ScheduledStart', scheduledStartConfiguration: start }];
    const fleet = new UpgradeFleet(
      run({ strategy: { stages: [{ name: 's', groups: [{ name: 'x', beforeGates }] }] } }),
    ).with(['x1'], inGroup('x'));
    await fleet.plan();
    const opened = (status: UpgradeRunStatus) => {
      status.stages[0]!.groups[0]!.beforeGates[0]!.status = { state: 'Completed' };
      return starting('x1')(status);
    };
    expect(await judged(fleet, opened)).toEqual(['gate-not-approved']);
    fleet.later(16 * 3600);
    expect(await judged(fleet, opened)).toEqual([]);
  });

  it('a start in a run whose record is lost', async () => {
    const fleet = new UpgradeFleet(run({})).with(['a']);
    const { plan } = planFleet(await fleet.input());
    const input = await fleet.input();
    const none = new Set<string>();
    const unread = { placements: new Map(), runs: none, evictions: none, upgrades: new Set(['k8s']) };
    expect(rules({ ...input, record: { ...input.record, unread } }, plan)).toEqual(['upgrade-not-allowed']);
  });

  it('a wait that is cut short', async () => {
    const fleet = new UpgradeFleet(
      run({ strategy: { stages: [{ name: 's', afterStageWaitInSeconds: 600, groups: [{ name: 'x' }] }] } }),
    ).with(['x1'], inGroup('x'));
    await fleet.plan();
    fleet.succeed().later(60);
    await fleet.plan();
    expect(
      await judged(fleet, (status) => {
        status.stages[0]!.status = { state: 'Completed' };
        status.stages[0]!.afterStageWaitStatus!.status.state = 'Completed';
        return status;
      }),
    ).toEqual(['gate-not-approved']);
  });
});
