import type { Manifest, PlacementKey } from '../../../api/meta.ts';
import { type Placement, placementKey, refOf } from '../../../api/placement.ts';
import type { PlacementState, ResourceSnapshotEntry } from '../../../api/placement-state.ts';
import type { Problem } from '../../../api/problem.ts';
import { type Fleet, type FleetRecord, type RecordedPlacement, writtenPlacements } from '../../../engine/input.ts';
import { latestOf } from '../../../engine/kernel/latest-of.ts';
import { memoize } from '../../../engine/kernel/memoize.ts';
import { hashOfContents, rebuiltHash } from '../../../engine/selection/content-hash.ts';
import { compileHub } from '../../../engine/selection/hub.ts';
import { normalise } from '../../../engine/selection/normalise.ts';
import { inSnapshotOrder } from '../../../engine/selection/order.ts';
import { selectResources } from '../../../engine/selection/select.ts';
import { placementOfRun } from '../../../engine/update-run.ts';
import { sha256 } from '../../../repo/sha256.ts';
import type { FollowedHistory } from './followed-history.ts';
import { mismatch } from './mismatch.ts';

/** One snapshot that something may be given to a cluster from. */
interface Claim {
  readonly key: PlacementKey;
  readonly index: number;
  readonly entry: ResourceSnapshotEntry | undefined;
  /** Undefined: the file is gone. */
  readonly manifests: readonly Manifest[] | undefined;
}

/** What the followed branch says to a claim: the contents that it held; undefined where it held none of that kind. */
interface Verdict {
  readonly contents: readonly Manifest[] | undefined;
  readonly problem?: Problem;
}

type Selected = Extract<ReturnType<typeof selectResources>, { readonly ok: true }>;

/**
 * Contents of snapshots come from the followed branch: they are what the placement selects now, or what it selected at the
 * commit that the record names, which must be in the history of the branch. What differs is replaced by what the branch held,
 * where hash and commit still tell that; otherwise it counts as lost, and clusters keep what they have. Asked again for the same claims it remembers what it found.
 */
export function snapshotVerifier(): (
  record: FleetRecord,
  history: FollowedHistory,
) => Promise<{ readonly record: FleetRecord; readonly problems: readonly Problem[] }> {
  let known = new Map<string, { readonly claim: Claim; readonly verdict: Verdict }>();
  return async (record, history) => {
    const fleet = await history.fleetAt(history.tip);
    const present = fleet && selectionsOf(fleet);
    const next: typeof known = new Map();
    const open: Claim[] = [];
    const judged = (claim: Claim, verdict: Verdict): void => void next.set(idOf(claim), { claim, verdict });
    for (const claim of claimsOf(record, fleet)) {
      const before = known.get(idOf(claim));
      const now = before && sameClaim(before.claim, claim) ? before.verdict : judge(claim, present?.(claim.key));
      if (now) judged(claim, now);
      else open.push(claim);
    }
    for (const [commit, claims] of Map.groupBy(open, ({ entry }) => entry?.commit))
      for (const claim of claims) judged(claim, await judgeAt(claim, commit, history));
    known = next;
    return asVerified(record, [...next.values()], (key) => present?.(key)?.manifests ?? []);
  };
}

const idOf = ({ key, index }: Claim): string => `${key}/${index}`;

const sameClaim = (a: Claim, b: Claim): boolean =>
  a.manifests === b.manifests && a.entry?.hash === b.entry?.hash && a.entry?.commit === b.entry?.commit;

/** Snapshots that stand behind a binding, the latest ones, and those that update runs name. What stands for lost contents is never applied. */
function* claimsOf(record: FleetRecord, fleet: Fleet | undefined): Iterable<Claim> {
  const byRuns = indexesOfRuns(record, fleet);
  for (const [key, { state, snapshots }] of record.placements) {
    const named = byRuns.get(key) ?? [];
    for (const index of new Set([...indexesInUse(state), ...named])) {
      const entry = state.resourceSnapshots.find((candidate) => candidate.index === index);
      const manifests = snapshots.get(index);
      // What stands for lost contents is never applied; without a list nobody could tell whether a cluster is ready.
      if (entry?.hash === rebuiltHash && manifests !== undefined) continue;
      // Written by hand with neither hash nor contents: the latest is taken to be what the repo holds now.
      const isUnsaid = manifests === undefined && entry !== undefined && entry.hash === undefined;
      if (isUnsaid && entry === latestOf(state.resourceSnapshots)) continue;
      yield { key, index, entry, manifests };
    }
    // Where the state names no snapshot at all, those that have a file are taken up.
    if (state.resourceSnapshots.length === 0)
      for (const [index, manifests] of snapshots) yield { key, index, entry: undefined, manifests };
  }
}

const indexesInUse = memoize(({ resourceSnapshots, bindings }: PlacementState): ReadonlySet<number> => {
  const latest = latestOf(resourceSnapshots);
  const inUse = new Set(latest ? [latest.index] : []);
  for (const { resourceSnapshotIndex: index } of bindings) if (index !== undefined) inUse.add(index);
  return inUse;
});

