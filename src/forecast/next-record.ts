import type { PlacementKey } from '../api/meta.ts';
import type { FleetRecord, RecordedPlacement } from '../engine/input.ts';
import { sameValue } from '../engine/kernel/same-value.ts';
import type { Plan } from '../engine/plan-document.ts';
import { documentReader } from '../repo/record/document-reader.ts';
import { openFolders } from '../repo/record/folders/rows.ts';
import { recordPathOf } from '../repo/record/path.ts';

/** What is remembered after a plan: its documents, without a way through text, which takes longer than planning. */
export function nextRecord({ record, commit }: Plan, before: FleetRecord): FleetRecord {
  const folders = openFolders(documentReader);
  let { config } = before;
  for (const [path, written] of record) {
    const place = recordPathOf(path);
    if (place !== undefined) folders.add(place.directory, { path, ...place, text: '', written });
    else if (path === 'fleet.yaml' && written.kind === 'object') config = written.value as FleetRecord['config'];
  }
  const next = folders.record();
  return {
    ...before,
    ...next,
    exists: true,
    placements: new Map([...next.placements].map(([key, recorded]) => [key, keptOf(key, recorded, before)])),
    config,
    commit,
    unread: before.unread,
  };
}

/** What is the same as before keeps its identity, as when it is read again: then the next plan may reuse it. */
function keptOf(key: PlacementKey, next: RecordedPlacement, { placements }: FleetRecord): RecordedPlacement {
  const before = placements.get(key);
  if (before === undefined) return next;
  return {
    ...next,
    object: keptValue(before.object, next.object),
    state: keptValue(before.state, next.state),
  };
}

/** Parts of a plan that are planned no more are the same objects in each plan after it: they are compared once. */
const knownEqual = new WeakMap<object, object>();

function keptValue<T extends object | undefined>(before: T, next: T): T {
  if (before === undefined || next === undefined) return next;
  if (knownEqual.get(next) === before) return before;
  if (!sameValue(before, next)) return next;
  knownEqual.set(next, before);
  return before;
}
