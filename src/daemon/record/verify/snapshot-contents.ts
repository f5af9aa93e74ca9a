import type { Manifest, PlacementKey } from '../../../api/meta.ts';
import { placementKey, refOf } from '../../../api/placement.ts';
import type { PlacementState, ResourceSnapshotEntry } from '../../../api/placement-state.ts';
import type { Problem } from '../../../api/problem.ts';
import type { StagedUpdateRun } from '../../../api/staged.ts';
import { parseIndex } from '../../../api/syntax.ts';
import { type Fleet, type FleetRecord, type RecordedPlacement, sourceKey } from '../../../engine/input.ts';
import { latestOf } from '../../../engine/kernel/latest-of.ts';
import { memoize } from '../../../engine/kernel/memoize.ts';
import { hashOfContents, rebuiltHash } from '../../../engine/selection/content-hash.ts';
import { normalise } from '../../../engine/selection/normalise.ts';
import { describeRef, objectKey, refOfManifest } from '../../../engine/selection/object-key.ts';
import { inSnapshotOrder } from '../../../engine/selection/order.ts';
import { commitsOf } from '../../../engine/staged/run-commits.ts';
import { isOver, placementOfRun } from '../../../engine/update-run.ts';
import { sha256 } from '../../../repo/sha256.ts';
import type { FollowedHistory } from './followed-history.ts';
import { mismatch } from './mismatch.ts';
import { placementsOf, type Selected, selectedIn, selectionOf } from './selections.ts';
import type { Verified } from './verified.ts';

