import type { ObjectRef } from '../api/meta.ts';
import { ApiError } from './api-error.ts';
import type { MemberClient } from './client.ts';

/** One kind as a member serves it. */
export interface ServedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

export interface Discovery {
  /** Undefined when the member does not serve the kind; asks again at most once per call for a group-version seen missing. */
  find(apiVersion: string, kind: string): Promise<ServedKind | undefined>;
  all(): Promise<readonly ServedKind[]>;
  /** A CRD came or went: forget what is known. */
  forget(): void;
}

interface ResourceList {
  readonly resources?: readonly {
    readonly name: string;
    readonly kind: string;
    readonly namespaced: boolean;
    readonly verbs: readonly string[];
  }[];
}

/** Kinds of one member, one request per group-version on first use. */
export function discover(client: MemberClient): Discovery {
  const known = new Map<string, Promise<readonly ServedKind[]>>();

  async function load(apiVersion: string): Promise<readonly ServedKind[]> {
    try {
      const list = await client.request<ResourceList>({
        method: 'GET',
        path: apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`,
      });
      return (list.resources ?? [])
        .filter((resource) => !resource.name.includes('/'))
        .map(({ name, kind, namespaced, verbs }) => ({ apiVersion, kind, plural: name, namespaced, verbs }));
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return [];
      throw error;
    }
  }

  function groupVersion(apiVersion: string): Promise<readonly ServedKind[]> {
    let loading = known.get(apiVersion);
    if (!loading) {
      loading = load(apiVersion);
      known.set(apiVersion, loading);
      loading.catch(() => known.delete(apiVersion));
    }
    return loading;
  }

  return {
    async find(apiVersion, kind) {
      const first = (await groupVersion(apiVersion)).find((served) => served.kind === kind);
      if (first) return first;
      known.delete(apiVersion);
      return (await groupVersion(apiVersion)).find((served) => served.kind === kind);
    },
    async all() {
      const groups = await client.request<{
        groups: readonly {
          versions: readonly { groupVersion: string }[];
          preferredVersion: { groupVersion: string };
        }[];
      }>({ method: 'GET', path: '/apis' });
      const versions = ['v1', ...groups.groups.map((group) => group.preferredVersion.groupVersion)];
      return (await Promise.all(versions.map(groupVersion))).flat();
    },
    forget: () => known.clear(),
  };
}

/** `/apis/apps/v1/namespaces/shop/deployments/web`; without a name the collection, without a namespace all of them. */
export function pathOf(
  served: ServedKind,
  at: { readonly namespace?: string | undefined; readonly name?: string },
): string {
  const root = served.apiVersion.includes('/') ? `/apis/${served.apiVersion}` : `/api/${served.apiVersion}`;
  const namespace =
    served.namespaced && at.namespace !== undefined ? `/namespaces/${encodeURIComponent(at.namespace)}` : '';
  return `${root}${namespace}/${served.plural}${at.name === undefined ? '' : `/${encodeURIComponent(at.name)}`}`;
}

/** Text that names one object on one member; also the order in which lists of objects are sorted. */
export const objectKey = (ref: ObjectRef): string => `${ref.apiVersion}/${ref.kind}/${ref.namespace ?? ''}/${ref.name}`;
