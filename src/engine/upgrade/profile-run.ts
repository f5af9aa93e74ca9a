import type { AutoUpgradeProfile } from '../../api/auto-upgrade-profile.ts';
import type { ProposedRun } from '../plan-document.ts';
import { type ChannelTarget, parseTarget, targetText } from './channel-target.ts';

/** AKS Fleet's longest name of a run. */
const longestName = 50;

/** The run that brings a target to the members of a profile: the same target makes the same run. */
export function profileRun(
  { metadata, spec }: AutoUpgradeProfile,
  target: ChannelTarget,
  digest: (text: string) => string,
): ProposedRun {
  const { updateStrategyId, nodeImageSelection } = spec;
  return {
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'UpdateRun',
    metadata: { name: runName(metadata.name, target, digest) },
    spec: {
      ...(updateStrategyId === undefined ? {} : { updateStrategyId }),
      managedClusterUpdate:
        target.kind === 'version'
          ? { upgrade: { type: 'Full', kubernetesVersion: targetText(target) }, nodeImageSelection }
          : {
              upgrade: { type: 'NodeImageOnly' },
              nodeImageSelection: {
                type: 'Custom',
                customNodeImageVersions: target.images.map((version) => ({ version })),
              },
            },
      autoUpgradeProfileId: metadata.name,
    },
  };
}

/** Where a proposed run waits to be merged, relative to the root of the fleet repo. */
export const proposedPath = (run: string): string => `upgrades/${run}.yaml`;

/** The run that a recorded profile proposes; undefined = none. */
export function proposedRun(profile: AutoUpgradeProfile, digest: (text: string) => string): ProposedRun | undefined {
  const target = parseTarget(profile, profile.status?.proposed ?? '');
  return target && profileRun(profile, target, digest);
}

function runName(profile: string, target: ChannelTarget, digest: (text: string) => string): string {
  const text = targetText(target);
  const suffix = target.kind === 'version' ? text.replace(/[^a-z0-9]+/g, '-') : digest(text).slice(0, 8);
  return `${profile.slice(0, longestName - suffix.length - 1).replace(/-+$/, '')}-${suffix}`;
}
