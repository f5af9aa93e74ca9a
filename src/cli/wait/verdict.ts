import type { Condition } from '../../api/meta.ts';
import { causeOf } from '../../report/cause.ts';
import { conditionOf } from '../../report/condition-of.ts';
import type { Row } from '../kinds/listing.ts';
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
}

/** Only conditions of the present generation count. `title`: the start of each line. */
export function verdictOf(
  row: Row,
  title: string,
  { type, status }: WaitedFor & { readonly kind: 'condition' },
): Verdict {
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
  const conditions = [
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