/** One snapshot of the record. */
interface Claim {
  /** Its contents may be applied to a cluster. */
  readonly isInUse: boolean;
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

/** The record without contents that are not verified. */
export interface VerifiedContents extends Verified {
  /** Unused snapshots that are not verified yet. Their files are kept. */
  readonly waiting: ReadonlyMap<PlacementKey, ReadonlySet<number>>;
}

/** Commits of the history loaded in one pass to verify unused snapshots: a fleet may have thousands of them. */
const mostCommits = 4;

/**
 * Verifies the contents of snapshots: they must be what the placement selects now, or selected at the recorded commit, which must
 * be in the history of the followed branch. Others are replaced by the contents of the branch, if hash and commit identify them.
 * Else the snapshot counts as lost, and clusters keep what they have. Results for equal claims are cached. Unused snapshots are
 * verified a few at a time; until then their contents are left out, so that nothing that only they list is removed.
 */
export function snapshotVerifier(): (record: FleetRecord, history: FollowedHistory) => Promise<VerifiedContents> {
  let known = new Map<string, { readonly claim: Claim; readonly verdict: Verdict }>();
  return async (record, history) => {
    const fleet = await history.fleetAt(history.tip);
    const present = fleet && ((key: PlacementKey) => selectedIn(fleet, key));
    const next: typeof known = new Map();
    const open: Claim[] = [];
    const judged = (claim: Claim, verdict: Verdict): void => void next.set(idOf(claim), { claim, verdict });
    const byRuns = await indexesOfRuns(record, fleet, history);
    for (const claim of claimsOf(record, byRuns)) {
      const before = known.get(idOf(claim));
      const now = before && sameClaim(before.claim, claim) ? before.verdict : judge(claim, present?.(claim.key));
      if (now) judged(claim, now);
      else open.push(claim);
    }
    const waiting = new Map<PlacementKey, Set<number>>();
    let commits = 0;
    for (const [commit, claims] of Map.groupBy(open, ({ entry }) => entry?.commit)) {
      const isDue = commit === undefined || claims.some(({ isInUse }) => isInUse) || commits++ < mostCommits;
      for (const claim of claims)
        if (isDue) judged(claim, await judgeAt(claim, commit, { history, present: present?.(claim.key) }));
        else waiting.set(claim.key, (waiting.get(claim.key) ?? new Set()).add(claim.index));
    }
    known = next;
    return { ...asVerified(withoutContents(record, waiting), [...next.values()]), waiting };
  };
}

const idOf = ({ key, index }: Claim): string => `${key}/${index}`;

const sameClaim = (a: Claim, b: Claim): boolean =>
  a.manifests === b.manifests && a.entry?.hash === b.entry?.hash && a.entry?.commit === b.entry?.commit;

/** All snapshots of the record but rebuilt ones: their contents are never applied. */
function* claimsOf(record: FleetRecord, byRuns: ReadonlyMap<PlacementKey, readonly number[]>): Iterable<Claim> {
  for (const [key, { state, snapshots }] of record.placements) {
    const inUse = new Set([...indexesInUse(state), ...(byRuns.get(key) ?? [])]);
    const entries = new Map(state.resourceSnapshots.map((entry) => [entry.index, entry]));
    const latest = latestOf(state.resourceSnapshots);
    for (const index of new Set([...inUse, ...snapshots.keys()])) {
      const entry = entries.get(index);
      const manifests = snapshots.get(index);
      // Rebuilt contents are never applied; without their list the readiness of a cluster would be unknown.
      if (entry?.hash === rebuiltHash && manifests !== undefined) continue;
      // A hand-written latest entry with neither hash nor contents means the present contents of the repo.
      const isUnsaid = manifests === undefined && entry !== undefined && entry.hash === undefined;
      if (isUnsaid && entry === latest) continue;
      // If the state names no snapshot, those with a file are used.
      yield { key, index, entry, manifests, isInUse: entries.size === 0 || inUse.has(index) };
    }
  }
}

const indexesInUse = memoize(({ resourceSnapshots, bindings }: PlacementState): ReadonlySet<number> => {
  const latest = latestOf(resourceSnapshots);
  const inUse = new Set(latest ? [latest.index] : []);
  for (const { resourceSnapshotIndex: index } of bindings) if (index !== undefined) inUse.add(index);
  return inUse;
});

async function indexesOfRuns(
  { runs, placements }: FleetRecord,
  fleet: Fleet | undefined,
  history: FollowedHistory,
): Promise<ReadonlyMap<PlacementKey, readonly number[]>> {
  const named: { readonly key: PlacementKey; readonly index: number }[] = [];
  for (const run of [...runs.values(), ...(fleet?.runs ?? [])]) {
    const key = placementKey(placementOfRun(run));
    const placement = placements.get(key);
    const wanted = parseIndex(run.spec.resourceSnapshotIndex ?? '');
    const used = parseIndex(run.status?.resourceSnapshotIndexUsed ?? '');
    // A run may name the next free index. It takes that snapshot itself, so nothing is lost.
    if (wanted !== undefined && isRecorded(placement, wanted)) named.push({ key, index: wanted });
    if (used === undefined) continue;
    if (isRecorded(placement, used) || !(await mayBeForgotten(run, used, { placement, history })))
      named.push({ key, index: used });
  }
  return new Map(
    [...Map.groupBy(named, ({ key }) => key)].map(([key, all]) => [key, all.map(({ index }) => index)] as const),
  );
}

/**
 * Whether gitfleet itself forgot a snapshot that a run has used which is over: the history limit removes earlier ones than the latest,
 * and a placement that was removed and added again begins anew. Others must not come under an index that is missing after the latest.
 */
async function mayBeForgotten(
  run: StagedUpdateRun,
  used: number,
  { placement, history }: { readonly placement: RecordedPlacement | undefined; readonly history: FollowedHistory },
): Promise<boolean> {
  if (!isOver(run.status ?? {})) return false;
  const entries = (placement?.state.resourceSnapshots ?? []).toSorted((a, b) => a.index - b.index);
  const [lowest] = entries;
  if (lowest === undefined || used < entries.at(-1)!.index) return true;
  const { initializedFrom } = commitsOf(run);
  if (lowest.commit === undefined || initializedFrom === undefined || initializedFrom === lowest.commit) return false;
  return history.holds(initializedFrom, lowest.commit);
}

const isRecorded = (placement: RecordedPlacement | undefined, index: number): boolean =>
  placement !== undefined &&
  (placement.snapshots.has(index) || placement.state.resourceSnapshots.some((entry) => entry.index === index));

/** Undefined: the selection does not decide the claim. */
function judge(claim: Claim, selected: Selected | undefined): Verdict | undefined {
  const { manifests, entry } = claim;
  if (entry?.hash === rebuiltHash) return { contents: undefined };
  // With another hash the snapshot was other contents of the branch, and clusters that have it must keep those.
  if (selected === undefined || (entry?.hash !== undefined && entry.hash !== selected.hash)) return undefined;
  if (manifests !== undefined && holds(manifests, selected)) return { contents: manifests };
  if (entry?.hash === undefined) return undefined;
  return { contents: selected.manifests, ...(manifests && { problem: healed(claim) }) };
}

/** Hand-written contents may have any order. Fields that selection strips must be absent. */
const holds = (manifests: readonly Manifest[], selected: Selected): boolean =>
  hashOfContents(manifests, sha256) === selected.hash ||
  (hashOfContents(inSnapshotOrder(manifests.map(normalise)), sha256) === selected.hash &&
    manifests.every((manifest) => normalise(manifest) === manifest));

async function judgeAt(
  claim: Claim,
  commit: string | undefined,
  { history, present }: { readonly history: FollowedHistory; readonly present: Selected | undefined },
): Promise<Verdict> {
  if (commit === undefined) {
    // A record from a hub has other hashes and no commits.
    if (present && claim.manifests && holds(claim.manifests, present)) return { contents: claim.manifests };
    return refused(claim, 'it names no commit, and the followed branch now selects something else');
  }
  const fleet = await history.fleetAt(commit);
  if (fleet === undefined)
    return refused(claim, `its commit ${commit.slice(0, 12)} is not in the history of the followed branch`);
  const there = judge(claim, selectedIn(fleet, claim.key));
  if (there) return there;
  if (!placementsOf(fleet).has(claim.key)) {
    // The file was invalid at that commit, so the placement was at its last good version.
    for await (const {
      fleet: { placements },
    } of history.before(commit)) {
      const placement = placements.find((candidate) => placementKey(refOf(candidate)) === claim.key);
      const verdict = placement && judge(claim, selectionOf(placement, fleet));
      if (verdict) return verdict;
      if (placement) break;
    }
  }
  return (
    invalidNow(claim, fleet, commit) ??
    refused(claim, `the followed branch had something else at its commit ${commit.slice(0, 12)}`)
  );
}

/** An earlier version of gitfleet may have accepted what this one refuses, so nobody need have changed the record. */
function invalidNow(claim: Claim, fleet: Fleet, commit: string): Verdict | undefined {
  const invalid = new Set(fleet.refused.map(objectKey));
  const ref = claim.manifests?.map(refOfManifest).find((candidate) => invalid.has(objectKey(candidate)));
  if (ref === undefined) return undefined;
  const why = fleet.whyRefused.get(sourceKey(ref.kind, ref))?.message ?? `${describeRef(ref)} is invalid`;
  const { contents, problem } = refused(claim, `at its commit ${commit.slice(0, 12)} an object is refused: ${why}`);
  const fix =
    'nothing, if an earlier version of gitfleet accepted it: the snapshot of the corrected object replaces it';
  return { contents, problem: { ...problem!, fix } };
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
): Verified {
  const problems = judged.flatMap(({ verdict }) => verdict.problem ?? []);
  const changed = judged.filter(
    ({ claim, verdict }) => verdict.contents === undefined || claim.manifests !== verdict.contents,
  );
  if (changed.length === 0) return { record, problems };
  const placements = new Map(record.placements);
  for (const { claim, verdict } of changed)
    placements.set(claim.key, withContents(placements.get(claim.key)!, claim, verdict.contents));
  return { record: { ...record, placements }, problems };
}

/** Of an entry without a hash. No contents have it. */
const unproven = 'unproven';

/**
 * Contents that are not proven count as lost (`isLostSnapshot`): what a cluster shows stands for them, and they are never applied. A
 * cluster that shows nothing would never be ready if they were listed. An unused snapshot is dropped.
 */
function withContents(
  recorded: RecordedPlacement,
  { index, entry, isInUse }: Claim,
  contents: readonly Manifest[] | undefined,
): RecordedPlacement {
  if (contents !== undefined) return { ...recorded, snapshots: new Map(recorded.snapshots).set(index, contents) };
  const { state } = recorded;
  const others = state.resourceSnapshots.filter((candidate) => candidate.index !== index);
  const snapshots = new Map(recorded.snapshots);
  snapshots.delete(index);
  if (!isInUse) return { ...recorded, snapshots, state: { ...state, resourceSnapshots: others } };
  const lost = { ...entry, index, hash: entry?.hash ?? unproven };
  const resourceSnapshots = [...others, lost].sort((a, b) => a.index - b.index);
  return { ...recorded, snapshots, state: { ...state, resourceSnapshots } };
}

function withoutContents(record: FleetRecord, waiting: ReadonlyMap<PlacementKey, ReadonlySet<number>>): FleetRecord {
  if (waiting.size === 0) return record;
  const placements = new Map(record.placements);
  for (const [key, indexes] of waiting) {
    const recorded = placements.get(key)!;
    const snapshots = new Map([...recorded.snapshots].filter(([index]) => !indexes.has(index)));
    placements.set(key, { ...recorded, snapshots });
  }
  return { ...record, placements };
}
