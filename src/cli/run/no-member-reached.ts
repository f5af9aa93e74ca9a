import type { FleetMembers } from '../../daemon/members.ts';

/** The error when there are members and none responds, with the first cause. Undefined: some respond. */
export function noMemberReached(members: Pick<FleetMembers, 'noneSeen' | 'unreachable'>): string | undefined {
  if (!members.noneSeen()) return undefined;
  const [first, ...others] = members.unreachable();
  if (first === undefined) return 'no member could be reached';
  return `no member could be reached: ${first.join(': ')}${others.length > 0 ? ` (and ${others.length} more)` : ''}`;
}
