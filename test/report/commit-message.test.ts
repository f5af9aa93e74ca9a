import { describe, expect, it } from 'vitest';
import type { ClusterName, Condition, PlacementKey } from '../../src/api/meta.ts';
import { placementKey } from '../../src/api/placement.ts';
import type { Binding } from '../../src/api/placement-state.ts';
import type { ApprovalRequest } from '../../src/api/staged.ts';
import type { FleetRecord } from '../../src/engine/input.ts';
import { suspendedAnnotation } from '../../src/engine/pause/placement-pause.ts';
import type { GroupedHold, Plan } from '../../src/engine/plan-document.ts';
import { recordedStageApproval } from '../../src/engine/staged/approval/stage-approval.ts';
import type { RequestPage } from '../../src/repo/record/summary.ts';
import type { Change } from '../../src/report/change.ts';
import { statusMessage } from '../../src/report/commit-message.ts';

const condition = (type: string, status: string, reason = ''): Condition =>
  ({ type, status, reason, message: '', lastTransitionTime: '2026-11-20T10:00:00Z' }) as Condition;

const on = (targetCluster: string, ...conditions: Condition[]): Binding =>
  ({ targetCluster, state: 'Bound', conditions }) as Binding;
const drifting = (targetCluster: string, ...paths: string[]): Binding =>
  ({
    ...on(targetCluster),
    driftedPlacements: [
      { kind: 'ConfigMap', namespace: 'web', name: 'a', observedDrifts: paths.map((path) => ({ path })) },
    ],
  }) as unknown as Binding;

const waiting = (targetCluster: string, message: string): Binding =>
  ({
    ...on(targetCluster, applied, condition('Available', 'False')),
    failedPlacements: [
      { kind: 'Deployment', namespace: 'web', name: 'a', condition: { ...condition('Available', 'False'), message } },
    ],
  }) as unknown as Binding;

/** A claim that is not ready yet, and what the API server refuses. */
const refusing = (targetCluster: string): Binding =>
  ({
    ...on(targetCluster, condition('Applied', 'False', 'ApplyFailed')),
    failedPlacements: [
      {
        kind: 'PersistentVolumeClaim',
        namespace: 'a',
        name: 'q',
        condition: { ...condition('Available', 'False'), message: 'not bound yet' },
      },
      {
        kind: 'StatefulSet',
        namespace: 'a',
        name: 'db',
        condition: {
          ...condition('Applied', 'False', 'FailedToApply'),
          message: '422: StatefulSet.apps "db" is invalid: spec: Forbidden: updates to statefulset spec are forbidden',
        },
      },
    ],
  }) as unknown as Binding;

const health = (status: string) => ({
  status: { agentStatus: [{ type: 'MemberAgent', conditions: [condition('Healthy', status)] }] },
});

interface Said {
  readonly commit?: string;
  readonly bindings?: readonly Binding[];
  readonly shop?: readonly Binding[];
  /** Of `web`. */
  readonly whenToApply?: string;
  /** Of `web`: why it is suspended. */
  readonly suspended?: string;
  /** Of `shop`. */
  readonly namespace?: string;
  /** What `shop` holds stays when it is deleted. */
  readonly abandons?: boolean;
  readonly runs?: Readonly<Record<string, object>>;
  readonly clusters?: Readonly<Record<string, object>>;
  readonly nodes?: Readonly<Record<string, object>>;
  readonly approvals?: Readonly<Record<string, object>>;
  readonly evictions?: Readonly<Record<string, object>>;
  readonly unreachable?: Readonly<Record<string, string>>;
  /** How many clusters the policy of `web` requires, and how many it lacks. */
  readonly policy?: { readonly wanted: number; readonly missing: number };
  /** Of `web`: the clusters of all moves and bindings are to have it. */
  readonly snapshot?: object;
  readonly holds?: readonly GroupedHold[];
  /** The commit in effect, where the guard refuses the present one. */
  readonly refusedAfter?: string;
  /** Of all commits. */
  readonly author?: string | undefined;
}

const policies = (policy: Said['policy']) =>
  policy === undefined
    ? []
    : [
        {
          index: 0,
          numberOfClusters: policy.wanted,
          policy: { placementType: 'PickN' },
          conditions: [condition('Scheduled', policy.missing > 0 ? 'False' : 'True')],
        },
      ];

