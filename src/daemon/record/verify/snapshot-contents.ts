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

/** One snapshot whose contents may be applied to a cluster. */
interface Claim {
  readonly key: PlacementKey;
  readonly index: number;
  readonly entry: ResourceSnapshotEntry | undefined;
  /** Undefined: the file is gone. */
  readonly manifests: readonly Manifest[] | undefined;
}

/** The contents of a claim on the followed branch; undefined if it never had them. */
interface Verdict {
  readonly contents: readonly Manifest[] | undefined;
  readonly problem?: Problem;
}

type Selected = Extract<ReturnType<typeof selectResources>, { readonly ok: true }>;

/**
 * Verifies the contents of snapshots: they must be what the placement selects now, or selected at the recorded commit, which must
 * be in the history of the followed branch. Others are replaced by the contents of the branch, if hash and commit identify them.
 * Else the snapshot counts as lost, and clusters keep what they have. Results for equal claims are cached.
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

/** The snapshots of bindings, the latest ones, and those of update runs. */
function* claimsOf(record: FleetRecord, fleet: Fleet | undefined): Iterable<Claim> {
  const byRuns = indexesOfRuns(record, fleet);
  for (const [key, { state, snapshots }] of record.placements) {
    const named = byRuns.get(key) ?? [];
    for (const index of new Set([...indexesInUse(state), ...named])) {
      const entry = state.resourceSnapshots.find((candidate) => candidate.index === index);
      const manifests = snapshots.get(index);
      // Rebuilt contents are never applied; without their list the readiness of a cluster would be unknown.
      if (entry?.hash === rebuiltHash && manifests !== undefined) continue;
      // A hand-written latest entry with neither hash nor contents means the present contents of the repo.
      const isUnsaid = manifests === undefined && entry !== undefined && entry.hash === undefined;
      if (isUnsaid && entry === latestOf(state.resourceSnapshots)) continue;
      yield { key, index, entry, manifests };
    }
    // If the state names no snapshot, those with a file are used.
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

/** The resources that a placement of a fleet selects; undefined if the fleet does not have it or its selectors are invalid. */
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

/** Undefined: the selection does not decide the claim. */
function judge(claim: Claim, selected: Selected | undefined): Verdict | undefined {
  const { manifests, entry } = claim;
  if (entry?.hash === rebuiltHash) return { contents: undefined };
  if (selected === undefined) return undefined;
  if (manifests !== undefined && holds(manifests, selected)) return { contents: manifests };
  if (entry?.hash !== selected.hash) return undefined;
  return { contents: selected.manifests, ...(manifests && { problem: healed(claim) }) };
}

/** Hand-written contents may have any order. Fields that selection strips must be absent. */
const holds = (manifests: readonly Manifest[], selected: Selected): boolean =>
  hashOfContents(manifests, sha256) === selected.hash ||
  (hashOfContents(inSnapshotOrder(manifests.map(normalise)), sha256) === selected.hash &&
    manifests.every((manifest) => normalise(manifest) === manifest));

async function judgeAt(claim: Claim, commit: string | undefined, history: FollowedHistory): Promise<Verdict> {
  if (commit === undefined)
    return refused(claim, 'it has no commit, and the followed branch selects something else now');
  const fleet = await history.fleetAt(commit);
  if (fleet === undefined)
    return refused(claim, `its commit ${commit.slice(0, 12)} is not in the history of the followed branch`);
  const there = judge(claim, selectionsOf(fleet)(claim.key));
  if (there) return there;
  if (!placementsOf(fleet).has(claim.key)) {
    // The file was invalid at that commit, so the placement was at its last good version.
    for await (const { placements } of history.before(commit)) {
      const placement = placements.find((candidate) => placementKey(refOf(candidate)) === claim.key);
      const verdict = placement && judge(claim, selectionOf(placement, fleet));
      if (verdict) return verdict;
      if (placement) break;
    }
  }
  return refused(claim, `the followed branch had something else at its commit ${commit.slice(0, 12)}`);
}

const healed = (claim: Claim): Problem =>
  mismatch(
    pathOf(claim),
    'its contents are not those of the followed branch: gitfleet replaces them with those of the branch',
  );

const refused = (claim: Claim, why: string): Verdict => ({
  contents: undefined,
  problem: mismatch(pathOf(claim), `gitfleet does not use it, and clusters keep what they have: ${why}`),
});

const pathOf = ({ key, index }: Claim): string => `placements/${key}/snapshots/${index}.yaml`;

/** The record with verified contents. An unchanged record, and each unchanged placement, stays the same object. */
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
 * Contents that are not proven count as lost: they show what may be removed and whether a cluster is ready, and are never applied.
 * Their list is what the placement selects now, since a forged one could list objects that no cluster will ever have.
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
