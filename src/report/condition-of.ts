import type { Condition } from '../api/meta.ts';

/** A condition by its type; placements have theirs prefixed with their kind. */
export const conditionOf = (conditions: readonly Condition[] | undefined, type: string): Condition | undefined =>
  conditions?.find((condition) => condition.type === type || condition.type.endsWith(`ResourcePlacement${type}`));
