import type { GateStatus, GroupUpgrade, StageUpgrade, UpgradeRunStatus } from '../../api/upgrade-status.ts';
import type { GateConfiguration, UpgradeStage, UpgradeStages } from '../../api/upgrade-strategy.ts';
import { withLimits } from './limits.ts';
import { referenceAnnotation } from './member-annotations.ts';
import { groupsOf, type SelectedGroup } from './select-members.ts';
import type { UpgradeMember } from './upgrades-input.ts';

/** The status of a run before anything of it started. */
export const firstStatus = (
  { stages }: UpgradeStages,
  selected: readonly (readonly SelectedGroup[])[],
): Pick<UpgradeRunStatus, 'status' | 'failureCount' | 'stages'> => ({
  status: { state: 'NotStarted' },
  failureCount: 0,
  stages: stages.map((stage, at) => withLimits(firstStage(stage, selected[at]!), stage)),
});

const scope = {
  status: { state: 'NotStarted' as const },
  failureCount: 0,
  // Set with the limits of the stage.
  maxConcurrency: 1,
  maxAllowedFailures: 0,
};

function firstStage(stage: UpgradeStage, selected: readonly SelectedGroup[]): StageUpgrade {
  const { name, beforeGates, afterGates, afterStageWaitInSeconds: wait = 0 } = stage;
  return {
    name,
    ...scope,
    beforeGates: gatesOf(beforeGates),
    groups: groupsOf(stage).map((group, at): GroupUpgrade => {
      // The gates of a stage without groups are the stage's.
      const { beforeGates = [], afterGates = [] } = group === stage ? {} : group;
      return {
        name: group.name,
        ...scope,
        beforeGates: gatesOf(beforeGates),
        members: selected[at]!.members.map(firstMember),
        afterGates: gatesOf(afterGates),
      };
    }),
    afterGates: gatesOf(afterGates),
    ...(wait > 0 && { afterStageWaitStatus: { status: { state: 'NotStarted' }, waitDurationInSeconds: wait } }),
  };
}

const gatesOf = (gates: readonly GateConfiguration[] = []): GateStatus[] =>
  gates.map(({ displayName, type }) => ({
    ...(displayName === undefined ? {} : { displayName }),
    type,
    status: { state: 'NotStarted' },
  }));

function firstMember({ name, annotations }: UpgradeMember): GroupUpgrade['members'][number] {
  const reference = annotations[referenceAnnotation];
  return {
    name,
    ...(reference === undefined ? {} : { clusterResourceId: reference }),
    status: { state: 'NotStarted' },
  };
}