function indexesOfRuns({ runs }: FleetRecord, fleet: Fleet | undefined): ReadonlyMap<PlacementKey, readonly number[]> {
  const named = [...runs.values(), ...(fleet?.runs ?? [])].flatMap((run) => {
    const key = placementKey(placementOfRun(run));
    const indexes = [run.spec.resourceSnapshotIndex, run.status?.resourceSnapshotIndexUsed];
    return indexes.flatMap((index) =>
      index !== undefined && /^\d+$/.test(index) ? [{ key, index: Number(index) }] : [],
    );
  });
  return new Map(
    [...Map.groupBy(named, ({ key }) => key)].map(([key, all]) => [key, all.map(({ index }) => index)] as const),
  );
}

/** What a placement selects of a fleet, by key; undefined where the fleet does not hold it or its selectors are invalid. */
function selectionsOf(fleet: Fleet): (key: PlacementKey) => Selected | undefined {
  const written = placementsOf(fleet);
  return (key) => {
    const placement = written.get(key);
    return placement && selectionOf(placement, fleet);
  };
}

const placementsOf = memoize((fleet: Fleet) => writtenPlacements(fleet));

function selectionOf(placement: Placement, { resources }: Fleet): Selected | undefined {
  const selection = selectResources({ placement, hub: compileHub(resources), digest: sha256 });
  return selection.ok ? selection : undefined;
}

/** Undefined: the selection says nothing about the claim. */
function judge(claim: Claim, selected: Selected | undefined): Verdict | undefined {
  const { manifests, entry } = claim;
  if (entry?.hash === rebuiltHash) return { contents: undefined };
  if (selected === undefined) return undefined;
  if (manifests !== undefined && holds(manifests, selected)) return { contents: manifests };
  if (entry?.hash !== selected.hash) return undefined;
  return { contents: selected.manifests, ...(manifests && { problem: healed(claim) }) };
}

/** Written by hand it need not be in order; what was stripped from it does not count, and so must not be there. */
const holds = (manifests: readonly Manifest[], selected: Selected): boolean =>
  hashOfContents(manifests, sha256) === selected.hash ||
  (hashOfContents(inSnapshotOrder(manifests.map(normalise)), sha256) === selected.hash &&
    manifests.every((manifest) => normalise(manifest) === manifest));

async function judgeAt(claim: Claim, commit: string | undefined, history: FollowedHistory): Promise<Verdict> {
  if (commit === undefined)
    return refused(claim, 'it names no commit, and the followed branch selects something else now');
  const fleet = await history.fleetAt(commit);
  if (fleet === undefined)
    return refused(claim, `its commit ${commit.slice(0, 12)} is not in the history of the followed branch`);
  const there = judge(claim, selectionsOf(fleet)(claim.key));
  if (there) return there;
  if (!placementsOf(fleet).has(claim.key)) {
    // The file was broken then: the placement stood at its last good version.
    for await (const { placements } of history.before(commit)) {
      const placement = placements.find((candidate) => placementKey(refOf(candidate)) === claim.key);
      const verdict = placement && judge(claim, selectionOf(placement, fleet));
      if (verdict) return verdict;
      if (placement) break;
    }
  }
  return refused(claim, `the followed branch held something else at its commit ${commit.slice(0, 12)}`);
}

const healed = (claim: Claim): Problem =>
  mismatch(
    pathOf(claim),
    'its contents are not what the followed branch held: they are taken from there, and written anew',
  );

const refused = (claim: Claim, why: string): Verdict => ({
  contents: undefined,
  problem: mismatch(pathOf(claim), `it is not used, and clusters keep what they have: ${why}`),
});

const pathOf = ({ key, index }: Claim): string => `placements/${key}/snapshots/${index}.yaml`;

/** The record with the contents that were found. One that is as it was keeps its identity, and so does each placement in it. */
function asVerified(
  record: FleetRecord,
  judged: readonly { readonly claim: Claim; readonly verdict: Verdict }[],
  selected: (key: PlacementKey) => readonly Manifest[],
): { readonly record: FleetRecord; readonly problems: readonly Problem[] } {
  const problems = judged.flatMap(({ verdict }) => verdict.problem ?? []);
  const changed = judged.filter(
    ({ claim, verdict }) => verdict.contents === undefined || claim.manifests !== verdict.contents,
  );
  if (changed.length === 0) return { record, problems };
  const placements = new Map(record.placements);
  for (const { claim, verdict } of changed)
    placements.set(
      claim.key,
      withContents(placements.get(claim.key)!, claim, { ...verdict, listed: selected(claim.key) }),
    );
  return { record: { ...record, placements }, problems };
}

/**
 * What is not believed counts as lost: it tells what may be removed one day, and whether a cluster is ready, and is never applied.
 * For that it lists what the placement selects now, since a claim could list what no cluster will ever show.
 */
function withContents(
  recorded: RecordedPlacement,
  { index, entry }: Claim,
  { contents, listed }: { readonly contents: readonly Manifest[] | undefined; readonly listed: readonly Manifest[] },
): RecordedPlacement {
  if (contents !== undefined) return { ...recorded, snapshots: new Map(recorded.snapshots).set(index, contents) };
  const { state } = recorded;
  const others = state.resourceSnapshots.filter((candidate) => candidate.index !== index);
  const lost = { ...entry, index, hash: rebuiltHash };
  const resourceSnapshots = [...others, lost].sort((a, b) => a.index - b.index);
  const snapshots = new Map(recorded.snapshots).set(index, listed);
  return { ...recorded, snapshots, state: { ...state, resourceSnapshots } };
}
