import { describe, expect, it } from 'vitest';
import { eviction } from '../../../src/api/eviction.ts';
import { memberCluster } from '../../../src/api/member-cluster.ts';
import type { ClusterName, Condition } from '../../../src/api/meta.ts';
import { approvalRequest, stagedUpdateRun } from '../../../src/api/staged.ts';
import { approvalText, removalText } from '../../../src/cli/describe/approval.ts';
import { clusterText } from '../../../src/cli/describe/cluster.ts';
import { evictionText } from '../../../src/cli/describe/eviction.ts';
import { runText } from '../../../src/cli/describe/run.ts';
import type { Status } from '../../../src/cli/status/open-status.ts';
import { readRecord } from '../../../src/repo/record/read.ts';
import type { Silence } from '../../../src/repo/record/summary.ts';

const now = Date.parse('2026-11-20T12:00:00Z');
const at = (minute: number): string => `2026-11-20T11:${String(minute).padStart(2, '0')}:00Z`;
const is = (type: string, status: Condition['status'], minute: number, message = ''): Condition => ({
  type,
  status,
  reason: `${type}Reason`,
  message,
  lastTransitionTime: at(minute),
});

const cluster = (clusterName: string, ...conditions: Condition[]) => ({ clusterName, conditions });
const done = (name: string, minute: number) => cluster(name, is('Started', 'True', 0), is('Succeeded', 'True', minute));
const asked = is('ApprovalRequestCreated', 'True', 5);

/** A run of two stages; the first soaks an hour and is to be approved after. */
const run = (status: object) =>
  stagedUpdateRun.parse({
    apiVersion: 'placement.kubernetes-fleet.io/v1',
    kind: 'ClusterStagedUpdateRun',
    metadata: { name: 'web-1' },
    spec: { placementName: 'web', stagedRolloutStrategyName: 'careful' },
    status: {
      resourceSnapshotIndexUsed: '3',
      stagedUpdateStrategySnapshot: {
        stages: [
          { name: 'canary', afterStageTasks: [{ type: 'TimedWait', waitTime: '1h' }, { type: 'Approval' }] },
          { name: 'prod', maxConcurrency: 2, beforeStageTasks: [{ type: 'Approval' }] },
        ],
      },
      ...status,
    },
  });

const waiting = run({
  conditions: [is('Initialized', 'True', 0), { ...is('Progressing', 'False', 5), reason: 'UpdateRunWaiting' }],
  stagesStatus: [
    {
      stageName: 'canary',
      startTime: at(0),
      clusters: [done('eu-1', 5)],
      afterStageTaskStatus: [
        { type: 'TimedWait' },
        { type: 'Approval', approvalRequestName: 'web-1-after-canary', conditions: [asked] },
      ],
    },
    {
      stageName: 'prod',
      clusters: [cluster('us-1'), cluster('us-2')],
      beforeStageTaskStatus: [{ type: 'Approval', approvalRequestName: 'web-1-before-prod' }],
    },
  ],
});

const statusWith = (
  runs: readonly ReturnType<typeof run>[],
  silent: Readonly<Record<string, Silence>> = {},
  files: Readonly<Record<string, string>> = {},
): Status => ({
  tip: 'tip',
  now,
  inPlace: false,
  branch: 'main',
  removals: [],
  files: new Map(),
  silent: new Map(Object.entries(silent)) as unknown as ReadonlyMap<ClusterName, Silence>,
  holds: [],
  record: {
    ...readRecord(new Map(Object.entries(files))).record,
    runs: new Map(runs.map((one) => [one.metadata.name, one])),
  },
});

const request = (name: string, targetStage: string, conditions: Condition[] = []) =>
  approvalRequest.parse({
    apiVersion: 'placement.kubernetes-fleet.io/v1',
    kind: 'ClusterApprovalRequest',
    metadata: { name, annotations: { 'gitfleet.dev/review': 'sha256:12' } },
    spec: { parentStageRollout: 'web-1', targetStage },
    status: { conditions },
  });