const record = ({
  commit = 'aaa',
  bindings = [],
  runs = {},
  clusters = {},
  nodes = {},
  approvals = {},
  evictions = {},
  shop,
  abandons = false,
  namespace,
  whenToApply,
  suspended,
  holds = [],
  refusedAfter,
  policy,
  snapshot,
}: Said): FleetRecord =>
  ({
    commit,
    inEffect: { commit: refusedAfter ?? commit, holds, holdCount: holds.length },
    placements: new Map([
      [
        'web' as PlacementKey,
        {
          object: {
            metadata: { annotations: suspended === undefined ? {} : { [suspendedAnnotation]: suspended } },
            spec: { strategy: whenToApply ? { applyStrategy: { whenToApply } } : {} },
          },
          state: {
            metadata: { name: 'web' },
            policySnapshots: policies(policy),
            resourceSnapshots: snapshot ? [snapshot] : [],
            bindings,
          },
        },
      ],
      ...(shop
        ? [
            [
              placementKey({ name: 'shop', namespace }),
              {
                object: {
                  spec: { strategy: { deleteStrategy: { propagationPolicy: abandons ? 'Abandon' : 'Delete' } } },
                },
                state: {
                  metadata: { name: 'shop', namespace },
                  policySnapshots: [],
                  resourceSnapshots: [],
                  bindings: shop,
                },
              },
            ] as const,
          ]
        : []),
    ]),
    runs: new Map(Object.entries(runs)),
    overrides: new Map(),
    clusters: new Map(Object.entries(clusters)),
    approvals: new Map(recordedApprovals(approvals).map((approval) => [approval.metadata.name, approval])),
    evictions: new Map(Object.entries(evictions)),
    upgrades: new Map(),
    nodes: new Map(Object.entries(nodes)),
  }) as unknown as FleetRecord;

const recordedApprovals = (statuses: Readonly<Record<string, object>>): ApprovalRequest[] =>
  Object.entries(statuses).map(([name, rest]) => ({
    apiVersion: 'placement.kubernetes-fleet.io/v1',
    kind: 'ClusterApprovalRequest',
    metadata: { name },
    spec: { parentStageRollout: 'r', targetStage: '1' },
    ...rest,
  }));

/** The subject of the commit that turns one record into the other. */
const subject = (...change: Parameters<typeof message>): string => message(...change).split('\n')[0]!;

/** The whole message; `moves` as `eu update`. */
function message(
  before: Said,
  after: Said,
  { moves = [] as readonly string[], ...more }: Partial<Plan> & { moves?: readonly string[] } = {},
  known: Pick<Change, 'reported' | 'pages'> = {},
): string {
  const bindings = moves.map((text) => ({
    clusterName: text.split(' ')[0],
    move: text.split(' ')[1],
    ...(after.snapshot && { resourceSnapshotIndex: 1 }),
  }));
  const plan = {
    commit: after.commit ?? 'aaa',
    digest: 'sha256:1',
    guard: [],
    problems: [],
    placements: [{ name: 'web', bindings }],
    holds: after.holds ?? [],
    runs: Object.entries(after.runs ?? {}).map(([name, status]) => ({ name, ...status })),
    approvals: recordedApprovals(after.approvals ?? {}).map(recordedStageApproval),
    upgrades: [],
    nodes: [],
    evictions: Object.entries(after.evictions ?? {}).map(([name, status]) => ({ name, ...status })),
    ...more,
  } as unknown as Plan;
  const lost = (of: Said) => new Map(Object.entries(of.unreachable ?? {}));
  const unreachable = { before: lost(before), after: lost(after) };
  const { author, commit = '3676ffc0' } = after;
  const authors = author === undefined ? undefined : new Map([[commit, author]]);
  return statusMessage({ before: record(before), after: record(after), plan, authors, unreachable, ...known });
}

