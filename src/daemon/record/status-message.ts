import type { ClusterName, Condition, PlacementKey } from '../../api/meta.ts';
import { type PatchDetail, placementKey, type ResourceIdentifier } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import type { StagedUpdateRun } from '../../api/staged.ts';
import type { FleetRecord } from '../../engine/input.ts';
import { conditionIs } from '../../engine/kernel/condition.ts';
import type { Plan, PlannedPlacement } from '../../engine/plan-document.ts';
import { describeRef } from '../../engine/selection/object-key.ts';
import { inWords, progressOf } from '../../engine/staged/told-progress.ts';

/** Longest subject, as `git log --oneline` shows it on a usual terminal. */
const longestSubject = 100;
const mostInSubject = 3;

/**
 * Message of a status commit: what a reader of `git log` wants to know, no ages and no counts that change by themselves.
 * `before` is the record that the plan was based on, `after` the one that it makes.
 */
export function statusMessage(change: {
  readonly before: FleetRecord;
  readonly after: FleetRecord;
  readonly plan: Plan;
  readonly unreachable: Unreachable;
}): string {
  const { plan } = change;
  const said = [
    ...refusal(plan),
    ...placements(change),
    ...departures(change),
    ...approvals(change),
    ...runs(change),
    ...clusters(change),
    ...contact(change.unreachable),
  ];
  const whole = said.length === 0 ? plain(change) : subjectOf(said);
  const subject = whole.length > longestSubject ? `${whole.slice(0, longestSubject - 1)}…` : whole;
  return [
    subject,
    '',
    ...(subject !== whole || said.length > mostInSubject ? [...said, ''] : []),
    '[skip ci]',
    '',
    `Gitfleet-Commit: ${plan.commit}`,
    `Gitfleet-Plan: ${plan.digest}`,
  ].join('\n');
}

interface Unreachable {
  readonly before: ReadonlyMap<ClusterName, unknown>;
  readonly after: ReadonlyMap<ClusterName, unknown>;
}

interface Change {
  readonly before: FleetRecord;
  readonly after: FleetRecord;
  readonly plan: Plan;
}

function subjectOf(said: readonly string[]): string {
  const more = said.length - mostInSubject;
  return said.slice(0, mostInSubject).join('; ') + (more > 0 ? `; and ${more} more` : '');
}

/** Nothing moved: a new commit was read, or what is told about the fleet changed. */
function plain({ before, after, plan }: Change): string {
  const [problem] = plan.problems.filter(({ severity }) => severity === 'error');
  if (problem) return problem.file ? `${problem.file}: ${problem.message}` : problem.message;
  if (before.commit !== plan.commit) return `Follow ${plan.commit.slice(0, 12)}`;
  const touched = (['placements', 'runs', 'approvals', 'evictions', 'clusters'] as const).flatMap((part) =>
    touchedIn<unknown>(before[part], after[part]),
  );
  return touched.length > 0 ? `Update status of ${list(touched)}` : 'Update status';
}

/** Names whose entries differ; what was published last keeps its identity, so few are compared. */
const touchedIn = <T>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>): string[] =>
  [...after]
    .filter(([key, value]) => before.get(key) !== value && textOfEntry(before.get(key)) !== textOfEntry(value))
    .map(([key]) => key);

const textOfEntry = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (part instanceof Map ? [...part] : part)) ?? '';

const refusal = ({ guard }: Plan): string[] => guard.slice(0, 1).map(({ message }) => `refused: ${message}`);

function placements({ before, after, plan }: Change): string[] {
  return plan.placements.flatMap((placement) => {
    const key = placementKey(placement);
    const [was, is] = [bindingsOf(before, key), bindingsOf(after, key)];
    const moves = movesOf(placement, (cluster) => !isUnderWay(was.get(cluster), is.get(cluster)));
    const news = moves.length > 0 ? moves : outcomes(was, is);
    return news.map((text) => `${placement.namespace ? `${placement.namespace}/` : ''}${placement.name}: ${text}`);
  });
}

