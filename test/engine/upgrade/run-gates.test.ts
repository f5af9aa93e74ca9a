import { describe, expect, it } from 'vitest';
import { reviewAnnotation } from '../../../src/engine/gate/review.ts';
import { type Asked, inGroup, run, strategy, UpgradeFleet } from './upgrade-fleet.ts';

const start = { startDay: 'Saturday', startTime: '02:00', utcOffset: '+09:00' };

const gated = (one: object, two: object = {}, groups: readonly object[] = [{ name: 'x' }]) =>
  new UpgradeFleet({
    ...strategy([
      { name: 'one', groups, ...one },
      { name: 'two', groups: [{ name: 'z' }], ...two },
    ]),
    ...run({ updateStrategyId: 'test-then-prod' }),
  })
    .with(['x1'], inGroup('x'))
    .with(['z1'], inGroup('z'));

const approval = { displayName: 'go', type: 'Approval' };

describe('approvals', () => {
  it('names who approved, in the run and in the record of the request', async () => {
    const fleet = gated({ beforeGates: [approval] });
    await fleet.plan();
    const approver = { commit: '41ab9c0'.padEnd(40, '0'), author: 'Ann', committer: 'GitHub', signature: undefined };
    fleet.approvers = new Map([['Gate//k8s-before-one', approver]]);
    const opened = await fleet.merge('k8s-before-one').later(60).plan();
    const approvedBy = { commit: approver.commit, author: 'Ann', committer: 'GitHub' };
    expect(fleet.run().stages[0]!.beforeGates[0]!.approvedBy).toEqual(approvedBy);
    expect(opened.approvals[0]!.approvedBy).toBe('approved by Ann in commit 41ab9c0 (committed by GitHub)');
    // The next plan does not look again.
    fleet.approvers = undefined;
    await fleet.later(60).plan();
    expect(fleet.run().stages[0]!.beforeGates[0]!.approvedBy).toEqual(approvedBy);
    expect(fleet.record.get('approvals/k8s-before-one.yaml')).toContain('author: Ann');
  });

  it('given while the run is stopped are known at once, and count once it continues', async () => {
    const fleet = gated({ beforeGates: [approval] });
    await fleet.plan();
    const spec = { updateStrategyId: 'test-then-prod' };
    Object.assign(fleet.files, run({ ...spec, state: 'Stopped' }));
    const approvedBy = { commit: '41ab9c0'.padEnd(40, '0'), author: 'Ann' };
    fleet.approvers = new Map([['Gate//k8s-before-one', approvedBy]]);
    fleet.merge('k8s-before-one').later(60);
    const [asked] = (await fleet.plan()).approvals;
    expect(asked).toMatchObject({ answer: 'approved', planned: { status: { state: 'Pending', approvedBy } } });
    expect(asked!.approvedBy).toBe('approved by Ann in commit 41ab9c0, which counts once the run continues');
    expect([fleet.run().stages[0]!.beforeGates[0]!.approvedBy, fleet.inFlight()]).toEqual([approvedBy, []]);
    const path = 'approvals/k8s-before-one.yaml';
    const file = fleet.files[path]!;
    delete fleet.files[path];
    expect((await fleet.later(60).plan()).approvals[0]!.answer).toBeUndefined();
    expect(fleet.run().stages[0]!.beforeGates[0]!.approvedBy).toBeUndefined();
    Object.assign(fleet.files, { [path]: file });
    await fleet.later(60).plan();
    Object.assign(fleet.files, run(spec));
    await fleet.later(60).plan();
    expect([fleet.run().stages[0]!.beforeGates[0], fleet.inFlight()]).toMatchObject([
      { status: { state: 'Completed' }, approvedBy },
      ['x1'],
    ]);
  });

  it('names who rejected', async () => {
    const fleet = gated({ beforeGates: [approval] });
    await fleet.plan();
    const approver = { commit: '41ab9c0'.padEnd(40, '0'), author: undefined, committer: 'Bob', signature: undefined };
    fleet.approvers = new Map([['Gate//k8s-before-one', approver]]);
    await fleet.merge('k8s-before-one', 'Rejected').later(60).plan();
    expect(JSON.stringify(fleet.run())).toContain(
      'approval k8s-before-one was rejected on main by Bob in commit 41ab9c0',
    );
  });

  it('a gate is asked when it is reached, and merging its branch opens it', async () => {
    const fleet = gated({}, { beforeGates: [approval] });
    const first = await fleet.plan();
    expect(first.approvals).toEqual([]);
    fleet.succeed().later(60);
    const asked = await fleet.plan();
    expect(fleet.states()).toEqual([
      'Pending',
      'one Completed: x Completed [x1 Completed]',
      'two Pending: z NotStarted [z1 NotStarted]',
    ]);
    expect(asked.approvals.map(({ planned }) => planned as Asked)).toEqual([
      {
        kind: 'Gate',
        name: 'k8s-before-two',
        spec: {
          displayName: 'go',
          gateType: 'Approval',
          target: { updateRunProperties: { name: 'k8s', stage: 'two', timing: 'Before' } },
        },
        status: { state: 'Pending' },
        reviewDigest: expect.stringMatching(/^sha256:/),
      },
    ]);
    expect(fleet.run().stages[1]!.beforeGates).toEqual([
      {
        displayName: 'go',
        type: 'Approval',
        gateId: 'k8s-before-two',
        status: { state: 'Pending', startTime: '2026-11-20T10:01:00Z' },
      },
    ]);
    expect(fleet.holds()).toEqual(['two WaitingForApproval']);
    expect([...fleet.record.keys()]).toContain('approvals/k8s-before-two.yaml');
    fleet.merge('k8s-before-two').later(60);
    const opened = await fleet.plan();
    expect(fleet.inFlight()).toEqual(['z1']);
    expect(opened.approvals.map(({ planned }) => planned as Asked).map(({ name, status }) => [name, status])).toEqual([
      ['k8s-before-two', { state: 'Completed' }],
    ]);
  });

  it('Rejected fails the run; a raised attempt asks again once the file is gone', async () => {
    const fleet = gated({}, { beforeGates: [approval] });
    await fleet.plan();
    fleet.succeed().later(60);
    await fleet.plan();
    fleet.merge('k8s-before-two', 'Rejected');
    const plan = await fleet.plan();
    expect(fleet.states()).toEqual([
      'Failed/ApprovalRejected',
      'one Completed: x Completed [x1 Completed]',
      'two Failed/ApprovalRejected: z NotStarted [z1 NotStarted]',
    ]);
    expect(plan.approvals.map(({ planned }) => planned as Asked).map(({ status }) => status)).toEqual([
      { state: 'Rejected' },
    ]);
    delete fleet.files['approvals/k8s-before-two.yaml'];
    fleet.later(60);
    await fleet.plan();
    expect(fleet.run().status.state).toBe('Failed');
    Object.assign(fleet.files, run({ updateStrategyId: 'test-then-prod', attempt: 2 }));
    await fleet.plan();
    expect(fleet.states()[0]).toBe('Pending');
    expect(fleet.holds()).toEqual(['two WaitingForApproval']);
  });

  it('a gate that is open as its run fails stays requested, and its approval counts in the next attempt', async () => {
    const fleet = gated({ groups: [{ name: 'x' }, { name: 'y', beforeGates: [approval] }] }).with(['y1'], inGroup('y'));
    await fleet.plan();
    fleet.fail('x1').later(60);
    await fleet.plan();
    expect(fleet.states()[1]).toBe(
      'one Failed/MembersFailed: x Failed/MembersFailed [x1 Failed/UpgradeFailed] y Stopped [y1 NotStarted]',
    );
    expect(fleet.asked().map(({ name, status }) => `${name} ${status.state}`)).toEqual(['k8s-before-y Pending']);
    fleet.approvers = new Map([['Gate//k8s-before-y', { commit: '41ab9c0'.padEnd(40, '0'), author: 'Ann' }]]);
    fleet.merge('k8s-before-y').later(60);
    const { approvals } = await fleet.plan();
    expect(approvals.map(({ approvedBy }) => approvedBy)).toEqual([
      'approved by Ann in commit 41ab9c0, which counts once the run continues',
    ]);
    expect([fleet.run().status.state, fleet.inFlight()]).toEqual(['Failed', []]);
    Object.assign(fleet.files, run({ updateStrategyId: 'test-then-prod', attempt: 2 }));
    await fleet.plan();
    expect(fleet.inFlight()).toEqual(['x1', 'y1']);
  });

  it('rejected, its group is skipped while another is in flight: the next stage still waits', async () => {
    const files = strategy([
      { name: 'one', groups: [{ name: 'x', beforeGates: [approval] }, { name: 'y' }] },
      { name: 'two', groups: [{ name: 'z' }] },
    ]);
    const named = { updateStrategyId: 'test-then-prod' };
    const fleet = new UpgradeFleet({ ...files, ...run(named) })
      .with(['x1'], inGroup('x'))
      .with(['y1', 'y2'], inGroup('y'))
      .with(['z1'], inGroup('z'));
    await fleet.plan();
    fleet.merge('k8s-before-x', 'Rejected').later(60);
    await fleet.plan();
    expect(fleet.states()[0]).toBe('Stopping/ApprovalRejected');
    Object.assign(fleet.files, run({ ...named, skip: [{ type: 'Group', name: 'x' }] }));
    fleet.succeed().later(60);
    await fleet.plan();
    expect(fleet.states()).toEqual([
      'Running',
      'one Running: x Skipped [x1 Skipped/SkippedByUser] y Running [y1 Completed, y2 Running]',
      'two NotStarted: z NotStarted [z1 NotStarted]',
    ]);
  });

  it('rejected, no other group starts in the same plan', async () => {
    const files = strategy([
      { name: 'one', beforeGates: [approval], groups: [{ name: 'x', beforeGates: [approval] }, { name: 'y' }] },
    ]);
    const fleet = new UpgradeFleet({ ...files, ...run({ updateStrategyId: 'test-then-prod' }) })
      .with(['x1'], inGroup('x'))
      .with(['y1'], inGroup('y'));
    fleet.files['fleet.yaml'] = JSON.stringify({
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'FleetConfig',
      metadata: { name: 'fleet' },
      spec: { freeze: [{ name: 'noon', schedule: '0 10 * * *', duration: '1h' }] },
    });
    await fleet.plan();
    fleet.merge('k8s-before-one').later(60);
    await fleet.plan();
    expect(fleet.states()[1]).toBe('one Pending: x Pending [x1 NotStarted] y Pending [y1 Pending/Freeze]');
    fleet.merge('k8s-before-x', 'Rejected').later(3600);
    await fleet.plan();
    expect(fleet.states()[1]).toBe(
      'one Failed/ApprovalRejected: x Failed/ApprovalRejected [x1 NotStarted] y Stopped [y1 Stopped]',
    );
  });

  it('of another review does not count, nor does one that names none', async () => {
    const fleet = gated({ beforeGates: [approval] });
    await fleet.plan();
    fleet.merge('k8s-before-one');
    const path = 'approvals/k8s-before-one.yaml';
    const file = JSON.parse(fleet.files[path]!);
    fleet.files[path] = JSON.stringify({
      ...file,
      metadata: { ...file.metadata, annotations: { [reviewAnnotation]: 'sha256:0' } },
    });
    await fleet.plan();
    expect(fleet.holds()).toEqual(['one ApprovalStale', 'one WaitingForApproval']);
    fleet.files[path] = JSON.stringify({ ...file, metadata: { name: file.metadata.name } });
    const refused = await fleet.plan();
    expect(refused.problems.map(({ code, severity }) => `${severity} ${code}`)).toEqual([
      'error approval-without-review',
    ]);
    expect(fleet.inFlight()).toEqual([]);
    fleet.files['fleet.yaml'] = JSON.stringify({
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'FleetConfig',
      spec: { approvals: { handWritten: true } },
    });
    const accepted = ['warning approval-without-review'];
    for (const plan of [await fleet.plan(), await fleet.plan()])
      expect(plan.problems.map(({ code, severity }) => `${severity} ${code}`)).toEqual(accepted);
    expect(fleet.inFlight()).toEqual(['x1']);
  });

  it('that came with its run is refused', async () => {
    const other = gated({ beforeGates: [approval] });
    await other.plan();
    other.merge('k8s-before-one');
    const fleet = new UpgradeFleet(other.files).with(['x1'], inGroup('x')).with(['z1'], inGroup('z'));
    const plan = await fleet.plan();
    expect(plan.problems.map(({ code }) => code)).toEqual(['early-approval']);
    expect(fleet.inFlight()).toEqual([]);
    const path = 'approvals/k8s-before-one.yaml';
    const file = fleet.files[path]!;
    delete fleet.files[path];
    await fleet.plan();
    fleet.files[path] = file;
    await fleet.plan();
    expect(fleet.inFlight()).toEqual(['x1']);
  });

  it.each([
    ['with', 'before', 'Failed/ApprovalRejected'],
    ['without', 'before', 'Failed/ApprovalRejected'],
    ['without', 'after', 'Running'],
  ])(
    'that rejects before its run, %s a digest and %s the stage, counts once the gate is reached',
    async (has, timing, state) => {
      const gates = { [`${timing}Gates`]: [approval] };
      const other = gated(gates);
      await other.plan();
      if (timing === 'after') await other.succeed().later(60).plan();
      other.merge(`k8s-${timing}-one`, 'Rejected');
      const path = `approvals/k8s-${timing}-one.yaml`;
      const { metadata, ...file } = JSON.parse(other.files[path]!);
      if (has === 'without') other.files[path] = JSON.stringify({ ...file, metadata: { name: metadata.name } });
      const fleet = new UpgradeFleet(other.files).with(['x1'], inGroup('x')).with(['z1'], inGroup('z'));
      await fleet.plan();
      expect(fleet.states()[0]).toBe(state);
      await fleet.succeed().later(60).plan();
      expect(fleet.states()[0]).toBe('Failed/ApprovalRejected');
    },
  );

  it('removed before the first member behind it starts: it is asked for again', async () => {
    const fleet = gated({ beforeGates: [approval] });
    fleet.members.get('x1')!.reachable = false;
    await fleet.plan();
    fleet.merge('k8s-before-one').later(60);
    await fleet.plan();
    expect(fleet.states()[1]).toContain('x1 Pending');
    const { metadata, ...file } = JSON.parse(fleet.files['approvals/k8s-before-one.yaml']!);
    const byHand = { ...file, metadata: { name: metadata.name } };
    delete fleet.files['approvals/k8s-before-one.yaml'];
    await fleet.plan();
    expect(fleet.states()[1]).toBe('one Pending: x NotStarted [x1 NotStarted]');
    expect(fleet.holds()).toEqual(['one ApprovalWithdrawn', 'one WaitingForApproval']);
    fleet.files['approvals/k8s-before-one.yaml'] = JSON.stringify(byHand);
    for (const plan of [await fleet.plan(), await fleet.plan()]) {
      expect(plan.problems.map(({ code }) => code)).toEqual(['approval-without-review']);
      expect(fleet.holds()).toEqual(['one ApprovalWithdrawn', 'one WaitingForApproval']);
    }
  });

  it('removed later it stays given', async () => {
    const fleet = gated({ beforeGates: [approval] });
    await fleet.plan();
    fleet.merge('k8s-before-one').later(60);
    await fleet.plan();
    delete fleet.files['approvals/k8s-before-one.yaml'];
    fleet.later(60);
    await fleet.plan();
    expect(fleet.inFlight()).toEqual(['x1']);
  });

  it('of a group holds up only that group; after-gates come when all members are over, those of the stage beside its wait', async () => {
    const fleet = gated({
      afterGates: [approval],
      afterStageWaitInSeconds: 600,
      groups: [
        { name: 'x', afterGates: [approval, approval] },
        { name: 'y', beforeGates: [approval] },
      ],
    }).with(['y1'], inGroup('y'));
    const first = await fleet.plan();
    expect(first.approvals.map(({ planned }) => planned as Asked).map(({ name }) => name)).toEqual(['k8s-before-y']);
    expect(fleet.inFlight()).toEqual(['x1']);
    fleet.succeed().later(60);
    const second = await fleet.plan();
    expect(second.approvals.map(({ planned }) => planned as Asked).map(({ name }) => name)).toEqual([
      'k8s-after-x-1',
      'k8s-after-x-2',
      'k8s-before-y',
    ]);
    expect(fleet.states()[1]).toBe('one Pending: x Pending [x1 Completed] y Pending [y1 NotStarted]');
    fleet.merge('k8s-after-x-1').merge('k8s-after-x-2').merge('k8s-before-y');
    await fleet.plan();
    fleet.succeed().later(60);
    const third = await fleet.plan();
    expect(
      third.approvals
        .map(({ planned }) => planned as Asked)
        .filter(({ status }) => status.state === 'Pending')
        .map(({ name }) => name),
    ).toEqual(['k8s-after-one']);
    expect(fleet.run().stages[0]!.afterStageWaitStatus!.status.state).toBe('Running');
    fleet.merge('k8s-after-one').later(600);
    await fleet.plan();
    expect(fleet.inFlight()).toEqual(['z1']);
  });

  it('two runs whose gates have one name: the later one is held', async () => {
    const stages = (stage: string, group: string) => ({
      strategy: { stages: [{ name: stage, beforeGates: [approval], groups: [{ name: group }] }] },
    });
    const fleet = new UpgradeFleet({ ...run(stages('b-before-c', 'x'), 'a'), ...run(stages('c', 'y'), 'a-before-b') })
      .with(['x1'], inGroup('x'))
      .with(['y1'], inGroup('y'));
    const plan = await fleet.plan();
    expect(plan.problems.map(({ code, message }) => `${code} ${message}`)).toEqual([
      'duplicate UpdateRun a-before-b: run a has a gate a-before-b-before-c too: one approval would count for both',
    ]);
    expect(plan.approvals.map(({ planned }) => planned as Asked).map(({ name }) => name)).toEqual([
      'a-before-b-before-c',
    ]);
  });

  it('a group with the name of a stage has a gate of its own', async () => {
    const fleet = gated({
      beforeGates: [approval],
      groups: [{ name: 'one', beforeGates: [approval], memberSelector: { byLabel: 'gitfleet.dev/update-group=x' } }],
    });
    await fleet.plan();
    fleet.merge('k8s-before-one');
    const plan = await fleet.plan();
    expect(plan.approvals.map(({ planned }) => planned as Asked).map(({ name }) => name)).toEqual([
      'k8s-before-group-one',
      'k8s-before-one',
    ]);
  });
});

