import type { Manifest } from '../api/meta.ts';
import type { ObjectOutcome, PlacementSighting } from '../api/observation.ts';
import { waveOf } from '../engine/selection/waves.ts';
import { applyObject, placementLabel } from './apply.ts';
import { type AssignedManifest, type Assignment, refOfManifest } from './assignment.ts';
import type { MemberClient } from './client.ts';
import type { Clock } from './clock.ts';
import { differences } from './compare.ts';
import { type Discovery, objectKey, type ServedKind } from './discovery.ts';
import { removeObject } from './prune.ts';
import type { Watches } from './watches.ts';

/** First retry of an assignment that did not succeed; doubles up to the longest. */
const firstRetryMs = 5_000;
const longestRetryMs = 300_000;
/** Somebody fights back: an object repaired again within this time waits twice as long as before. */
const fightWindowMs = 600_000;

/** Brings one placement about on one member, again and again, until it is told something else. */
export interface PlacementActor {
  assign(assignment: Assignment): void;
  /** An object of ours changed on the member. */
  noticed(object: Manifest, how: 'set' | 'deleted', manager: string | undefined): void;
  sighting(): PlacementSighting | undefined;
  /** True when nothing is in progress and the last attempt was conclusive. */
  idle(): boolean;
  stop(): void;
}

interface Fight {
  readonly times: number;
  readonly at: number;
}

