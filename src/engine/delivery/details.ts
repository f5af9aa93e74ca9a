import type { Timestamp } from '../../api/meta.ts';
import type { DiffedPlacement, DriftedPlacement, FailedPlacement } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import type { Delivered } from './outcomes.ts';

/** KubeFleet's API keeps at most this many of each list per cluster, and of the details of one object. */
const most = 100;

/** Objects that were not applied, and applied ones that are not available (KubeFleet workgenerator, failed manifests). */
export function failedList(
  objects: readonly Delivered[],
  now: Timestamp,
  before: readonly FailedPlacement[] | undefined,
): FailedPlacement[] {
  const troubled = objects.filter(({ applied, outcome, availability }) =>
    applied ? availability !== undefined && isUnavailable(availability.verdict) : !isDiffResult(outcome.result),
  );
  return troubled.slice(0, most).map(({ identifier, outcome, availability, applied }): FailedPlacement => {
    const reason = applied
      ? availability?.verdict === 'Failed'
        ? 'Failed'
        : 'ManifestNotAvailableYet'
      : outcome.result;
    const message = (applied ? availability?.message : outcome.message) ?? '';
    const type = applied ? 'Available' : 'Applied';
    const old = before?.find((failed) => sameObject(failed, identifier))?.condition;
    const since = old?.type === type && old.status === 'False' ? old.lastTransitionTime : undefined;
    return {
      ...identifier,
      condition: {
        type,
        status: 'False',
        reason,
        message,
        lastTransitionTime: since ?? now,
        ...(outcome.observedGeneration === undefined ? {} : { observedGeneration: outcome.observedGeneration }),
      },
    };
  });
}

const isUnavailable = (verdict: string): boolean => verdict === 'NotAvailableYet' || verdict === 'Failed';

/** Results of takeover and ReportDiff: their details compare with an object that is not ours, so they are diffs. */
const diffResults: ReadonlySet<string> = new Set([
  'FoundDiff',
  'FoundDiffInDegradedMode',
  'FailedToTakeOver',
  'NotTakenOver',
]);
const isDiffResult = (result: string): boolean =>
  result === 'FoundDiff' || result === 'FoundDiffInDegradedMode' || result === 'NoDiffFound';

/** Changes found on objects of ours, repaired or not. */
export function driftedList(
  objects: readonly Delivered[],
  now: Timestamp,
  before: readonly DriftedPlacement[] | undefined,
): DriftedPlacement[] {
  return objects
    .filter(({ outcome, gone }) => gone || (hasDetails(outcome) && !diffResults.has(outcome.result)))
    .slice(0, most)
    .map(({ identifier, outcome, gone }): DriftedPlacement => {
      const old = before?.find((drifted) => sameObject(drifted, identifier));
      const observedDrifts = gone ? [wholeObject] : (outcome.details ?? []).slice(0, most);
      const unchanged = old !== undefined && canonicalJson(old.observedDrifts) === canonicalJson(observedDrifts);
      return {
        ...identifier,
        observationTime: (unchanged ? old.observationTime : undefined) ?? now,
        ...(outcome.observedGeneration === undefined
          ? {}
          : { targetClusterObservedGeneration: outcome.observedGeneration }),
        firstDriftedObservedTime: old?.firstDriftedObservedTime ?? now,
        observedDrifts,
      };
    });
}

export function diffedList(
  objects: readonly Delivered[],
  now: Timestamp,
  before: readonly DiffedPlacement[] | undefined,
): DiffedPlacement[] {
  return objects
    .filter(({ outcome }) => hasDetails(outcome) && diffResults.has(outcome.result))
    .slice(0, most)
    .map(({ identifier, outcome }): DiffedPlacement => {
      const old = before?.find((diffed) => sameObject(diffed, identifier));
      const observedDiffs = (outcome.details ?? []).slice(0, most);
      const unchanged = old !== undefined && canonicalJson(old.observedDiffs) === canonicalJson(observedDiffs);
      return {
        ...identifier,
        observationTime: (unchanged ? old.observationTime : undefined) ?? now,
        ...(outcome.observedGeneration === undefined
          ? {}
          : { targetClusterObservedGeneration: outcome.observedGeneration }),
        firstDiffedObservedTime: old?.firstDiffedObservedTime ?? now,
        observedDiffs,
      };
    });
}

const hasDetails = ({ details }: Delivered['outcome']): boolean => (details?.length ?? 0) > 0;

/** KubeFleet's way to say that an object is missing. */
const wholeObject = { path: '/', valueInHub: '(the whole object)' };

const sameObject = (
  a: {
    readonly kind: string;
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly group?: string | undefined;
  },
  b: {
    readonly kind: string;
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly group?: string | undefined;
  },
): boolean =>
  a.kind === b.kind && a.name === b.name && a.namespace === b.namespace && (a.group ?? '') === (b.group ?? '');

/** The binding with these lists, absent where they are empty. */
export function withLists(
  binding: Binding,
  lists: {
    readonly failed: FailedPlacement[];
    readonly drifted: DriftedPlacement[];
    readonly diffed: DiffedPlacement[];
  },
): Binding {
  const { failedPlacements: _f, driftedPlacements: _d, diffedPlacements: _p, ...rest } = binding;
  return {
    ...rest,
    ...(lists.failed.length > 0 ? { failedPlacements: lists.failed } : {}),
    ...(lists.drifted.length > 0 ? { driftedPlacements: lists.drifted } : {}),
    ...(lists.diffed.length > 0 ? { diffedPlacements: lists.diffed } : {}),
  };
}
