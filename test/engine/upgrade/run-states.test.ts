import { describe, expect, it } from 'vitest';
import { at, inGroup, run, strategy, UpgradeFleet } from './upgrade-fleet.ts';

const twoGroups = (spec: object = {}, stage: object = {}, groups: readonly [object, object] = [{}, {}]) =>
  new UpgradeFleet({
    ...strategy([
      {
        name: 'one',
        ...stage,
        groups: [
          { name: 'x', maxConcurrency: '2', ...groups[0] },
          { name: 'y', ...groups[1] },
        ],
      },
      { name: 'two', groups: [{ name: 'z' }] },
    ]),
    ...run({ updateStrategyId: 'test-then-prod', ...spec }),
  })
    .with(['x1', 'x2', 'x3'], inGroup('x'))
    .with(['y1', 'y2'], inGroup('y'))
    .with(['z1'], inGroup('z'));

const edit = (fleet: UpgradeFleet, spec: object) =>
  Object.assign(fleet.files, run({ updateStrategyId: 'test-then-prod', ...spec }));

describe('failures', () => {
  it('the first failure ends all starts: what is in flight ends first, then the run is Failed', async () => {
    const fleet = twoGroups();
    await fleet.plan();
    expect(fleet.inFlight()).toEqual(['x1', 'x2', 'y1']);
    fleet.fail('x1').later(60);
    await fleet.plan();
    expect(fleet.states()).toEqual([
      'Stopping/MembersFailed',
      'one Stopping/MembersFailed: x Stopping/MembersFailed [x1 Failed/UpgradeFailed, x2 Running, x3 NotStarted] y Stopping [y1 Running, y2 NotStarted]',
      'two NotStarted: z NotStarted [z1 NotStarted]',
    ]);
    fleet.succeed('x2').later(60);
    await fleet.plan();
    expect(fleet.states()[1]).toBe(
      'one Stopping/MembersFailed: x Failed/MembersFailed [x1 Failed/UpgradeFailed, x2 Completed, x3 NotStarted] y Stopping [y1 Running, y2 NotStarted]',
    );
    fleet.succeed('y1').later(60);
    await fleet.plan();
    expect(fleet.states()).toEqual([
      'Failed/MembersFailed',
      'one Failed/MembersFailed: x Failed/MembersFailed [x1 Failed/UpgradeFailed, x2 Completed, x3 NotStarted] y Stopped [y1 Completed, y2 NotStarted]',
      'two NotStarted: z NotStarted [z1 NotStarted]',
    ]);
    expect(fleet.run().failureCount).toBe(1);
  });

  it('failures that are allowed do not stop the run; a stage counts those of all its groups', async () => {
    const fleet = twoGroups({}, { maxAllowedFailures: '1' }, [
      { maxAllowedFailures: '1' },
      { maxAllowedFailures: '1' },
    ]);
    await fleet.plan();
    fleet.fail('x1').succeed('x2').later(60);
    await fleet.plan();
    expect(fleet.states()[1]).toBe(
      'one Running: x Running [x1 Failed/UpgradeFailed, x2 Completed, x3 Running] y Running [y1 Running, y2 NotStarted]',
    );
    fleet.fail('y1').succeed('x3').later(60);
    await fleet.plan();
    expect(fleet.states().slice(0, 2)).toEqual([
      'Failed/MembersFailed',
      'one Failed/MembersFailed: x Completed [x1 Failed/UpgradeFailed, x2 Completed, x3 Completed] y Stopped [y1 Failed/UpgradeFailed, y2 NotStarted]',
    ]);
  });

  it('a scope may end above its limit, and at its limit it is Completed', async () => {
    const fleet = new UpgradeFleet(
      run({
        strategy: {
          stages: [
            {
              name: 's',
              maxAllowedFailures: '4',
              groups: [{ name: 'g', maxConcurrency: '4', maxAllowedFailures: '4' }],
            },
          ],
        },
      }),
    ).with(['a', 'b', 'c', 'd'], inGroup('g'));
    await fleet.plan();
    fleet.fail('a', 'b', 'c', 'd').later(1);
    await fleet.plan();
    expect(fleet.states()[1]).toMatch(/^s Completed: g Completed/);
    expect(fleet.run().status.state).toBe('Completed');
  });

  it('a raised attempt does failed members again, and a run that was over goes on', async () => {
    const fleet = twoGroups();
    await fleet.plan();
    fleet.fail('x1').succeed('x2', 'y1').later(60);
    await fleet.plan();
    expect(fleet.run().status.state).toBe('Failed');
    edit(fleet, { attempt: 2 });
    fleet.later(60);
    await fleet.plan();
    expect(fleet.states()).toEqual([
      'Running',
      'one Running: x Running [x1 Running, x2 Completed, x3 Running] y Running [y1 Completed, y2 Running]',
      'two NotStarted: z NotStarted [z1 NotStarted]',
    ]);
    expect(fleet.targets()[0]!.upgrade.operationId).toBe('k8s.x1.20261120T100200Z');
    expect(fleet.run().attempt).toBe(2);
  });

  it('a failed member is left behind by skip and a raised attempt', async () => {
    const fleet = twoGroups();
    await fleet.plan();
    fleet.fail('x1').succeed('x2', 'y1').later(60);
    await fleet.plan();
    edit(fleet, { attempt: 2, skip: [{ type: 'Member', name: 'x1' }] });
    fleet.later(60);
    await fleet.plan();
    expect(fleet.states()[1]).toBe(
      'one Running: x Running [x1 Skipped/SkippedByUser, x2 Completed, x3 Running] y Running [y1 Completed, y2 Running]',
    );
  });

  it('an attempt that is lowered is denied', async () => {
    const fleet = twoGroups({ attempt: 3 });
    await fleet.plan();
    edit(fleet, { attempt: 2 });
    const plan = await fleet.plan();
    expect(plan.problems.map(({ code, path }) => `${code} ${path}`)).toEqual(['state-transition spec.attempt']);
    expect(fleet.holds()).toEqual(['k8s StateTransitionDenied']);
    expect(fleet.run().attempt).toBe(3);
  });
});