export function placementActor(input: {
  readonly client: MemberClient;
  readonly discovery: Discovery;
  readonly watches: Watches;
  readonly clock: Clock;
  /** The outcome changed: the next pass should look. */
  readonly changed: (message?: string) => void;
  readonly unreachable: (error: unknown) => void;
}): PlacementActor {
  const { client, discovery, watches, clock } = input;
  let wanted: Assignment | undefined;
  let byKey = new Map<string, AssignedManifest>();
  let outcomes = new Map<string, ObjectOutcome>();
  let outstanding: 'all' | Set<string> = new Set();
  let working = false;
  let stopped = false;
  let done = false;
  let finishedAt: number | undefined;
  let retryMs = firstRetryMs;
  let cancelRetry = () => {};
  /** Local differences that the server does not see as such (`0.5` and `500m`), by object: seen once, then known. */
  const harmless = new Map<string, string>();
  const fights = new Map<string, Fight>();
  const managers = new Map<string, string>();

  async function work(): Promise<void> {
    if (working || stopped) return;
    working = true;
    cancelRetry();
    try {
      while (!stopped && wanted && (outstanding === 'all' || outstanding.size > 0)) {
        const assignment = wanted;
        const scope = outstanding;
        outstanding = new Set();
        try {
          if (assignment.remove) await remove(assignment);
          else await bringAbout(assignment, scope);
        } catch (error) {
          outstanding = 'all';
          input.unreachable(error);
          retryLater();
          return;
        }
        if (wanted === assignment && outstanding.size === 0) finish();
      }
    } finally {
      working = false;
    }
  }

  function finish(): void {
    done = true;
    finishedAt = clock.now();
    const troubled = [...outcomes.values()].some(({ result }) => result !== 'Applied' && result !== 'NoDiffFound');
    if (troubled || wanted?.strategy.type === 'ReportDiff') {
      outstanding = new Set();
      retryLater(wanted?.strategy.type === 'ReportDiff' ? 60_000 : undefined);
    } else retryMs = firstRetryMs;
    input.changed();
  }

  function retryLater(after?: number): void {
    cancelRetry();
    cancelRetry = clock.after(after ?? retryMs * (0.75 + Math.random() / 4), () => {
      outstanding = 'all';
      void work();
    });
    if (after === undefined) retryMs = Math.min(retryMs * 2, longestRetryMs);
  }

  async function bringAbout(assignment: Assignment, scope: 'all' | Set<string>): Promise<void> {
    const served = await kindsOf(assignment);
    if (scope === 'all' && assignment.strategy.type !== 'ReportDiff') await removeLeftovers(assignment);
    const waves = new Map<number, AssignedManifest[]>();
    for (const item of assignment.manifests) {
      if (scope !== 'all' && !scope.has(objectKey(refOfManifest(item.manifest)))) continue;
      const wave = assignment.strategy.type === 'ReportDiff' ? 0 : waveOf(item.manifest);
      waves.set(wave, [...(waves.get(wave) ?? []), item]);
    }
    for (const wave of [...waves.keys()].sort((a, b) => a - b)) {
      if (stopped || wanted !== assignment) return;
      await Promise.all((waves.get(wave) ?? []).map((item) => one(assignment, item, served)));
    }
  }

  /** Watches first, so that what is there is known before anything is sent. A kind that is not served has no watch. */
  async function kindsOf(assignment: Assignment): Promise<ReadonlyMap<string, ServedKind>> {
    const served = new Map<string, ServedKind>();
    const refs = [...assignment.manifests.map(({ manifest }) => refOfManifest(manifest)), ...assignment.prunable];
    const kinds = new Map(refs.map((ref) => [`${ref.apiVersion}/${ref.kind}`, ref]));
    await Promise.all(
      [...kinds].map(async ([key, ref]) => {
        const kind = await discovery.find(ref.apiVersion, ref.kind);
        if (!kind) return;
        served.set(key, kind);
        await watches.follow(kind);
      }),
    );
    return served;
  }

  async function one(
    assignment: Assignment,
    item: AssignedManifest,
    served: ReadonlyMap<string, ServedKind>,
  ): Promise<void> {
    const { manifest } = item;
    const ref = refOfManifest(manifest);
    const key = objectKey(ref);
    // A CRD of an earlier wave may have brought the kind a moment ago.
    const kind = served.get(`${ref.apiVersion}/${ref.kind}`) ?? (await discovery.find(ref.apiVersion, ref.kind));
    if (!kind) {
      outcomes.set(key, {
        object: ref,
        result: 'ManifestApplyFailed',
        message: `the member serves no ${ref.kind} of ${ref.apiVersion}: install its CRD, or place it first`,
      });
      return;
    }
    const live = watches.object(key);
    if (live && inPlace(key, manifest, live) && assignment.strategy.type !== 'ReportDiff') {
      outcomes.set(key, keepDetails(outcomes.get(key)) ?? { object: ref, result: 'Applied' });
      return;
    }
    const before = live === undefined ? undefined : live.metadata['resourceVersion'];
    const applied = await applyObject({
      client,
      served: kind,
      manifest,
      label: assignment.label,
      strategy: assignment.strategy,
      live,
      lastManager: managers.get(key),
    });
    if (applied.live && applied.outcome.result === 'Applied') {
      watches.put(kind, applied.live);
      const local = differences(manifest, applied.live, 'partial');
      if (local.length > 0) harmless.set(key, `${JSON.stringify(local)}`);
      if (applied.outcome.message !== undefined && before !== undefined) fought(key);
      if (kind.kind === 'CustomResourceDefinition') discovery.forget();
    }
    outcomes.set(key, applied.outcome);
    if (applied.outcome.message) input.changed(`${objectKey(ref)}: ${applied.outcome.message}`);
  }

  const keepDetails = (outcome: ObjectOutcome | undefined): ObjectOutcome | undefined =>
    outcome?.result === 'Applied' ? outcome : undefined;

  /** Live and wanted agree as far as we can see without asking the server. */
  function inPlace(key: string, manifest: Manifest, live: Manifest): boolean {
    if (live.metadata.deletionTimestamp) return false;
    const mine = manifest.metadata.annotations?.['gitfleet.dev/digest'];
    if (live.metadata.annotations?.['gitfleet.dev/digest'] !== mine) return false;
    if (live.metadata.labels?.[placementLabel] !== manifest.metadata.labels?.[placementLabel]) return false;
    const local = differences(manifest, live, 'partial');
    if (wanted?.strategy.comparisonOption === 'FullComparison') return outcomes.has(key) && local.length === 0;
    return local.length === 0 || harmless.get(key) === JSON.stringify(local);
  }

  function fought(key: string): void {
    const before = fights.get(key);
    const again = before !== undefined && clock.now() - before.at < fightWindowMs;
    fights.set(key, { times: again ? before.times + 1 : 1, at: clock.now() });
  }

  function leftoversOf(assignment: Assignment): Manifest[] {
    const keep = new Set(
      assignment.remove ? [] : assignment.manifests.map(({ manifest }) => objectKey(refOfManifest(manifest))),
    );
    const listed = new Set(assignment.prunable.map(objectKey));
    return watches
      .all()
      .filter((object) => object.metadata.labels?.[placementLabel] === assignment.label)
      .filter((object) => listed.has(objectKey(refOfManifest(object))) && !keep.has(objectKey(refOfManifest(object))))
      .sort((a, b) => waveOf(b) - waveOf(a) || (objectKey(refOfManifest(a)) < objectKey(refOfManifest(b)) ? -1 : 1));
  }

  /** Reverse order of apply: what stands on something goes before it. */
  async function removeLeftovers(assignment: Assignment): Promise<boolean> {
    let clean = true;
    for (const [key, outcome] of outcomes) {
      if (outcome.result === 'ContainsForeignObjects' || outcome.result === 'ManifestDeleteFailed')
        outcomes.delete(key);
    }
    for (const wave of groupByWave(leftoversOf(assignment))) {
      await Promise.all(
        wave.map(async (live) => {
          const ref = refOfManifest(live);
          const served = await discovery.find(ref.apiVersion, ref.kind);
          if (!served) return;
          const trouble = await removeObject({ client, discovery, served, live, label: assignment.label });
          if (trouble) {
            clean = false;
            outcomes.set(objectKey(ref), trouble);
          }
        }),
      );
    }
    return clean;
  }

  async function remove(assignment: Assignment): Promise<void> {
    await kindsOf(assignment);
    outcomes = new Map();
    await removeLeftovers(assignment);
  }

  return {
    assign(assignment) {
      if (wanted && sameAssignment(wanted, assignment)) {
        wanted = { ...assignment, manifests: wanted.manifests };
        return;
      }
      const sameContent = wanted?.digest === assignment.digest && !assignment.remove && !wanted?.remove;
      if (!sameContent) outcomes = new Map();
      wanted = assignment;
      byKey = new Map(assignment.manifests.map((item) => [objectKey(refOfManifest(item.manifest)), item]));
      harmless.clear();
      done = false;
      retryMs = firstRetryMs;
      outstanding = 'all';
      void work();
    },
    noticed(object, how, manager) {
      if (!wanted || object.metadata.labels?.[placementLabel] !== wanted.label) {
        if (!wanted || !byKey.has(objectKey(refOfManifest(object)))) return;
      }
      const key = objectKey(refOfManifest(object));
      const item = byKey.get(key);
      if (wanted.remove || !item) return;
      if (how === 'set' && inPlace(key, item.manifest, object)) return;
      if (manager !== undefined) managers.set(key, manager);
      const fight = fights.get(key);
      const pause =
        fight && clock.now() - fight.at < fightWindowMs ? Math.min(1000 * 2 ** (fight.times - 1), longestRetryMs) : 0;
      const again = () => {
        if (outstanding !== 'all') outstanding.add(key);
        void work();
      };
      if (pause === 0) again();
      else clock.after(pause, again);
    },
    sighting() {
      if (!wanted) return undefined;
      return {
        placement: wanted.placement,
        ...(wanted.resourceSnapshotIndex === undefined ? {} : { resourceSnapshotIndex: wanted.resourceSnapshotIndex }),
        ...(wanted.digest === undefined ? {} : { digest: wanted.digest }),
        ...(finishedAt === undefined ? {} : { at: new Date(finishedAt).toISOString() }),
        done,
        results: [...outcomes.values()]
          .filter(interesting)
          .sort((a, b) => (objectKey(a.object) < objectKey(b.object) ? -1 : 1)),
      };
    },
    idle: () => !working && (done || outstanding !== 'all'),
    stop() {
      stopped = true;
      cancelRetry();
    },
  };
}

const interesting = (outcome: ObjectOutcome): boolean =>
  outcome.result !== 'Applied' || (outcome.details?.length ?? 0) > 0;

const sameAssignment = (a: Assignment, b: Assignment): boolean =>
  a.digest === b.digest &&
  a.resourceSnapshotIndex === b.resourceSnapshotIndex &&
  a.remove === b.remove &&
  JSON.stringify(a.strategy) === JSON.stringify(b.strategy) &&
  a.prunable.length === b.prunable.length;

function groupByWave(objects: readonly Manifest[]): Manifest[][] {
  const waves: Manifest[][] = [];
  let last: number | undefined;
  for (const object of objects) {
    const wave = waveOf(object);
    if (wave !== last) waves.push([]);
    waves.at(-1)?.push(object);
    last = wave;
  }
  return waves;
}
