import type { ClusterName, Condition, PlacementKey } from '../api/meta.ts';
import { placementKey, type ResourceIdentifier } from '../api/placement.ts';
import type { Binding } from '../api/placement-state.ts';
import type { StagedUpdateRun } from '../api/staged.ts';
import type { FleetRecord } from '../engine/input.ts';
import { conditionIs } from '../engine/kernel/condition.ts';
import type { Plan, PlannedPlacement } from '../engine/plan-document.ts';
import { describeRef } from '../engine/selection/object-key.ts';

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
  readonly before: ReadonlyMap<ClusterName, string>;
  readonly after: ReadonlyMap<ClusterName, string>;
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
    const moves = movesOf(placement);
    const news = moves.length > 0 ? moves : outcomes(bindingsOf(before, key), bindingsOf(after, key));
    return news.map((text) => `${placement.namespace ? `${placement.namespace}/` : ''}${placement.name}: ${text}`);
  });
}

function movesOf({ bindings }: PlannedPlacement): string[] {
  const moving = bindings.filter(({ move }) => move === 'add' || move === 'update' || move === 'remove');
  if (moving.length === 0) return [];
  const kinds = new Set(moving.map(({ move }) => move));
  const verb =
    kinds.size > 1 ? 'change' : kinds.has('add') ? 'install on' : kinds.has('update') ? 'update' : 'remove from';
  return [`${verb} ${list(moving.map(({ clusterName }) => clusterName))}`];
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
  const why = (it: Listed) => `${describeRef(it)} ${JSON.stringify(it.observedDrifts ?? it.observedDiffs ?? '')}`;
  const known = new Set(before.map(why));
  const news = after.filter((it) => !known.has(why(it)));
  return news.length === 0 ? undefined : list(news.map(describeRef));
}

type Listed = ResourceIdentifier & { readonly observedDrifts?: unknown; readonly observedDiffs?: unknown };

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
    const reason = progressOf(status.conditions);
    if (reason !== undefined && reason !== progressOf(old?.conditions)) return [`${run.name}: ${reason}`];
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

/** `Succeeded` once it is settled, else how it goes. */
const progressOf = (conditions: readonly Condition[] = []): string | undefined =>
  conditions.find(({ type, status }) => type === 'Succeeded' && status !== 'Unknown')?.reason ??
  conditions.find(({ type }) => type === 'Progressing')?.reason;

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