describe('stop', () => {
  it('lets what is in flight end, then the run is Stopped; started again it goes on', async () => {
    const fleet = twoGroups();
    await fleet.plan();
    edit(fleet, { state: 'Stopped' });
    await fleet.plan();
    expect(fleet.states().slice(0, 2)).toEqual([
      'Stopping',
      'one Stopping: x Stopping [x1 Running, x2 Running, x3 NotStarted] y Stopping [y1 Running, y2 NotStarted]',
    ]);
    fleet.succeed().later(60);
    await fleet.plan();
    expect(fleet.states()).toEqual([
      'Stopped',
      'one Stopped: x Stopped [x1 Completed, x2 Completed, x3 NotStarted] y Stopped [y1 Completed, y2 NotStarted]',
      'two NotStarted: z NotStarted [z1 NotStarted]',
    ]);
    edit(fleet, {});
    await fleet.plan();
    expect(fleet.inFlight()).toEqual(['x3', 'y2']);
  });

  it('a run that never started is NotStarted, and shows whom it would upgrade', async () => {
    const fleet = twoGroups({ state: 'Stopped' });
    const plan = await fleet.plan();
    expect(fleet.states()).toEqual([
      'NotStarted',
      'one NotStarted: x NotStarted [x1 NotStarted, x2 NotStarted, x3 NotStarted] y NotStarted [y1 NotStarted, y2 NotStarted]',
      'two NotStarted: z NotStarted [z1 NotStarted]',
    ]);
    expect(plan.targets).toEqual([]);
  });

  it('what waited is Stopped', async () => {
    const fleet = twoGroups();
    fleet.members.get('y1')!.reachable = false;
    await fleet.plan();
    expect(fleet.states()[1]).toContain('y Running [y1 Pending/ClusterUnavailable, y2 Running]');
    edit(fleet, { state: 'Stopped' });
    await fleet.plan();
    expect(fleet.states()[1]).toContain('y Stopping [y1 Stopped, y2 Running]');
    edit(fleet, {});
    await fleet.plan();
    expect(fleet.states()[1]).toContain('y Running [y1 Pending/ClusterUnavailable, y2 Running]');
  });
});

