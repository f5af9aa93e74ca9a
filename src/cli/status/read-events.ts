import { fleetTimeOf } from '../../git/fleet-time.ts';
import { fileChanges } from '../../git/objects/changes.ts';
import type { Commit } from '../../git/objects/commit.ts';
import { recordPathOf } from '../../repo/record/path.ts';
import { recordLimits } from '../../repo/too-large.ts';
import { readBounded } from '../../repo/yaml/read-bounded.ts';
import type { ObjectEvent } from '../../report/object-event.ts';
import { fleetSummary, objectEvents, type Versioned } from '../../report/object-events.ts';
import type { Status, StatusReader } from './open-status.ts';

/** One event of one object; equal ones are counted, as Kubernetes does. */
export interface FleetEvent extends ObjectEvent {
  readonly object: { readonly kind: string; readonly name: string; readonly namespace?: string | undefined };
  /** Time of the first of them; `at` is that of the last. */
  readonly firstAt: number;
  readonly count: number;
  /** The status commit of the last one. */
  readonly commit: string;
}

/** Default number of status commits that are read. */
export const defaultHistory = 250;

/** Objects with conditions: the files of an entry that is one file, and the status of a placement; and what became of commits. */
const hasEvents = (path: string): boolean => {
  const place = recordPathOf(path);
  if (path === 'summary.yaml') return true;
  return place?.rest === '' || place?.rest === 'status.yaml';
};

/**
 * Events from the history of the status branch, oldest first: of one file, or of all files that changed in the last `most`
 * commits. For one file `most` counts the commits that changed it.
 */
export async function readEvents(
  reader: StatusReader,
  { tip }: Status,
  options: { readonly most: number; readonly path?: string },
): Promise<FleetEvent[]> {
  const { objects } = reader.branches;
  await reader.branches.deepen(reader.ref);
  // One more than requested, to compare the oldest with.
  const listed = await objects.commits(await objects.log(tip, { ...options, most: options.most + 1 }));
  const steps = listed.slice(0, options.most).map((commit, at) => ({ commit, before: listed[at + 1]?.tree }));
  const changed = await fileChanges(
    objects,
    steps.map(({ commit, before }) => ({ before, after: commit.tree })),
    options.path,
  );
  const changes = steps.flatMap(({ commit }, at) =>
    changed[at]!.filter(({ path }) => hasEvents(path)).map((change) => ({ commit, ...change })),
  );
  const oids = [...new Set(changes.flatMap(({ before, after }) => [before, after]).filter((oid) => oid !== undefined))];
  const readable = [...(await objects.sizes(oids))].flatMap(([oid, size]) => (size <= largestVersion ? oid : []));
  const versions = new Map(
    [...(await objects.read(readable))].map(([oid, { content }]) => [oid, versionOf(content.toString('utf8'))]),
  );
  const of = (oid: string | undefined) => (oid === undefined ? undefined : versions.get(oid));
  // Oldest first; of one reconciliation in the order of its conditions.
  const events = changes.toReversed().flatMap(({ commit, before, after }) => eventsOf(of(before), of(after), commit));
  return counted(events.sort((a, b) => a.at - b.at));
}

function eventsOf(before: Versioned | undefined, after: Versioned | undefined, commit: Commit): FleetEvent[] {
  if (after === undefined) return [];
  const { name = '', namespace } = after.metadata ?? {};
  const object =
    after.kind === fleetSummary
      ? { kind: 'Branch', name: after.branch ?? '' }
      : { kind: after.kind ?? '', name, ...(namespace === undefined ? {} : { namespace }) };
  return objectEvents(before, after, fleetTimeOf(commit)).map((event) => ({
    ...event,
    object,
    firstAt: event.at,
    count: 1,
    commit: commit.oid,
  }));
}

/** Bytes. Larger files were not written by gitfleet. */
const largestVersion = recordLimits.file;

/** Files that are no YAML, after an edit by hand, have no events. */
function versionOf(text: string): Versioned | undefined {
  const read = readBounded(text);
  return 'value' in read ? ((read.value as Versioned | null) ?? undefined) : undefined;
}

function counted(events: readonly FleetEvent[]): FleetEvent[] {
  const byWhat = new Map<string, FleetEvent>();
  for (const event of events) {
    const key = JSON.stringify([event.object, event.type, event.reason, event.message]);
    const known = byWhat.get(key);
    byWhat.delete(key);
    byWhat.set(key, known ? { ...event, firstAt: known.firstAt, count: known.count + 1 } : event);
  }
  return [...byWhat.values()];
}
