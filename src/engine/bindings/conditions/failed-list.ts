import type { Timestamp } from '../../../api/meta.ts';
import type { FailedPlacement } from '../../../api/placement.ts';
import { hasPods } from '../availability.ts';
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
      const type = applied ? 'Available' : 'Applied';
      const known = before?.find((failed) => sameObject(failed, identifier))?.condition;
      const old = known?.type === type && known.status === 'False' ? known : undefined;
      const shown = withoutSecrets(item.manifest, (applied ? availability?.message : outcome.message) ?? '');
      // What its pods wait for, until they are read again.
      const isKnown = hasPods(item.manifest) && old?.observedGeneration === outcome.observedGeneration;
      const message = isKnown && old?.message?.startsWith(`${shown}: `) ? old.message : shown;
      return {
        ...identifier,
        condition: {
          type,
          status: 'False',
          reason,
          message,
          lastTransitionTime: old?.lastTransitionTime ?? now,
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
