import { type MemberCluster, memberAgentOf } from '../../api/member-cluster.ts';
import type { ClusterName } from '../../api/meta.ts';
import { placementKey } from '../../api/placement.ts';
import { findCondition } from '../../engine/kernel/condition.ts';
import { someOf } from '../../engine/kernel/some-of.ts';
import type { HoldReason, Plan, PlannedPlacement } from '../../engine/plan-document.ts';
import { isUnanswered } from '../../engine/staged/approval/file.ts';
import { approvalBranch, mergeCommand } from '../../engine/staged/approval/name.ts';
import type { NotRolledOut } from '../../engine/staged/not-rolled-out.ts';
import { progressOf, stagesDone, toldProgress } from '../../engine/staged/told-progress.ts';
import { markdownProblem } from '../markdown-problem.ts';
import { markdownText } from '../markdown-text.ts';
import { titleOf } from '../title-of.ts';
import { holdSubject } from './hold-subject.ts';
import { removalName } from './removals-asked.ts';
import type { Silence } from './summary.ts';
import { suspensions } from './suspensions.ts';
import { isBeingRemoved, tallyOf } from './tally.ts';
import { clustersOf as clustersNamed, type ToldHold, toldHolds } from './told-holds.ts';

/** Rows of a table beyond which the README only counts: a forge shows a page, not a database. */
const mostRows = 200;

/** What is told beside the plan. */
export interface Beside {
  /** The branch that is followed. */
  readonly branch: string;
  /** The repo has a working tree, where what a person says yes to is merged; otherwise that happens in a clone. */
  readonly inPlace?: boolean | undefined;
  /** Members that do not answer. */
  readonly unreachable: ReadonlyMap<ClusterName, Silence>;
  /** What waits for an update run that nobody has committed. */
  readonly notRolledOut: readonly NotRolledOut[];
}

/** README.md of the status branch: what runs where, what waits for whom since when, how to say yes. Instants, never ages. */
export function renderDashboard(plan: Plan, { branch, inPlace = false, unreachable, notRolledOut }: Beside): string {
  const merging: Merging = (from) =>
    `merge the branch \`${from}\` into \`${branch}\`. In ${inPlace ? 'the repo' : 'a clone'}: \`${mergeCommand(from, inPlace)}\``;
  const holds = toldHolds(plan).filter(({ removalDigest }) => removalDigest === undefined);
  const lines = [
    '# Fleet status',
    '',
    `Planned from commit \`${plan.commit.slice(0, 12)}\` of \`${branch}\`.`,
    ...section('Refused', refused(plan, merging)),
    ...section('Waiting for approval', [...gates(plan, merging), ...removals(plan, merging)]),
    ...section('Problems', problems(plan)),
    ...section('Held until somebody acts', held(holds.filter(({ reason }) => needsPerson.has(reason)))),
    ...section('Staged runs', runs(plan)),
    ...section('Not rolled out', withoutRun(notRolledOut)),
    ...section('Placements', placements(plan)),
    ...section('Clusters', clusters(plan)),
    ...section('Being removed', beingRemoved(plan)),
    ...section('Not reached', notReached(unreachable)),
    ...section('Not healthy', notHealthy(plan, unreachable)),
    ...section('Held', held(holds.filter(({ reason }) => !needsPerson.has(reason)))),
  ];
  return `${lines.join('\n')}\n`;
}

/** What a person does with a branch that asks. */
type Merging = (branch: string) => string;

const section = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : ['', `## ${title}`, '', ...lines];

function refused({ guard }: Plan, merging: Merging): readonly string[] {
  if (guard.length === 0) return [];
  const rows = guard.flatMap(({ message, removalDigest }) => {
    if (!removalDigest) return [`- ${markdownText(message)}`];
    return [`- ${markdownText(message)}`, `  To let it happen, ${merging(removalBranch(removalDigest))}`];
  });
  return ['The last plan was not carried out; everything stays as it was.', '', ...rows];
}

