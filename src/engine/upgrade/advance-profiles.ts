import type { AutoUpgradeProfile } from '../../api/auto-upgrade-profile.ts';
import { formatMinor } from '../../api/kubernetes-version.ts';
import { sameValue } from '../kernel/same-value.ts';
import type { Hold, ProposedRun, RequestedApproval } from '../plan-document.ts';
import { isLts } from './catalog.ts';
import { type ChannelTarget, channelTarget, isListed, isNewer, parseTarget, targetText } from './channel-target.ts';
import { profileRun, proposedPath } from './profile-run.ts';
import type { UpgradesInput } from './upgrades-input.ts';
import { whyAllSkipped } from './why-all-skipped.ts';

type ProfileStatus = NonNullable<AutoUpgradeProfile['status']>;

export interface AdvancedProfile {
  /** The content of `profiles/<name>.yaml`. */
  readonly recorded: AutoUpgradeProfile & { readonly status: ProfileStatus };
  readonly approvals: readonly RequestedApproval[];
  readonly holds: readonly Hold[];
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
    const target = channelTarget(profile, input);
    const before = knownStatus(profile, target, recorded.get(profile.metadata.name));
    const { status, failure } = nextStatus(profile, target, { before, input });
    const proposal = openProposal(profile, status, input);
    return {
      recorded: { ...profile, status: proposal ? status : withoutProposal(status) },
      approvals: proposal && isAvailable(proposal, input) ? [requested(proposal)] : [],
      holds: failure ? [heldBy(profile, failure)] : [],
    };
  });

interface Failure {
  readonly code: 'StrategyNotFound' | 'KubernetesVersionNotAvailable';
  readonly message: string;
}

/** As recorded. Another channel withdraws what was proposed, and what is not newer there is noted as at the first look. */
function knownStatus(
  { spec }: AutoUpgradeProfile,
  target: ChannelTarget | undefined,
  recorded: AutoUpgradeProfile | undefined,
): ProfileStatus {
  const status = recorded?.status ?? {};
  const { channel, targetKubernetesVersion } = recorded?.spec ?? spec;
  if (channel === spec.channel && targetKubernetesVersion === spec.targetKubernetesVersion) return status;
  const { proposed: _, seen, ...rest } = status;
  const isOfOtherKind = (channel === 'NodeImage') !== (spec.channel === 'NodeImage');
  const counts = seen !== undefined && !isOfOtherKind && (target === undefined || isNewer(target, seen));
  return counts ? { ...rest, seen } : rest;
}

function nextStatus(
  profile: AutoUpgradeProfile,
  target: ChannelTarget | undefined,
  { before, input }: { readonly before: ProfileStatus; readonly input: UpgradesInput },
): { readonly status: ProfileStatus; readonly failure?: Failure } {
  // Of catalogs that cannot be read the newest target may be one that was there before.
  if (target === undefined || input.unknownVersions !== undefined) return { status: before };
  const seen = targetText(target);
  const { proposed, ...known } = before;
  // What appears while a profile is disabled does not trigger it later.
  if (before.seen === undefined || profile.spec.disabled) {
    const newest = before.seen === undefined || isNewer(target, before.seen) ? seen : before.seen;
    return { status: { ...known, seen: newest } };
  }
  if (!isNewer(target, before.seen)) return { status: before };
  const versions = target.kind === 'version' ? [seen] : [...target.images];
  const what = `${target.kind === 'version' ? 'Kubernetes' : 'node images'} ${versions.join(', ')} appeared`;
  const failure = whyFailed(profile, target, input);
  if (failure) return { status: failedTrigger(before, { failure, versions, what, now: input.now }), failure };
  const run = profileRun(profile, target, input.digest);
  const skipped = whyAllSkipped(run, input);
  const none = skipped === undefined ? '' : `; at that time it would upgrade no cluster: ${skipped}`;
  return {
    status: {
      lastTriggeredAt: input.now,
      lastTriggerStatus: 'Succeeded',
      lastTriggerUpgradeVersions: versions,
      lastTriggerMessage: `${what}; run ${run.metadata.name} was proposed${none}`,
      seen,
      // A newer target replaces what is not merged.
      proposed: seen,
    },
  };
}

/** Why no run can be made of a target. It is tried again until one can. */
function whyFailed(
  { spec: { updateStrategyId: strategy, longTermSupport } }: AutoUpgradeProfile,
  target: ChannelTarget,
  { strategies, members, catalogOf }: UpgradesInput,
): Failure | undefined {
  if (strategy !== undefined && !strategies.some(({ metadata }) => metadata.name === strategy))
    return { code: 'StrategyNotFound', message: `there is no UpdateStrategy ${strategy}` };
  if (!longTermSupport || target.kind !== 'version') return undefined;
  const catalogs = [...members.values()].flatMap((member) => catalogOf(member) ?? []);
  if (catalogs.some((catalog) => isLts(catalog, target.version))) return undefined;
  const message = `no VersionCatalog of a region with members lists a version of ${formatMinor(target.version)} with lts: true`;
  return { code: 'KubernetesVersionNotAvailable', message };
}

/** `seen` stays: once a run can be made, the target triggers again. */
function failedTrigger(
  before: ProfileStatus,
  {
    failure: { code, message },
    versions,
    what,
    now,
  }: {
    readonly failure: Failure;
    readonly versions: string[];
    readonly what: string;
    readonly now: string;
  },
): ProfileStatus {
  const failed = {
    lastTriggerStatus: 'Failed',
    lastTriggerError: { code, message },
    lastTriggerUpgradeVersions: versions,
    lastTriggerMessage: `${what}, but no run can bring it: ${message}`,
  } as const;
  const isKnown = sameValue({ ...before, ...failed }, before);
  return { ...before, ...failed, lastTriggeredAt: isKnown ? before.lastTriggeredAt : now };
}

const heldBy = ({ kind, metadata }: AutoUpgradeProfile, { code, message }: Failure): Hold => ({
  subject: { kind, name: metadata.name },
  reason: code,
  message: `profile ${metadata.name} proposes no run: ${message}`,
});

interface Proposal {
  readonly target: ChannelTarget;
  readonly run: ProposedRun;
}

/** The run that waits to be merged: of the target that was proposed last, until it is in the repository. */
function openProposal(
  profile: AutoUpgradeProfile,
  { proposed }: ProfileStatus,
  { runs, recorded, digest }: UpgradesInput,
): Proposal | undefined {
  const target = proposed === undefined || profile.spec.disabled ? undefined : parseTarget(profile, proposed);
  if (target === undefined) return undefined;
  const run = profileRun(profile, target, digest);
  const { name } = run.metadata;
  return runs.some(({ metadata }) => metadata.name === name) || recorded.has(name) ? undefined : { target, run };
}

/** What catalogs do not list is remembered only, until they do. */
const isAvailable = ({ target }: Proposal, { versionCatalogs, unknownVersions }: UpgradesInput): boolean =>
  unknownVersions !== undefined || isListed(target, versionCatalogs);

const withoutProposal = ({ proposed: _, ...status }: ProfileStatus): ProfileStatus => status;

const requested = ({ run }: Proposal): RequestedApproval => ({
  planned: { kind: run.kind, name: run.metadata.name, spec: run.spec, status: { state: 'Pending' } },
  answer: undefined,
  subject: { kind: run.kind, name: run.metadata.name },
  file: { path: proposedPath(run.metadata.name), object: run },
  // The profile remembers it.
  document: undefined,
});
