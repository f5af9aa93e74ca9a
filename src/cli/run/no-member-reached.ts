import type { FleetMembers } from '../../daemon/members.ts';

type Members = Pick<FleetMembers, 'noneSeen' | 'unreachable'>;

/** The error when there are members and none responds, with the first cause. Undefined: some respond. */
export const noMemberReached = (members: Members): string | undefined =>
  members.noneSeen() ? `no member could be reached${causeOf(members)}` : undefined;

/** The same when only some do not respond. */
export function notEveryMemberReached(members: Members): string | undefined {
  const { size } = members.unreachable();
  if (size === 0 || members.noneSeen()) return noMemberReached(members);
  return `${size} ${size === 1 ? 'member does' : 'members do'} not respond${causeOf(members)}`;
}

function causeOf(members: Members): string {
  const [first, ...others] = members.unreachable();
  if (first === undefined) return '';
  return `: ${first.join(': ')}${others.length > 0 ? ` (and ${others.length} more)` : ''}`;
}