describe('describe approval', () => {
  const page = (...args: Parameters<typeof approvalText>) => `\n${approvalText(...args).join('\n\n')}\n`;

  it('says who waits since when, what a yes opens and when, and how to say it', () => {
    expect(page(request('web-1-after-canary', 'canary'), statusWith([waiting]))).toMatchInlineSnapshot(`
      "
      Name:       web-1-after-canary
      Kind:       ClusterApprovalRequest
      Run:        web-1
      Placement:  web
      Snapshot:   3
      Stage:      after canary
      Answer:     none yet
      Asked:      2026-11-20T11:05:00Z
      Who waits:  run web-1: waits for the soak of canary and approval web-1-after-canary
      Review:     sha256:12

      Opens:
        stage prod, 2 cluster(s), at most 2 at once: us-1, us-2
        not before the soak of stage canary is over, at 2026-11-20T12:05:00Z

      How to answer:
        yes:  merge the branch gitfleet/approve/web-1-after-canary, or its pull request; in a clone:
              git pull && git merge origin/gitfleet/approve/web-1-after-canary && git push
        no:   write status: "False" into the file of that branch first; that ends the run
      "
    `);
  });

  it('before a stage a yes opens that stage', () => {
    expect(page(request('web-1-before-prod', 'prod'), statusWith([waiting]))).toContain(
      'Opens:\n  stage prod, 2 cluster(s), at most 2 at once: us-1, us-2\n',
    );
  });

  it.each([
    ['the end of the run', [], 'the end of the run: there is no stage after it'],
    ['the removal of what is left', ['old-1', 'old-2'], 'the removal from 2 cluster(s): old-1, old-2'],
  ])('after the last stage a yes opens %s', (_, leaving, expected) => {
    const last = run({
      stagesStatus: [
        {
          stageName: 'canary',
          clusters: [],
          afterStageTaskStatus: [{ type: 'Approval', approvalRequestName: 'web-1-after-canary', conditions: [asked] }],
        },
      ],
      deletionStageStatus: { stageName: 'delete', clusters: leaving.map((name) => cluster(name)) },
    });
    expect(page(request('web-1-after-canary', 'canary'), statusWith([last]))).toContain(`Opens:\n  ${expected}\n`);
  });

  it('answered, nobody waits and nothing is to be done', () => {
    const text = page(request('web-1-after-canary', 'canary', [is('Approved', 'True', 9)]), statusWith([waiting]));
    expect(text).toContain(`Answer:     yes\nAnswered:   ${at(9)}\nWho waits:  nobody\n`);
    expect(text).not.toContain('How to answer');
  });

  it('of a run that the record does not have says what its own file says', () => {
    const text = page(request('web-1-after-canary', 'canary'), statusWith([]));
    expect(text).toContain('Placement:  <none>\n');
    expect(text).toContain('yes:  merge the branch gitfleet/approve/web-1-after-canary, or its pull request');
  });
});

