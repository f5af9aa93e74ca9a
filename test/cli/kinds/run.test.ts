import { describe, expect, it } from 'vitest';
import type { ClusterName } from '../../../src/api/meta.ts';
import { runPage } from '../../../src/cli/kinds/runs/page.ts';
import { asked, at, cluster, is, run, statusWith, waiting } from './world.ts';

describe('describe run', () => {
  const page = (...args: Parameters<typeof runPage>) => `\n${runPage(...args).join('\n\n')}\n`;

  it('shows what it waits for, and every stage with its tasks and clusters', () => {
    expect(page(waiting, statusWith([waiting]))).toMatchInlineSnapshot(`
      "
      Name:       web-1
      Kind:       ClusterStagedUpdateRun
      Placement:  web
      Strategy:   careful
      Snapshot:   3
      Policy:     <none>
      Desired:    Run
      State:      waiting for the soak of canary and approval web-1-after-canary
      Since:      2026-11-20T11:05:00Z

      Waits for:
        the soak of stage canary, until 2026-11-20T12:05:00Z
        approval of web-1-after-canary, since 2026-11-20T11:05:00Z: merge branch gitfleet/approve/web-1-after-canary, or its pull request

      Stage canary: 1/1 clusters done, started 2026-11-20T11:00:00Z
        CLUSTER   STATE   AGE   WAITS FOR
        eu-1      done    55m   <none>
        after it: soak of 1h0m0s, under way since 2026-11-20T11:05:00Z, until 2026-11-20T12:05:00Z
        after it: approval web-1-after-canary waits for approval since 2026-11-20T11:05:00Z

      Stage prod: 0/2 clusters done
        before it: approval web-1-before-prod not requested yet
        CLUSTER   STATE         AGE      WAITS FOR
        us-1      not started   <none>   <none>
        us-2      not started   <none>   <none>

      Conditions:
        TYPE          STATUS   REASON              AGE   MESSAGE
        Initialized   True     InitializedReason   60m   <none>
        Progressing   False    UpdateRunWaiting    55m   <none>
      "
    `);
  });

  it('shows who approved', () => {
    const by = 'approved by Ann in commit 41ab9c0 (committed by GitHub)';
    const conditions = [asked, is('ApprovalRequestApproved', 'True', 9)];
    const stage = { stageName: 'canary', clusters: [cluster('eu-1')] };
    const approvedBy = { commit: '41ab9c0'.padEnd(40, '0'), author: 'Ann', committer: 'GitHub' };
    const task = { type: 'Approval', approvalRequestName: 'web-1-after-canary', conditions, approvedBy };
    const approved = run({ stagesStatus: [{ ...stage, afterStageTaskStatus: [task] }] });
    expect(page(approved, statusWith([approved]))).toContain(
      `  after it: approval web-1-after-canary ${by} since ${at(9)}\n`,
    );
  });

  it('shows what holds a cluster in the run', () => {
    const held = (clusterName: string, message: string) => ({
      subject: {
        kind: 'ClusterStagedUpdateRun',
        name: 'web-1',
        stage: 'prod',
        clusterName: clusterName as ClusterName,
      },
      reason: 'RolloutBudget',
      message,
    });
    const holds = [held('us-1', 'us-1 would break the budget web'), held('us-2', 'us-2 does not answer')];
    const status = { ...statusWith([waiting], { 'us-2': { cause: 'refused' } }), holds };
    const text = page(waiting, status);
    expect(text).toMatch(
      / us-1 {2,}not started +<none> +RolloutBudget: would break the budget web\n +us-2 {2,}not started +<none> +<none>\n/,
    );
  });

  it('shows the progress of each cluster and what it waits for', () => {
    const moving = run({
      conditions: [{ ...is('Progressing', 'True', 1, 'the update run is updating stage canary') }],
      stagesStatus: [
        {
          stageName: 'canary',
          clusters: [
            cluster('a', is('Started', 'True', 1)),
            cluster('b', is('Started', 'True', 1)),
            cluster('c', is('Started', 'True', 1), is('Succeeded', 'False', 2, 'it is too small')),
            cluster('d', is('Skipped', 'True', 3, 'it left')),
          ],
        },
      ],
      deletionStageStatus: { stageName: 'delete', clusters: [cluster('e')] },
    });
    const state = `apiVersion: gitfleet.dev/v1alpha1
kind: PlacementState
metadata: {name: web}
bindings:
- {targetCluster: a, state: Bound, resourceSnapshotIndex: 3}
- {targetCluster: b, state: Bound, resourceSnapshotIndex: 3, conditions: [{type: Available, status: "False", reason: NotYet, message: 1 of 2}]}
`;
    expect(
      page(
        moving,
        statusWith([moving], { a: { cause: 'refused', lastContact: at(1) } }, { 'placements/web/state.yaml': state }),
      ),
    ).toMatchInlineSnapshot(`
      "
      Name:       web-1
      Kind:       ClusterStagedUpdateRun
      Placement:  web
      Strategy:   careful
      Snapshot:   3
      Policy:     <none>
      Desired:    Run
      State:      updating stage canary
      Since:      2026-11-20T11:01:00Z

      Waits for:
        updating stage canary, under way on a, b

      Stage canary: 0/3 clusters done, 1 failed, 1 skipped
        CLUSTER   STATE       AGE   WAITS FOR
        a         under way   59m   does not respond since 2026-11-20T11:01:00Z: refused
        b         under way   59m   NotYet: 1 of 2
        c         failed      58m   it is too small
        d         skipped     57m   it left

      Stage delete: 0/1 clusters done
        CLUSTER   STATE         AGE      WAITS FOR
        e         not started   <none>   <none>

      Conditions:
        TYPE          STATUS   REASON              AGE   MESSAGE
        Progressing   True     ProgressingReason   59m   the update run is updating stage canary
      "
    `);
  });

  it('shows since when it waits at the open gate, not at the one before', () => {
    const [canary, prod] = waiting.status!.stagesStatus!;
    const answered = [asked, is('ApprovalRequestApproved', 'True', 6)];
    const gates = run({
      conditions: [{ ...is('Progressing', 'False', 5), reason: 'UpdateRunWaiting' }],
      stagesStatus: [
        { ...canary, afterStageTaskStatus: [{ type: 'Approval', approvalRequestName: 'a', conditions: answered }] },
        {
          ...prod,
          beforeStageTaskStatus: [
            { type: 'Approval', approvalRequestName: 'b', conditions: [is('ApprovalRequestCreated', 'True', 7)] },
          ],
        },
      ],
    });
    expect(runPage(gates, statusWith([gates]))[0]).toContain(`\nSince:      ${at(7)}`);
  });

  it('keeps the sentences of how a run ended apart', () => {
    const message = '2 clusters have failed: a, b; rolled back 2 of 2 clusters';
    const over = run({ conditions: [{ ...is('Succeeded', 'False', 5, message), reason: 'UpdateRunFailed' }] });
    expect(page(over, statusWith([over]))).toContain(`State:      ${message}\n`);
  });

  it('shows a rollback, with why and what it does when it fails', () => {
    const failing = run({
      conditions: [
        {
          ...is('Progressing', 'True', 5, 'the update run is rolling back stage canary: cluster a is late'),
          reason: 'UpdateRunRollingBack',
        },
      ],
      stagesStatus: [
        {
          stageName: 'canary',
          clusters: [
            cluster('a', is('Started', 'True', 1), is('Succeeded', 'False', 4)),
            cluster('b', is('Started', 'True', 3)),
          ],
        },
      ],
      rollbackStatus: {
        reason: 'UpdateRunFailed',
        message: 'cluster a is late',
        stagesStatus: [{ stageName: 'canary', startTime: at(5), clusters: [cluster('a', is('Started', 'True', 5))] }],
      },
    });
    const annotations = { 'gitfleet.dev/progress-deadline': '3m', 'gitfleet.dev/on-failure': 'rollback' };
    const text = page({ ...failing, metadata: { ...failing.metadata, annotations } }, statusWith([failing]));
    expect(text).toContain('\nFailures:   a cluster fails after 3m, none may fail, then rollback\n');
    expect(text).toContain('Waits for:\n  rolling back stage canary: cluster a is late, under way on a\n');
    expect(text).toContain('Stage canary: 0/2 clusters done, 1 failed\n');
    expect(text).toMatch(/^ +b +not done +57m +the run ended before it was available$/m);
    expect(text).toMatch(/Rollback of stage canary: 0\/1 clusters done, started \S+\n.*\n +a +under way/);
  });

  it('shows what a run that is over no longer waits for', () => {
    const over = run({
      conditions: [is('Progressing', 'False', 9), is('Succeeded', 'False', 9, 'cluster a is late')],
      stagesStatus: [
        {
          stageName: 'canary',
          clusters: [cluster('a', is('Started', 'True', 1), is('Succeeded', 'False', 4))],
          afterStageTaskStatus: [
            { type: 'TimedWait' },
            { type: 'Approval', approvalRequestName: 'web-1-after-canary' },
          ],
        },
      ],
      stagedUpdateStrategySnapshot: {
        stages: [{ name: 'canary', afterStageTasks: [{ type: 'TimedWait', waitTime: '10s' }, { type: 'Approval' }] }],
      },
    });
    const text = page(over, statusWith([over]));
    // When the run ended, not when the soak began.
    expect(text).toContain('after it: soak of 10s, not done: the run is over since 2026-11-20T11:09:00Z\n');
    expect(text).toContain(
      'after it: approval web-1-after-canary not approved: the run is over since 2026-11-20T11:09:00Z\n',
    );
  });
});
