import { type MemberCluster, memberAgentOf } from '../../api/member-cluster.ts';
import type { ClusterName, Condition } from '../../api/meta.ts';
import { placementKey } from '../../api/placement.ts';
import type { StagedUpdateRun } from '../../api/staged.ts';
import { evictionResult } from '../../engine/evict/result.ts';
import { conditionIs } from '../../engine/kernel/condition.ts';
import { shortened } from '../../engine/kernel/shortened.ts';
import { fewOf } from '../../engine/kernel/some-of.ts';
import type { Plan } from '../../engine/plan-document.ts';
import { inWords, progressOf } from '../../engine/staged/told-progress.ts';
import { type Change, departureNews, placementNews } from './placement-news.ts';

/** Longest subject, as `git log --oneline` shows it on a usual terminal. */
const longestSubject = 100;
const mostInSubject = 3;

/** Message of a status commit: what a reader of `git log` wants to know, no ages and no counts that change by themselves. */
export function statusMessage(change: Change & { readonly unreachable: Unreachable }): string {
  const { plan } = change;
  const said = [...(plan.guard.length > 0 ? refusal(plan) : carriedOut(change)), ...contact(change.unreachable)];
  const whole = said.length === 0 ? plain(change) : subjectOf(said);
  const subject = shortened(whole, longestSubject);
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

/** Nothing of it happens while a plan is refused. */
const carriedOut = (change: Change): string[] => [
  ...placementNews(change),
  ...departureNews(change),
  ...approvals(change),
  ...evictions(change),
  ...runs(change),
  ...clusters(change),
];

interface Unreachable {
  readonly before: ReadonlyMap<ClusterName, unknown>;
  readonly after: ReadonlyMap<ClusterName, unknown>;
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
  return touched.length > 0 ? `Update status of ${fewOf(touched)}` : 'Update status';
}

/** Names whose entries differ; what was published last keeps its identity, so few are compared. */
const touchedIn = <T>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>): string[] =>
  [...after]
    .filter(([key, value]) => before.get(key) !== value && textOfEntry(before.get(key)) !== textOfEntry(value))
    .map(([key]) => key);

const textOfEntry = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (part instanceof Map ? [...part] : part)) ?? '';

const refusal = ({ guard }: Plan): string[] => guard.slice(0, 1).map(({ message }) => `refused: ${message}`);

function approvals({ before, plan }: Change): string[] {
  return plan.approvals.flatMap((approval) => {
    const was = before.approvals.get(placementKey(approval))?.status?.conditions;
    const yes = isApproved(approval.status.conditions);
    if (yes) return was && !isApproved(was) ? [`${approval.name}: approved`] : [];
    return was ? [] : [`${approval.name}: waiting for approval`];
  });
}

const isApproved = (conditions?: readonly Condition[]): boolean => conditionIs(conditions, 'Approved', 'True');

/** Each has one result, and keeps it. */
const evictions = ({ before, plan }: Change): string[] =>
  plan.evictions.flatMap(({ name, status: { conditions } }) => {
    const result = evictionResult(conditions);
    return result === undefined || evictionResult(before.evictions.get(name)?.status?.conditions)
      ? []
      : [`${name}: ${result.text}`];
  });

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
  const turned = (status: Condition['status'], from: Condition['status']) =>
    [...after.clusters].flatMap(([name, is]) => {
      const was = before.clusters.get(name);
      return was !== undefined && was !== is && isHealthy(is, status) && isHealthy(was, from) ? [name] : [];
    });
  const [ill, well] = [turned('False', 'True'), turned('True', 'False')];
  return [
    ...(ill.length > 0 ? [`${fewOf(ill)}: not healthy`] : []),
    ...(well.length > 0 ? [`${fewOf(well)}: healthy again`] : []),
    ...(joined.length > 0 ? [`${fewOf(joined)}: joined`] : []),
    ...(left.length > 0 ? [`${fewOf(left)}: left`] : []),
  ];
}

const isHealthy = ({ status }: MemberCluster, value: Condition['status']): boolean =>
  conditionIs(memberAgentOf(status)?.conditions, 'Healthy', value);

function contact({ before, after }: Unreachable): string[] {
  const lost = [...after.keys()].filter((name) => !before.has(name));
  const back = [...before.keys()].filter((name) => !after.has(name));
  return [
    ...(lost.length > 0 ? [`${fewOf(lost)}: cannot be reached`] : []),
    ...(back.length > 0 ? [`${fewOf(back)}: reached again`] : []),
  ];
}
