import type { Manifest } from '../../api/meta.ts';
import { describeRef, refOfManifest } from '../../engine/selection/object-key.ts';
import { ApiError } from '../api-server/api-error.ts';
import type { MemberClient } from '../api-server/client.ts';
import { pathOf, type ServedKind } from '../api-server/served-kind.ts';
import { fieldManager, managersOf } from './field-managers.ts';
import { withTextsAsData } from './secret-data.ts';

/**
 * The requests that one object takes. All reject with ApiError or UnreachableError, those that send a manifest also with an
 * Error when it is not wanted any more by the time it could be sent.
 */
export interface ObjectRequests {
  /** Null when it is not there. */
  read(): Promise<Manifest | null>;
  /** Server-side apply; `seen` makes it fail with 409 when the object has moved on since. */
  apply(how: { readonly force: boolean; readonly seen: Seen }): Promise<Manifest>;
  /** What a forced apply would make of the object. */
  dryRun(): Promise<Manifest>;
}

/** The state in which an object was last seen; empty: whatever it is by now. */
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
    return client.request<Manifest>({
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
        return await client.request<Manifest>({ method: 'GET', path, tried: `read ${what}` });
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
        // KubeFleet: nobody but us and what was there before managedFields existed is no conflict (apply.go).
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