describe('a scheduled start', () => {
  it('opens at the next occurrence after it was reached, or early by a file', async () => {
    const fleet = gated({ beforeGates: [{ type: 'ScheduledStart', scheduledStartConfiguration: start }] });
    const plan = await fleet.plan();
    expect(plan.wakeAt).toBe('2026-11-20T17:00:00Z');
    expect(fleet.holds()).toEqual(['one WaitingForTime 2026-11-20T17:00:00Z']);
    expect(fleet.run().stages[0]!.beforeGates[0]!.absoluteStartTime).toBe('2026-11-20T17:00:00Z');
    fleet.now = Date.parse('2026-11-20T17:00:00Z');
    await fleet.plan();
    expect(fleet.inFlight()).toEqual(['x1']);

    const early = gated({ beforeGates: [{ type: 'ScheduledStart', scheduledStartConfiguration: start }] });
    await early.plan();
    early.merge('k8s-before-one');
    await early.plan();
    expect(early.inFlight()).toEqual(['x1']);
  });

  it('opens at its time also while the run is stopped, and nothing starts', async () => {
    const fleet = gated({ beforeGates: [{ type: 'ScheduledStart', scheduledStartConfiguration: start }] });
    await fleet.plan();
    Object.assign(fleet.files, run({ updateStrategyId: 'test-then-prod', state: 'Stopped' }));
    const plan = await fleet.later(60).plan();
    expect([plan.wakeAt, fleet.holds()]).toEqual(['2026-11-20T17:00:00Z', []]);
    fleet.now = Date.parse('2026-11-20T17:00:00Z');
    await fleet.plan();
    expect(fleet.run().stages[0]!.beforeGates[0]!.status).toEqual({
      state: 'Completed',
      startTime: '2026-11-20T10:00:00Z',
      completedTime: '2026-11-20T17:00:00Z',
    });
    expect([fleet.states()[0], fleet.inFlight()]).toEqual(['Stopped', []]);
    Object.assign(fleet.files, run({ updateStrategyId: 'test-then-prod' }));
    await fleet.later(86_400).plan();
    expect(fleet.inFlight()).toEqual(['x1']);
  });

  it('missed today, it is that of the next week', async () => {
    const fleet = gated({
      beforeGates: [
        {
          type: 'ScheduledStart',
          scheduledStartConfiguration: { startDay: 'Friday', startTime: '10:00', utcOffset: '+00:00' },
        },
      ],
    });
    await fleet.plan();
    expect(fleet.holds()).toEqual(['one WaitingForTime 2026-11-27T10:00:00Z']);
  });
});
