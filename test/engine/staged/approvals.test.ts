import { describe, expect, it } from 'vitest';
import type { StageConfig } from '../../../src/api/staged.ts';
import type { RunsInput } from '../../../src/engine/staged/step.ts';
import { answer, at, bound, cluster, manifest, Rollout, runOf, stage, strategyOf, workOf } from './world.ts';

const approval = { type: 'Approval' as const };
/** Canary c-1, then prod p-1; which gates there are is the test's. */
const gated = (canary: Partial<StageConfig>, prod: Partial<StageConfig> = {}, input: Partial<RunsInput> = {}) =>
  new Rollout(workOf({ bindings: [bound('c-1'), bound('p-1')], snapshots: [0] }), {
    strategies: [strategyOf(stage('canary', canary), stage('prod', prod))],
    clusters: [cluster('c-1', 'canary'), cluster('p-1', 'prod')],
    ...input,
  });
const after = { afterStageTasks: [approval] };
const before = { beforeStageTasks: [approval] };
const digestOf = (rollout: Rollout, at = 0) => rollout.outcome.approvals[at]!.planned.reviewDigest;

describe('a gate before a stage', () => {
  it('is requested before anything starts, and opens the stage', () => {
    const rollout = gated(before).plan();
    expect(rollout.reads).toEqual([
      'Initialized=True/UpdateRunInitializedSuccessfully',
      'Progressing=False/UpdateRunWaiting',
    ]);
    expect(rollout.stages['canary']).toBe('Progressing=False/StageUpdatingWaiting; c-1: ');
    expect(rollout.status.stagesStatus![0]!.beforeStageTaskStatus).toEqual([
      {
        type: 'Approval',
        approvalRequestName: 'web-1-before-canary',
        conditions: [
          {
            type: 'ApprovalRequestCreated',
            status: 'True',
            reason: 'StageTaskApprovalRequestCreated',
            message: 'approval request web-1-before-canary is on its branch',
            lastTransitionTime: at(0),
          },
        ],
      },
    ]);
    expect(rollout.outcome.holds.map(({ message }) => message)).toEqual([
      'run web-1 has been waiting since 2026-11-20T10:00:00Z for approval of stage canary before it starts: merge branch gitfleet/approve/web-1-before-canary, or its pull request',
    ]);
    rollout.merge('web-1-before-canary').plan(60);
    expect(rollout.moves[0]).toBe('c-1 Bound 1 update');
  });
  it('the older name is not accepted for it', () => {
    expect(gated(before, {}, { approvals: [answer({ name: 'web-1-canary', stage: 'canary' })] }).plan().holds).toEqual([
      'WaitingForApproval canary',
    ]);
  });
});

