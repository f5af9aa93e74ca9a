import type { Problem } from '../../api/problem.ts';
import type { UpdateRun } from '../../api/upgrade-run.ts';
import type { UpdateStrategy, UpgradeGroup } from '../../api/upgrade-strategy.ts';
import type { Fleet } from '../../engine/input.ts';
import { labelsOf } from '../../engine/placement/members.ts';
import { groupLabel, groupsOf, selectMembers } from '../../engine/upgrade/select-members.ts';
import { fieldWarning } from './field-warning.ts';

/**
 * Warnings about groups of cluster upgrades: that no cluster of the repo is in, or that limit more members than they have. None in a
 * repo without clusters, nor if an invalid file may define one.
 */
export function upgradeGroupWarnings(fleet: Fleet): Problem[] {
  const { members, unreadable, refused, upgradeStrategies, upgradeRuns } = fleet;
  if (members.length === 0 || unreadable.length > 0 || refused.some(({ kind }) => kind === 'MemberCluster')) return [];
  const labelled = members.map((member) => ({ name: member.metadata.name, labels: labelsOf(member) }));
  return [...upgradeStrategies, ...upgradeRuns].flatMap((of) => warningsOf(of, labelled, fleet));
}

type Labelled = Parameters<typeof selectMembers>[1];

function warningsOf(of: UpdateStrategy | UpdateRun, members: Labelled, fleet: Fleet): Problem[] {
  const { strategy } = of.spec;
  if (strategy === undefined) return [];
  const selected = selectMembers(strategy, members);
  return strategy.stages.flatMap((stage, at) =>
    groupsOf(stage).flatMap((group, index): Problem[] => {
      const path = `spec.strategy.stages.${at}${group === stage ? '' : `.groups.${index}`}`;
      const finding = findingOf(group, { size: selected[at]![index]!.members.length, isStage: group === stage });
      return finding
        ? [
            fieldWarning(
              fleet,
              { kind: of.kind, name: of.metadata.name },
              { ...finding, path: `${path}.${finding.path}` },
            ),
          ]
        : [];
    }),
  );
}

function findingOf(
  { name, memberSelector, maxConcurrency = '' }: UpgradeGroup,
  { size, isStage }: { readonly size: number; readonly isStage: boolean },
): Pick<Parameters<typeof fieldWarning>[2], 'code' | 'path' | 'why' | 'fix'> | undefined {
  if (size === 0)
    return memberSelector
      ? { code: 'idle-selector', path: 'memberSelector.byLabel', why: 'it selects no cluster of this repo' }
      : {
          code: 'idle-selector',
          path: 'name',
          why: `no cluster of this repo that the stage selects has the label ${groupLabel}: ${name}`,
          fix: 'add the label to its clusters, or write a memberSelector',
        };
  // A stage without groups has the limit of stages, which is above the size of many.
  if (isStage || !/^\d+$/.test(maxConcurrency) || Number(maxConcurrency) <= size) return undefined;
  const why = `group ${name} has ${size === 1 ? '1 member' : `${size} members`}: no more are updated at once`;
  return { code: 'out-of-range', path: 'maxConcurrency', why, fix: 'write at most that, or a percentage' };
}