const stays = { metadata: {} };
const available = condition('Available', 'True');
const applied = condition('Applied', 'True');
const soaked = (...conditions: Condition[]) => ({
  status: {
    conditions: [
      {
        ...condition('Progressing', 'False', 'UpdateRunStopped'),
        message: 'the update run is stopped in stage canary',
      },
    ],
    stagesStatus: [{ stageName: 'canary', clusters: [], afterStageTaskStatus: [{ type: 'TimedWait', conditions }] }],
  },
});

const asked = (reason: string) => ({
  status: {
    conditions: [condition('Progressing', 'False', reason)],
    stagesStatus: [
      {
        stageName: 'canary',
        clusters: [],
        afterStageTaskStatus: [
          {
            type: 'Approval',
            approvalRequestName: 'r-1-after-canary',
            conditions: [condition('ApprovalRequestCreated', 'True')],
          },
        ],
      },
    ],
  },
});

const failedOn = (clusterName: string, type: string) => ({
  status: {
    conditions: [{ ...condition(type, 'False', 'R'), message: 'stage canary is waiting' }],
    stagesStatus: [{ stageName: 'canary', clusters: [{ clusterName, conditions: [condition('Succeeded', 'False')] }] }],
  },
});

const doneWithout = (clusterName: string) => {
  const { status } = asked('UpdateRunWaiting');
  const clusters = [{ clusterName, conditions: [condition('Succeeded', 'False')] }];
  return { status: { ...status, stagesStatus: status.stagesStatus.map((stage) => ({ ...stage, clusters })) } };
};

const told = (type: string, message: string): Condition => ({ ...condition(type, 'False'), message });
const evicted = (placementName: string, clusterName: string) => ({
  placementName,
  clusterName,
  status: { conditions: [condition('Executed', 'True')] },
});
const blocked = { status: { conditions: [condition('Valid', 'True'), told('Executed', 'blocked by a budget')] } };

/** Snapshot 1 of `web` from a commit of an author; with conditions it is on `eu`. */
const bringing = (author: string | undefined, ...conditions: Condition[]): Said => ({
  author,
  snapshot: { index: 1, commit: '3676ffc0', latest: true },
  bindings: conditions.length === 0 ? [] : [{ ...on('eu', ...conditions), resourceSnapshotIndex: 1 }],
});

const frozen = (name: string, until?: string): GroupedHold => ({
  subject: { kind: 'ClusterResourcePlacement', name, clusterName: 'eu' as ClusterName },
  reason: 'Freeze',
  message: `eu is updated once freeze night ${until ? `ends at ${until}` : 'is changed: it has no end'}`,
  ...(until && { until }),
});
const night = '2026-11-20T18:00:00Z';
const window = (hour: number): GroupedHold => ({
  subject: { kind: 'UpdateRun', name: 'up-1', clusterName: 'eu' as ClusterName },
  reason: 'WindowClosed',
  message: `next window opens at 2026-11-20T${hour}:00:00Z`,
  until: `2026-11-20T${hour}:00:00Z`,
});
const untilWindow = 'up-1: held until 2026-11-20 18:00 UTC: next window';

/** The record of a fleet with a placement `shop` that the plan does not hold any more. */
const departing = (...bindings: readonly object[]): Said => ({ shop: bindings as readonly Binding[] });

