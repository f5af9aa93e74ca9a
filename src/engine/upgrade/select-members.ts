import { parseSelector } from '../../api/selector-text.ts';
import type { UpgradeGroup, UpgradeStage, UpgradeStages } from '../../api/upgrade-strategy.ts';
import { memoize } from '../kernel/memoize.ts';
import { matchesSelector } from '../kernel/selector.ts';
import type { UpgradeMember } from './upgrades-input.ts';

/** The label of a member that names its group. */
export const groupLabel = 'gitfleet.dev/update-group';

/** A group of a stage, and the members that it selects, by name. */
export interface SelectedGroup<M extends Labelled = UpgradeMember> {
  readonly name: string;
  readonly members: readonly M[];
}

type Labelled = Pick<UpgradeMember, 'name' | 'labels'>;

/** The members of every stage, in groups. A stage without groups is one group of its own name. */
export const selectMembers = <M extends Labelled>(
  { stages }: UpgradeStages,
  members: readonly M[],
): readonly (readonly SelectedGroup<M>[])[] =>
  stages.map((stage) => {
    const ofStage = members.filter((member) => matches(stage, member));
    return groupsOf(stage).map((group) => ({
      name: group.name,
      members: ofStage.filter((member) => group === stage || isInGroup(group, member)),
    }));
  });

/** Groups of a stage; of one without groups, the stage itself. */
export const groupsOf = (stage: UpgradeStage): readonly UpgradeGroup[] =>
  stage.groups?.length ? stage.groups : [stage];

/** A member that several groups select, with the first two of them. */
export function selectedTwice(
  selected: readonly (readonly SelectedGroup[])[],
): { readonly member: string; readonly groups: readonly [string, string] } | undefined {
  const groupOf = new Map<string, string>();
  for (const { name: group, members } of selected.flat())
    for (const { name } of members) {
      const first = groupOf.get(name);
      if (first !== undefined) return { member: name, groups: [first, group] };
      groupOf.set(name, group);
    }
  return undefined;
}

const isInGroup = (group: UpgradeGroup, member: Labelled): boolean =>
  group.memberSelector ? matches(group, member) : member.labels[groupLabel] === group.name;

function matches({ memberSelector }: Pick<UpgradeGroup, 'memberSelector'>, { labels }: Labelled): boolean {
  if (memberSelector === undefined) return true;
  const selector = selectorOf(memberSelector);
  return selector !== undefined && matchesSelector(selector, labels);
}

/** Undefined where the text cannot be read: that selects nothing. */
const selectorOf = memoize(({ byLabel }: { readonly byLabel: string }) => {
  const parsed = parseSelector(byLabel);
  return parsed.ok ? parsed.selector : undefined;
});
