import type { PlanResult } from '../engine/plan.ts';
import { type Contested, contestedIn, contestedText } from './contested-objects.ts';
import { type Lacking, lackingIn, lackingText } from './lacking-namespaces.ts';

/** An object that a placement is to apply on a cluster and that the cluster refuses. */
export type Refused = Contested | Lacking;

/** By the targets of a plan, without what is unsure. */
export const refusedIn = (result: Pick<PlanResult, 'plan' | 'contents'>): readonly Refused[] => [
  ...contestedIn(result),
  ...lackingIn(result).filter(({ isUnsure }) => !isUnsure),
];

/** Why, of objects of one placement on one cluster. */
export function refusedText(refused: readonly Refused[]): string {
  const contested = refused.filter((of) => 'holder' in of);
  const lacking = refused.filter((of) => 'namespace' in of);
  return [
    ...(contested.length > 0 ? [contestedText(contested)] : []),
    ...(lacking.length > 0 ? [lackingText(lacking)] : []),
  ].join('; ');
}