const gates = (plan: Plan, merging: Merging): readonly string[] =>
  plan.approvals.filter(isUnanswered).flatMap((approval) => {
    const { parentStageRollout: run, targetStage: stage } = approval.spec;
    const hold = plan.holds.find(
      ({ reason, subject }) =>
        reason === 'WaitingForApproval' &&
        subject.name === run &&
        subject.namespace === approval.namespace &&
        subject.stage === stage,
    );
    return [
      `- **${markdownText(run)}**, stage **${markdownText(stage)}**${hold ? `: ${markdownText(hold.message)}` : ''}`,
      `  Yes: ${merging(approvalBranch(approval))}`,
    ];
  });

function removals({ holds }: Plan, merging: Merging): readonly string[] {
  const waiting = holds.filter(({ removalDigest }) => removalDigest !== undefined);
  return [
    ...waiting
      .slice(0, mostRows)
      .flatMap(({ subject, message, removalDigest }) => [
        `- removal of **${markdownText(holdSubject(subject))}**: ${markdownText(message)}`,
        `  Yes: ${merging(removalBranch(removalDigest!))}`,
      ]),
    ...(waiting.length > mostRows ? [`- … and ${waiting.length - mostRows} more removals`] : []),
  ];
}

const problems = (plan: Plan): readonly string[] =>
  plan.problems
    .filter(({ severity }) => severity !== 'info')
    .slice(0, mostRows)
    .map((problem) => `- ${markdownProblem(problem)}`);

function runs(plan: Plan): readonly string[] {
  const open = plan.runs.filter(({ status }) => progressOf(status.conditions)?.reason !== 'UpdateRunSucceeded');
  if (open.length === 0) return [];
  return [
    '| run | snapshot | clusters done | state |',
    '|---|---|---|---|',
    ...open.slice(0, mostRows).map((run) => {
      const { status } = run;
      return `| [${markdownText(titleOf(run))}](runs/${encodeURIComponent(placementKey(run))}.yaml) | ${status.resourceSnapshotIndexUsed ?? ''} | ${markdownText(stagesDone(status))} | ${markdownText(toldProgress(status))} |`;
    }),
  ];
}

function withoutRun(waiting: readonly NotRolledOut[]): readonly string[] {
  if (waiting.length === 0) return [];
  const rows = waiting
    .slice(0, mostRows)
    .map(({ placement, why }) => `- **${markdownText(titleOf(placement))}**: ${markdownText(why)}`);
  return ['These placements are External: a new staged update run brings what is missing.', '', ...rows];
}

function placements(plan: Plan): readonly string[] {
  const suspended = suspensions(plan);
  return [
    '| placement | snapshot | clusters | available | on older snapshots | state |',
    '|---|---|---|---|---|---|',
    ...plan.placements.slice(0, mostRows).map((it) => placementRow(it, suspended.get(placementKey(it)))),
    ...moreUnder('placements', plan.placements.length),
  ];
}

function clusters(plan: Plan): readonly string[] {
  const { rows, total } = clusterRows(plan);
  return ['| cluster | what runs there (snapshot) |', '|---|---|', ...rows, ...moreUnder('clusters', total)];
}

/** Also of placements that are deleted, which no other table names; what a removal waits for is among what is held. */
function beingRemoved({ targets, guard }: Plan): readonly string[] {
  if (guard.length > 0) return [];
  const from = new Map<string, string[]>();
  for (const { placement, clusterName, remove } of targets)
    if (remove) from.set(titleOf(placement), [...(from.get(titleOf(placement)) ?? []), clusterName]);
  return [...from]
    .slice(0, mostRows)
    .map(([title, names]) => `- **${markdownText(title)}** from ${markdownText(someOf(names, mostRows))}`);
}

const moreUnder = (folder: string, total: number): readonly string[] =>
  total > mostRows ? ['', `… and ${total - mostRows} more under [${folder}](${folder}).`] : [];

function notReached(unreachable: Beside['unreachable']): readonly string[] {
  if (unreachable.size === 0) return [];
  const rows = [...unreachable].slice(0, mostRows).map(([name, { cause, lastContact }]) => {
    const since = lastContact === undefined ? '' : `, silent since ${lastContact}`;
    return `- ${markdownText(name)}${since}: ${markdownText(cause)}`;
  });
  return ['What is said of these clusters is what was seen of them last. What they have stays.', '', ...rows];
}

