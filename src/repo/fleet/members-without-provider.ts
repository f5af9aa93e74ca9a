import type { Problem } from '../../api/problem.ts';
import type { Fleet } from '../../engine/input.ts';
import { shortList } from '../../engine/kernel/short-list.ts';
import { labelsOf } from '../../engine/placement/members.ts';
import { providerAnnotation } from '../../engine/upgrade/member-annotations.ts';
import { selectMembers } from '../../engine/upgrade/select-members.ts';
import { strategyOf } from '../../engine/upgrade/strategy.ts';
import { fieldWarning } from './field-warning.ts';

/**
 * Warnings about clusters that a cluster update run selects and that name no upgrade provider. Plans hold each of them instead, once its
 * turn comes.
 */
export function membersWithoutProvider(fleet: Fleet): Problem[] {
  const without = fleet.members
    .filter(({ metadata: { annotations } }) => annotations?.[providerAnnotation] === undefined)
    .map((member) => ({ name: member.metadata.name, labels: labelsOf(member) }));
  return fleet.upgradeRuns.flatMap((run) => {
    const { kind, metadata, spec } = run;
    const strategy = strategyOf(run, fleet.upgradeStrategies) ?? { stages: [] };
    const names = new Set(selectMembers(strategy, without).flatMap((groups) => groups.flatMap(namesIn)));
    if (names.size === 0) return [];
    const path = spec.updateStrategyId === undefined ? 'spec' : 'spec.updateStrategyId';
    const why = `nothing can upgrade ${shortList([...names])}: no annotation ${providerAnnotation} says how`;
    const fix = 'add the annotation to the MemberCluster, or leave the cluster out';
    const finding = { code: 'no-upgrade-provider', path, why, fix } as const;
    return [fieldWarning(fleet, { kind, name: metadata.name }, finding)];
  });
}

const namesIn = ({ members }: ReturnType<typeof selectMembers>[number][number]): string[] =>
  members.map(({ name }) => name);
