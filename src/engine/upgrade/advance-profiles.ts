import type { AutoUpgradeProfile } from '../../api/auto-upgrade-profile.ts';
import { parseVersion } from '../../api/kubernetes-version.ts';
import type { RequestedApproval } from '../plan-document.ts';
import { type ChannelTarget, channelTarget, isNewer, targetText } from './channel-target.ts';
import { type ProposedRun, profileRun } from './profile-run.ts';
import type { UpgradesInput } from './upgrades-input.ts';

type ProfileStatus = NonNullable<AutoUpgradeProfile['status']>;

export interface AdvancedProfile {
  /** The content of `profiles/<name>.yaml`. */
  readonly recorded: AutoUpgradeProfile & { readonly status: ProfileStatus };
  readonly approvals: readonly RequestedApproval[];
}

/**
 * Proposes a run when a newer target appears. The first look at a profile only notes what there is, as in AKS Fleet: a profile
 * acts on what is released after it.
 */
export const advanceProfiles = (
  profiles: readonly AutoUpgradeProfile[],
  recorded: ReadonlyMap<string, AutoUpgradeProfile>,
  input: UpgradesInput,
): readonly AdvancedProfile[] =>
  profiles.map((profile) => {
    const before = recorded.get(profile.metadata.name)?.status ?? {};
    const target = channelTarget(profile, input);
    const status = nextStatus(profile, target, { before, input });
    const proposal = openProposal(profile, status, input);
    return {
      recorded: { ...profile, status: proposal ? status : withoutProposal(status) },
      approvals: proposal ? [requested(proposal)] : [],
    };
  });

function nextStatus(
  { spec }: AutoUpgradeProfile,
  target: ChannelTarget | undefined,
  { before, input }: { readonly before: ProfileStatus; readonly input: UpgradesInput },
): ProfileStatus {
  if (target === undefined) return before;
  const seen = targetText(target);
  const { proposed, ...known } = before;
  // What appears while a profile is disabled does not trigger it later.
  if (before.seen === undefined || spec.disabled)
    return { ...known, seen: before.seen === undefined || isNewer(target, before.seen) ? seen : before.seen };
  if (!isNewer(target, before.seen)) return before;
  const what = target.kind === 'version' ? `Kubernetes ${seen}` : `node images ${target.images.join(', ')}`;
  return {
    lastTriggeredAt: input.now,
    lastTriggerStatus: 'Succeeded',
    lastTriggerUpgradeVersions: target.kind === 'version' ? [seen] : [...target.images],
    lastTriggerMessage: `${what} appeared; the run that brings it waits to be merged`,
    seen,
    // A newer target replaces what is not merged.
    proposed: seen,
  };
}

/** The run that waits to be merged: of the target that was proposed last, until it is in the repository. */
function openProposal(
  profile: AutoUpgradeProfile,
  { proposed }: ProfileStatus,
  { runs, recorded, digest }: UpgradesInput,
): ProposedRun | undefined {
  if (proposed === undefined || profile.spec.disabled) return undefined;
  const run = profileRun(profile, targetOf(profile, proposed), digest);
  const { name } = run.metadata;
  return runs.some(({ metadata }) => metadata.name === name) || recorded.has(name) ? undefined : run;
}

function targetOf({ spec }: AutoUpgradeProfile, text: string): ChannelTarget {
  if (spec.channel === 'NodeImage') return { kind: 'images', images: text.split(',') };
  return { kind: 'version', version: parseVersion(text)! };
}

const withoutProposal = ({ proposed: _, ...status }: ProfileStatus): ProfileStatus => status;

const requested = (run: ProposedRun): RequestedApproval => ({
  planned: { kind: run.kind, name: run.metadata.name, spec: run.spec, status: { state: 'Pending' } },
  answer: undefined,
  subject: { kind: run.kind, name: run.metadata.name },
  file: { path: `upgrades/${run.metadata.name}.yaml`, object: run },
  // The profile remembers it.
  document: undefined,
});
