import type { Manifest, ObjectRef } from '../../api/meta.ts';
import { keyOfManifest, refOfManifest } from '../../engine/selection/object-key.ts';
import { ApiError } from '../api-server/api-error.ts';
import type { ServedKind } from '../api-server/served-kind.ts';
import type { AssignedManifest } from '../assignment.ts';
import type { Connection } from '../connection.ts';
import { defines } from '../crd.ts';

/** Finds the kinds of objects on one member, and keeps the objects whose kind the member did not serve. */
export interface KindsServed {
  /** The kind of an object, which is then watched, or why it is not served. Rejects with UnreachableError. */
  find(manifest: Manifest, others: readonly AssignedManifest[]): Promise<ServedKind | { readonly unserved: string }>;
  /** Keys of objects whose kind was not served, of these group-versions. */
  missing(apiVersions: ReadonlySet<string>): readonly string[];
  forget(): void;
}

export function kindsServed({ discovery, watches }: Pick<Connection, 'discovery' | 'watches'>): KindsServed {
  const missing = new Map<string, ObjectRef>();
  return {
    async find(manifest, others) {
      const object = refOfManifest(manifest);
      const key = keyOfManifest(manifest);
      missing.delete(key);
      try {
        const kind = await discovery.find(object.apiVersion, object.kind);
        if (kind) {
          // The kind may be served since the watches of the assignment were started.
          await watches.follow(kind);
          return kind;
        }
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return { unserved: error.message };
      }
      missing.set(key, object);
      discovery.forget(object.apiVersion);
      const why = others.some((item) => defines(item.manifest, object))
        ? 'its CRD is in the same placement and not established yet'
        : 'install its CRD, or place it first';
      return { unserved: `the member does not serve ${object.kind} of ${object.apiVersion}: ${why}` };
    },
    missing: (apiVersions) =>
      [...missing].flatMap(([key, { apiVersion }]) => (apiVersions.has(apiVersion) ? [key] : [])),
    forget: () => missing.clear(),
  };
}
