import type { Override } from '../../api/override.ts';
import { mostOverrides, overrideScope, selectedByOverride } from '../../api/override-selectors.ts';
import type { Problem } from '../../api/problem.ts';
import type { Fleet, FleetRecord } from '../input.ts';
import { lastRecorded, overrideKey } from '../overrides/snapshots.ts';
import type { Hold } from '../plan-document.ts';
import { problemOf } from '../problem-of.ts';
import { absenceMeansNothing, heldBecause, lastGoodHold } from '../recovery/last-good.ts';
import { forbidden } from './forbidden.ts';

export interface AdmittedOverrides {
  readonly overrides: readonly Override[];
  readonly holds: readonly Hold[];
  readonly problems: readonly Problem[];
}

/** One override of the repo, with the version to use. */
interface AdmittedOverride {
  /** In effect from now on; undefined = none, it was never valid. */
  readonly admitted: Override | undefined;
  /** Why it is not the version of its file. */
  readonly refused?: { readonly because: string; readonly problems: readonly Problem[] };
}

/** Overrides of the repo. Where a file is invalid or changed in a forbidden way, the last recorded version stays in effect. */
export function admitOverrides(fleet: Fleet, record: FleetRecord): AdmittedOverrides {
  const recorded = lastRecorded(record.overrides);
  const beforeOf = (override: Override): Override | undefined => recorded.get(keyOf(override));
  const present = new Set(fleet.overrides.map(keyOf));
  const absent = [...recorded.values()].flatMap((last) => {
    const ref = { kind: last.kind, name: last.metadata.name, namespace: last.metadata.namespace };
    return !present.has(keyOf(last)) && absenceMeansNothing(fleet, ref) ? [{ last, ref }] : [];
  });
  const changed = fleet.overrides.map((override): AdmittedOverride => {
    const before = beforeOf(override);
    const refused = forbidden(before, override, fleet);
    return before && refused ? { admitted: before, refused } : { admitted: override };
  });
  const held = [...absent.map(({ last }) => last), ...changed.flatMap((it) => (it.refused ? it.admitted! : []))];
  const judged = changed.map((it): AdmittedOverride => {
    const refused = it.refused ? undefined : alreadySelected(it.admitted!, held, fleet);
    return refused ? { admitted: beforeOf(it.admitted!), refused } : it;
  });
  const inEffect = judged.flatMap(({ admitted }) => admitted ?? []);
  return {
    overrides: atMost(inEffect, [...absent.map(({ last }) => last), ...inEffect.filter(beforeOf)]),
    holds: [
      ...judged.flatMap(({ admitted, refused }) => (admitted && refused ? hold(admitted, refused.because) : [])),
      ...absent.map(({ last, ref }) => hold(last, heldBecause(fleet, ref))),
    ],
    problems: judged.flatMap(({ refused }) => refused?.problems ?? []),
  };
}

/** At most the allowed number per scope: recorded overrides first, then the others by name. */
function atMost(overrides: readonly Override[], before: readonly Override[]): readonly Override[] {
  const taken = new Map<string, number>();
  const take = (override: Override): boolean => {
    const count = taken.get(overrideScope(override)) ?? 0;
    taken.set(overrideScope(override), count + 1);
    return count < mostOverrides;
  };
  for (const override of before) take(override);
  const keep = new Set(before.map(keyOf));
  return overrides.filter((override) => keep.has(keyOf(override)) || take(override));
}

const keyOf = ({ kind, metadata }: Override): string => overrideKey(kind, metadata);

const hold = ({ kind, metadata: { name, namespace } }: Override, because: string): Hold =>
  lastGoodHold({ kind, name, ...(namespace ? { namespace } : {}) }, because);

/** A resource has one override of a kind (KubeFleet's webhook): the one in effect keeps it while its file is invalid. */
function alreadySelected(override: Override, held: readonly Override[], fleet: Fleet): AdmittedOverride['refused'] {
  const taken = new Map(held.flatMap((it) => selectedByOverride(it).map(({ key }) => [key, it] as const)));
  const clash = selectedByOverride(override).find(({ key }) => taken.has(key));
  if (clash === undefined) return undefined;
  const { kind, metadata } = override;
  const because = `${clash.kind} ${clash.name} is already selected by override ${taken.get(clash.key)!.metadata.name}, which stays as last recorded`;
  const problem = problemOf(
    fleet,
    { kind, ...metadata },
    {
      severity: 'error',
      code: 'override-collision',
      path: clash.path.join('.'),
      message: because,
      fix: `put the rules of ${metadata.name} into that override`,
    },
  );
  return { because, problems: [problem] };
}