describe('who approved', () => {
  const approver = { commit: '41ab9c0'.padEnd(40, '0'), author: 'Ann', committer: 'GitHub', signature: 'unsigned' };
  const approvers = new Map([['ClusterApprovalRequest//web-1-before-canary', approver]]);
  const by = 'by Ann in commit 41ab9c0 (committed by GitHub; unsigned)';

  it('is named in the task of the run, and stays there', () => {
    const rollout = gated(before, {}, { approvers }).plan().merge('web-1-before-canary').plan(60);
    const messages = () =>
      rollout.status.stagesStatus![0]!.beforeStageTaskStatus![0]!.conditions!.map(({ message }) => message);
    const approved = `approval web-1-before-canary is on main, approved ${by}`;
    expect(messages()[1]).toBe(approved);
    expect(rollout.status.stagesStatus![0]!.beforeStageTaskStatus![0]!.approvedBy).toEqual(approver);
    const [request] = rollout.outcome.approvals;
    expect(request!.approvedBy).toBe(`approved ${by}`);
    expect(request!.planned.status.conditions.map(({ message }) => message)).toContain(
      `the approval of stage canary has been accepted: approved ${by}`,
    );
    rollout.plan(120);
    expect(messages()[1]).toBe(approved);
  });

  it('is named in the end of a run that was rejected', () => {
    const rollout = gated(before, {}, { approvers }).plan();
    const no = answer({ name: 'web-1-before-canary', stage: 'canary', status: 'False', message: 'not today' });
    rollout.change({ approvals: [no] }).plan(60);
    expect(JSON.stringify(rollout.status.conditions)).toContain(
      `approval web-1-before-canary was rejected on main ${by}: not today`,
    );
  });

  it('is named while the run is stopped, until the approval is withdrawn', () => {
    const rollout = gated(before, {}, { approvers }).plan();
    rollout
      .change({ runs: [runOf({ state: 'Stop' })] })
      .merge('web-1-before-canary')
      .plan(60);
    const task = () => rollout.status.stagesStatus![0]!.beforeStageTaskStatus![0]!;
    expect(task()).toMatchObject({ approvedBy: approver, conditions: [{ type: 'ApprovalRequestCreated' }] });
    expect(rollout.outcome.approvals[0]!).toMatchObject({
      answer: 'approved',
      approvedBy: `approved ${by}, which counts once the run continues`,
    });
    rollout.change({ approvals: [] }).plan(70);
    expect([task().approvedBy, rollout.outcome.approvals[0]!.answer]).toEqual([undefined, undefined]);
  });

  it('is not named without history', () => {
    const rollout = gated(before).plan().merge('web-1-before-canary').plan(60);
    expect(JSON.stringify(rollout.status)).toContain('"approval web-1-before-canary is on main"');
  });
});

describe('the file on the branch', () => {
  it('approves exactly the review that was requested', () => {
    const rollout = gated(before).plan();
    expect(rollout.outcome.approvals[0]!.file.object).toEqual({
      apiVersion: 'placement.kubernetes-fleet.io/v1',
      kind: 'ClusterApprovalRequest',
      metadata: { name: 'web-1-before-canary', annotations: { 'gitfleet.dev/review': digestOf(rollout) } },
      spec: { parentStageRollout: 'web-1', targetStage: 'canary' },
      status: {
        conditions: [
          {
            type: 'Approved',
            status: 'True',
            reason: 'Approved',
            message: 'merging this file approves stage canary of run web-1; write status "False" to reject it',
          },
        ],
      },
    });
  });
});

describe('the review digest', () => {
  const base = () => gated(before);
  const other = (change: (rollout: Rollout) => void): string => {
    const rollout = base();
    change(rollout);
    return digestOf(rollout.plan());
  };
  const same = digestOf(base().plan());
  it('is that of the same run at another time, with other labels and more files', () => {
    expect(other((it) => it.change({ now: at(999), approvals: [answer({ name: 'else', stage: 'x' })] }))).toBe(same);
  });
  it.each<[string, (rollout: Rollout) => void]>([
    ['the run', (it) => it.change({ runs: [runOf({ name: 'web-9' })] })],
    [
      'the content',
      (it) => {
        it.work = {
          ...it.work,
          selection: { ok: true, manifests: [manifest('app', 'other')], hash: 'h', identifiers: [] },
        };
      },
    ],
    ['the snapshot index', (it) => it.change({ runs: [runOf({ resourceSnapshotIndex: '0' })] })],
    [
      'override snapshots',
      (it) => it.change({ overridesFor: () => ({ clusterResourceOverrideSnapshots: ['cro-1'] }) }),
    ],
    ['the clusters', (it) => it.change({ clusters: [cluster('c-1', 'canary'), cluster('p-1', 'canary')] })],
  ])('changes with %s', (_, change) => {
    expect(other(change)).not.toBe(same);
  });
  it('differs from stage to stage and before from after', () => {
    const rollout = gated({ ...before, ...after }, before)
      .plan()
      .merge('web-1-before-canary')
      .plan(10)
      .ready('c-1')
      .plan(20)
      .merge('web-1-after-canary')
      .plan(30);
    expect(new Set(rollout.outcome.approvals.map(({ planned }) => planned.reviewDigest)).size).toBe(3);
  });
});

