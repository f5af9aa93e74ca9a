import type { PatchDetail, ResourceIdentifier } from '../../api/placement.ts';
import { toldDifferences } from '../../engine/bindings/conditions/reported-differences.ts';
import { fewOf } from '../../engine/kernel/some-of.ts';
import { describeRef } from '../../engine/selection/object-key.ts';

/**
 * Objects that were not listed before, or that differ in what they did not before, if there are any. What was told already of
 * an object is not told again beside it: who is named did what stands there.
 */
export function newlyListed(before: readonly Listed[] = [], after: readonly Listed[] = []): string | undefined {
  const known = new Map(before.map((it) => [describeRef(it), new Set(differences(it).map(textOf))]));
  const news = after.flatMap((it) => {
    const old = known.get(describeRef(it));
    const details = differences(it).filter((detail) => !old?.has(textOf(detail)));
    return old === undefined || details.length > 0 ? [toldDifferences(it, details)] : [];
  });
  return news.length === 0 ? undefined : fewOf(news);
}

const textOf = (detail: PatchDetail): string => JSON.stringify(detail);

type Listed = ResourceIdentifier & {
  readonly observedDrifts?: readonly PatchDetail[];
  readonly observedDiffs?: readonly PatchDetail[];
};

const differences = ({ observedDrifts, observedDiffs }: Listed): readonly PatchDetail[] =>
  observedDrifts ?? observedDiffs ?? [];