const verbs = [
  ['add', 'install on'],
  ['update', 'update'],
  ['remove', 'remove from'],
] as const;

function movesOf({ bindings }: PlannedPlacement, isNews: (cluster: ClusterName) => boolean): string[] {
  const told = verbs.flatMap(([moving, verb]) => {
    const names = bindings.flatMap(({ clusterName, move }) => (move === moving ? [clusterName] : []));
    return names.some(isNews) ? [`${verb} ${list(names)}`] : [];
  });
  return told.length === 0 ? [] : [told.join(', ')];
}

/** A move stays in the plan until the member is done with it; the commit that began it has told it. */
const isUnderWay = (before: Binding | undefined, after: Binding | undefined): boolean =>
  before !== undefined &&
  after !== undefined &&
  before.state === after.state &&
  before.resourceSnapshotIndex === after.resourceSnapshotIndex;

/** Placements that the repo does not hold any more: the plan only says what their clusters have to let go of. */
function departures({ before, after, plan }: Change): string[] {
  const planned = new Set(plan.placements.map((placement) => placementKey(placement)));
  return [...before.placements].flatMap(([key, { state }]) => {
    if (planned.has(key)) return [];
    const was = new Map(state.bindings.map((binding) => [binding.targetCluster, binding]));
    const is = new Map((after.placements.get(key)?.state.bindings ?? []).map((it) => [it.targetCluster, it]));
    const leaving = [...is.keys()].filter((cluster) => is.get(cluster)!.deleting && !was.get(cluster)?.deleting);
    const gone = [...was.keys()].filter((cluster) => !is.has(cluster));
    return [
      ...(leaving.length > 0 ? [`${key}: deleted, remove from ${list(leaving)}`] : []),
      ...(gone.length > 0 ? [`${key}: gone from ${list(gone)}`] : []),
    ];
  });
}

type Bindings = ReadonlyMap<string, Binding>;

const bindingsOf = (record: FleetRecord, key: PlacementKey): Bindings =>
  new Map(
    (record.placements.get(key)?.state.bindings ?? [])
      .filter(({ deleting }) => !deleting)
      .map((binding) => [binding.targetCluster, binding]),
  );

/** What became of bindings that did not move, the most telling first; one sentence for all clusters that share it. */
function outcomes(before: Bindings, after: Bindings): string[] {
  const clusters = new Map<string, string[]>();
  for (const [cluster, binding] of after) {
    const text = outcome(before.get(cluster), binding);
    if (text !== undefined) clusters.set(text, [...(clusters.get(text) ?? []), cluster]);
  }
  const gone = [...before.keys()].filter((cluster) => !after.has(cluster));
  return [
    ...[...clusters].map(([text, names]) => text.replace('{}', list(names))),
    ...(gone.length > 0 ? [`gone from ${list(gone)}`] : []),
  ];
}

function outcome(before: Binding | undefined, after: Binding): string | undefined {
  const drifted = fresh(before?.driftedPlacements, after.driftedPlacements);
  if (drifted !== undefined) return `drift on {}: ${drifted}`;
  const differs = fresh(before?.diffedPlacements, after.diffedPlacements);
  if (differs !== undefined) return `differs on {}: ${differs}`;
  const failed = fresh(
    before?.failedPlacements,
    conditionIs(after.conditions, 'Applied', 'False') ? after.failedPlacements : [],
  );
  if (failed !== undefined) return `failed on {}: ${failed}`;
  if (became(before, after, 'Available', 'True')) return 'available on {}';
  if (became(before, after, 'DiffReported', 'True')) return 'compared on {}';
  if (
    before &&
    conditionIs(before.conditions, 'Available', 'True') &&
    !conditionIs(after.conditions, 'Available', 'True')
  )
    return 'not available on {}';
  if ((before?.driftedPlacements ?? []).length > 0 && (after.driftedPlacements ?? []).length === 0)
    return 'no drift on {}';
  if (became(before, after, 'Applied', 'True')) return 'applied on {}';
  return undefined;
}

