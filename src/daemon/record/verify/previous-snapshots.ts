import type { Manifest } from '../../../api/meta.ts';
import { placementKey } from '../../../api/placement.ts';
import type { ClusterUpdatingStatus, StagedUpdateRun } from '../../../api/staged.ts';
import type { Fleet, FleetRecord } from '../../../engine/input.ts';
import { canonicalJson } from '../../../engine/kernel/canonical-json.ts';
import { idsOf, type RecordedLists, snapshotId } from '../../../engine/overrides/snapshot-id.ts';
import { hashOfContents } from '../../../engine/selection/content-hash.ts';
import { placementOfRun } from '../../../engine/update-run.ts';
import { sha256 } from '../../../repo/sha256.ts';
import type { Since } from './early-since.ts';
import { selectedIn } from './selections.ts';

/** What a run gave to a cluster: a snapshot, with override snapshots. */
export interface GivenSnapshot extends RecordedLists {
  readonly index: number;
}

type SinceWithRecord = Since & { readonly record: Pick<FleetRecord, 'placements' | 'overrides'> };

type Previous = NonNullable<ClusterUpdatingStatus['previous']>;

/**
 * The run without claims about what its clusters had before, where nothing but the record makes them: a rollback would give them
 * that. A claim is proven by the finished run before (`earlier`: what that gave to each cluster), by the run itself, or by the
 * version that the followed branch had before the one of the run. `dropped`: clusters whose claim was not.
 */
export async function withProvenPrevious(
  run: StagedUpdateRun,
  {
    earlier,
    ...since
  }: SinceWithRecord & { readonly earlier: () => Promise<ReadonlyMap<string, GivenSnapshot> | undefined> },
): Promise<{ readonly run: StagedUpdateRun; readonly dropped: readonly string[] }> {
  const { status = {} } = run;
  const claims = (status.stagesStatus ?? []).flatMap(({ clusters }) => clusters.filter(({ previous }) => previous));
  if (claims.length === 0) return { run, dropped: [] };
  const used = Number(status.resourceSnapshotIndexUsed);
  const given = await earlier();
  const isGiven = ({ clusterName, previous, ...own }: ClusterUpdatingStatus): boolean =>
    [{ ...own, index: used }, given?.get(clusterName)].some(
      (known) => known?.index === previous!.resourceSnapshotIndex && sameLists(known, previous!),
    );
  const isUsualStrategy = ({ applyStrategy }: Previous): boolean =>
    applyStrategy === undefined || canonicalJson(applyStrategy) === canonicalJson(status.appliedStrategy ?? null);
  const open = claims.filter((cluster) => !isGiven(cluster));
  const before = open.length === 0 ? undefined : await versionBefore(run, since);
  const dropped = new Set(
    claims
      .filter(({ previous }) => !isUsualStrategy(previous!))
      .concat(open.filter(({ previous }) => before?.(previous!) !== true))
      .map(({ clusterName }) => clusterName as string),
  );
  if (dropped.size === 0) return { run, dropped: [] };
  const stagesStatus = (status.stagesStatus ?? []).map((stage) => ({
    ...stage,
    clusters: stage.clusters.map((cluster) => {
      const { previous: _, ...rest } = cluster;
      return dropped.has(cluster.clusterName) ? rest : cluster;
    }),
  }));
  return { run: { ...run, status: { ...status, stagesStatus } }, dropped: [...dropped] };
}

const sameLists = (a: RecordedLists, b: RecordedLists): boolean => String(idsOf(a)) === String(idsOf(b));

/**
 * Whether a claim is the newest version of the placement on the followed branch, up to the initialization of the run, that differs
 * from what the run rolls out; with override snapshots that the branch had then. Undefined: there is none in the last commits.
 */
async function versionBefore(
  run: StagedUpdateRun,
  { from, initializedFrom, history, record }: SinceWithRecord,
): Promise<((previous: Previous) => boolean) | undefined> {
  const key = placementKey(placementOfRun(run));
  const contents = record.placements.get(key)?.snapshots;
  const hashAt = (index: number): string | undefined => {
    const manifests: readonly Manifest[] | undefined = contents?.get(index);
    return manifests && hashOfContents(manifests, sha256);
  };
  const rolledOut = hashAt(Number(run.status?.resourceSnapshotIndexUsed));
  const judge = (fleet: Fleet) => {
    const selected = selectedIn(fleet, key);
    if (selected === undefined || selected.hash === rolledOut) return undefined;
    return (previous: Previous): boolean =>
      hashAt(previous.resourceSnapshotIndex) === selected.hash &&
      idsOf(previous).every((id) => hasOverride(id, fleet, record));
  };
  const now = judge(from);
  if (now) return now;
  for await (const { fleet } of history.before(initializedFrom)) {
    const found = judge(fleet);
    if (found) return found;
  }
  return undefined;
}

/** Whether a fleet has the version of an override that a recorded snapshot of it holds. */
function hasOverride(
  id: string,
  { overrides }: Fleet,
  { overrides: recorded }: Pick<FleetRecord, 'overrides'>,
): boolean {
  const snapshot = [...recorded.values()].flat().find((candidate) => snapshotId(candidate) === id);
  if (snapshot === undefined) return false;
  const spec = canonicalJson(snapshot.overrideSpec);
  return overrides.some(
    (written) => `${written.kind}Snapshot` === snapshot.kind && canonicalJson(written.spec) === spec,
  );
}
