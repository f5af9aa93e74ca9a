import type { Manifest } from '../../api/meta.ts';
import type { ObjectOutcome } from '../../api/observation.ts';
import { digestAnnotation, placementAnnotation, placementLabel } from '../../engine/overrides/ownership.ts';
import { describeRef, refOfManifest } from '../../engine/selection/object-key.ts';
import { ApiError } from '../api-server/api-error.ts';
import type { Request } from '../api-server/client.ts';
import { pathOf, type ServedKind } from '../api-server/served-kind.ts';
import { fieldManager } from '../apply/field-managers.ts';
import { foreignOwner } from '../apply/takeover.ts';
import type { Connection } from '../connection.ts';
import { foreignContent } from './foreign-content.ts';

/** An object that changes between look and removal is looked at again this often; then the actor's back-off takes over. */
const mostAttempts = 3;

/**
 * Removes one object of ours: only in the state in which it was found to be ours, and not while it holds what is not
 * unless `withContent` (KubeFleet work applier, garbage collection of left-overs). An object with other owners, or that
 * another placement asks for, is only let go of. Undefined when it is gone, going, or not ours any more. Rejects when there is
 * no answer, or when it is to stay by the time it could be sent.
 */
export async function removeObject(
  connection: Connection,
  seen: Manifest,
  {
    label,
    isListed,
    withContent,
    letGo,
    goOn,
  }: {
    readonly label: string;
    /** Whether a snapshot of the placement names it. Others may have copied a manifest together with our label. */
    readonly isListed: (object: Manifest) => boolean;
    readonly withContent: boolean;
    /** Another placement asks for it: only our marks are taken off. */
    readonly letGo: boolean;
    /** Whether it is still to go: asked when the queue, or a pause that the member asked for, is over. */
    readonly goOn: () => boolean;
  },
): Promise<ObjectOutcome | undefined> {
  const object = refOfManifest(seen);
  const isOurs = (item: Manifest): boolean => item.metadata.labels?.[placementLabel] === label && isListed(item);
  const failed = (message: string): ObjectOutcome => ({ object, result: 'ManifestDeleteFailed', message });
  try {
    const served = await connection.discovery.find(object.apiVersion, object.kind);
    if (!served) return undefined;
    for (let live: Manifest | undefined = seen, attempt = 1; ; attempt++) {
      if (!live || live.metadata.deletionTimestamp || live.metadata.labels?.[placementLabel] !== label)
        return undefined;
      const released = letGo || foreignOwner(live) !== undefined;
      const foreign = withContent || released ? undefined : await foreignContent(connection, live, isOurs);
      if (foreign !== undefined) return { object, result: 'ContainsForeignObjects', message: foreign };
      try {
        await connection.client.request({ ...(released ? release : remove)(served, live), isWanted: goOn });
        connection.watches.touched(object);
        return undefined;
      } catch (error) {
        // 409: it is not as it was when we looked, perhaps not even the same object.
        if (!(error instanceof ApiError && error.status === 409 && attempt < mostAttempts)) throw error;
        live = await read(connection, served, live);
        // Somebody applied it anew, another daemon with a newer plan perhaps: that asks for a new look at the whole.
        if (digestOf(live) !== digestOf(seen)) throw error;
      }
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.status === 404 ? undefined : failed(error.message);
  }
}

function remove(served: ServedKind, live: Manifest): Request {
  const { uid, resourceVersion } = live.metadata;
  const ref = refOfManifest(live);
  return {
    method: 'DELETE',
    path: pathOf(served, ref),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      propagationPolicy: 'Background',
      preconditions: { uid, resourceVersion },
    }),
    tried: `delete ${describeRef(ref)}`,
  };
}

/** Takes our marks off, so that the object is as if we had never held it. */
function release(served: ServedKind, live: Manifest): Request {
  const ref = refOfManifest(live);
  const { resourceVersion } = live.metadata;
  return {
    method: 'PATCH',
    path: `${pathOf(served, ref)}?${new URLSearchParams({ fieldManager })}`,
    headers: { 'content-type': 'application/merge-patch+json' },
    body: JSON.stringify({
      metadata: {
        resourceVersion,
        labels: { [placementLabel]: null },
        annotations: { [placementAnnotation]: null, [digestAnnotation]: null },
      },
    }),
    tried: `let go of ${describeRef(ref)}`,
  };
}

const digestOf = ({ metadata }: Manifest): string | undefined => metadata.annotations?.[digestAnnotation];

async function read({ client }: Connection, served: ServedKind, live: Manifest): Promise<Manifest> {
  const ref = refOfManifest(live);
  return client.request<Manifest>({ method: 'GET', path: pathOf(served, ref), tried: `read ${describeRef(ref)}` });
}
