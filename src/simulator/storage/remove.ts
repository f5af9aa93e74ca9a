import { at, listAt, numberAt } from '../../engine/kernel/at.ts';
import type { Cluster } from '../cluster.ts';
import { timestampOf } from '../cluster.ts';
import { type Kind, storageKey } from '../kinds/kind.ts';
import type { Stored } from '../object.ts';
import { isFinished } from '../pod-phase.ts';
import { conflict } from '../serve/status-error.ts';

export type Propagation = 'Background' | 'Foreground' | 'Orphan';

export interface RemoveOptions {
  readonly propagation?: Propagation | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly preconditions?:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined;
  readonly dryRun?: boolean;
}

export interface Removed {
  readonly object: Stored;
  /** False while finalizers, a grace period or the content of a namespace keep it. */
  readonly gone: boolean;
}

/** Deletes an object, or sets its deletionTimestamp if something must happen first. */
export function remove(cluster: Cluster, kind: Kind, live: Stored, options: RemoveOptions): Removed {
  const { preconditions } = options;
  const { uid, resourceVersion, name } = live.metadata;
  if (preconditions?.uid !== undefined && preconditions.uid !== uid)
    throw conflict(
      kind,
      name,
      `Precondition failed: UID in precondition: ${preconditions.uid}, UID in object meta: ${uid}`,
    );
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion)
    throw conflict(
      kind,
      name,
      `Precondition failed: ResourceVersion in precondition: ${preconditions.resourceVersion}, ResourceVersion in object meta: ${resourceVersion}`,
    );

  const finalizers = finalizersAfter(live, options.propagation);
  const grace = graceOf(kind, live, options.gracePeriodSeconds);
  const waits = finalizers.length > 0 || grace > 0 || isHeldNamespace(kind, live);
  if (!waits) {
    if (options.dryRun) return { object: live, gone: true };
    return { object: cluster.store.delete(storageKey(kind), live), gone: true };
  }
  const marked = mark(cluster, kind, live, finalizers, grace);
  if (options.dryRun || marked === live) return { object: marked, gone: false };
  return { object: cluster.store.put(storageKey(kind), marked), gone: false };
}

function finalizersAfter(live: Stored, propagation: Propagation | undefined): readonly string[] {
  const kept = (live.metadata.finalizers ?? []).filter(
    (item) => propagation === undefined || (item !== 'foregroundDeletion' && item !== 'orphan'),
  );
  if (propagation === 'Foreground') return [...kept, 'foregroundDeletion'];
  return propagation === 'Orphan' ? [...kept, 'orphan'] : kept;
}

/** Only pods on a node get a grace period. */
function graceOf(kind: Kind, live: Stored, asked: number | undefined): number {
  if (storageKey(kind) !== '/pods' || at(live, 'spec', 'nodeName') === undefined) return 0;
  if (isFinished(live)) return 0;
  return (
    asked ??
    (at(live, 'spec', 'terminationGracePeriodSeconds') === undefined
      ? 30
      : numberAt(live, 'spec', 'terminationGracePeriodSeconds'))
  );
}

const isHeldNamespace = (kind: Kind, live: Stored): boolean =>
  storageKey(kind) === '/namespaces' && listAt(live, 'spec', 'finalizers').length > 0;

function mark(cluster: Cluster, kind: Kind, live: Stored, finalizers: readonly string[], grace: number): Stored {
  const already = live.metadata.deletionTimestamp !== undefined;
  const sameFinalizers = finalizers.join() === (live.metadata.finalizers ?? []).join();
  if (already && sameFinalizers && grace >= (live.metadata.deletionGracePeriodSeconds ?? 0)) return live;
  const { finalizers: _, ...metadata } = live.metadata;
  const generation = kind.generation && !already ? { generation: (live.metadata.generation ?? 1) + 1 } : {};
  const phase =
    storageKey(kind) === '/namespaces' ? { status: { ...(live['status'] as object), phase: 'Terminating' } } : {};
  return {
    ...live,
    ...phase,
    metadata: {
      ...metadata,
      ...generation,
      ...(finalizers.length > 0 ? { finalizers } : {}),
      deletionTimestamp: live.metadata.deletionTimestamp ?? timestampOf(cluster.clock.now() + grace * 1000),
      deletionGracePeriodSeconds: grace,
    },
  };
}

/** Deletes an object with a deletionTimestamp when its last finalizer is removed. */
export function finishDeletion(cluster: Cluster, kind: Kind, written: Stored): Stored {
  if (written.metadata.deletionTimestamp === undefined) return written;
  if ((written.metadata.finalizers ?? []).length > 0 || isHeldNamespace(kind, written)) return written;
  if ((written.metadata.deletionGracePeriodSeconds ?? 0) > 0) return written;
  return cluster.store.delete(storageKey(kind), written);
}
