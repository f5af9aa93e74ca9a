import type { FleetConfig } from '../gitfleet.ts';
import { error, type Issue } from '../issue.ts';
import { isIntOrPercent } from '../syntax.ts';

/** Limits of the guard: one that is no number would limit nothing. */
export function configIssues({ spec }: FleetConfig): Issue[] {
  return (['maxClusters', 'maxObjectsPerCluster', 'maxLeaving'] as const).flatMap((field) => {
    const value = spec.guard?.[field];
    if (value === undefined || isIntOrPercent(String(value))) return [];
    const message = `"${value}" is neither a number of 0 or more nor a percentage`;
    return [error('invalid-int-or-percent', ['spec', 'guard', field], message, 'write for example 10 or 10%')];
  });
}
