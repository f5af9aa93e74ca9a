import type { Eviction } from '../../../api/eviction.ts';
import type { ClusterName, Manifest, PlacementKey } from '../../../api/meta.ts';
import type { ClusterObservation } from '../../../api/observation.ts';
import { placementKey } from '../../../api/placement.ts';
import type { Problem } from '../../../api/problem.ts';
import type { FleetRecord, RecordedPlacement } from '../../../engine/input.ts';
import { parseInstant } from '../../../engine/kernel/instant.ts';
import { sameValue } from '../../../engine/kernel/same-value.ts';
import { isCompleteObservation } from '../../../engine/observed.ts';
import { placementShownBy } from '../../../engine/recovery/rebuild.ts';
import {
  areObjectsKnown,
  type BindingVerifier,
  executedEvictions,
  type OnCluster,
  type Shown,
} from './binding-claims.ts';
import type { FollowedHistory } from './followed-history.ts';
import { withLostWork } from './lost-work.ts';
import { mismatch } from './mismatch.ts';
import { progressIn } from './work-progress.ts';

export interface EvictionVerifier {
  /** A daemon that was stopped may find evictions without a record: they are new, or their record was removed. */
  started(record: FleetRecord, history: FollowedHistory): Promise<void>;
  /** The record without removals that their clusters do not show. An eviction that may have been carried out before counts as lost. */
  settle(record: FleetRecord, of: Shown & { readonly history: FollowedHistory }): Promise<SettledRecord>;
}

export interface SettledRecord {
  readonly record: FleetRecord;
  readonly problems: readonly Problem[];
  /** Clusters whose objects are not known well enough to tell whether a removal has started. */
  readonly unconfirmed: ReadonlySet<ClusterName>;
}

/**
 * A recorded eviction proves nothing alone: someone may have written it. If the removal has started, the cluster shows it. Else it was
 * recorded and not started, or it is forged: it is decided again. But if all objects on the cluster are newer than the file of the
 * eviction, that may have been carried out before, and is held.
 */
export function evictionVerifier(
  bindings: Pick<BindingVerifier, 'doubtedRemovals' | 'withoutRemovals' | 'removalStarted'>,
): EvictionVerifier {
  /** Evictions that came while this daemon did not run. */
  let unseen: ReadonlySet<string> | undefined;
  return {
    async started(record, history) {
      const tip = await history.fleetAt(history.tip);
      unseen ??= new Set(record.exists ? tip?.evictions.map(({ metadata }) => metadata.name) : []);
    },
    async settle(record, of) {
      const { observations, history } = of;
      const tip = (await history.fleetAt(history.tip))!;
      const problems: Problem[] = [];
      const lost = new Set<string>();
      const again = new Set<string>();
      const stays: OnCluster[] = [];
      const unconfirmed = new Set<ClusterName>();
      for (const removal of bindings.doubtedRemovals()) {
        const observation = observations.get(removal.cluster);
        const recorded = record.placements.get(removal.key);
        if (recorded === undefined || !observation?.reachable) continue;
        const hasStarted = showsRemoval(removal, recorded, of);
        if (hasStarted === 'unknown') unconfirmed.add(removal.cluster);
        if (hasStarted === true) bindings.removalStarted(removal);
        if (hasStarted !== false) continue;
        stays.push(removal);
        const names = executedEvictions(removal, { record, tip });
        if (names.length === 0) problems.push(notStarted(removal));
        for (const name of names) {
          const eviction = tip.evictions.find(({ metadata }) => metadata.name === name)!;
          if (await mayBeDone(eviction, observation, history)) {
            lost.add(name);
            problems.push(notStarted(removal));
          } else again.add(name);
        }
      }
      for (const eviction of tip.evictions) {
        const { name } = eviction.metadata;
        if (!unseen?.has(name) || progressIn(record, 'evictions', eviction) !== 'none') continue;
        const observation = observations.get(eviction.spec.clusterName);
        if (isCompleteObservation(observation) && (await mayBeDone(eviction, observation, history))) lost.add(name);
      }
      return { record: withEvictions(bindings.withoutRemovals(record, stays), { lost, again }), problems, unconfirmed };
    },
  };
}

function withEvictions(
  record: FleetRecord,
  { lost, again }: { readonly lost: ReadonlySet<string>; readonly again: ReadonlySet<string> },
): FleetRecord {
  if (lost.size + again.size === 0) return record;
  const evictions = new Map([...record.evictions].filter(([name]) => !again.has(name)));
  return withLostWork({ ...record, evictions }, 'evictions', lost);
}

/**
 * Whether an object of the placement is being deleted, or all are gone. That some are missing proves nothing: a version that the
 * cluster did not get yet may have more, and which versions there are is what the record says.
 */
function showsRemoval(removal: OnCluster, recorded: RecordedPlacement, of: Shown): boolean | 'unknown' {
  const own = ownObjects(removal.key, of.observations.get(removal.cluster)!);
  if (own.some(({ metadata }) => metadata['deletionTimestamp'] !== undefined)) return true;
  if (!areObjectsKnown(removal, recorded, of)) return 'unknown';
  return own.length === 0;
}

const ownObjects = (key: PlacementKey, { objects }: ClusterObservation): readonly Manifest[] =>
  objects.filter((object) => placementShownBy(object) === key);

/** Whether all objects of the placement were created after the eviction came: then it may have removed earlier ones. */
async function mayBeDone(
  eviction: Eviction,
  observation: ClusterObservation,
  history: FollowedHistory,
): Promise<boolean> {
  const own = ownObjects(placementKey({ name: eviction.spec.placementName }), observation);
  if (own.length === 0) return false;
  const since = await arrivalOf(eviction, history);
  return !own.some(({ metadata }) => {
    const created = parseInstant(String(metadata['creationTimestamp']));
    return since !== undefined && created !== undefined && created < since;
  });
}

/** When the followed branch got the eviction as it is now, milliseconds; undefined if that is too long ago to know. */
async function arrivalOf(eviction: Eviction, history: FollowedHistory): Promise<number | undefined> {
  let first = history.tip;
  for await (const { commit, fleet } of history.before(history.tip)) {
    const before = fleet.evictions.find(({ metadata }) => metadata.name === eviction.metadata.name);
    if (!sameValue(before?.spec, eviction.spec)) return history.madeAt(first);
    first = commit;
  }
  for await (const _ of history.before(first)) return undefined;
  return history.madeAt(first);
}

const notStarted = ({ key, cluster }: OnCluster): Problem =>
  mismatch(
    `placements/${key}/state.yaml`,
    `${cluster} shows no sign that the removal in state.yaml has started: gitfleet does not continue it`,
  );
