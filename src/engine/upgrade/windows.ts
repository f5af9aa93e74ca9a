import type { Instant } from '../kernel/instant.ts';
import { memoizePair } from '../kernel/memoize.ts';
import { isOpen, type Maintenance, nextOpening } from './maintenance.ts';

export interface WindowAt {
  /** In the order in which members are chosen (AKS Fleet). `soon`: it opens within four hours. */
  readonly state: 'open' | 'soon' | 'none' | 'closed';
  /** Of a closed one; undefined = it does not open in the time that is looked at. */
  readonly opensAt: Instant | undefined;
}

export const windowOrder: readonly WindowAt['state'][] = ['open', 'soon', 'none', 'closed'];

/** AKS Fleet prefers members whose window opens within this time to those that have none. */
export const soonMs = 4 * 3_600_000;

/** The window of a member at an instant. Members share windows, and a plan needs one instant: each is computed once. */
export const windowAt = (maintenance: Maintenance | undefined, at: Instant): WindowAt =>
  maintenance === undefined ? { state: 'none', opensAt: undefined } : computed(maintenance, at);

const computed = memoizePair((maintenance: Maintenance, at: Instant): WindowAt => {
  if (isOpen(maintenance, at)) return { state: 'open', opensAt: undefined };
  const opensAt = openingAfter(maintenance, at);
  return { state: opensAt !== undefined && opensAt - at <= soonMs ? 'soon' : 'closed', opensAt };
});

const openings = new WeakMap<Maintenance, { readonly after: Instant; readonly opensAt: Instant }>();

/** Of a closed window. It stays the same until it opens, from one plan to the next. */
function openingAfter(maintenance: Maintenance, at: Instant): Instant | undefined {
  const known = openings.get(maintenance);
  if (known && known.after <= at && at < known.opensAt) return known.opensAt;
  const opensAt = nextOpening(maintenance, at);
  if (opensAt !== undefined) openings.set(maintenance, { after: at, opensAt });
  return opensAt;
}
