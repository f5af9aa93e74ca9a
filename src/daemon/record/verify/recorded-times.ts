import type { MemberCluster } from '../../../api/member-cluster.ts';
import type { PlacementState } from '../../../api/placement-state.ts';
import type { StagedUpdateRun } from '../../../api/staged.ts';
import type { FleetRecord } from '../../../engine/input.ts';
import { formatInstant, type Instant, parseInstant } from '../../../engine/kernel/instant.ts';

/** Clocks of two daemons may differ this much, milliseconds. */
const mostSkewMs = 60_000;

const times: ReadonlySet<string> = new Set([
  'lastTransitionTime',
  'startTime',
  'endTime',
  'assignedAt',
  'deletionTimestamp',
  'lastReceivedHeartbeat',
  'observationTime',
]);

/**
 * Replaces recorded times in the future by the present: a soak or an unavailable period that starts in the year 9999 would never end.
 * Values are checked once.
 */
export function timeVerifier(): (record: FleetRecord, now: Instant) => FleetRecord {
  const checked = new WeakMap<object, object>();
  return (record, now) => {
    const once = <T extends object>(value: T, check: (value: T) => T): T => {
      const known = checked.get(value) as T | undefined;
      const result = known ?? check(value);
      if (known === undefined) checked.set(value, result);
      return result;
    };
    const limit = formatInstant(now + mostSkewMs);
    const past = <T>(value: T): T => withoutFuture(value, { now, limit });
    const state = (value: PlacementState): PlacementState => {
      const bindings = eachChanged(value.bindings, (binding) => {
        const { conditions, assignedAt, deletionTimestamp } = binding;
        const read = { conditions, assignedAt, deletionTimestamp };
        const changed = past(read);
        return changed === read ? binding : { ...binding, ...changed };
      });
      return bindings === value.bindings ? value : { ...value, bindings };
    };
    const run = (value: StagedUpdateRun): StagedUpdateRun => withStatus(value, past(value.status));
    const cluster = (value: MemberCluster): MemberCluster => withStatus(value, past(value.status));
    const placements = mapChanged(record.placements, (recorded) => {
      const next = once(recorded.state, state);
      return next === recorded.state ? recorded : { ...recorded, state: next };
    });
    const runs = mapChanged(record.runs, (value) => once(value, run));
    const clusters = mapChanged(record.clusters, (value) => once(value, cluster));
    const isSame = placements === record.placements && runs === record.runs && clusters === record.clusters;
    return isSame ? record : { ...record, placements, runs, clusters };
  };
}

interface Until {
  readonly now: Instant;
  /** Texts up to this one are in the past, if both have the form that gitfleet writes. */
  readonly limit: string;
}

function withoutFuture<T>(value: T, until: Until): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return eachChanged(value, (item) => withoutFuture(item, until)) as T;
  const changed = Object.entries(value).flatMap(([key, before]): [string, unknown][] => {
    const after = times.has(key) && typeof before === 'string' ? notAfter(before, until) : withoutFuture(before, until);
    return after === before ? [] : [[key, after]];
  });
  return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) };
}

function notAfter(text: string, { now, limit }: Until): string {
  if (text.length === limit.length && text.endsWith('Z') && text <= limit) return text;
  return (parseInstant(text) ?? 0) > now + mostSkewMs ? formatInstant(now) : text;
}

const withStatus = <T extends { readonly status?: unknown }>(value: T, status: T['status']): T =>
  status === value.status ? value : { ...value, status };

function eachChanged<T>(list: T[], change: (item: T) => T): T[] {
  const next = list.map(change);
  return next.every((item, at) => item === list[at]) ? list : next;
}

function mapChanged<K, V>(map: ReadonlyMap<K, V>, change: (value: V) => V): ReadonlyMap<K, V> {
  const changed = [...map].flatMap(([key, value]): [K, V][] => {
    const next = change(value);
    return next === value ? [] : [[key, next]];
  });
  return changed.length === 0 ? map : new Map([...map, ...changed]);
}
