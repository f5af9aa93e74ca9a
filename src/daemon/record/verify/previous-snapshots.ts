import type { Manifest } from '../../../api/meta.ts';
import { placementKey } from '../../../api/placement.ts';
import type { ClusterUpdatingStatus, StagedUpdateRun } from '../../../api/staged.ts';
import type { Fleet, FleetRecord } from '../../../engine/input.ts';
import { canonicalJson } from '../../../engine/kernel/canonical-json.ts';
import { memoize } from '../../../engine/kernel/memoize.ts';
import { idsOf, type RecordedLists, snapshotId } from '../../../engine/overrides/snapshot-id.ts';
import { hashOfContents } from '../../../engine/selection/content-hash.ts';
import { commitsOf } from '../../../engine/staged/run-commits.ts';
import { isOver, placementOfRun } from '../../../engine/update-run.ts';
import { sha256 } from '../../../repo/sha256.ts';
import type { Since } from './early-since.ts';
import { selectedIn } from './selections.ts';

/** What a run gave to a cluster: a snapshot, with override snapshots. */
export interface GivenSnapshot extends RecordedLists {
  readonly index: number;
}

type SinceWithRecord = Since & { readonly record: Pick<FleetRecord, 'placements' | 'overrides'> };

type Previous = NonNullable<ClusterUpdatingStatus['previous']>;

/** What clusters had before runs, as this daemon published it, with the contents of the snapshots. */
export interface PublishedPrevious {
  has(run: StagedUpdateRun, cluster: ClusterUpdatingStatus, record: Pick<FleetRecord, 'placements'>): boolean;
  published(record: Pick<FleetRecord, 'placements' | 'runs'>): void;
  forget(): void;
}

export function publishedPrevious(): PublishedPrevious {
  let known: ReadonlySet<string> = new Set();
  const idOf = (
    run: StagedUpdateRun,
    { clusterName, previous }: ClusterUpdatingStatus,
    { placements }: Pick<FleetRecord, 'placements'>,
  ): string | undefined => {
    const { snapshots } = placements.get(placementKey(placementOfRun(run))) ?? {};
    const contents = snapshots?.get(previous!.resourceSnapshotIndex);
    if (contents === undefined) return undefined;
    const { initializedFrom } = commitsOf(run);
    return canonicalJson([
      run.kind,
      placementKey(run.metadata),
      initializedFrom,
      clusterName,
      previous,
      hashOf(contents),
    ]);
  };
  return {
    has(run, cluster, record) {
      const id = idOf(run, cluster, record);
      return id !== undefined && known.has(id);
    },
    published(record) {
      const open = [...record.runs.values()].filter(({ status = {} }) => !isOver(status));
      known = new Set(open.flatMap((run) => claimsIn(run).flatMap((cluster) => idOf(run, cluster, record) ?? [])));
    },
    forget() {
      known = new Set();
    },
  };
}

const hashOf = memoize((manifests: readonly Manifest[]) => hashOfContents(manifests, sha256));

const claimsIn = ({ status }: StagedUpdateRun): ClusterUpdatingStatus[] =>
  (status?.stagesStatus ?? []).flatMap(({ clusters }) => clusters.filter(({ previous }) => previous));

/** A verified run that is over. */
export interface RunBefore {
  /** The snapshot that it rolled out. */
  readonly index: number;
  /** Clusters that it gave something to, or removed it from. */
  readonly reached: ReadonlySet<string>;
  /** What they have since, as far as it is proven. */
  readonly given: ReadonlyMap<string, GivenSnapshot>;
}

/**
 * The run without claims about what its clusters had before, where nothing but the record makes them: a rollback would give them
 * that. A claim is proven if this daemon published it, by the run itself, by the last run before that reached the cluster (`earlier`:
 * finished runs of the placement, newest first), or by the version that the followed branch had before the one of the run, and of
 * those that did not reach the cluster. `dropped`: clusters whose claim was not.
 */
export async function withProvenPrevious(
  run: StagedUpdateRun,
  {
    earlier,
    known,
    ...since
  }: SinceWithRecord & { readonly earlier: () => AsyncIterable<RunBefore>; readonly known: PublishedPrevious },
): Promise<{ readonly run: StagedUpdateRun; readonly dropped: readonly string[] }> {
  const { status = {} } = run;
  const claims = claimsIn(run).filter((cluster) => !known.has(run, cluster, since.record));
  if (claims.length === 0) return { run, dropped: [] };
  const isUsualStrategy = ({ applyStrategy }: Previous): boolean =>
    applyStrategy === undefined || canonicalJson(applyStrategy) === canonicalJson(status.appliedStrategy ?? null);
  const dropped = new Set(
    claims
      .filter(({ previous }) => !isUsualStrategy(previous!))
      .concat(await unprovenOf(claims, { run, earlier, since }))
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

/** Claims that nothing proves. */
async function unprovenOf(
  claims: readonly ClusterUpdatingStatus[],
  {
    run,
    earlier,
    since,
  }: {
    readonly run: StagedUpdateRun;
    readonly earlier: () => AsyncIterable<RunBefore>;
    readonly since: SinceWithRecord;
  },
): Promise<ClusterUpdatingStatus[]> {
  const used = Number(run.status?.resourceSnapshotIndexUsed);
  let open = claims.filter(({ previous, ...own }) => !isClaimed(previous!, { ...own, index: used }));
  const unproven: ClusterUpdatingStatus[] = [];
  /** Snapshots of the run, and of more and more runs that did not reach the clusters of `open`: they may have those by other means. */
  const others = [new Set([used])];
  const check = async (decided: readonly ClusterUpdatingStatus[]): Promise<void> => {
    let left = decided;
    for (const excluded of others) {
      if (left.length === 0) return;
      const isBefore = await versionBefore(run, excluded, since);
      left = left.filter(({ previous }) => isBefore?.(previous!) !== true);
    }
    unproven.push(...left);
  };
  if (open.length > 0)
    for await (const { index, reached, given } of earlier()) {
      const decided = open.filter(({ clusterName }) => reached.has(clusterName));
      await check(decided.filter(({ clusterName, previous }) => !isClaimed(previous!, given.get(clusterName))));
      open = open.filter((cluster) => !decided.includes(cluster));
      if (open.length === 0) break;
      others.push(new Set([...others.at(-1)!, index]));
    }
  await check(open);
  return unproven;
}

const isClaimed = (previous: Previous, given: GivenSnapshot | undefined): boolean =>
  given?.index === previous.resourceSnapshotIndex && sameLists(given, previous);

/**
 * Whether a claim is the newest version of the placement on the followed branch, up to the initialization of the run, that differs
 * from some snapshots; with override snapshots that the branch had then. Undefined: there is none in the last commits.
 */
async function versionBefore(
  run: StagedUpdateRun,
  others: ReadonlySet<number>,
  { from, initializedFrom, history, record }: SinceWithRecord,
): Promise<((previous: Previous) => boolean) | undefined> {
  const key = placementKey(placementOfRun(run));
  const contents = record.placements.get(key)?.snapshots;
  const hashAt = (index: number): string | undefined => {
    const manifests: readonly Manifest[] | undefined = contents?.get(index);
    return manifests && hashOf(manifests);
  };
  const hashes = new Set([...others].map(hashAt));
  const judge = (fleet: Fleet) => {
    const selected = selectedIn(fleet, key);
    if (selected === undefined || hashes.has(selected.hash)) return undefined;
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