describe('answers', () => {
  const asked = () => gated(after).plan().ready('c-1').plan(10);
  const told = (...approvals: RunsInput['approvals']) => asked().change({ approvals }).plan(20);
  const allowed = (...approvals: RunsInput['approvals']) => asked().change({ approvals, handWritten: true }).plan(20);
  const passed = (rollout: Rollout) => rollout.moves[1] === 'p-1 Bound 1 update';
  const name = 'web-1-after-canary';

  it('written by hand without a review is accepted with a warning where that is allowed, as long as the file is there', () => {
    const rollout = allowed(answer({ name, stage: 'canary' }));
    expect(passed(rollout)).toBe(true);
    expect(rollout.outcome.problems.map(({ severity, code }) => [severity, code])).toEqual([
      ['warning', 'approval-without-review'],
    ]);
    expect(rollout.plan(30).outcome.problems).toHaveLength(1);
    expect(rollout.change({ approvals: [] }).plan(40).outcome.problems).toEqual([]);
  });
  it('written by hand without a review is refused where it is not allowed', () => {
    const rollout = told(answer({ name, stage: 'canary' }));
    expect(rollout.holds).toEqual(['WaitingForApproval canary']);
    expect(rollout.outcome.holds[0]!.message).toContain(`(approval ${name} has no review digest)`);
    expect(rollout.outcome.problems).toMatchObject([
      {
        severity: 'error',
        code: 'approval-without-review',
        fix: `merge branch gitfleet/approve/${name}, or its pull request instead`,
      },
    ]);
    expect(passed(rollout.change({ approvals: [] }).merge(name).plan(30))).toBe(true);
  });
  it('under the older name of an after-stage approval', () => {
    const review = digestOf(asked());
    expect(passed(told(answer({ name: 'web-1-canary', stage: 'canary', review })))).toBe(true);
  });

  describe('that came with their run', () => {
    const review = digestOf(asked());
    const early = answer({ name, stage: 'canary', review });
    const came = () =>
      gated(after, {}, { approvals: [early] })
        .plan()
        .ready('c-1')
        .plan(10);
    it('are refused, and named', () => {
      const rollout = came();
      expect(passed(rollout)).toBe(false);
      expect(rollout.status.earlyApprovals).toEqual([{ name, review }]);
      expect(rollout.outcome.problems).toMatchObject([{ severity: 'error', code: 'early-approval' }]);
      expect(passed(rollout.plan(20))).toBe(false);
    });
    it('count once they were removed and came back', () => {
      const rollout = came().change({ approvals: [] }).plan(20);
      expect(rollout.status.earlyApprovals).toBeUndefined();
      expect(passed(rollout.merge(name).plan(30))).toBe(true);
    });
    it('are not forgotten while some file cannot be read', () => {
      const rollout = came().change({ approvals: [], absenceIsCertain: false }).plan(20);
      expect(passed(rollout.change({ approvals: [early], absenceIsCertain: true }).plan(30))).toBe(false);
    });
    it('are forgotten once they name another review', () => {
      const stale = answer({ name, stage: 'canary', review: 'sha256:other' });
      const rollout = gated(after, {}, { approvals: [stale] })
        .plan()
        .ready('c-1')
        .plan(10);
      expect(passed(rollout.change({ approvals: [early] }).plan(20))).toBe(true);
    });
    it('count with a warning where that is allowed', () => {
      const rollout = gated(after, {}, { approvals: [early], handWritten: true })
        .plan()
        .ready('c-1')
        .plan(10);
      expect(passed(rollout)).toBe(true);
      expect(rollout.outcome.problems).toMatchObject([{ severity: 'warning', code: 'early-approval' }]);
    });
    it('count where they are of another run of that name’s stage', () => {
      const other = answer({ name: 'web-2-after-canary', run: 'web-2', stage: 'canary', review });
      expect(gated(after, {}, { approvals: [other] }).plan().status.earlyApprovals).toBeUndefined();
    });
  });
  it('of another review is stale and requested again', () => {
    const rollout = told(answer({ name, stage: 'canary', review: 'sha256:other' }));
    expect(rollout.holds).toEqual(['ApprovalStale canary', 'WaitingForApproval canary']);
    expect(passed(rollout.change({ approvals: [] }).merge(name).plan(30))).toBe(true);
  });
  it('a stale rejection does not count', () => {
    expect(told(answer({ name, stage: 'canary', review: 'sha256:other', status: 'False' })).holds).toContain(
      'ApprovalStale canary',
    );
  });
  it.each(['Unknown' as const])('%s has no effect', (status) => {
    expect(told(answer({ name, stage: 'canary', status })).holds).toEqual(['WaitingForApproval canary']);
  });
  it('of another generation does not count', () => {
    const rollout = told(answer({ name, stage: 'canary', generation: 2 }));
    expect(rollout.outcome.holds[0]!.message).toContain('is of generation 2, not 1');
    expect(passed(allowed(answer({ name, stage: 'canary', generation: 1 })))).toBe(true);
  });
  it('of the namespaced kind is for namespaced runs', () => {
    expect(told({ ...answer({ name, stage: 'canary' }), kind: 'ApprovalRequest' }).holds).toEqual([
      'WaitingForApproval canary',
    ]);
  });
  it('a rejection on main ends the run', () => {
    const rollout = told(answer({ name, stage: 'canary', status: 'False', message: 'too hot today' }));
    expect(rollout.reads.slice(1)).toEqual(['Progressing=False/ApprovalRejected', 'Succeeded=False/ApprovalRejected']);
    expect(rollout.stages['canary']).toMatch(/^Progressing=False\/ApprovalRejected Succeeded=False\/ApprovalRejected;/);
    expect(rollout.status.conditions!.at(-1)!.message).toBe(
      'approval web-1-after-canary was rejected on main: too hot today',
    );
    expect(
      rollout.outcome.approvals.map(({ planned }) =>
        planned.status.conditions.map(({ type, status: is }) => [type, is]),
      ),
    ).toEqual([[['Approved', 'False']]]);
  });
  describe('that reject a gate that the run has not reached', () => {
    const no = (change = {}) => answer({ name, stage: 'canary', status: 'False', message: 'bad build', ...change });
    const early = (change = {}, state?: 'Stop' | 'Initialize') => {
      const rollout = gated(after).plan();
      return rollout.change({ approvals: [no(change)], runs: [runOf(state && { state })] }).plan(20);
    };
    const ended = ['Progressing=False/ApprovalRejected', 'Succeeded=False/ApprovalRejected'];
    it('end the run at once, and start no further cluster', () => {
      const rollout = gated({ maxConcurrency: 1 }, after).plan().ready('c-1');
      rollout.change({ approvals: [no({ name: 'web-1-after-prod', stage: 'prod' })] }).plan(20);
      expect(rollout.reads.slice(1)).toEqual(ended);
      expect(rollout.stages['canary']).toContain('Succeeded=True/ClusterUpdatingSucceeded');
      expect(rollout.stages['prod']).toMatch(
        /^Progressing=False\/ApprovalRejected Succeeded=False\/ApprovalRejected; p-1: $/,
      );
      expect(rollout.moves[1]).toBe('p-1 Bound 0 keep');
      expect(rollout.status.conditions!.at(-1)!.message).toBe(
        'approval web-1-after-prod was rejected on main: bad build',
      );
      expect(rollout.outcome.approvals.map(({ planned, answer: is }) => [planned.name, is])).toEqual([
        ['web-1-after-prod', 'rejected'],
      ]);
    });
    it.each([
      ['before', before],
      ['after', after],
    ] as const)(
      'are in time on main before the run, also without a digest, for a gate %s its stage',
      (timing, stages) => {
        const given = (status: 'True' | 'False', review?: string) => ({
          approvals: [answer({ name: `web-1-${timing}-canary`, stage: 'canary', status, ...(review && { review }) })],
        });
        const reads = (input: Partial<RunsInput>): string => {
          const rollout = gated(stages, {}, input).plan().ready('c-1').plan(10);
          return `${rollout.reads[1]}${rollout.stages['canary']!.includes('ClusterUpdating') ? ', c-1 started' : ''}`;
        };
        const review = digestOf(gated(stages).plan().ready('c-1').plan(10));
        const waits = `Progressing=False/UpdateRunWaiting${timing === 'after' ? ', c-1 started' : ''}`;
        expect([reads(given('True')), reads(given('True', review)), reads(given('False', 'sha256:other'))]).toEqual(
          Array(3).fill(waits),
        );
        expect([reads(given('False')), reads(given('False', review))]).toEqual(
          Array(2).fill('Progressing=False/ApprovalRejected'),
        );
      },
    );
    it.each(['Stop', 'Initialize', undefined] as const)('end it with state %s', (state) => {
      expect(early({}, state).reads).toEqual(expect.arrayContaining(ended));
    });
    it.each([
      ['another review', { review: 'sha256:other' }],
      ['another stage', { stage: 'prod' }],
      ['another run', { run: 'web-2' }],
      ['no gate', { name: 'web-1-after-prod', stage: 'prod' }],
      ['another generation', { generation: 2 }],
    ])('do not count where they are of %s', (_, change) => {
      expect(early(change).reads[1]).toBe('Progressing=True/UpdateRunProgressing');
    });
    it('do not count for a gate that was passed, once a cluster behind it has started', () => {
      const rollout = asked().merge(name).plan(20);
      rollout.change({ approvals: [no()] }).plan(30);
      expect(rollout.reads[1]).toBe('Progressing=True/UpdateRunProgressing');
    });
    it('end it also where an earlier approval was withdrawn', () => {
      const rollout = gated(after, before).plan().ready('c-1').plan(10).merge(name).plan(20);
      const prod = no({ name: 'web-1-before-prod', stage: 'prod' });
      expect(rollout.change({ approvals: [] }).plan(30).holds).toContain('ApprovalWithdrawn canary');
      expect(rollout.change({ approvals: [prod] }).plan(40).reads).toEqual(expect.arrayContaining(ended));
    });
  });
  it('for another run or stage under this name ends the run', () => {
    const rollout = told(answer({ name, stage: 'prod' }));
    expect(rollout.status.conditions!.at(-1)).toMatchObject({
      reason: 'UpdateRunFailed',
      message: 'approval web-1-after-canary is for run web-1, stage prod, not for run web-1, stage canary',
    });
  });
  it('the older name of another run’s approval is not taken for this gate', () => {
    const rollout = gated(
      before,
      {},
      { approvals: [answer({ name: 'web-1-before-canary', run: 'web-1-before', stage: 'canary' })] },
    ).plan();
    expect(rollout.holds).toEqual(['WaitingForApproval canary']);
  });
  it('is not read while the run is stopped', () => {
    const rollout = asked()
      .change({ runs: [runOf({ state: 'Stop' })] })
      .merge(name)
      .plan(20);
    expect(rollout.reads[1]).toBe('Progressing=False/UpdateRunStopped');
    expect(rollout.outcome.approvals[0]!.planned.status.conditions.map(({ type }) => type)).toEqual(['Approved']);
    expect(passed(rollout.change({ runs: [runOf({ state: 'Run' })] }).plan(30))).toBe(true);
  });
  it('a request that a failed run still waited for is withdrawn', () => {
    const rollout = asked();
    rollout.work = {
      ...rollout.work,
      policySnapshots: [{ index: 1, latest: true, policy: { placementType: 'PickAll' } }],
    };
    expect(rollout.plan(20).outcome.approvals).toEqual([]);
  });
});

