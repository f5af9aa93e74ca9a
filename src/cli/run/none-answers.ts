import type { FleetMembers } from '../../daemon/members.ts';

/** What to say when there are members and none of them answers: the first cause stands for all. Undefined: some do. */
export function noneAnswers(members: Pick<FleetMembers, 'noneSeen' | 'unreachable'>): string | undefined {
  if (!members.noneSeen()) return undefined;
  const [first, ...others] = members.unreachable();
  if (first === undefined) return 'no member could be reached';
  return `no member could be reached: ${first.join(': ')}${others.length > 0 ? ` (and ${others.length} more)` : ''}`;
}
