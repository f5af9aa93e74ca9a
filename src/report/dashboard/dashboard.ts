import type { ClusterName } from '../../api/meta.ts';
import { placementKey } from '../../api/placement.ts';
import { mergeCommand } from '../../engine/gate/request.ts';
import type { Fleet } from '../../engine/input.ts';
import type { Plan } from '../../engine/plan-document.ts';
import type { NotRolledOut } from '../../engine/staged/not-rolled-out.ts';
import { markdownProblem } from '../../repo/markdown-problem.ts';
import { markdownText } from '../../repo/markdown-text.ts';
import type { Silence } from '../../repo/record/daemon-memory.ts';
import { titleOf } from '../../repo/title-of.ts';
import { type InForce, inForce, type Published } from '../in-force.ts';
import { approvals, type Merging, refused } from './approvals.ts';
import { beingRemoved } from './being-removed.ts';
import { held } from './held.ts';
import { notHealthy, notReached } from './ill-members.ts';
import { notEvicted } from './not-evicted.ts';
import { differing, notAvailable } from './on-members.ts';
import { mostRows } from './rows.ts';
import { clusters, placements, runs } from './tables.ts';

/** What is told beside the plan. */
export interface DashboardInput {
  /** The branch that is followed. */
  readonly branch: string;
  /** The repo has a working tree, where what a person says yes to is merged; otherwise that happens in a clone. */
  readonly inPlace?: boolean | undefined;
  /** Members that do not answer. */
  readonly unreachable: ReadonlyMap<ClusterName, Silence>;
  /** What waits for an update run that nobody has committed. */
  readonly notRolledOut: readonly NotRolledOut[];
  /** What was published last. */
  readonly before: Published;
  /** What of the commit is not valid, and what it says yes or no to. */
  readonly fleet: Pick<Fleet, 'refused' | 'unreadable' | 'approvals' | 'removalApprovals' | 'evictions'>;
}

/** README.md of the status branch: what runs where, what waits for whom since when, how to say yes. Instants, never ages. */
export function renderDashboard(plan: Plan, beside: DashboardInput): string {
  const { branch, inPlace = false, unreachable, notRolledOut } = beside;
  const present = inForce(plan, beside);
  const merging: Merging = (from) =>
    `merge the branch \`${from}\` into \`${branch}\`. In ${inPlace ? 'the repo' : 'a clone'}: \`${mergeCommand(from, inPlace)}\``;
  const { byPeople, others } = held(present);
  const lines = [
    '# Fleet status',
    '',
    plannedFrom(plan, present, branch),
    ...section('Refused', refused(plan, merging)),
    ...section('Waiting for approval', approvals(present, plan, merging)),
    ...section('Problems', problems(plan)),
    ...section('Held until somebody acts', byPeople),
    ...section('Staged runs', runs(present)),
    ...section('Not rolled out', withoutRun(notRolledOut, present)),
    ...section('Placements', placements(present)),
    ...section('Clusters', clusters(present)),
    ...section('Not available', notAvailable(present)),
    ...section('Differs from the repo', differing(present)),
    ...section('Not evicted', notEvicted(present, beside.fleet.evictions)),
    ...section('Being removed', beingRemoved(present)),
    ...section('Not reached', notReached(unreachable)),
    ...section('Not healthy', notHealthy(plan, unreachable)),
    ...section('Held', others),
  ];
  return `${lines.join('\n')}\n`;
}

const section = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : ['', `## ${title}`, '', ...lines];

const problems = (plan: Plan): readonly string[] =>
  plan.problems
    .filter(({ severity }) => severity !== 'info')
    .slice(0, mostRows)
    .map((problem) => `- ${markdownProblem(problem)}`);

function plannedFrom({ commit, guard }: Plan, present: InForce, branch: string): string {
  const newest = `commit \`${commit.slice(0, 12)}\` of \`${branch}\``;
  if (guard.length === 0) return `Planned from ${newest}.`;
  return `The plan of ${newest} is refused. In force is ${standing(present)}.`;
}

function standing({ commit, placements }: InForce): string {
  if (commit !== undefined) return `what was planned from commit \`${commit.slice(0, 12)}\``;
  return placements.length === 0 ? 'nothing' : 'what was published before';
}

/** A placement that no plan has put into force is told once one has. */
function withoutRun(notRolledOut: readonly NotRolledOut[], { placements }: InForce): readonly string[] {
  const known = new Set(placements.map(placementKey));
  const waiting = notRolledOut.filter(({ placement }) => known.has(placementKey(placement)));
  if (waiting.length === 0) return [];
  const rows = waiting
    .slice(0, mostRows)
    .map(({ placement, why }) => `- **${markdownText(titleOf(placement))}**: ${markdownText(why)}`);
  return ['These placements are External: a new staged update run brings what is missing.', '', ...rows];
}
