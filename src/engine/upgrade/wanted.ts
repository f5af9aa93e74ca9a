import type { ManagedClusterUpdate, UpdateRun } from '../../api/upgrade-run.ts';
import type { UpgradeRunStatus } from '../../api/upgrade-status.ts';
import type { UpgradesInput } from './upgrades-input.ts';
import type { WantedUpgrade } from './wanted-upgrade.ts';

/** What a run wants of each of its members. */
export function wantedBy(
  { upgrade, nodeImageSelection }: ManagedClusterUpdate,
  { run: { spec }, status }: { readonly run: UpdateRun; readonly status: UpgradeRunStatus },
  { profiles }: Pick<UpgradesInput, 'profiles'>,
): WantedUpgrade {
  const profile = profiles.find(({ metadata }) => metadata.name === spec.autoUpgradeProfileId);
  const { type = 'Latest' } = nodeImageSelection ?? {};
  const selected = (status.nodeImageSelection?.selectedNodeImageVersions ?? []).map(({ version }) => version);
  return {
    type: upgrade.type,
    ...(upgrade.kubernetesVersion === undefined ? {} : { kubernetesVersion: upgrade.kubernetesVersion }),
    images: type === 'Latest' ? { type } : { type, selected },
    chainMinors: spec.chainMinors,
    ofProfile: spec.autoUpgradeProfileId !== undefined,
    longTermSupport: profile?.spec.longTermSupport === true,
  };
}