describe('describe run', () => {
  const page = (...args: Parameters<typeof runText>) => `\n${runText(...args).join('\n\n')}\n`;

  it('says what it waits for, and every stage with its tasks and clusters', () => {
    expect(page(waiting, statusWith([waiting]))).toMatchInlineSnapshot(`
      "
      Name:       web-1
      Kind:       ClusterStagedUpdateRun
      Placement:  web
      Strategy:   careful
      Snapshot:   3
      Policy:     <none>
      Asked for:  Run
      State:      waits for the soak of canary and approval web-1-after-canary
      Since:      2026-11-20T11:05:00Z

      Waits for:
        the soak of stage canary, until 2026-11-20T12:05:00Z
        a person to approve web-1-after-canary, since 2026-11-20T11:05:00Z: merge branch gitfleet/approve/web-1-after-canary, or its pull request

      Stage canary: 1/1 clusters done, began 2026-11-20T11:00:00Z
        CLUSTER   STATE   SINCE                  WAITS FOR
        eu-1      done    2026-11-20T11:05:00Z   <none>
        after it: soak of 1h0m0s, under way since 2026-11-20T11:05:00Z, until 2026-11-20T12:05:00Z
        after it: approval web-1-after-canary waits for a person since 2026-11-20T11:05:00Z

      Stage prod: 0/2 clusters done
        before it: approval web-1-before-prod not asked yet
        CLUSTER   STATE       SINCE    WAITS FOR
        us-1      not begun   <none>   <none>
        us-2      not begun   <none>   <none>

      Conditions:
        TYPE          STATUS   REASON              SINCE                  MESSAGE
        Initialized   True     InitializedReason   2026-11-20T11:00:00Z   <none>
        Progressing   False    UpdateRunWaiting    2026-11-20T11:05:00Z   <none>
      "
    `);
  });

  it('says of a cluster what holds it in the run', () => {
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
      / us-1 +not begun +<none> +RolloutBudget: would break the budget web\n +us-2 +not begun +<none> +<none>\n/,
    );
  });

  it('says of each cluster how far it is and what it waits for', () => {
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
      Asked for:  Run
      State:      updating stage canary
      Since:      2026-11-20T11:01:00Z

      Waits for:
        updating stage canary, under way on a, b, c

      Stage canary: 1/4 clusters done
        CLUSTER   STATE       SINCE                  WAITS FOR
        a         under way   2026-11-20T11:01:00Z   does not answer since 2026-11-20T11:01:00Z: refused
        b         under way   2026-11-20T11:01:00Z   NotYet: 1 of 2
        c         failed      2026-11-20T11:02:00Z   it is too small
        d         skipped     2026-11-20T11:03:00Z   it left

      Stage delete: 0/1 clusters done
        CLUSTER   STATE       SINCE    WAITS FOR
        e         not begun   <none>   <none>

      Conditions:
        TYPE          STATUS   REASON              SINCE                  MESSAGE
        Progressing   True     ProgressingReason   2026-11-20T11:01:00Z   the update run is updating stage canary
      "
    `);
  });
});

it('describe run says since when it waits at the gate that is open now, not at the one before', () => {
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
  expect(runText(gates, statusWith([gates]))[0]).toContain(`\nSince:      ${at(7)}`);
});

describe('describe removal approval', () => {
  it.each([
    [true, ['in the repo:', 'git merge gitfleet/approve/removal-12']],
    [false, ['in a clone:', 'git pull && git merge origin/gitfleet/approve/removal-12 && git push']],
  ])('says what would go and how to let it; in place: %s', (inPlace, [where, command]) => {
    const asked = { name: 'removal-12', removalDigest: 'sha256:1234', messages: ['Namespace web holds theirs'] };
    expect(removalText(asked, { inPlace }).join('\n\n')).toBe(`Name:    removal-12
Kind:    RemovalApproval
Answer:  none yet
Digest:  sha256:1234

What it is about:
  Namespace web holds theirs

How to answer:
  yes:  merge the branch gitfleet/approve/removal-12, or its pull request; ${where}
        ${command}
  no:   take back the commit that removes it, or leave it: nothing of this is removed until the yes`);
  });
});

describe('describe eviction says what came of it', () => {
  const result = (...conditions: Condition[]) =>
    evictionText(
      eviction.parse({
        apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
        kind: 'ClusterResourcePlacementEviction',
        metadata: { name: 'e' },
        spec: { placementName: 'web', clusterName: 'eu-1' },
        status: { conditions },
      }),
    )[0]!.split('\n');
  const again = 'to try again, commit one of another name';

  it.each<[string, Condition[], string]>([
    ['nothing yet', [], 'none yet'],
    ['done', [is('Valid', 'True', 0), is('Executed', 'True', 1)], 'executed; the file may go'],
    ['blocked', [is('Valid', 'True', 0), is('Executed', 'False', 1, 'blocked')], `not executed: blocked; ${again}`],
    ['not valid', [is('Valid', 'False', 0, 'no such placement')], `refused: no such placement; ${again}`],
  ])('%s', (_, conditions, expected) => {
    expect(result(...conditions)).toEqual([
      'Name:       e',
      'Kind:       ClusterResourcePlacementEviction',
      'Placement:  web',
      'Cluster:    eu-1',
      `Result:     ${expected}`,
    ]);
  });
});

describe('describe cluster', () => {
  const member = (metadata: object, spec: object, agent: Condition[]) =>
    memberCluster.parse({
      apiVersion: 'cluster.kubernetes-fleet.io/v1',
      kind: 'MemberCluster',
      metadata: { name: 'eu-1', ...metadata },
      spec,
      status: { agentStatus: [{ type: 'MemberAgent', conditions: agent }] },
    });
  const well = [is('Joined', 'True', 0), is('Healthy', 'True', 1)];
  const head = (cluster: ReturnType<typeof member>, silent: Readonly<Record<string, Silence>> = {}) =>
    clusterText(cluster, statusWith([], silent))[0]!.split('\n');

  it.each<[string, object, object, Condition[], Readonly<Record<string, Silence>>, string[]]>([
    ['one that answers', {}, {}, well, {}, ['Eligible:   yes', 'Heartbeat:  every 60s, answers']],
    [
      'one that is silent for a short time',
      {},
      {},
      well,
      { 'eu-1': { cause: 'refused', lastContact: at(58) } },
      ['Eligible:   yes', `Heartbeat:  does not answer since ${at(58)}: refused`],
    ],
    [
      'one that is silent for long',
      {},
      {},
      well,
      { 'eu-1': { cause: 'refused', lastContact: at(0) } },
      [`Eligible:   no, cluster is not connected to the fleet: no heartbeat since ${at(0)}`],
    ],
    [
      'one that never answered',
      {},
      {},
      well,
      { 'eu-1': { cause: 'refused' } },
      [
        'Eligible:   no, cluster is not connected to the fleet: it has not answered since gitfleet was started',
        'Heartbeat:  does not answer: refused',
      ],
    ],
    [
      'one that leaves',
      { deletionTimestamp: at(3) },
      {},
      well,
      {},
      [`Leaving:    since ${at(3)}`, 'Eligible:   no, cluster is leaving the fleet'],
    ],
    [
      'one that is ill',
      {},
      {},
      [well[0]!, is('Healthy', 'False', 1)],
      {},
      [
        `Eligible:   no, cluster is not connected to the fleet: member agent is unhealthy since ${at(1)}`,
        `Healthy:    False since ${at(1)}, HealthyReason`,
      ],
    ],
    [
      'taints and labels',
      { labels: { env: 'prod', zone: 'a' } },
      { taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }] },
      well,
      {},
      ['Labels:     env=prod, zone=a', 'Taints:     gpu=yes:NoSchedule'],
    ],
  ])('%s', (_, metadata, spec, agent, silent, expected) => {
    expect(head(member(metadata, spec, agent), silent)).toEqual(expect.arrayContaining(expected));
  });
});
