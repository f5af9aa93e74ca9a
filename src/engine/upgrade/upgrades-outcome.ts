import type { AutoUpgradeProfile } from '../../api/auto-upgrade-profile.ts';
import type { ClusterName } from '../../api/meta.ts';
import type { UpdateRun } from '../../api/upgrade-run.ts';
import type { MemberUpgrade } from '../../api/upgrade-status.ts';
import type { SectionOutcome } from '../domain.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { memoize } from '../kernel/memoize.ts';
import { by, sortKey } from '../kernel/ordering.ts';
import type { Hold, PlannedUpgrade, UpgradeTarget } from '../plan-document.ts';
import { directoryOf, objectDocument } from '../record/documents.ts';
import { isMereHold } from '../recovery/held-since-loss.ts';
import { absenceMeansNothing, heldBecause, lastGoodHold } from '../recovery/last-good.ts';
import { inFleet, type Surveyed } from '../world.ts';
import { type AdvancedProfile, advanceProfiles } from './advance-profiles.ts';
import { type AdvancedRun, advanceUpgrades } from './advance-upgrades.ts';
import { catalogOf } from './catalog.ts';
import { upgradeGateInput } from './gate-answer.ts';
import { maintenanceOf } from './maintenance.ts';
import { providerAnnotation } from './member-annotations.ts';
import { regionOf } from './member-region.ts';
import { placedInOldApis } from './placed-objects.ts';
import { plannedGates } from './planned-gates.ts';
import { allMembers, isInFlight } from './tree.ts';
import { unreadSettings } from './unread-settings.ts';
import type { UpgradeMember, UpgradesInput } from './upgrades-input.ts';

/** Advances the cluster update runs of the fleet. `upgrading`: clusters with an operation in flight, and the run that started it. */
export function upgradesOutcome(
  world: Surveyed,
): SectionOutcome<'upgrades'> & { readonly upgrading: ReadonlyMap<ClusterName, string> } {
  const { runs, removed, holds } = admitted(world);
  const { profiles: known, heldProfiles } = admittedProfiles(world);
  const input = upgradesInput(world, { runs, removed, profiles: known });
  const advanced = advanceUpgrades(input);
  const profiles = advanceProfiles(known, world.record.profiles, input);
  // A run whose file is removed goes once nothing of it is in flight.
  const gone = new Set(removed);
  const shown = advanced.filter(({ run, step }) => !gone.has(run) || allMembers(step.status).some(isInFlight));
  const targets = shown.flatMap(targetsOf);
  const started = new Set([...world.record.upgrades.values()].flatMap(operationsOf));
  const files = shown.map(({ run, recorded }) => ({ name: run.metadata.name, document: objectDocument(recorded) }));
  const upgrades = [
    ...shown.map(({ run: { kind, metadata }, step: { status } }) => ({ kind, name: metadata.name, status })),
    ...profiles.map(({ recorded: { kind, metadata, status } }) => ({ kind, name: metadata.name, status })),
  ].sort(by(({ kind, name }) => sortKey(name, kind)));
  return {
    holds: [
      ...holds,
      ...heldProfiles,
      ...shown.flatMap(({ step }) => step.holds),
      ...profiles.flatMap((profile) => profile.holds),
    ],
    wakes: shown.flatMap(({ step }) => step.wakes),
    problems: shown.flatMap(({ step }) => step.problems),
    documents: [
      ...directoryOf('upgrades', files, input.digest),
      ...directoryOf('profiles', profiles.map(profileFile), input.digest),
    ],
    approvals: [
      ...shown.flatMap(({ step, loaded }) => (loaded ? plannedGates(step, loaded.context) : [])),
      ...profiles.flatMap(({ approvals }) => approvals),
    ],
    targets: [targets],
    section: upgrades,
    digested: () => upgrades.map(digestedUpgrade),
    starts: targets.some(({ upgrade }) => !started.has(upgrade.operationId)),
    upgrading: new Map(targets.map(({ clusterName, upgrade }) => [clusterName, upgrade.run])),
  };
}

/** Members as texts: most are the same values as in the plan before. */
const digestedUpgrade = (upgrade: PlannedUpgrade): object =>
  upgrade.kind === 'UpdateRun'
    ? {
        ...upgrade,
        status: {
          ...upgrade.status,
          stages: upgrade.status.stages.map((stage) => ({
            ...stage,
            groups: stage.groups.map((group) => ({ ...group, members: group.members.map(memberText) })),
          })),
        },
      }
    : upgrade;

const memberText = memoize((member: MemberUpgrade) => canonicalJson(member));

const operationsOf = ({ status }: UpdateRun): (string | undefined)[] =>
  status ? allMembers(status).map(({ operationId }) => operationId) : [];

const profileFile = ({ recorded }: AdvancedProfile) => ({
  name: recorded.metadata.name,
  document: objectDocument(recorded),
});

