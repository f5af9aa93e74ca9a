import type { PlacementTarget, Target } from './plan-document.ts';

/** What is done with targets, for each kind of them: where a kind is added, every place that handles targets has to name it. */
export interface TargetHandlers<Result> {
  readonly placement: (target: PlacementTarget) => Result;
}

/** The kind of a target follows from the field that only this kind has. */
export const handleTarget = <Result>(target: Target, handlers: TargetHandlers<Result>): Result =>
  handlers.placement(target);
