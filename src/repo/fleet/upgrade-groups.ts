import type { Problem } from '../../api/problem.ts';
import type { UpdateRun } from '../../api/upgrade-run.ts';
import type { UpdateStrategy, UpgradeGroup } from '../../api/upgrade-strategy.ts';
import type { Fleet } from '../../engine/input.ts';
import { labelsOf } from '../../engine/placement/members.ts';
import { allowedFailures } from '../../engine/upgrade/limits.ts';
import { groupLabel, groupsOf, selectMembers } from '../../engine/upgrade/select-members.ts';
import { fieldWarning } from './field-warning.ts';

/**
 * Warnings about groups of cluster upgrades: that no cluster of the repo is in, or that limit more members than they have; notes about
 * failures that they allow and their stage does not. None in a repo without clusters, nor if an invalid file may define one.
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
  return strategy.stages.flatMap((stage, at) => {
    const size = selected[at]!.reduce((sum, group) => sum + group.members.length, 0);
    return groupsOf(stage).flatMap((group, index): Problem[] => {
      const path = `spec.strategy.stages.${at}${group === stage ? '' : `.groups.${index}`}`;
      const found = findingOf(group, {
        size: selected[at]![index]!.members.length,
        stage: group === stage ? undefined : { name: stage.name, allowed: allowedFailures(stage, size) },
      });
      if (found === undefined) return [];
      const { severity = 'warning', ...finding } = found;
      const problem = fieldWarning(
        fleet,
        { kind: of.kind, name: of.metadata.name },
        { ...finding, path: `${path}.${finding.path}` },
      );
      return [{ ...problem, severity }];
    });
  });
}

function findingOf(
  group: UpgradeGroup,
  {
    size,
    stage,
  }: {
    readonly size: number;
    /** Undefined = the group is the stage itself. */
    readonly stage: { readonly name: string; readonly allowed: number } | undefined;
  },
): (Parameters<typeof fieldWarning>[2] & Partial<Pick<Problem, 'severity'>>) | undefined {
  const { name, memberSelector, maxConcurrency = '' } = group;
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
  if (stage === undefined) return undefined;
  const allowed = allowedFailures(group, size);
  if (allowed > stage.allowed) {
    const why = `group ${name} allows more failed clusters than its stage: the run fails with more than ${stage.allowed} in stage ${stage.name}`;
    const fix = `write a maxAllowedFailures of at least ${allowed} for the stage too`;
    return { severity: 'info', code: 'no-use', path: 'maxAllowedFailures', why, fix };
  }
  if (!/^\d+$/.test(maxConcurrency) || Number(maxConcurrency) <= size) return undefined;
  const why = `group ${name} has ${size === 1 ? '1 member' : `${size} members`}: no more are updated at once`;
  return { code: 'out-of-range', path: 'maxConcurrency', why, fix: 'write at most that, or a percentage' };
}
