import type { Manifest } from '../../api/meta.ts';
import { describeRef, refOfManifest } from '../../engine/selection/object-key.ts';
import { ApiError } from '../api-server/api-error.ts';
import type { MemberClient } from '../api-server/client.ts';
import { pathOf, type ServedKind } from '../api-server/served-kind.ts';
import { fieldManager, managersOf } from './field-managers.ts';
import { withTextsAsData } from './secret-data.ts';

/**
 * The requests for one object. All reject with ApiError or UnreachableError; those that send a manifest reject with an Error if
 * the manifest is no longer wanted when the request could be sent.
 */
export interface ObjectRequests {
  /** Null when it does not exist. */
  read(): Promise<Manifest | null>;
  /** Server-side apply; `seen` makes it fail with 409 when the object has changed since. */
  apply(how: { readonly force: boolean; readonly seen: Seen }): Promise<Manifest>;
  /** The object as a forced apply would leave it (dry-run). */
  dryRun(): Promise<Manifest>;
}

/** The state in which an object was last seen; empty: any state. */
export interface Seen {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export function objectRequests(
  client: MemberClient,
  served: ServedKind,
  manifest: Manifest,
  isWanted?: () => boolean,
): ObjectRequests {
  const { namespace, name } = manifest.metadata;
  const path = pathOf(served, { namespace, name });
  const what = describeRef(refOfManifest(manifest));

  function patch(body: Manifest, how: Readonly<Record<string, string>>, tried: string): Promise<Manifest> {
    return client.object({
      method: 'PATCH',
      path: `${path}?${new URLSearchParams({ fieldManager, fieldValidation: 'Strict', ...how })}`,
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: JSON.stringify(withTextsAsData(body)),
      tried: `${tried} ${what}`,
      isWanted,
    });
  }

  const requests: ObjectRequests = {
    async read() {
      try {
        return await client.object({ method: 'GET', path, tried: `read ${what}` });
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },
    async apply({ force, seen }) {
      const body = { ...manifest, metadata: { ...manifest.metadata, ...seen } };
      try {
        return await patch(body, { force: String(force) }, 'apply');
      } catch (error) {
        if (force || !(error instanceof ApiError && error.fieldConflicts.length > 0)) throw error;
        // KubeFleet: without foreign managers, or with the one from before managedFields existed, there is no conflict (apply.go).
        const live = await requests.read();
        const foreign = managersOf(live ?? manifest).some(
          ({ manager }) => manager !== fieldManager && manager !== 'before-first-apply',
        );
        if (live === null || foreign) throw error;
        return await patch(body, { force: 'true' }, 'apply');
      }
    },
    dryRun: () => patch(manifest, { force: 'true', dryRun: 'All' }, 'compare'),
  };
  return requests;
}
