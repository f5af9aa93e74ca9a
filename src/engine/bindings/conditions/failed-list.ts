import type { Timestamp } from '../../../api/meta.ts';
import type { FailedPlacement } from '../../../api/placement.ts';
import type { Delivered } from '../delivered-objects.ts';
import { mostOfList, sameObject } from './object-lists.ts';
import { withoutSecrets } from './secret-values.ts';

/** Objects that were not applied, and applied ones that are not available (KubeFleet workgenerator, failed manifests). */
export function failedList(
  objects: readonly Delivered[],
  now: Timestamp,
  before: readonly FailedPlacement[] | undefined,
): FailedPlacement[] {
  return objects
    .filter(isTroubled)
    .slice(0, mostOfList)
    .map(({ item, identifier, outcome, availability, applied }): FailedPlacement => {
      const reason = applied ? unavailableReason(availability?.verdict) : outcome.result;
      const message = withoutSecrets(item.manifest, (applied ? availability?.message : outcome.message) ?? '');
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

/** Results of comparing alone are no failures. */
const comparisons: ReadonlySet<string> = new Set(['FoundDiff', 'FoundDiffInDegradedMode', 'NoDiffFound']);

const isTroubled = ({ applied, outcome, availability }: Delivered): boolean =>
  applied
    ? availability?.verdict === 'NotAvailableYet' || availability?.verdict === 'Failed'
    : !comparisons.has(outcome.result);

const unavailableReason = (verdict: string | undefined): string =>
  verdict === 'Failed' ? 'Failed' : 'ManifestNotAvailableYet';
