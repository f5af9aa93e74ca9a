import type { ClusterName } from '../../api/meta.ts';
import { placementKey } from '../../api/placement.ts';
import type { Plan, PlannedPlacement } from '../../engine/plan-document.ts';
import { isUnanswered } from '../../engine/staged/approval/file.ts';
import type { NotRolledOut } from '../../engine/staged/not-rolled-out.ts';
import { progressOf, stagesDone, toldProgress } from '../../engine/staged/told-progress.ts';
import { quotedValue } from '../fleet/positions.ts';
import { holdSubject } from './hold-subject.ts';
import type { Silence } from './summary.ts';
import { tallyOf } from './tally.ts';

/** Rows of a table beyond which the README only counts: a forge shows a page, not a database. */
const mostRows = 200;

/** What is told beside the plan. */
export interface Beside {
  /** The branch that is followed. */
  readonly branch: string;
  /** Members that do not answer. */
  readonly unreachable: ReadonlyMap<ClusterName, Silence>;
  /** What waits for an update run that nobody has committed. */
  readonly notRolledOut: readonly NotRolledOut[];
}

/** README.md of the status branch: what runs where, what waits for whom since when, how to say yes. Instants, never ages. */
export function renderDashboard(plan: Plan, { branch, unreachable, notRolledOut }: Beside): string {
  const lines = ['# Fleet status', '', `Planned from commit \`${plan.commit.slice(0, 12)}\` of \`${branch}\`.`];
  const waiting = plan.approvals.filter(isUnanswered);
  if (plan.guard.length > 0) {
    lines.push('', '## Refused', '', 'The last plan was not carried out; everything stays as it was.', '');
    for (const { message, removalDigest } of plan.guard) {
      lines.push(`- ${safe(message)}`);
      if (removalDigest)
        lines.push(
          `  To let it happen, merge the branch \`${removalBranch(removalDigest)}\` into \`${branch}\`. In a clone: ${mergeInClone(removalBranch(removalDigest))}`,
        );
    }
  }
  const removals = plan.holds.filter(({ removalDigest }) => removalDigest !== undefined);
  if (waiting.length + removals.length > 0) {
    lines.push('', '## Waiting for approval', '');
    for (const approval of waiting) {
      const name = placementKey(approval);
      const hold = plan.holds.find(
        ({ reason, subject }) =>
          reason === 'WaitingForApproval' &&
          subject.name === approval.spec.parentStageRollout &&
          subject.namespace === approval.namespace &&
          subject.stage === approval.spec.targetStage,
      );
      lines.push(
        `- **${safe(approval.spec.parentStageRollout)}**, stage **${safe(approval.spec.targetStage)}**${hold ? `: ${safe(hold.message)}` : ''}`,
      );
      lines.push(howToSayYes(`gitfleet/approve/${name}`, branch));
    }
    for (const { subject, message, removalDigest } of removals.slice(0, mostRows))
      lines.push(
        `- removal of **${safe(holdSubject(subject))}**: ${safe(message)}`,
        howToSayYes(removalBranch(removalDigest!), branch),
      );
    if (removals.length > mostRows) lines.push(`- … and ${removals.length - mostRows} more removals`);
  }
  const problems = plan.problems.filter(({ severity }) => severity !== 'info');
  if (problems.length > 0) {
    lines.push(
      '',
      '## Problems',
      '',
      ...problems
        .slice(0, mostRows)
        .map(
          ({ severity, file, line, message, value, fix }) =>
            `- ${severity}: ${file ? `\`${file.replaceAll('`', '')}${line ? `:${line}` : ''}\` ` : ''}${safe(message)}${safe(quotedValue({ value, message }))}${fix ? `. Fix: ${safe(fix)}` : ''}${fix?.endsWith('?') ? '' : '.'}`,
        ),
    );
  }
  const runs = plan.runs.filter(({ status }) => progressOf(status.conditions)?.reason !== 'UpdateRunSucceeded');
  if (runs.length > 0)
    lines.push(
      '',
      '## Staged runs',
      '',
      '| run | snapshot | clusters done | state |',
      '|---|---|---|---|',
      ...runs
        .slice(0, mostRows)
        .map(
          (run) =>
            `| [${safe(placementKey(run))}](runs/${encodeURIComponent(placementKey(run))}.yaml) | ${run.status.resourceSnapshotIndexUsed ?? ''} | ${safe(stagesDone(run.status))} | ${safe(toldProgress(run.status))} |`,
        ),
    );
  if (notRolledOut.length > 0)
    lines.push(
      '',
      '## Not rolled out',
      '',
      'These placements are External: a new staged update run brings what is missing.',
      '',
      ...notRolledOut.slice(0, mostRows).map(({ placement, why }) => `- **${safe(titleOf(placement))}**: ${safe(why)}`),
    );
  lines.push(
    '',
    '## Placements',
    '',
    '| placement | snapshot | clusters | available | on older snapshots | state |',
    '|---|---|---|---|---|---|',
  );
  for (const placement of plan.placements.slice(0, mostRows)) lines.push(placementRow(placement));
  if (plan.placements.length > mostRows)
    lines.push('', `… and ${plan.placements.length - mostRows} more under [placements](placements).`);
  const where = clusterRows(plan);
  lines.push('', '## Clusters', '', '| cluster | what runs there (snapshot) |', '|---|---|', ...where.rows);
  if (where.total > mostRows) lines.push('', `… and ${where.total - mostRows} more under [clusters](clusters).`);
  if (unreachable.size > 0)
    lines.push(
      '',
      '## Not reached',
      '',
      'What is said of these clusters is what was seen of them last. What they have stays.',
      '',
      ...[...unreachable].slice(0, mostRows).map(notReached),
    );
  const held = plan.holds.filter(
    ({ reason, removalDigest }) =>
      reason !== 'WaitingForApproval' && reason !== 'RolloutBudget' && removalDigest === undefined,
  );
  if (held.length > 0)
    lines.push(
      '',
      '## Held',
      '',
      ...held
        .slice(0, mostRows)
        .map(
          ({ subject, reason, message, until }) =>
            `- **${safe(holdSubject(subject))}** ${reason}: ${safe(message)}${until && !message.includes(until) ? ` (until ${until})` : ''}`,
        ),
    );
  return `${lines.join('\n')}\n`;
}

