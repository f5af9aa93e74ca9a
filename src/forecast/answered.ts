import type { Timestamp } from '../api/meta.ts';
import { placementKey } from '../api/placement.ts';
import type { RequestedApproval } from '../engine/plan-document.ts';
import type { ForecastStep } from './steps.ts';

/** When a request for an approval was answered; undefined: not in this forecast. */
export type AnsweredAt = (
  request: Pick<RequestedApproval['planned'], 'kind' | 'name' | 'namespace'>,
) => Timestamp | undefined;

/**
 * The first plans with the answers that count at the end. One that the guard refuses has them before they are recorded. `only`: answers
 * of this kind.
 */
export function answeredIn(steps: readonly ForecastStep[], only?: RequestedApproval['answer']): AnsweredAt {
  const answered = new Map<string, Timestamp>();
  for (const { now, result } of steps)
    for (const { planned, answer } of result.plan.approvals) {
      const id = idOf(planned);
      if (answer === undefined || (only !== undefined && answer !== only)) answered.delete(id);
      else if (!answered.has(id)) answered.set(id, now);
    }
  return (request) => answered.get(idOf(request));
}

const idOf = (request: Parameters<AnsweredAt>[0]): string => `${request.kind} ${placementKey(request)}`;
