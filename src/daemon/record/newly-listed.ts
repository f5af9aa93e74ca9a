import type { PatchDetail, ResourceIdentifier } from '../../api/placement.ts';
import { isWhole } from '../../engine/delivery/patch-details.ts';
import { fewOf } from '../../engine/kernel/some-of.ts';
import { describeRef } from '../../engine/selection/object-key.ts';

/** Objects with their differences that were not listed before, or for another reason, if there are any. */
export function newlyListed(before: readonly Listed[] = [], after: readonly Listed[] = []): string | undefined {
  const why = (it: Listed) => `${describeRef(it)} ${JSON.stringify(differences(it))}`;
  const known = new Set(before.map(why));
  const news = after.filter((it) => !known.has(why(it)));
  return news.length === 0 ? undefined : fewOf(news.map(whatDiffers));
}

type Listed = ResourceIdentifier & {
  readonly observedDrifts?: readonly PatchDetail[];
  readonly observedDiffs?: readonly PatchDetail[];
};

const differences = ({ observedDrifts, observedDiffs }: Listed): readonly PatchDetail[] =>
  observedDrifts ?? observedDiffs ?? [];

/** `Deployment web/web (/spec/replicas by kubectl)` */
function whatDiffers(it: Listed): string {
  const details = differences(it);
  const managers = new Set(details.flatMap(({ manager }) => manager ?? []));
  const paths = fewOf(details.map((detail) => (isWhole(detail) ? 'missing' : detail.path)));
  const by = managers.size === 0 ? '' : ` by ${fewOf([...managers])}`;
  const now = details.every(({ repaired }) => repaired === true) ? ', put right' : '';
  return details.length === 0 ? describeRef(it) : `${describeRef(it)} (${paths}${by}${now})`;
}
