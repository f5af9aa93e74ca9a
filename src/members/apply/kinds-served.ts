import type { Manifest, ObjectRef } from '../../api/meta.ts';
import { keyOfManifest, refOfManifest } from '../../engine/selection/object-key.ts';
import { ApiError } from '../api-server/api-error.ts';
import type { ServedKind } from '../api-server/served-kind.ts';
import type { AssignedManifest } from '../assignment.ts';
import type { Connection } from '../connection.ts';
import { defines } from '../crd.ts';

/** Kinds of objects on one member, and the objects whose kind it did not serve when they were to be applied. */
export interface KindsServed {
  /** The kind of an object, watched; or why there is none, told by what is placed with it. Rejects with UnreachableError. */
  find(manifest: Manifest, beside: readonly AssignedManifest[]): Promise<ServedKind | { readonly unserved: string }>;
  /** Keys of objects whose kind was not served, of these group-versions. */
  missing(apiVersions: ReadonlySet<string>): readonly string[];
  forget(): void;
}

export function kindsServed({ discovery, watches }: Pick<Connection, 'discovery' | 'watches'>): KindsServed {
  const missing = new Map<string, ObjectRef>();
  return {
    async find(manifest, beside) {
      const object = refOfManifest(manifest);
      const key = keyOfManifest(manifest);
      missing.delete(key);
      try {
        const kind = await discovery.find(object.apiVersion, object.kind);
        if (kind) {
          // It may have come to be served since the kinds of the assignment were followed.
          await watches.follow(kind);
          return kind;
        }
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return { unserved: error.message };
      }
      missing.set(key, object);
      discovery.forget(object.apiVersion);
      const why = beside.some((item) => defines(item.manifest, object))
        ? 'its CRD is in the same placement and not established yet'
        : 'install its CRD, or place it first';
      return { unserved: `the member serves no ${object.kind} of ${object.apiVersion}: ${why}` };
    },
    missing: (apiVersions) =>
      [...missing].flatMap(([key, { apiVersion }]) => (apiVersions.has(apiVersion) ? [key] : [])),
    forget: () => missing.clear(),
  };
}
