import type { ClusterObservation } from '../../../api/observation.ts';
import { removedApiOf } from '../../kernel/removed-apis.ts';
import type { GuardFinding } from '../../plan-document.ts';
import type { Evidence } from '../evidence/evidence.ts';
import type { UpgradeChange } from './upgrade-changes.ts';

/** Nothing starts on a member against which something Blocking stands, unless its run ignores that. */
export function blockedStarts({ name, starts, file, before }: UpgradeChange, evidence: Evidence): GuardFinding[] {
  if (starts.length === 0 || (file ?? before)?.spec.onBlocked === 'Ignore') return [];
  const { input, observations, record } = evidence;
  const seen = input.upgradeObservations ?? observations;
  const placed = placedOn(new Set(starts.map(({ member }) => member.name)), record);
  return starts.flatMap(({ member }): GuardFinding[] => {
    const observation = seen?.get(member.name);
    const from = minorOf(observation?.versions?.controlPlane) ?? 0;
    const to = minorOf(member.to?.controlPlane) ?? 0;
    const isRemoved = (minor: number | undefined): boolean => minor !== undefined && from < minor && minor <= to;
    const objects = [...(placed.get(member.name) ?? []), ...(observation?.objects ?? [])];
    const api = objects.find((object) => isRemoved(removedApiOf(object)?.removedIn))?.apiVersion;
    const requested = observation?.preflight?.requestedApis.find(({ removedRelease }) =>
      isRemoved(minorOf(removedRelease)),
    );
    const why =
      whyBlocked(observation) ??
      (api !== undefined ? `the upgrade removes ${api}` : undefined) ??
      (requested ? `clients request ${requested.resource}, which the upgrade removes` : undefined);
    if (why === undefined) return [];
    return [{ rule: 'upgrade-blocked', message: `run ${name} would start the upgrade of ${member.name}, but ${why}` }];
  });
}

function whyBlocked(observation: ClusterObservation | undefined): string | undefined {
  const { upgrade, preflight, extras = [], objects = [] } = observation ?? {};
  if (preflight?.done === false) return 'its API server has not been checked yet for what stands against that';
  const findings = upgrade?.findings ?? [];
  const blocking = findings.find(({ severity }) => severity === 'Blocking');
  if (blocking) return `its upgrade provider reports ${blocking.reason}`;
  // What the provider reports of budgets counts instead.
  if (findings.some(({ reason }) => reason === 'PDBConstraint')) return undefined;
  const budget = [...extras, ...objects].find(({ kind, status }) => {
    const { disruptionsAllowed, expectedPods } = (status ?? {}) as Readonly<Record<string, unknown>>;
    return kind === 'PodDisruptionBudget' && disruptionsAllowed === 0 && Number(expectedPods) > 0;
  });
  return budget && `PodDisruptionBudget ${budget.metadata.name} allows no eviction`;
}

/** Objects of the snapshots that these clusters run. */
function placedOn(clusters: ReadonlySet<string>, { placements }: Evidence['record']) {
  const found = [...placements.values()].flatMap(({ state, snapshots }) =>
    state.bindings
      .filter((binding) => clusters.has(binding.targetCluster) && binding.state === 'Bound' && !binding.deleting)
      .flatMap(({ targetCluster, resourceSnapshotIndex: index }) =>
        (index === undefined ? [] : (snapshots.get(index) ?? [])).map((object) => ({ targetCluster, object })),
      ),
  );
  return new Map(
    [...Map.groupBy(found, ({ targetCluster }) => targetCluster)].map(([name, of]) => [
      name as string,
      of.map(({ object }) => object),
    ]),
  );
}

/** Of Kubernetes 1. */
function minorOf(version: string | undefined): number | undefined {
  const found = /^[vV]?1\.(\d+)/.exec(version ?? '')?.[1];
  return found === undefined ? undefined : Number(found);
}
