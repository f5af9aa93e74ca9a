import type { MemberUpgrade, StageUpgrade } from '../../api/upgrade-status.ts';
import { by } from '../kernel/ordering.ts';
import { isInFlight, isTerminal } from './tree.ts';
import { type WindowAt, windowOrder } from './windows.ts';

/** A member of a stage that may be started, and its place in the stage. */
export interface Candidate {
  readonly member: MemberUpgrade;
  readonly groupAt: number;
}

/**
 * Members of the whole stage that are neither over nor in flight, in the groups that are open, in the order in which they are
 * looked at: an open window, one that opens soon, none, a closed one (AKS Fleet); then by group and name.
 */
export function candidatesOf(
  { groups }: StageUpgrade,
  {
    openGroups,
    windowOf,
  }: {
    /** By their place in the stage. */
    readonly openGroups: ReadonlySet<number>;
    readonly windowOf: (member: MemberUpgrade) => WindowAt['state'];
  },
): readonly Candidate[] {
  const waiting = groups.flatMap((group, groupAt) =>
    openGroups.has(groupAt)
      ? group.members
          .filter((member) => !isTerminal(member) && !isInFlight(member))
          .sort(by(({ name }) => name))
          .map((member): Candidate => ({ member, groupAt }))
      : [],
  );
  const byWindow = Map.groupBy(waiting, ({ member }) => windowOf(member));
  return windowOrder.flatMap((state) => byWindow.get(state) ?? []);
}