const removalBranch = (digest: string): string =>
  `gitfleet/approve/removal-${digest.replace(/^sha256:/, '').slice(0, 12)}`;

const howToSayYes = (from: string, into: string): string =>
  `  Yes: merge the branch \`${from}\` into \`${into}\`. In a clone: ${mergeInClone(from)}`;

const mergeInClone = (branch: string): string => `\`git pull && git merge origin/${branch} && git push\``;

/** `shop` or `shop/web`. */
const titleOf = ({ namespace, name }: { readonly namespace?: string; readonly name: string }): string =>
  namespace === undefined ? name : `${namespace}/${name}`;

function notReached([name, { cause, lastContact }]: readonly [ClusterName, Silence]): string {
  const since = lastContact === undefined ? '' : `, silent since ${lastContact}`;
  return `- ${safe(name)}${since}: ${safe(cause)}`;
}

function placementRow(placement: PlannedPlacement): string {
  const { bindings, conditions } = placement;
  const { available, older } = tallyOf(placement);
  const name = placement.namespace ? `${placement.namespace}.${placement.name}` : placement.name;
  const last = conditions.findLast(({ type }) => !type.endsWith('StatusSynced'));
  return `| [${safe(name)}](placements/${encodeURIComponent(name)}/status.yaml) | ${placement.resourceSnapshotIndex ?? ''} | ${bindings.length} | ${available} | ${older} | ${last ? safe(last.reason) : ''} |`;
}

/** The first clusters by name, with what they run, and how many there are. */
function clusterRows(plan: Plan): { readonly rows: readonly string[]; readonly total: number } {
  const held = ({ state, resourceSnapshotIndex }: PlannedPlacement['bindings'][number]): boolean =>
    state !== 'Scheduled' && resourceSnapshotIndex !== undefined;
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
    for (const binding of placement.bindings)
      if (held(binding))
        shown.get(binding.clusterName)?.push(`${titleOf(placement)} (${binding.resourceSnapshotIndex})`);
  const rows = [...shown].map(([cluster, what]) => `| ${safe(cluster)} | ${safe(what.join(', ')) || 'nothing'} |`);
  return { rows, total: names.size };
}

/** Text of files must not mention people, embed HTML, or break out of a table. */
const safe = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('@', '@\u200b')
    .replace(/\s+/g, ' ')
    .replace(/([\\`*_[\]|])/g, '\\$1');