describe('withdrawing an approval', () => {
  const soaking = { afterStageTasks: [approval, { type: 'TimedWait' as const, waitTime: '1h' }] };
  const passedEarly = () => gated(soaking).plan().ready('c-1').plan(10).merge('web-1-after-canary').plan(20);
  it('works before the next cluster starts, is reported, and the approval is requested again', () => {
    const rollout = passedEarly();
    expect(rollout.holds).toEqual(['WaitingForTime canary']);
    rollout.change({ approvals: [] }).plan(30);
    expect(rollout.holds).toEqual(['WaitingForApproval canary', 'ApprovalWithdrawn canary', 'WaitingForTime canary']);
    expect(rollout.outcome.approvals[0]!.planned.status.conditions).toEqual([]);
    expect(rollout.plan(4000).moves[1]).toBe('p-1 Bound 0 wait');
    expect(rollout.merge('web-1-after-canary').plan(4001).moves[1]).toBe('p-1 Bound 1 update');
  });
  it('re-opens a stage that had succeeded while the next one waits at its own gate', () => {
    const rollout = gated(after, before).plan().ready('c-1').plan(10).merge('web-1-after-canary').plan(20);
    expect(rollout.stages['canary']).toMatch(/^Progressing=False\/StageUpdatingSucceeded Succeeded=True/);
    rollout.change({ approvals: [] }).plan(30);
    expect(rollout.stages['canary']).toMatch(/^Progressing=False\/StageUpdatingWaiting;/);
    expect(rollout.holds).toEqual(['WaitingForApproval canary', 'ApprovalWithdrawn canary']);
  });
  it('has no effect once the next cluster has started', () => {
    const rollout = gated(after)
      .plan()
      .ready('c-1')
      .plan(10)
      .merge('web-1-after-canary')
      .plan(20)
      .change({ approvals: [] })
      .plan(30);
    expect(rollout.reads[1]).toBe('Progressing=True/UpdateRunProgressing');
    expect(rollout.outcome.approvals[0]!.planned.status.conditions.map(({ type }) => type)).toEqual([
      'Approved',
      'ApprovalAccepted',
    ]);
  });
  it('has no effect while some file cannot be read', () => {
    expect(passedEarly().change({ approvals: [], absenceIsCertain: false }).plan(30).holds).toEqual([
      'WaitingForTime canary',
    ]);
  });
  it('becomes a rejection when the file rejects', () => {
    const rollout = passedEarly()
      .change({ approvals: [answer({ name: 'web-1-after-canary', stage: 'canary', status: 'False' })] })
      .plan(30);
    expect(rollout.reads).toContain('Succeeded=False/ApprovalRejected');
  });
  it('before the first cluster of the run starts is requested again', () => {
    // The budget keeps the first cluster from starting after its gate has opened.
    const budget = {
      apiVersion: 'placement.kubernetes-fleet.io/v1beta1' as const,
      kind: 'ClusterResourcePlacementDisruptionBudget' as const,
      metadata: { name: 'web', annotations: { 'gitfleet.dev/budget-scope': 'all' } },
      spec: { minAvailable: 2 },
    };
    const rollout = gated(before, {}, { budgets: [budget] })
      .plan()
      .merge('web-1-before-canary')
      .plan(10);
    expect(rollout.holds).toEqual(['RolloutBudget canary c-1', 'StageOrder prod']);
    rollout.change({ approvals: [] }).plan(20);
    expect(rollout.holds).toEqual(['WaitingForApproval canary']);
  });
});

describe('a namespaced run', () => {
  it('requests approval with an ApprovalRequest in its namespace', () => {
    const run = { ...runOf(), kind: 'StagedUpdateRun' as const, metadata: { name: 'web-1', namespace: 'shop' } };
    const strategy = { ...strategyOf(stage('canary', before), stage('prod')), kind: 'StagedUpdateStrategy' as const };
    const rollout = gated(
      {},
      {},
      { runs: [run], strategies: [{ ...strategy, metadata: { name: 'careful', namespace: 'shop' } }] },
    ).change({});
    rollout.work = {
      ...rollout.work,
      placement: { ...rollout.work.placement, kind: 'ResourcePlacement', metadata: { name: 'web', namespace: 'shop' } },
    };
    rollout.outcome = rollout.plan().outcome;
    expect(rollout.outcome.approvals.map(({ planned: { kind, name, namespace } }) => [kind, name, namespace])).toEqual([
      ['ApprovalRequest', 'web-1-before-canary', 'shop'],
    ]);
    expect(rollout.outcome.holds[0]!.subject).toEqual({
      kind: 'StagedUpdateRun',
      name: 'web-1',
      namespace: 'shop',
      stage: 'canary',
    });
  });
});
