import { formatVersion, parseVersion } from '../../api/kubernetes-version.ts';
import type { ManagedClusterUpdate } from '../../api/upgrade-run.ts';
import type { GateConfiguration, UpgradeStage, UpgradeStages } from '../../api/upgrade-strategy.ts';
import { sameValue } from '../kernel/same-value.ts';
import { defaultLimits } from './limits.ts';

/** Whether two updates bring the same: `v1.31.5` is `1.31.5`, and a default may be written. */
export const isSameUpdate = (a: ManagedClusterUpdate, b: ManagedClusterUpdate): boolean =>
  sameValue(plainUpdate(a), plainUpdate(b));

function plainUpdate({ upgrade, nodeImageSelection }: ManagedClusterUpdate): object {
  const { type = 'Latest', customNodeImageVersions = [] } = nodeImageSelection ?? {};
  const version = parseVersion(upgrade.kubernetesVersion ?? '');
  return { ...upgrade, kubernetesVersion: version && formatVersion(version), type, images: customNodeImageVersions };
}

/** Whether two strategies are the same, whether or not their defaults are written. */
export const isSameStrategy = (a: UpgradeStages | undefined, b: UpgradeStages): boolean =>
  a !== undefined && sameValue(a.stages.map(plainStage), b.stages.map(plainStage));

const plainStage = ({ groups = [], afterStageWaitInSeconds = 0, ...scope }: UpgradeStage): object => ({
  ...plainScope(scope, 'stage'),
  groups: groups.map((group) => plainScope(group, 'group')),
  afterStageWaitInSeconds,
});

const noGates: readonly GateConfiguration[] = [];

const plainScope = (scope: Omit<UpgradeStage, 'groups'>, level: keyof typeof defaultLimits): object => ({
  beforeGates: noGates,
  afterGates: noGates,
  ...defaultLimits[level],
  ...scope,
});