function targetsOf({ run, step: { status } }: AdvancedRun): UpgradeTarget[] {
  return allMembers(status)
    .filter(isInFlight)
    .map(({ name, operationId = '', type = 'Full', from, to }): UpgradeTarget => {
      const controlPlane = to?.controlPlane ?? from?.controlPlane;
      return {
        clusterName: name,
        upgrade: {
          run: run.metadata.name,
          operationId,
          type,
          ...(controlPlane === undefined ? {} : { controlPlane }),
          ...(to?.pools === undefined ? {} : { pools: to.pools }),
        },
      };
    });
}

/**
 * Runs as their files have them, at their last good version where a file is broken, and recorded ones whose file is gone. Without
 * its file, a run that has not started does not start.
 */
function admitted({ input: { fleet }, record }: Surveyed): {
  readonly runs: readonly UpdateRun[];
  readonly removed: readonly UpdateRun[];
  readonly holds: readonly Hold[];
} {
  const written = new Set(fleet.upgradeRuns.map(({ metadata }) => metadata.name));
  const unwritten = [...record.upgrades.values()].filter(
    (run) => !written.has(run.metadata.name) && (hasStarted(run) || isMereHold(run)),
  );
  const refOf = ({ kind, metadata }: UpdateRun) => ({ kind, name: metadata.name });
  const kept = unwritten.filter((run) => absenceMeansNothing(fleet, refOf(run)));
  return {
    runs: [...fleet.upgradeRuns, ...kept],
    removed: unwritten.filter((run) => !kept.includes(run)),
    holds: kept.map((run) => lastGoodHold(refOf(run), heldBecause(fleet, refOf(run)))),
  };
}

const hasStarted = ({ status }: UpdateRun): boolean => status?.status.startTime !== undefined;

/** Profiles as their files have them, or at their last good version: one that was forgotten would miss what is released meanwhile. */
function admittedProfiles({ input: { fleet }, record }: Surveyed): {
  readonly profiles: readonly AutoUpgradeProfile[];
  readonly heldProfiles: readonly Hold[];
} {
  const written = new Set(fleet.upgradeProfiles.map(({ metadata }) => metadata.name));
  const refOf = ({ kind, metadata }: AutoUpgradeProfile) => ({ kind, name: metadata.name });
  const kept = [...record.profiles.values()].filter(
    (profile) => !written.has(profile.metadata.name) && absenceMeansNothing(fleet, refOf(profile)),
  );
  const heldProfiles = kept.map((profile) => lastGoodHold(refOf(profile), heldBecause(fleet, refOf(profile))));
  return { profiles: [...fleet.upgradeProfiles, ...kept], heldProfiles };
}

/** What update runs and profiles read of the surveyed fleet. */
export function upgradesInput(
  world: Surveyed,
  { runs, removed, profiles }: Pick<UpgradesInput, 'runs' | 'removed' | 'profiles'> = {
    ...admitted(world),
    ...admittedProfiles(world),
  },
): UpgradesInput {
  const { input, record, admitted: fleet } = world;
  const seen = input.upgradeObservations ?? input.observations;
  const members = fleet.members
    .filter(({ metadata }) => inFleet(metadata.name, world))
    .map(({ metadata: { name, annotations = {} } }): UpgradeMember => {
      const { labels, status } = world.members.get(name)!;
      const observation = seen?.get(name);
      const lastVersions = observation?.versions ?? status.versions;
      return {
        name,
        labels,
        annotations,
        observation,
        askedSince: input.askedSince?.get(name),
        lastVersions,
        isObserved: input.upgradeObservations?.has(name) ?? input.observations !== undefined,
        region: regionOf(labels, lastVersions),
      };
    });
  const { maintenanceConfigurations, versionCatalogs, gates, upgradeStrategies } = input.fleet;
  return {
    runs,
    removed,
    recorded: record.upgrades,
    strategies: upgradeStrategies,
    profiles,
    gates,
    members: new Map(members.map((member) => [member.name, member])),
    maintenanceOf: (member, type) => maintenanceOf(maintenanceConfigurations, member, type),
    unknownWindows: unreadSettings(input.fleet, 'MaintenanceConfiguration'),
    unknownVersions: unreadSettings(input.fleet, 'VersionCatalog'),
    versionCatalogs,
    catalogOf: ({ region, annotations }) => catalogOf(versionCatalogs, region, annotations[providerAnnotation]),
    placedInOldApis: ({ name, observation }) => placedInOldApis(name, record, observation),
    now: input.now,
    commit: input.commit,
    pause: world.pause,
    digest: input.digest,
    ...upgradeGateInput(input.fleet),
    recordLost: world.recordLost,
    unread: record.unread?.upgrades,
    sources: input.fleet.sources,
  };
}
