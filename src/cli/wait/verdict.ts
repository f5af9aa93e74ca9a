import type { Condition } from '../../api/meta.ts';
import { refOf } from '../../api/placement.ts';
import { isBringing } from '../../engine/staged/step.ts';
import { isRunOf } from '../../engine/update-run.ts';
import { titleOf } from '../../repo/title-of.ts';
import { causeOf } from '../../report/cause.ts';
import { conditionOf } from '../../report/condition-of.ts';
import { needsRunText } from '../../report/waits/no-run.ts';
import { progressText } from '../../report/waits/progress-text.ts';
import { deliveryConditions, type Listing, type Row } from '../kinds/listing.ts';
import type { Status } from '../status/open-status.ts';
import { conditionOfOtherMode } from './other-mode.ts';
import type { WaitedFor } from './waited-for.ts';

/** Whether one object has the condition that is waited for. */
export interface Verdict {
  /** The line to print. */
  readonly met?: string;
  /** What is still missing. */
  readonly missing?: string;
  /** Waiting longer is useless. */
  readonly willNotCome?: boolean;
  /** The condition is met, on fewer clusters than the policy requires. */
  readonly isPartial?: boolean;
}

type AwaitedCondition = WaitedFor & { readonly kind: 'condition' };

/** Whether the condition sums up the clusters of a placement: it is met only where all of them were found. */
export const needsAllClusters = (
  { conditionTypes = [] }: Pick<Listing, 'conditionTypes'>,
  waitedFor: WaitedFor,
): waitedFor is AwaitedCondition =>
  waitedFor.kind === 'condition' &&
  waitedFor.status === 'True' &&
  conditionTypes.includes('Scheduled') &&
  (deliveryConditions as readonly string[]).includes(waitedFor.type);

/** What its conditions do not show of a placement: no update run brings what the repo holds, or one has not brought it yet. */
export function notBrought(
  { placed }: Row,
  title: string,
  { record, notRolledOut }: Pick<Status, 'record' | 'notRolledOut'>,
): Verdict | undefined {
  if (placed?.placement.spec.strategy.type !== 'External') return undefined;
  const ref = refOf(placed.placement);
  const missing = needsRunText(ref, notRolledOut);
  if (missing !== undefined) return { missing: `${title}: ${missing}`, willNotCome: true };
  const run = [...record.runs.values()].find((each) => isRunOf(each, ref) && isBringing(each));
  return run && { missing: `${title}: update run ${titleOf(run.metadata)}: ${progressText(run.status)}` };
}

/** Also requires that the scheduler found all clusters. */
export function verdictOnAll(row: Row, title: string, waitedFor: AwaitedCondition): Verdict {
  const verdict = verdictOf(row, title, waitedFor);
  if (verdict.met === undefined) return verdict;
  const scheduled = verdictOf(row, title, { kind: 'condition', type: 'Scheduled', status: 'True' });
  return scheduled.met === undefined ? { ...scheduled, isPartial: true } : verdict;
}

/** Only conditions of the present generation count. `title`: the start of each line. */
export function verdictOf(row: Row, title: string, { type, status }: AwaitedCondition): Verdict {
  const otherMode = conditionOfOtherMode(row, type);
  if (otherMode !== undefined) return { missing: `${title} has no condition ${type}: ${otherMode}`, willNotCome: true };
  const willNotCome = row.isOver;
  const { metadata, status: present } = row.value as {
    readonly metadata?: { readonly generation?: number };
    readonly status?: {
      readonly conditions?: readonly Condition[];
      readonly agentStatus?: readonly { readonly conditions?: readonly Condition[] }[];
    };
  };
  const conditions = row.conditions ?? [
    ...(present?.conditions ?? []),
    ...(present?.agentStatus ?? []).flatMap((agent) => agent.conditions ?? []),
  ];
  const found = conditionOf(conditions, type);
  if (found === undefined)
    return { missing: `${title} has no condition ${type} yet${willNotCome ? instead(conditions) : ''}`, willNotCome };
  const { observedGeneration } = found;
  if (
    metadata?.generation !== undefined &&
    observedGeneration !== undefined &&
    observedGeneration < metadata.generation
  )
    return {
      missing: `${title}: ${type} is of generation ${observedGeneration}, not yet of ${metadata.generation}`,
      willNotCome,
    };
  if (found.status === status) return { met: `${title} condition met` };
  const why = causeOf(found);
  return { missing: `${title}: ${type} is ${found.status}${why ? ` (${why})` : ''}`, willNotCome };
}

/** The failed condition that prevents the awaited one. */
function instead(conditions: readonly Condition[]): string {
  const wrong = conditions.findLast(({ status }) => status === 'False');
  return wrong === undefined ? '' : `: ${wrong.type} is False (${causeOf(wrong)})`;
}
