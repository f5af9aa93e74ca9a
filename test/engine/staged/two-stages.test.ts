import { describe, expect, it } from 'vitest';
import { at, cluster, Rollout, runOf, scheduled, stage, strategyOf, workOf } from './world.ts';

const fleet = () =>
  new Rollout(workOf({ bindings: [scheduled('eu-1'), scheduled('eu-2'), scheduled('us-1')] }), {
    runs: [runOf()],
    strategies: [
      strategyOf(
        stage('canary', { afterStageTasks: [{ type: 'TimedWait', waitTime: '1h' }, { type: 'Approval' }] }),
        stage('prod', { maxConcurrency: '100%' }),
      ),
    ],
    clusters: [cluster('eu-1', 'canary'), cluster('eu-2', 'prod'), cluster('us-1', 'prod')],
  });

describe('two stages, a soak and a gate', () => {
  it('run from the commit to the last cluster, and a replan is empty at each step', () => {
    const rollout = fleet().plan();
    expect(rollout.reads).toEqual([
      'Initialized=True/UpdateRunInitializedSuccessfully',
      'Progressing=True/UpdateRunProgressing',
    ]);
    expect(rollout.stages).toEqual({
      canary: 'Progressing=True/StageUpdatingStarted; eu-1: Started=True/ClusterUpdatingStarted',
      prod: '; eu-2: ; us-1: ',
      'kubernetes-fleet.io/deleteStage': '',
    });
    expect(rollout.moves).toEqual(['eu-1 Bound 0 add', 'eu-2 Scheduled - wait', 'us-1 Scheduled - wait']);
    expect(rollout.outcome.wakes).toEqual([at(300)]);

    rollout.ready('eu-1').plan(60);
    expect(rollout.reads[1]).toBe('Progressing=False/UpdateRunWaiting');
    expect(rollout.stages['canary']).toBe(
      'Progressing=False/StageUpdatingWaiting; eu-1: Started=True/ClusterUpdatingStarted Succeeded=True/ClusterUpdatingSucceeded',
    );
    expect(rollout.outcome.holds).toEqual([
      {
        subject: { kind: 'ClusterStagedUpdateRun', name: 'web-1', stage: 'canary' },
        reason: 'WaitingForTime',
        message: `run web-1: stage canary finished at ${at(60)} and soaks for 1h0m0s, until ${at(3660)}`,
        until: at(3660),
      },
      {
        subject: { kind: 'ClusterStagedUpdateRun', name: 'web-1', stage: 'canary' },
        reason: 'WaitingForApproval',
        message: `run web-1 has been waiting since ${at(60)} for approval of stage canary after it finished: merge branch gitfleet/approve/web-1-after-canary, or its pull request`,
      },
    ]);
    expect(rollout.outcome.approvals.map(({ planned }) => planned)).toEqual([
      {
        kind: 'ClusterApprovalRequest',
        name: 'web-1-after-canary',
        spec: { parentStageRollout: 'web-1', targetStage: 'canary' },
        status: { conditions: [] },
        reviewDigest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      },
    ]);

    rollout.merge('web-1-after-canary').plan(120);
    expect(rollout.holds).toEqual(['WaitingForTime canary']);
    expect(rollout.outcome.approvals[0]!.planned.status.conditions.map(({ type, reason }) => [type, reason])).toEqual([
      ['Approved', 'Approved'],
      ['ApprovalAccepted', 'ApprovalRequestApprovalAccepted'],
    ]);
    expect(rollout.outcome.wakes).toEqual([at(3660)]);

    rollout.plan(3660);
    expect(rollout.reads[1]).toBe('Progressing=True/UpdateRunProgressing');
    expect(rollout.stages['canary']).toMatch(
      /^Progressing=False\/StageUpdatingSucceeded Succeeded=True\/StageUpdatingSucceeded;/,
    );
    expect(rollout.moves).toEqual(['eu-1 Bound 0 keep', 'eu-2 Bound 0 add', 'us-1 Bound 0 add']);

    rollout.ready('eu-2', 'us-1').plan(3700);
    expect(rollout.reads).toEqual([
      'Initialized=True/UpdateRunInitializedSuccessfully',
      'Progressing=False/UpdateRunSucceeded',
      'Succeeded=True/UpdateRunSucceeded',
    ]);
    expect(rollout.stages['kubernetes-fleet.io/deleteStage']).toBe(
      'Progressing=False/StageUpdatingSucceeded Succeeded=True/StageUpdatingSucceeded',
    );
    expect(rollout.outcome.holds).toEqual([]);
    expect(rollout.outcome.wakes).toEqual([]);
    const [canary] = rollout.status.stagesStatus!;
    expect([canary!.startTime, canary!.endTime]).toEqual([at(0), at(3660)]);
  });

  it('freezes what it will do in its status', () => {
    const { status } = fleet().plan();
    expect(status).toMatchObject({
      policySnapshotIndexUsed: '0',
      policyObservedClusterCount: 3,
      resourceSnapshotIndexUsed: '0',
      appliedStrategy: { type: 'ClientSideApply' },
      stagedUpdateStrategySnapshot: {
        stages: [
          { name: 'canary', afterStageTasks: [{ type: 'TimedWait', waitTime: '1h0m0s' }, { type: 'Approval' }] },
          { name: 'prod' },
        ],
      },
      stagesStatus: [
        {
          stageName: 'canary',
          afterStageTaskStatus: [
            { type: 'TimedWait' },
            { type: 'Approval', approvalRequestName: 'web-1-after-canary' },
          ],
        },
        { stageName: 'prod' },
      ],
      deletionStageStatus: { stageName: 'kubernetes-fleet.io/deleteStage', clusters: [] },
    });
  });
});
