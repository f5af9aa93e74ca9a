import type { Override } from '../../api/override.ts';
import type { Problem } from '../../api/problem.ts';
import type { Fleet, FleetRecord } from '../input.ts';
import { lastRecorded, overrideKey } from '../overrides/snapshots.ts';
import type { Hold } from '../plan-document.ts';
import { forbidden } from './forbidden.ts';
import { absenceMeansNothing, heldBecause, lastGoodHold } from './last-good.ts';

export interface AdmittedOverrides {
  readonly overrides: readonly Override[];
  readonly holds: readonly Hold[];
  readonly problems: readonly Problem[];
}

/** Overrides as last recorded where the file may not change so, or is not valid: their snapshots stay in force. */
export function admitOverrides(fleet: Fleet, record: FleetRecord): AdmittedOverrides {
  const recorded = lastRecorded(record.overrides);
  const holds: Hold[] = [];
  const problems: Problem[] = [];
  const hold = ({ kind, metadata: { name, namespace } }: Override, because: string): void => {
    holds.push(lastGoodHold({ kind, name, ...(namespace ? { namespace } : {}) }, because));
  };
  const overrides = fleet.overrides.map((override) => {
    const before = recorded.get(overrideKey(override.kind, override.metadata));
    const refused = forbidden(before, override, fleet);
    if (!before || !refused) return override;
    problems.push(...refused.problems);
    hold(override, refused.because);
    return before;
  });
  const present = new Set(fleet.overrides.map(({ kind, metadata }) => overrideKey(kind, metadata)));
  for (const [key, last] of recorded) {
    const ref = { kind: last.kind, name: last.metadata.name, namespace: last.metadata.namespace };
    if (!present.has(key) && absenceMeansNothing(fleet, ref)) hold(last, heldBecause(fleet, ref));
  }
  return { overrides, holds, problems };
}