describe('skip', () => {
  it('a member in flight ends as it ends: Completed if it succeeds, Skipped if it fails', async () => {
    const fleet = twoGroups();
    await fleet.plan();
    edit(fleet, { skip: [{ type: 'Group', name: 'x' }] });
    await fleet.plan();
    expect(fleet.states()[1]).toContain('x Running [x1 Running, x2 Running, x3 Skipped/SkippedByUser]');
    fleet.succeed('x1').fail('x2').later(60);
    await fleet.plan();
    expect(fleet.states()[1]).toContain('x Skipped [x1 Completed, x2 Skipped/SkippedByUser, x3 Skipped/SkippedByUser]');
    expect(fleet.run().status.state).toBe('Running');
  });

  it('a stage with its gates and wait is skipped, and the next one begins', async () => {
    const fleet = twoGroups(
      { skip: [{ type: 'Stage', name: 'one' }] },
      {
        beforeGates: [{ type: 'Approval' }],
        afterGates: [{ type: 'Approval' }],
        afterStageWaitInSeconds: 60,
      },
    );
    const plan = await fleet.plan();
    expect(fleet.states()[1]).toMatch(/^one Skipped: x Skipped .* y Skipped/);
    const [one] = fleet.run().stages;
    expect([
      one!.beforeGates[0]!.status.state,
      one!.afterGates[0]!.status.state,
      one!.afterStageWaitStatus!.status.state,
    ]).toEqual(['Skipped', 'Skipped', 'Skipped']);
    expect(plan.approvals).toEqual([]);
    expect(fleet.inFlight()).toEqual(['z1']);
  });

  it.each([
    ['k8s.x1.20261120T093000Z', 'one Pending: x Completed [x1 Completed', ['k8s-after-one']],
    ['other.x1.20261120T093000Z', 'one Skipped: x Skipped [x1 Skipped/AlreadyAtTarget', []],
    ['k8s.x1.y.20261120T093000Z', 'one Skipped: x Skipped [x1 Skipped/AlreadyAtTarget', []],
  ])('a member at its target whose last operation there is %s: %s', async (lastOperation, shown, asked) => {
    const fleet = twoGroups({}, { afterGates: [{ type: 'Approval' }] });
    for (const name of ['x1', 'x2', 'x3', 'y1', 'y2']) fleet.members.get(name)!.versions = at('v1.31.5');
    fleet.members.get('x1')!.upgrade = { lastOperation };
    const plan = await fleet.plan();
    expect(fleet.states()[1]).toContain(shown);
    expect(plan.approvals.map(({ planned }) => planned.name)).toEqual(asked);
  });

  it('taking an entry away undoes nothing until the attempt is raised', async () => {
    const fleet = twoGroups({ skip: [{ type: 'Member', name: 'x1' }] });
    await fleet.plan();
    edit(fleet, {});
    await fleet.plan();
    expect(fleet.states()[1]).toContain('x1 Skipped/SkippedByUser');
    edit(fleet, { attempt: 2 });
    await fleet.plan();
    expect(fleet.states()[1]).toContain('x1 NotStarted');
  });

  it('all members skipped: the scope is Skipped, without after-gates and wait', async () => {
    const fleet = twoGroups({}, { afterGates: [{ type: 'Approval' }], afterStageWaitInSeconds: 60 });
    for (const name of ['x1', 'x2', 'x3', 'y1', 'y2']) fleet.members.get(name)!.versions = at('v1.31.5');
    const plan = await fleet.plan();
    expect(fleet.states()[1]).toMatch(/^one Skipped: x Skipped \[x1 Skipped\/AlreadyAtTarget/);
    expect(plan.approvals).toEqual([]);
    expect(fleet.inFlight()).toEqual(['z1']);
  });
});

describe('the wait after a stage', () => {
  it('is shown as Running, ends by time, and then the next stage starts', async () => {
    const fleet = twoGroups({}, { afterStageWaitInSeconds: 3600, groups: [{ name: 'x', maxConcurrency: '3' }] });
    fleet.files['strategies/test-then-prod.yaml'] = JSON.stringify({
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'UpdateStrategy',
      metadata: { name: 'test-then-prod' },
      spec: {
        strategy: {
          stages: [
            { name: 'one', afterStageWaitInSeconds: 3600, groups: [{ name: 'y', maxConcurrency: '2' }] },
            { name: 'two', groups: [{ name: 'z' }] },
          ],
        },
      },
    });
    await fleet.plan();
    fleet.succeed().later(60);
    const waiting = await fleet.plan();
    expect(fleet.states().slice(0, 2)).toEqual(['Running', 'one Running: y Completed [y1 Completed, y2 Completed]']);
    expect(fleet.run().stages[0]!.afterStageWaitStatus).toEqual({
      status: { state: 'Running', startTime: '2026-11-20T10:01:00Z' },
      waitDurationInSeconds: 3600,
    });
    expect(waiting.wakeAt).toBe('2026-11-20T11:01:00Z');
    expect(fleet.holds()).toEqual(['one WaitingForTime 2026-11-20T11:01:00Z']);
    fleet.later(3599);
    await fleet.plan();
    expect(fleet.inFlight()).toEqual([]);
    fleet.later(1);
    await fleet.plan();
    expect(fleet.inFlight()).toEqual(['z1']);
    expect(fleet.run().stages[0]!.afterStageWaitStatus!.status.state).toBe('Completed');
  });
});

describe('members', () => {
  it('one that left the fleet is Skipped; one that came is not part of the run', async () => {
    const fleet = twoGroups();
    await fleet.plan();
    delete fleet.files['clusters/x3.yaml'];
    fleet.members.delete('x3');
    fleet.with(['x4'], inGroup('x'));
    await fleet.plan();
    expect(fleet.states()[1]).toContain('x Running [x1 Running, x2 Running, x3 Skipped/MemberGone]');
    expect(fleet.holds()).toEqual(['x4 NotPartOfRun']);
  });

  it('a scope without members is Skipped with NoMembers', async () => {
    const fleet = new UpgradeFleet(
      run({ strategy: { stages: [{ name: 's', beforeGates: [{ type: 'Approval' }], groups: [{ name: 'none' }] }] } }),
    ).with(['a']);
    await fleet.plan();
    expect(fleet.states()).toEqual(['Skipped/NoMembers', 's Skipped/NoMembers: none Skipped/NoMembers []']);
  });

  it('in two groups of one run: the run does not start', async () => {
    const fleet = new UpgradeFleet(
      run({
        strategy: {
          stages: [
            { name: 's', memberSelector: { byLabel: 'env=prod' } },
            { name: 't', groups: [{ name: 'g', memberSelector: { byLabel: 'env in (prod, test)' } }] },
          ],
        },
      }),
    ).with(['a'], { labels: { env: 'prod' } });
    const plan = await fleet.plan();
    expect(plan.problems.map(({ code }) => code)).toEqual(['duplicate']);
    expect(fleet.holds()).toEqual(['k8s DuplicateMember']);
    expect(plan.targets).toEqual([]);
  });

  it('unobserved: nothing is skipped as done, nothing completes', async () => {
    const fleet = twoGroups();
    fleet.isObserved = false;
    await fleet.plan();
    expect(fleet.inFlight()).toEqual(['x1', 'x2', 'y1']);
    expect(fleet.targets()[0]!.upgrade).toMatchObject({ controlPlane: 'v1.31.5' });
    fleet.later(3600);
    await fleet.plan();
    expect(fleet.inFlight()).toEqual(['x1', 'x2', 'y1']);
  });

  it('observed without its pools: they are not known to be done, one that is gone is', async () => {
    const fleet = new UpgradeFleet(run({})).with(['a']);
    await fleet.plan();
    fleet.members.get('a')!.versions = { controlPlane: 'v1.31.5' };
    fleet.later(60);
    await fleet.plan();
    expect(fleet.inFlight()).toEqual(['a']);
    fleet.members.get('a')!.versions = { controlPlane: 'v1.31.5', pools: [] };
    fleet.later(60);
    await fleet.plan();
    expect(fleet.states()[0]).toBe('Completed');
  });

  it('no news for longer than the deadline: Failed', async () => {
    const fleet = new UpgradeFleet(run({ progressDeadline: '1h' })).with(['a']);
    const first = await fleet.plan();
    expect(first.wakeAt).toBe('2026-11-20T11:00:00Z');
    const { operationId } = fleet.targets()[0]!.upgrade;
    const news = { message: 'control plane', since: '2026-11-20T10:30:00.120Z' };
    fleet.members.get('a')!.upgrade = { target: operationId, phase: 'Running', ...news };
    fleet.later(3600);
    await fleet.plan();
    expect(fleet.inFlight()).toEqual(['a']);
    fleet.later(1801);
    await fleet.plan();
    expect(fleet.states()[1]).toContain('a Failed/ProgressDeadlineExceeded');
    expect(fleet.run().stages[0]!.groups[0]!.members[0]!.status.error?.message).toBe(
      "no progress since 2026-11-20T10:30:00Z, for 1h0m0s; the provider's last message: control plane",
    );
  });

  it('a break in contact does not fail an upgrade of which there was news; a cluster that never responds again does', async () => {
    const fleet = new UpgradeFleet(run({ progressDeadline: '1h' })).with(['a']);
    await fleet.plan();
    const { operationId } = fleet.targets()[0]!.upgrade;
    const member = fleet.members.get('a')!;
    member.upgrade = { target: operationId, phase: 'Running', since: '2026-11-20T10:50:00Z' };
    fleet.later(3600 + 1200);
    await fleet.plan();
    Object.assign(member, { reachable: false, upgrade: undefined });
    expect((await fleet.later(60).plan()).wakeAt).toBe('2026-11-20T12:20:00Z');
    expect(fleet.inFlight()).toEqual(['a']);
    fleet.later(3600);
    await fleet.plan();
    expect(fleet.run().stages[0]!.groups[0]!.members[0]!.status.error).toEqual({
      code: 'ProgressDeadlineExceeded',
      message: 'no contact since 2026-11-20T11:20:00Z, for 1h0m0s',
    });
  });

  it('news of a provider count while the member itself cannot be reached', async () => {
    const fleet = new UpgradeFleet(run({ progressDeadline: '1h' })).with(['a']);
    await fleet.plan();
    const { operationId } = fleet.targets()[0]!.upgrade;
    const member = fleet.members.get('a')!;
    member.upgrade = { target: operationId, phase: 'Running', since: '2026-11-20T10:50:00Z' };
    member.reachable = false;
    fleet.later(3600);
    await fleet.plan();
    expect(fleet.inFlight()).toEqual(['a']);
    fleet.later(3000);
    await fleet.plan();
    expect(fleet.states()[1]).toContain('a Failed/ProgressDeadlineExceeded');
  });

  it.each([
    ['Pending', 'a Pending/ClusterUnavailable'],
    ['Skip', 'a Skipped/ClusterUnavailable'],
    ['Fail', 'a Failed/ClusterUnavailable'],
  ])('unreachable, by onUnavailable: %s', async (onUnavailable, expected) => {
    const fleet = new UpgradeFleet(run({ onUnavailable })).with(['a']);
    fleet.members.get('a')!.reachable = false;
    await fleet.plan();
    expect(fleet.states()[1]).toContain(expected);
  });

  it('stopped, busy with another operation, without provider, blocked', async () => {
    const fleet = new UpgradeFleet(run({})).with(['a', 'b', 'c', 'd']);
    fleet.members.get('a')!.versions = { ...at('v1.30.9'), powerState: 'Stopped' };
    fleet.members.get('b')!.upgrade = { phase: 'Running' };
    fleet.files['clusters/c.yaml'] = fleet.files['clusters/c.yaml']!.replace('upgrade-provider', 'other');
    const finding = { reason: 'PDBConstraint', severity: 'Blocking' as const, message: 'web/web allows no disruption' };
    fleet.members.get('d')!.upgrade = { findings: [finding] };
    await fleet.plan();
    expect(fleet.states()[1]).toBe(
      'default Pending: default Pending [a Pending/ClusterUnavailable, b Pending/ClusterBusy, c Pending/NoProvider, d Pending/PreflightBlocked]',
    );
    expect(fleet.states()[0]).toBe('Pending');
  });

  it.each([
    ['reports nothing', 'aks', 'the upgrade provider aks reports no versions'],
    ['does not exist', 'azure', 'there is no upgrade provider azure'],
  ])('whose provider %s waits, whatever onUnavailable says', async (_, provider, message) => {
    const annotations = { 'gitfleet.dev/upgrade-provider': provider };
    const fleet = new UpgradeFleet(run({ onUnavailable: 'Skip' })).with(['a'], { annotations });
    if (provider === 'aks') fleet.members.get('a')!.versions = undefined;
    const plan = await fleet.plan();
    expect(fleet.holds()).toEqual(['a NoProvider']);
    expect(plan.holds[0]!.message).toContain(message);
  });

  it('a PodDisruptionBudget that lets no pod go blocks, unless onBlocked is Ignore', async () => {
    const fleet = new UpgradeFleet(run({})).with(['a']);
    const budget = (disruptionsAllowed: number) => ({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web', namespace: 'shop' },
      status: { disruptionsAllowed, expectedPods: 2 },
    });
    fleet.members.get('a')!.extras = [budget(0)];
    await fleet.plan();
    expect(fleet.holds()).toEqual(['a PreflightBlocked']);
    expect(fleet.last!.holds[0]!.message).toContain('shop/web');
    Object.assign(fleet.files, run({ onBlocked: 'Ignore' }));
    await fleet.plan();
    expect(fleet.inFlight()).toEqual(['a']);
    expect(fleet.run().stages[0]!.groups[0]!.members[0]!.message).toBe(
      'ignored: PDBConstraint (PodDisruptionBudget shop/web blocks every eviction)',
    );
  });

  it('members whose API servers were not asked yet wait for that with their slots, and nobody has to act', async () => {
    const fleet = new UpgradeFleet(run({})).with(['a', 'b']);
    for (const member of fleet.members.values()) member.preflight = { done: false };
    await fleet.plan();
    expect(fleet.states()[1]).toBe('default Pending: default Pending [a Pending/PreflightPending, b NotStarted]');
    expect([fleet.holds(), fleet.inFlight()]).toEqual([[], []]);
    fleet.members.get('a')!.preflight = { done: true };
    await fleet.plan();
    expect(fleet.states()[1]).toBe('default Running: default Running [a Running, b NotStarted]');
  });

  it('APIs that clients request and the upgrade removes block, unless onBlocked is Ignore', async () => {
    const fleet = new UpgradeFleet(run({})).with(['a']);
    const api = { group: 'example.k8s.io', version: 'v1beta1', resource: 'things', removedRelease: '1.31' };
    fleet.members.get('a')!.preflight = { requestedApis: [api] };
    await fleet.plan();
    expect(fleet.last!.holds[0]).toMatchObject({
      reason: 'PreflightBlocked',
      message:
        'a waits: it is not ready for an upgrade: ApiBreakingChange (clients request example.k8s.io/v1beta1 things (removed in 1.31): the upgrade to v1.31.5 ends that)',
    });
    fleet.members.get('a')!.preflight = { done: false };
    Object.assign(fleet.files, run({ onBlocked: 'Ignore' }));
    await fleet.plan();
    expect(fleet.inFlight()).toEqual(['a']);
  });

  it('what could not be read blocks nothing, and stands in the message', async () => {
    const fleet = new UpgradeFleet(run({})).with(['a']);
    const finding = { reason: 'ApiBreakingChange', severity: 'Warning', message: 'read /metrics on a: 403, no' };
    fleet.members.get('a')!.preflight = { findings: [finding] };
    await fleet.plan();
    expect(fleet.run().stages[0]!.groups[0]!.members[0]).toMatchObject({
      status: { state: 'Running' },
      message: expect.stringContaining('not known which deprecated APIs clients request: read /metrics on a: 403, no'),
    });
  });

  it('a member of two runs is upgraded by the one that started first; the other names it', async () => {
    const fleet = new UpgradeFleet({ ...run({}, 'b'), ...run({}, 'a') }).with(['m']);
    await fleet.plan();
    expect(fleet.states('a')[1]).toContain('m Running');
    expect(fleet.states('b')[1]).toContain('m Pending/OtherRunActive');
    fleet.succeed().later(1);
    await fleet.plan();
    expect(fleet.states('b')[1]).toContain('m Skipped/AlreadyAtTarget');
  });
});

describe('the file', () => {
  it('edits of a started run that change nothing are none', async () => {
    const stages = (limits: object, stage: object = {}) => ({
      strategy: { stages: [{ name: 'one', groups: [{ name: 'x', ...limits }], ...stage }] },
    });
    const upgrade = (kubernetesVersion: string, images?: object) => ({
      managedClusterUpdate: {
        upgrade: { type: 'Full', kubernetesVersion },
        ...(images && { nodeImageSelection: images }),
      },
    });
    const fleet = new UpgradeFleet(run({ ...upgrade('1.31.5'), ...stages({}) })).with(['x1'], inGroup('x'));
    await fleet.plan();
    const same = stages({ maxConcurrency: '1', beforeGates: [] }, { maxConcurrency: '50', afterStageWaitInSeconds: 0 });
    Object.assign(fleet.files, run({ ...upgrade('v1.31.5', { type: 'Latest' }), ...same }));
    await fleet.plan();
    expect(fleet.holds()).toEqual([]);
    Object.assign(fleet.files, run({ ...upgrade('1.31.6'), ...stages({ maxConcurrency: '2' }) }));
    await fleet.plan();
    expect(fleet.holds()).toEqual(['k8s StateTransitionDenied', 'k8s StateTransitionDenied']);
  });

  it('a started run does not follow edits of its target, strategy or strategy file', async () => {
    const fleet = twoGroups();
    await fleet.plan();
    Object.assign(fleet.files, strategy([{ name: 'other', groups: [{ name: 'x' }] }]));
    edit(fleet, { managedClusterUpdate: { upgrade: { type: 'Full', kubernetesVersion: '1.31.6' } }, state: 'Stopped' });
    const plan = await fleet.plan();
    expect(plan.problems.map(({ code, path }) => `${code} ${path}`)).toEqual([
      'state-transition spec.managedClusterUpdate',
    ]);
    expect(fleet.holds()).toEqual(['k8s StateTransitionDenied']);
    expect(fleet.states()[0]).toBe('Stopping');
    expect(fleet.targets()[0]!.upgrade.controlPlane).toBe('v1.31.5');
  });

  it('removed: what is in flight ends, then its record goes', async () => {
    const fleet = twoGroups();
    await fleet.plan();
    delete fleet.files['upgrades/k8s.yaml'];
    await fleet.plan();
    expect(fleet.states()[0]).toBe('Stopping');
    expect(fleet.inFlight()).toEqual(['x1', 'x2', 'y1']);
    fleet.succeed().later(60);
    const plan = await fleet.plan();
    expect(plan.upgrades).toEqual([]);
    expect([...fleet.record.keys()].filter((path) => path.startsWith('upgrades/'))).toEqual([]);
  });

  it('broken: its last good version stands', async () => {
    const fleet = twoGroups();
    await fleet.plan();
    fleet.files['upgrades/k8s.yaml'] = fleet.files['upgrades/k8s.yaml']!.replace('"spec":{', '"spec":{"foo":1,');
    fleet.succeed().later(60);
    await fleet.plan();
    expect(fleet.holds()).toEqual(['k8s LastGoodVersion']);
    expect(fleet.inFlight()).toEqual(['x3', 'y2']);
  });

  it('names a strategy that is not there: it starts once there is one', async () => {
    const fleet = twoGroups({ updateStrategyId: 'later' });
    await fleet.plan();
    expect(fleet.states()).toEqual(['NotStarted']);
    expect(fleet.holds()).toEqual(['k8s StrategyNotFound']);
  });

  it.each(['Member', 'Group', 'Stage', 'AfterStageWait'])(
    'skips a %s that it does not have: it starts once that is corrected',
    async (type) => {
      const fleet = twoGroups({ skip: [{ type, name: 'typo' }] });
      await fleet.plan();
      expect([fleet.states()[0], fleet.inFlight()]).toEqual(['NotStarted', []]);
      expect(fleet.holds()).toEqual(['k8s NotPartOfRun']);
      edit(fleet, {});
      await fleet.plan();
      expect(fleet.inFlight()).toEqual(['x1', 'x2', 'y1']);
    },
  );
});
