import type { Manifest, ObjectRef } from '../../api/meta.ts';
import type { Fleet, FleetRecord, HubObject } from '../input.ts';
import { latestOf } from '../kernel/latest-of.ts';
import type { Hold } from '../plan-document.ts';
import { keyOfManifest, refOfManifest } from '../selection/object-key.ts';
import { isRebuilt } from './rebuilt-snapshot.ts';

/** True when the repo says nothing trustworthy about an object: its file is invalid, or some file could not be read at all. */
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

/** Why an object is held, in words that name the file when one is known to be at fault. */
export function heldBecause(
  fleet: Fleet,
  ref: { readonly kind: string; readonly name: string; readonly namespace?: string | undefined },
): string {
  if (isRefused(fleet, ref))
    return 'its file is not valid: the last good version stays in force until the problem reported for it is mended';
  return `it is not found, but ${fleet.unreadable[0]} could not be read: nothing is concluded from absence until that file is mended`;
}

/** What is held at its last good version, and why, in `message`. */
export const lastGoodHold = (subject: Hold['subject'], message: string): Hold => ({
  subject,
  reason: 'LastGoodVersion',
  message,
});

/**
 * What the hub would hold if no file were broken: objects that the latest snapshots hold and that the repo cannot be
 * trusted about are put back as they were. Without broken files this is the repo's own list, same identity.
 */
export function withLastGoodResources(
  fleet: Fleet,
  record: FleetRecord,
): { readonly resources: readonly HubObject[]; readonly restored: readonly ObjectRef[] } {
  if (fleet.unreadable.length === 0 && fleet.refused.length === 0) return { resources: fleet.resources, restored: [] };
  const present = new Set(fleet.resources.map(({ manifest }) => keyOfManifest(manifest)));
  const restored = new Map<string, Manifest>();
  for (const { state, snapshots } of record.placements.values()) {
    const latest = latestOf(state.resourceSnapshots);
    // What was read from members is nobody's last good version: it must not be applied.
    if (latest === undefined || isRebuilt(state.resourceSnapshots, latest.index)) continue;
    for (const manifest of snapshots.get(latest.index) ?? []) {
      const key = keyOfManifest(manifest);
      if (present.has(key) || restored.has(key)) continue;
      const { kind, metadata } = manifest;
      if (absenceMeansNothing(fleet, { kind, name: metadata.name, namespace: metadata.namespace }))
        restored.set(key, manifest);
    }
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