describe('the subject of a status commit', () => {
  it.each<[string, Said, Said, readonly string[], string]>([
    ['an installation', {}, {}, ['eu add', 'us add'], 'web: install on eu, us'],
    ['an update', {}, {}, ['eu update', 'us keep'], 'web: update eu'],
    ['a removal', {}, {}, ['eu remove'], 'web: remove from eu'],
    ['both at once', {}, {}, ['eu remove', 'us add'], 'web: install on us, remove from eu'],
    [
      'too few clusters, before a move',
      {},
      { policy: { wanted: 3, missing: 1 }, bindings: [on('eu'), on('us')] },
      ['us add'],
      'web: only 2 of 3 clusters scheduled; web: install on us',
    ],
    [
      'another number of them',
      { policy: { wanted: 3, missing: 1 }, bindings: [on('eu'), on('us')] },
      { policy: { wanted: 3, missing: 2 }, bindings: [on('eu')] },
      [],
      'web: only 1 of 3 clusters scheduled; web: removed from us',
    ],
    [
      'nothing of too few clusters as before',
      { policy: { wanted: 3, missing: 1 }, bindings: [on('eu'), on('us')] },
      { policy: { wanted: 3, missing: 1 }, bindings: [on('eu'), on('us')], commit: 'bbb' },
      [],
      'Follow bbb',
    ],
    [
      'clusters that are enough again',
      { policy: { wanted: 2, missing: 1 }, bindings: [on('eu')] },
      { policy: { wanted: 2, missing: 0 }, bindings: [on('eu'), on('us')] },
      ['us add'],
      'web: enough clusters again; web: install on us',
    ],
    ['what was applied', { bindings: [on('eu')] }, { bindings: [on('eu', applied)] }, [], 'web: applied on eu'],
    [
      'nothing of what was applied beside news',
      { bindings: [on('eu', applied), on('us')] },
      { bindings: [on('eu', applied, available), on('us', applied)] },
      [],
      'web: available on eu',
    ],
    [
      'what is available',
      { bindings: [on('eu', applied)] },
      { bindings: [on('eu', applied, available)] },
      [],
      'web: available on eu',
    ],
    [
      'what is not any more',
      { bindings: [on('eu', available)] },
      { bindings: [on('eu', condition('Available', 'False'))] },
      [],
      'web: not available on eu',
    ],
    [
      'what its pods wait for, once it is known',
      { bindings: [waiting('eu', 'not ready yet')] },
      { bindings: [waiting('eu', 'not ready yet: ImagePullBackOff nginx:1.27')] },
      [],
      'web: not available on eu: ImagePullBackOff nginx:1.27',
    ],
    [
      'nothing of a message without a cause',
      { bindings: [waiting('eu', '1 of 3 ready')] },
      { bindings: [waiting('eu', '2 of 3 ready')] },
      [],
      'Update status of web',
    ],
    [
      'a pod that crashes, with its container',
      { bindings: [waiting('eu', 'not ready yet')] },
      { bindings: [waiting('eu', 'in CrashLoopBackOff: web')] },
      [],
      'web: not available on eu: in CrashLoopBackOff: web',
    ],
    [
      'what clusters refuse with the reason, and not what is only not ready',
      { bindings: [waiting('eu', 'not bound yet'), waiting('us', 'not bound yet')] },
      { bindings: [refusing('eu'), refusing('us')] },
      [],
      'web: failed on 2 clusters: StatefulSet a/db: spec: Forbidden: updates…',
    ],
    [
      'drift',
      { bindings: [on('eu')] },
      { bindings: [drifting('eu', '/data/x')] },
      [],
      'web: drift on eu: ConfigMap web/a (/data/x)',
    ],
    [
      'other drift of the same object',
      { bindings: [drifting('eu', '/data/x')] },
      { bindings: [drifting('eu', '/data/y')] },
      [],
      'web: drift on eu: ConfigMap web/a (/data/y)',
    ],
    [
      'new drift, without what was listed before',
      { bindings: [drifting('eu', '/data/x')] },
      { bindings: [drifting('eu', '/data/x', '/data/y')] },
      [],
      'web: drift on eu: ConfigMap web/a (/data/y)',
    ],
    [
      'nothing of drift where less of it is left',
      { bindings: [drifting('eu', '/data/x', '/data/y')] },
      { bindings: [drifting('eu', '/data/y')], commit: 'bbb' },
      [],
      'Follow bbb',
    ],
    [
      'drift that is over',
      { bindings: [{ ...drifting('eu', '/data/x'), conditions: [applied] }] },
      { bindings: [on('eu', applied)] },
      [],
      'web: no drift on eu',
    ],
    [
      'a removal that is under way no second time',
      { bindings: [{ ...on('eu'), state: 'Unscheduled' }] },
      { bindings: [{ ...on('eu'), state: 'Unscheduled' }], commit: 'bbb' },
      ['eu remove'],
      'Follow bbb',
    ],
    [
      'a removal that waits for a silent member no second time either, nor beside another that begins',
      { bindings: [{ ...on('eu'), deleting: true }, on('us')] },
      {
        bindings: [
          { ...on('eu'), deleting: true },
          { ...on('us'), deleting: true },
        ],
      },
      ['eu remove', 'us remove'],
      'web: remove from us',
    ],
    [
      'that a removal is over',
      { bindings: [{ ...on('eu'), deleting: true }] },
      { bindings: [] },
      [],
      'web: removed from eu',
    ],
    [
      'that a cluster which was picked again meanwhile is installed on, and not that it is gone',
      { bindings: [{ ...on('eu'), deleting: true }, on('us')] },
      { bindings: [on('eu'), on('us')] },
      ['eu add'],
      'web: install on eu',
    ],
    [
      'no drift of a cluster that was not observed again',
      { bindings: [drifting('eu', '/data/x')] },
      { bindings: [on('eu')], commit: 'bbb' },
      [],
      'Follow bbb',
    ],
    [
      'nothing of drift that is only not reported any more',
      { bindings: [{ ...drifting('eu', '/data/x'), conditions: [applied] }], whenToApply: 'IfNotDrifted' },
      { bindings: [on('eu', applied)], whenToApply: 'Always', commit: 'bbb' },
      [],
      'Follow bbb',
    ],
    [
      'a placement that is deleted',
      departing(on('eu'), on('us')),
      departing({ ...on('eu'), deleting: true }, { ...on('us'), deleting: true }),
      [],
      'shop: deleted, remove from eu, us',
    ],
    [
      'a placement of a namespace that is deleted',
      { shop: [on('eu')], namespace: 'team' },
      { shop: [{ ...on('eu'), deleting: true }], namespace: 'team' },
      [],
      'team/shop: deleted, remove from eu',
    ],
    [
      'a deleted placement that its clusters are rid of',
      departing({ ...on('eu'), deleting: true }, { ...on('us'), deleting: true }),
      {},
      [],
      'shop: removed from eu, us',
    ],
    [
      'a deleted placement that leaves what it holds, but not what was being removed already',
      { shop: [on('eu'), { ...on('us'), deleting: true }], abandons: true },
      {},
      [],
      'shop: deleted, released on eu; shop: removed from us',
    ],
    [
      'a placement deleted together with a member',
      { shop: [on('eu'), on('us')], clusters: { eu: stays, us: stays } },
      { shop: [{ ...on('eu'), deleting: true }], clusters: { eu: stays } },
      [],
      'shop: deleted, remove from eu; shop: released on us; us: left',
    ],
    [
      'a member that left with what it has',
      { bindings: [on('eu')], clusters: { eu: stays } },
      { bindings: [] },
      [],
      'web: released on eu; eu: left',
    ],
    [
      'a member that left before an update run let go of it',
      { bindings: [{ ...on('eu'), deleting: true }], clusters: { us: stays } },
      { bindings: [], clusters: { us: stays } },
      [],
      'web: released on eu',
    ],
    [
      'a member that is leaving',
      { bindings: [on('eu'), on('us')], clusters: { eu: stays, us: stays } },
      { bindings: [], clusters: { eu: { metadata: { deletionTimestamp: '2026-11-20T10:00:00Z' } }, us: stays } },
      [],
      'web: released on eu; web: removed from us',
    ],
    [
      'nothing of a cluster that is no longer picked before it was given anything',
      { bindings: [{ ...on('eu'), state: 'Scheduled' }] },
      { bindings: [], commit: 'bbb' },
      [],
      'Follow bbb',
    ],
    ['a cluster that is clean', { bindings: [on('eu')] }, { bindings: [] }, [], 'web: removed from eu'],
    ['a member that joined', {}, { clusters: { eu: {} } }, [], 'eu: joined'],
    [
      'members that say they are not healthy any more, and others that are again',
      { clusters: { eu: health('True'), us: health('False'), asia: health('True') } },
      { clusters: { eu: health('False'), us: health('True'), asia: health('True') } },
      [],
      'eu: not healthy; us: healthy again',
    ],
    [
      'a member that does not respond, and not its health',
      { clusters: { eu: health('True') } },
      { clusters: { eu: health('Unknown') }, commit: 'bbb' },
      [],
      'Follow bbb',
    ],
    ['a member that left', { clusters: { eu: {} } }, {}, [], 'eu: left'],
    ['a run', { runs: { 'r-1': {} } }, { runs: { 'r-1': soaked() } }, [], 'r-1: stopped in stage canary'],
    [
      'a cluster that failed in a run that goes on',
      { runs: { 'r-1': soaked() } },
      { runs: { 'r-1': failedOn('eu', 'Progressing') } },
      [],
      'r-1: failed on eu, stage canary is waiting',
    ],
    [
      'a stage that is done without a cluster that failed',
      { runs: { 'r-1': soaked() } },
      { runs: { 'r-1': doneWithout('eu') } },
      [],
      'r-1: failed on eu, canary done',
    ],
    [
      'a run that failed by a cluster',
      { runs: { 'r-1': soaked() } },
      { runs: { 'r-1': failedOn('eu', 'Succeeded') } },
      [],
      'r-1: stage canary is waiting',
    ],
    [
      'a run that is resumed while it waits',
      { runs: { 'r-1': asked('UpdateRunStopped') } },
      { runs: { 'r-1': asked('UpdateRunWaiting') } },
      [],
      'r-1: waiting for approval r-1-after-canary',
    ],
    [
      'a stage that is done, and then waits for an approval',
      { runs: { 'r-1': { status: {} } } },
      { runs: { 'r-1': asked('UpdateRunWaiting') } },
      [],
      'r-1: canary done',
    ],
    [
      'a soak that is over',
      { runs: { 'r-1': soaked() } },
      { runs: { 'r-1': soaked(condition('WaitTimeElapsed', 'True')) } },
      [],
      'r-1: stage canary has soaked',
    ],
    ['a request', {}, { approvals: { 'r-1': { status: { conditions: [] } } } }, [], 'r-1: waiting for approval'],
    [
      'a gate that is rejected before it is asked',
      {},
      { approvals: { 'r-1': { status: { conditions: [condition('Approved', 'False')] } } } },
      [],
      'Update status of r-1',
    ],
    [
      'an approval',
      { approvals: { 'r-1': { status: { conditions: [] } } } },
      { approvals: { 'r-1': { status: { conditions: [condition('Approved', 'True')] } } } },
      [],
      'r-1: approved',
    ],
    [
      'an eviction that is not executed',
      { evictions: { 'off-eu': { status: { conditions: [condition('Valid', 'True')] } } } },
      { evictions: { 'off-eu': blocked } },
      [],
      'off-eu: not executed: blocked by a budget',
    ],
    [
      'an eviction that is refused, and not again what came of another',
      { evictions: { 'off-eu': blocked } },
      { evictions: { 'off-eu': blocked, twice: { status: { conditions: [told('Valid', 'a second one')] } } } },
      [],
      'twice: refused: a second one',
    ],
    [
      'an eviction with what it removes',
      {},
      { evictions: { 'off-eu': evicted('web', 'eu') } },
      ['eu remove'],
      'web evicted from eu; web: remove from eu',
    ],
    [
      'the evictions of a drain once',
      {},
      { evictions: { 'off-1': evicted('web', 'eu'), 'off-2': evicted('shop', 'eu'), 'off-us': blocked } },
      [],
      'off-us: not executed: blocked by a budget; web, shop evicted from eu',
    ],
    ['a member that is lost', {}, { unreachable: { eu: 'refused' } }, [], 'eu: not responding'],
    ['a member that is back', { unreachable: { eu: 'refused' } }, {}, [], 'eu: responding again'],
    ['a suspension', {}, { suspended: 'incident 42', commit: 'bbb' }, [], 'web: suspended (incident 42)'],
    [
      'its end, before what starts then',
      { suspended: '' },
      { commit: 'bbb' },
      ['eu update'],
      'web: resumed; web: update eu',
    ],
    [
      'a freeze that holds a new snapshot',
      {},
      { ...bringing('Ann'), holds: [frozen('web', night)] },
      [],
      'web: snapshot 1 (3676ffc) held until 2026-11-20 18:00 UTC: freeze night',
    ],
    [
      'another snapshot while it is suspended',
      { suspended: '', holds: [frozen('web')] },
      { ...bringing('Ann'), suspended: '', holds: [frozen('web')] },
      [],
      'web: snapshot 1 (3676ffc, Ann) held: suspended',
    ],
    [
      'a freeze in a rollout',
      {},
      { holds: [frozen('web')] },
      [],
      'web: held until freeze night is changed: it has no end',
    ],
    [
      'a freeze of many once',
      { holds: [frozen('db', night)] },
      { holds: ['web', 'db', 'a-long-name-1', 'a-long-name-2'].map((name) => frozen(name, night)) },
      [],
      '3 placements: held until 2026-11-20 18:00 UTC: freeze night',
    ],
    ['the first of the windows that an upgrade waits for', {}, { holds: [window(18), window(19)] }, [], untilWindow],
    [
      'nothing of a window after another',
      { holds: [window(18)] },
      { holds: [window(19)], commit: 'bbb' },
      [],
      'Follow bbb',
    ],
    [
      'nothing of a hold that continues',
      { holds: [frozen('web', night)] },
      {
        holds: [{ ...frozen('web', night), message: `eu is added once freeze night ends at ${night}` }],
        commit: 'bbb',
      },
      [],
      'Follow bbb',
    ],
    [
      'a refusal that is over',
      { refusedAfter: '999' },
      { commit: 'bbb', author: 'Ann' },
      [],
      'Follow bbb (Ann); no longer refused',
    ],
    ['its end after other news', { refusedAfter: '999' }, {}, ['eu update'], 'web: update eu; no longer refused'],
    ['a new commit that changes nothing else', {}, { commit: 'bbb' }, [], 'Follow bbb'],
    [
      'anything else by what it is about',
      { clusters: { eu: { n: 1 }, us: { n: 1 } } },
      { clusters: { eu: { n: 2 }, us: { n: 1 } } },
      [],
      'Update status of eu',
    ],
  ])('names %s', (_, before, after, moves, expected) => {
    expect(subject(before, after, { moves })).toBe(expected);
  });

  it('a refusal and an error come first', () => {
    expect(subject({}, {}, { guard: [{ rule: 'frozen', message: 'too much' }] })).toBe('refused: too much');
    const problem = { severity: 'error', code: 'yaml-syntax', file: 'a.yaml', message: 'broken' } as const;
    expect(subject({}, { commit: 'bbb' }, { problems: [problem] })).toBe('a.yaml: broken');
    expect(subject({}, {}, { problems: [{ ...problem, severity: 'warning' }] })).toBe('a.yaml: broken');
  });

  it('names a pull request that is opened or closed', () => {
    const page = (state: RequestPage['state']) => new Map([['r-1', { url: 'https://forge.example/1', state }]]);
    const pages = (before: RequestPage['state'], after: RequestPage['state']) =>
      subject({}, {}, {}, { pages: { before: page(before), after: page(after) } });
    expect(pages('open', 'closed')).toBe('r-1: pull request closed');
    expect(pages('open', 'merged')).toBe('Update status');
  });

  it('names a cluster once that changed in several ways', () => {
    const one = { clusters: { eu: { status: 1 } }, nodes: { eu: { mode: 'plan', commands: [], blocked: [] } } };
    const other = { clusters: { eu: { status: 2 } }, nodes: { eu: { ...one.nodes.eu, blocked: [{ node: 'n' }] } } };
    expect(subject(one, other)).toBe('Update status of eu');
  });

  it('an error that an earlier commit told is not told again', () => {
    const problem = { severity: 'error', code: 'yaml-syntax', file: 'a.yaml', message: 'broken' } as const;
    const known = { reported: [problem] };
    expect(subject({}, { commit: 'bbb' }, { problems: [problem] }, known)).toBe('Follow bbb');
    expect(subject({}, { clusters: { eu: { n: 1 } } }, { problems: [problem] }, known)).toBe('eu: joined');
    expect(subject({}, { clusters: { eu: { n: 1 } } }, {}, known)).toBe('eu: joined; solved: a.yaml: broken');
    expect(subject({}, {}, {}, known)).toBe('solved: a.yaml: broken');
    expect(subject({}, { commit: 'bbb' }, {}, known)).toBe('Follow bbb; solved: a.yaml: broken');
    const long = {
      reported: [
        { ...problem, message: 'broken '.repeat(9) },
        { ...problem, message: 'twice' },
      ],
    };
    expect(subject({}, { commit: '3676ffc0', author: 'Ann' }, {}, long)).toBe('Follow 3676ffc (Ann); solved: a.yaml');
    const still = { problems: [{ ...problem, message: 'broken on us' }] };
    expect(subject({}, { commit: 'bbb' }, { problems: [{ ...problem, severity: 'warning' }] }, known)).toBe(
      'Follow bbb',
    );
    expect(subject({}, {}, still, known)).toBe('a.yaml: broken on us');
  });

  it('for a refused plan only the refusal and changed connections are listed', () => {
    const after = { approvals: { 'r-1': { status: { conditions: [] } } }, unreachable: { eu: 'timed out' } };
    expect(subject({}, after, { moves: ['us add'], guard: [{ rule: 'frozen', message: 'too much' }] })).toBe(
      'refused: too much; eu: not responding',
    );
  });

  it('is at most 72 characters long: whole sentences, how many more there are, and all of them below it', () => {
    const names = [1, 2, 3, 4, 5].map((at) => `run-${at}`);
    const approvals = Object.fromEntries(names.map((name) => [name, { status: { conditions: [] } }]));
    const [line, ...below] = message({}, { approvals }).split('\n');
    expect(line).toBe('run-1: waiting for approval; run-2: waiting for approval; and 3 more');
    expect(below.slice(1, 6)).toEqual(names.map((name) => `${name}: waiting for approval`));
  });

  it('counts clusters whose names do not fit', () => {
    const many = Array.from({ length: 5 }, (_, at) => `a-cluster-with-a-rather-long-name-${at} add`);
    expect(subject({}, {}, { moves: many })).toBe('web: install on 5 clusters');
    expect(subject({}, { clusters: { eu: {} } }, { moves: many })).toBe('web: install on 5 clusters; eu: joined');
  });

  it.each<[string, Said, Said, readonly string[], string]>([
    ['an update', {}, bringing('Ann'), ['eu update'], 'web: update eu to snapshot 1 (3676ffc, Ann)'],
    ['an installation', {}, bringing('Ann'), ['eu add', 'us add'], 'web: install snapshot 1 (3676ffc, Ann) on eu, us'],
    [
      'what nobody is known to have written',
      {},
      bringing(undefined),
      ['eu add'],
      'web: install snapshot 1 (3676ffc) on eu',
    ],
    [
      'what is applied',
      bringing('Ann', condition('Applied', 'Unknown')),
      bringing('Ann', applied),
      [],
      'web: snapshot 1 (3676ffc, Ann) applied on eu',
    ],
    [
      'what is available',
      bringing('Ann', applied),
      bringing('Ann', applied, available),
      [],
      'web: snapshot 1 (3676ffc, Ann) available on eu',
    ],
    [
      'a long name by its first words',
      {},
      bringing('Ann Someone Of The Platform Team'),
      ['a-long-name-1 add'],
      'web: install snapshot 1 (3676ffc, Ann Someone Of The…) on a-long-name-1',
    ],
    [
      'less of it beside something else',
      {},
      { ...bringing('Ann'), clusters: { 'a-new-one': {} } },
      ['a-long-name-1 add'],
      'web: install snapshot 1 (3676ffc) on a-long-name-1; a-new-one: joined',
    ],
  ])('names the version and the author of %s', (_, before, after, moves, expected) => {
    expect(subject(before, after, { moves })).toBe(expected);
  });

  it('names the author of a commit that changes nothing else', () => {
    expect(subject({}, { commit: '3676ffc0', author: 'Ann' })).toBe('Follow 3676ffc (Ann)');
  });

  it('cuts a sentence that is longer than that after a word', () => {
    const name = 'x'.repeat(90);
    expect(subject({}, { approvals: { [name]: { status: { conditions: [] } } } })).toBe(`${'x'.repeat(71)}…`);
    const problem = { severity: 'error', code: 'yaml-syntax', file: 'a.yaml', message: 'broken '.repeat(20) } as const;
    const text = message({}, { commit: 'bbb' }, { problems: [problem] });
    expect(text).toContain(`a.yaml: ${problem.message}\n\n[skip ci]`);
  });
});
