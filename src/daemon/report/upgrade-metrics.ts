import { compareVersions, type KubernetesVersion, minorsBetween, parseVersion } from '../../api/kubernetes-version.ts';
import type { ClusterObservation } from '../../api/observation.ts';
import { upgradeStates } from '../../api/upgrade-status.ts';
import { parseInstant } from '../../engine/kernel/instant.ts';
import { labelsOf } from '../../engine/placement/members.ts';
import { type Plan, plannedUpgradeRuns } from '../../engine/plan-document.ts';
import { catalogOf, endOfSupport } from '../../engine/upgrade/catalog.ts';
import { isOver } from '../../engine/upgrade/load-run.ts';
import { providerAnnotation } from '../../engine/upgrade/member-annotations.ts';
import { regionOf } from '../../engine/upgrade/member-region.ts';
import { allMembers } from '../../engine/upgrade/tree.ts';
import type { ReportedFleet } from '../pass/pass-result.ts';
import { count } from './count.ts';
import type { Metrics } from './metrics.ts';

const dayMs = 86_400_000;

/** Sets the gauges of cluster upgrades: how runs go, and how old the versions are that members run. */
export function reportUpgrades(
  { plan, fleet }: { readonly plan: Plan; readonly fleet: ReportedFleet },
  observations: ReadonlyMap<string, ClusterObservation>,
  metrics: Metrics,
): void {
  const runs = plannedUpgradeRuns(plan).map(({ status }) => status);
  const states = runs.map(({ status }) => status.state);
  metrics.setEach('gitfleet_upgrade_runs', 'state', count(states, upgradeStates));
  const members = runs.filter((run) => !isOver(run)).flatMap(allMembers);
  const ofMembers = members.map(({ status }) => status.state);
  metrics.setEach('gitfleet_upgrade_members', 'state', count(ofMembers, upgradeStates));

  const running = fleet.members.flatMap((member): Running[] => {
    const observation = observations.get(member.metadata.name);
    const version = versionOf(observation);
    if (version === undefined) return [];
    const region = regionOf(labelsOf(member), observation?.versions);
    const catalog = catalogOf(fleet.versionCatalogs, region, member.metadata.annotations?.[providerAnnotation]);
    return [{ version, end: catalog && endOfSupport(catalog, version) }];
  });
  metrics.set('gitfleet_upgrade_version_skew', skewOf(running.map(({ version }) => version)));
  const ends = running.flatMap(({ end }) => end ?? []);
  const days = ends.length === 0 ? Number.NaN : Math.floor((Math.min(...ends) - parseInstant(plan.now)!) / dayMs);
  metrics.set('gitfleet_upgrade_end_of_support_days', days);
}

interface Running {
  readonly version: KubernetesVersion;
  /** When the support of its minor ends, where catalogs say so. */
  readonly end: number | undefined;
}

/** Without an upgrade provider, the version of the API server. */
const versionOf = (observation: ClusterObservation | undefined): KubernetesVersion | undefined =>
  parseVersion(
    observation?.versions?.controlPlane ??
      String(observation?.memberStatus?.properties?.['k8s.io/k8s-version']?.value ?? ''),
  );

/** Minors between the oldest and the newest. */
function skewOf(versions: readonly KubernetesVersion[]): number {
  const [oldest, ...newer] = versions.toSorted(compareVersions);
  const newest = newer.at(-1);
  return oldest && newest ? minorsBetween(oldest, newest) : 0;
}