const became = (before: Binding | undefined, after: Binding, type: string, status: Condition['status']): boolean =>
  conditionIs(after.conditions, type, status) && !(before && conditionIs(before.conditions, type, status));

/** Objects that were not listed before, or for another reason, if there are any. */
function fresh(before: readonly Listed[] = [], after: readonly Listed[] = []): string | undefined {
  const why = (it: Listed) => `${describeRef(it)} ${JSON.stringify(differences(it))}`;
  const known = new Set(before.map(why));
  const news = after.filter((it) => !known.has(why(it)));
  return news.length === 0 ? undefined : list(news.map(whatDiffers));
}

type Listed = ResourceIdentifier & {
  readonly observedDrifts?: readonly PatchDetail[];
  readonly observedDiffs?: readonly PatchDetail[];
};

const differences = ({ observedDrifts, observedDiffs }: Listed): readonly PatchDetail[] =>
  observedDrifts ?? observedDiffs ?? [];

/** `Deployment web/web (/spec/replicas by kubectl)` */
function whatDiffers(it: Listed): string {
  const details = differences(it);
  const managers = new Set(details.flatMap(({ manager }) => (typeof manager === 'string' ? [manager] : [])));
  const paths = list(details.map(({ path }) => (path === '/' ? 'the whole object' : path)));
  const by = managers.size === 0 ? '' : ` by ${list([...managers])}`;
  return details.length === 0 ? describeRef(it) : `${describeRef(it)} (${paths}${by})`;
}

function approvals({ before, plan }: Change): string[] {
  return plan.approvals.flatMap((approval) => {
    const was = before.approvals.get(placementKey(approval))?.status?.conditions;
    const yes = isApproved(approval.status.conditions);
    if (yes) return was && !isApproved(was) ? [`${approval.name}: approved`] : [];
    return was ? [] : [`${approval.name}: waiting for approval`];
  });
}

const isApproved = (conditions?: readonly Condition[]): boolean => conditionIs(conditions, 'Approved', 'True');

function runs({ before, plan }: Change): string[] {
  return plan.runs.flatMap(({ status, ...run }) => {
    const old = before.runs.get(placementKey(run))?.status;
    const now = progressOf(status.conditions);
    if (now !== undefined && now.reason !== progressOf(old?.conditions)?.reason)
      return [`${run.name}: ${inWords(now)}`];
    return soaked(status).length > soaked(old).length ? [`${run.name}: ${soaked(status).at(-1)} has soaked`] : [];
  });
}

/** Stages whose waiting time is over. */
const soaked = (status: StagedUpdateRun['status']): string[] =>
  (status?.stagesStatus ?? []).flatMap(({ stageName, afterStageTaskStatus = [] }) =>
    afterStageTaskStatus.some(({ conditions = [] }) => conditions.some(({ type }) => type === 'WaitTimeElapsed'))
      ? [`stage ${stageName}`]
      : [],
  );

function clusters({ before, after }: Change): string[] {
  const joined = [...after.clusters.keys()].filter((name) => !before.clusters.has(name));
  const left = [...before.clusters.keys()].filter((name) => !after.clusters.has(name));
  return [
    ...(joined.length > 0 ? [`${list(joined)}: joined`] : []),
    ...(left.length > 0 ? [`${list(left)}: left`] : []),
  ];
}

function contact({ before, after }: Unreachable): string[] {
  const lost = [...after.keys()].filter((name) => !before.has(name));
  const back = [...before.keys()].filter((name) => !after.has(name));
  return [
    ...(lost.length > 0 ? [`${list(lost)}: cannot be reached`] : []),
    ...(back.length > 0 ? [`${list(back)}: reached again`] : []),
  ];
}

const list = (names: readonly string[]): string =>
  names.length > 5 ? `${names.slice(0, 4).join(', ')} and ${names.length - 4} more` : names.join(', ');