/** Members that answer, and say on `/readyz` that something is wrong. */
function notHealthy({ record }: Plan, unreachable: Beside['unreachable']): readonly string[] {
  const rows = [...record].flatMap(([path, { kind, value }]) => {
    if (kind !== 'object' || !path.startsWith('clusters/')) return [];
    const { metadata, status } = value as MemberCluster;
    const healthy = findCondition(memberAgentOf(status)?.conditions, 'Healthy');
    if (healthy?.status !== 'False' || unreachable.has(metadata.name as ClusterName)) return [];
    const since = healthy.lastTransitionTime === undefined ? '' : `, since ${healthy.lastTransitionTime}`;
    return [`- ${markdownText(metadata.name)}${since}: ${markdownText(healthy.message ?? healthy.reason ?? '')}`];
  });
  if (rows.length === 0) return [];
  return [
    'Nothing new is placed on these clusters once it has been so for five minutes.',
    '',
    ...rows.slice(0, mostRows),
  ];
}

/** Whatever time and the members do, these stay until a file is changed, or something on a member. */
const needsPerson: ReadonlySet<HoldReason> = new Set([
  'RecordLost',
  'LastGoodVersion',
  'StrategyNotFound',
  'StateTransitionDenied',
  'ApprovalStale',
  'ApprovalWithdrawn',
  'ContainsForeignObjects',
  'RemovalRefused',
]);

const held = (holds: readonly ToldHold[]): readonly string[] =>
  holds.map((hold) => {
    const { subject, reason, message, until } = hold;
    const end = until && !message.includes(until) ? ` (until ${until})` : '';
    const who = clustersNamed(hold);
    return `- **${markdownText(holdSubject(subject))}** ${reason}: ${markdownText(who && `${who}: `)}${markdownText(message)}${end}`;
  });

const removalBranch = (digest: string): string => approvalBranch({ name: removalName(digest) });

function placementRow(placement: PlannedPlacement, suspended: string | undefined): string {
  const { available, older, clusters } = tallyOf(placement);
  const last = placement.conditions.findLast(({ type }) => !type.endsWith('StatusSynced'));
  const held = suspended === undefined ? [] : [`suspended${suspended === '' ? '' : ` (${suspended})`}`];
  const state = [...held, ...(last ? [last.reason] : [])].join(', ');
  return `| [${markdownText(titleOf(placement))}](placements/${encodeURIComponent(placementKey(placement))}/status.yaml) | ${placement.resourceSnapshotIndex ?? ''} | ${clusters} | ${available} | ${older} | ${markdownText(state)} |`;
}

/** The first clusters by name, with what they run, and how many there are. */
function clusterRows(plan: Plan): { readonly rows: readonly string[]; readonly total: number } {
  const held = (binding: PlannedPlacement['bindings'][number]): boolean =>
    binding.state !== 'Scheduled' && binding.resourceSnapshotIndex !== undefined && !isBeingRemoved(binding);
  // A placement decides on every cluster that it looks at: one of them names those that run nothing too.
  const looked = plan.placements.reduce<PlannedPlacement['decisions']>(
    (most, { decisions }) => (decisions.length > most.length ? decisions : most),
    [],
  );
  const names = new Set<string>(looked.map(({ clusterName }) => clusterName));
  for (const { bindings } of plan.placements)
    for (const binding of bindings) if (held(binding)) names.add(binding.clusterName);
  const shown = new Map(
    [...names]
      .sort()
      .slice(0, mostRows)
      .map((name): [string, string[]] => [name, []]),
  );
  for (const placement of plan.placements)
    for (const binding of placement.bindings) {
      const what = `${titleOf(placement)} (${binding.resourceSnapshotIndex})`;
      const there = held(binding) ? shown.get(binding.clusterName) : undefined;
      if (there && !there.includes(what)) there.push(what);
    }
  const rows = [...shown].map(
    ([cluster, what]) => `| ${markdownText(cluster)} | ${markdownText(what.join(', ')) || 'nothing'} |`,
  );
  return { rows, total: names.size };
}
