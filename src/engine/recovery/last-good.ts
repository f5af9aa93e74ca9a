import type { Manifest, ObjectRef } from '../../api/meta.ts';
import type { Fleet, FleetRecord, HubObject } from '../input.ts';
import { latestOf } from '../kernel/latest-of.ts';
import type { Hold } from '../plan-document.ts';
import { keyOfManifest, refOfManifest } from '../selection/object-key.ts';
import { isRebuilt } from './rebuilt-snapshot.ts';

/** Whether an object may exist although it was not loaded: its file is invalid, or some file could not be read at all. */
export function absenceMeansNothing(
  fleet: Fleet,
  ref: { readonly kind: string; readonly name: string; readonly namespace?: string | undefined },
): boolean {
  return fleet.unreadable.length > 0 || isRefused(fleet, ref);
}

/** Whether the file of an object was found invalid when it was read. */
export const isRefused = (
  fleet: Fleet,
  ref: { readonly kind: string; readonly name: string; readonly namespace?: string | undefined },
): boolean =>
  fleet.refused.some(
    (refused) =>
      refused.kind === ref.kind && refused.name === ref.name && (refused.namespace ?? '') === (ref.namespace ?? ''),
  );

/** Why an object is held at its last good version; names the unreadable file, if that is the cause. */
export function heldBecause(
  fleet: Fleet,
  ref: { readonly kind: string; readonly name: string; readonly namespace?: string | undefined },
): string {
  if (isRefused(fleet, ref))
    return 'its file is not valid: the last good version stays in effect until the reported problem is fixed';
  return `it is not found, but ${fleet.unreadable[0]} could not be read: it does not count as removed until that file is fixed`;
}

/** Holds an object at its last good version. */
export const lastGoodHold = (subject: Hold['subject'], message: string): Hold => ({
  subject,
  reason: 'LastGoodVersion',
  message,
});

/** What the latest snapshots of all placements hold. Rebuilt contents are no last good version: they must not be applied. */
export const lastContents = (record: FleetRecord): readonly Manifest[] =>
  [...record.placements.values()].flatMap(({ state: { resourceSnapshots }, snapshots }) => {
    const latest = latestOf(resourceSnapshots);
    return latest === undefined || isRebuilt(resourceSnapshots, latest.index)
      ? []
      : (snapshots.get(latest.index) ?? []);
  });

/**
 * The objects of the hub at their last good version: objects of the latest snapshots are restored where their file is
 * invalid or a file could not be read. When all files are valid, this is the repo's own list, same identity.
 */
export function withLastGoodResources(
  fleet: Fleet,
  record: FleetRecord,
): { readonly resources: readonly HubObject[]; readonly restored: readonly ObjectRef[] } {
  if (fleet.unreadable.length === 0 && fleet.refused.length === 0) return { resources: fleet.resources, restored: [] };
  const present = new Set(fleet.resources.map(({ manifest }) => keyOfManifest(manifest)));
  const restored = new Map<string, Manifest>();
  for (const manifest of lastContents(record)) {
    const key = keyOfManifest(manifest);
    if (present.has(key) || restored.has(key)) continue;
    const { kind, metadata } = manifest;
    if (absenceMeansNothing(fleet, { kind, name: metadata.name, namespace: metadata.namespace }))
      restored.set(key, manifest);
  }
  const back = [...restored.values()];
  return {
    resources: [
      ...fleet.resources,
      ...back.map(
        (manifest): HubObject => ({
          manifest,
          scope: manifest.metadata.namespace ? 'Namespaced' : 'Cluster',
          file: '',
        }),
      ),
    ],
    restored: back.map(refOfManifest),
  };
}
