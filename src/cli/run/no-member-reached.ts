import type { FleetMembers } from '../../daemon/members.ts';
import { shortList } from '../../engine/kernel/short-list.ts';

type Members = Pick<FleetMembers, 'noneSeen' | 'unreachable'>;
type SeenMembers = Members & Pick<FleetMembers, 'observations'>;

/** The error when there are members and none responds, with the first cause. Undefined: some respond. */
export const noMemberReached = (members: Members): string | undefined =>
  members.noneSeen() ? `no member could be reached${causeOf(members)}` : undefined;

/** The same when only some do not respond. */
export function notEveryMemberReached(members: SeenMembers): string | undefined {
  // One of which a single request failed is neither seen nor counts as unreachable yet.
  const silent = [...members.observations()].flatMap(([name, { reachable }]) => (reachable ? [] : [name]));
  if (silent.length === 0 || members.noneSeen()) return noMemberReached(members);
  return silent.length === 1
    ? `1 member does not respond${causeOf(members) || `: ${silent[0]}`}`
    : `${silent.length} members do not respond${causeOf(members) || `: ${shortList(silent)}`}`;
}

function causeOf(members: Members): string {
  const [first, ...others] = members.unreachable();
  if (first === undefined) return '';
  return `: ${first.join(': ')}${others.length > 0 ? ` (and ${others.length} more)` : ''}`;
}
