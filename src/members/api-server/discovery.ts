import { intern } from '../intern.ts';
import { ApiError } from './api-error.ts';
import type { MemberClient } from './client.ts';
import { groupVersionPath, type ServedKind } from './served-kind.ts';

export interface Discovery {
  /** Undefined when the member does not serve the kind. That is cached until `forget`. */
  find(apiVersion: string, kind: string): Promise<ServedKind | undefined>;
  /** Every kind in its preferred version, and group-versions that did not respond. */
  all(): Promise<{ readonly kinds: readonly ServedKind[]; readonly failed: readonly string[] }>;
  /** Drops one cached group-version, or all: a CRD was added or removed, or a path returned 404. */
  forget(apiVersion?: string): void;
}

interface ResourceList {
  readonly resources?: readonly {
    readonly name: string;
    readonly kind: string;
    readonly namespaced: boolean;
    readonly verbs: readonly string[];
  }[];
}

interface GroupList {
  readonly groups: readonly {
    readonly versions: readonly { readonly groupVersion: string }[];
    readonly preferredVersion?: { readonly groupVersion: string };
  }[];
}

/** Kinds of one member, one request per group-version on first use. Rejects when the response of the member is ambiguous. */
export function discover(client: MemberClient): Discovery {
  const known = new Map<string, Promise<readonly ServedKind[]>>();

  async function load(apiVersion: string): Promise<readonly ServedKind[]> {
    try {
      const path = groupVersionPath(apiVersion);
      const list = await client.request<ResourceList>({ method: 'GET', path, tried: `discover ${apiVersion}` });
      const kinds = (list.resources ?? [])
        .filter((resource) => !resource.name.includes('/'))
        .map(
          ({ name, kind, namespaced, verbs }): ServedKind => ({ apiVersion, kind, plural: name, namespaced, verbs }),
        );
      return intern(kinds);
    } catch (error) {
      // A proxy may return 404 for any path, so only the server's list of groups shows that the group is missing.
      if (error instanceof ApiError && error.status === 404 && !(await lists(apiVersion))) return [];
      throw error;
    }
  }

  const groups = async (): Promise<GroupList['groups']> => {
    const list = await client.request<GroupList>({ method: 'GET', path: '/apis', tried: 'discover groups' });
    if (!Array.isArray(list?.groups)) throw new Error(`discover groups on ${client.name}: the response is not a list`);
    return list.groups;
  };

  const lists = async (apiVersion: string): Promise<boolean> =>
    apiVersion === 'v1' ||
    (await groups()).some(({ versions }) => versions.some(({ groupVersion }) => groupVersion === apiVersion));

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
    find: async (apiVersion, kind) => (await groupVersion(apiVersion)).find((served) => served.kind === kind),
    async all() {
      const preferred = (await groups()).flatMap(({ preferredVersion, versions }) => preferredVersion ?? versions[0]!);
      const versions = ['v1', ...preferred.map((version) => version.groupVersion)];
      const answers = await Promise.allSettled(versions.map(groupVersion));
      return {
        kinds: answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : [])),
        failed: versions.filter((_, index) => answers[index]?.status === 'rejected'),
      };
    },
    forget(apiVersion) {
      if (apiVersion === undefined) known.clear();
      else known.delete(apiVersion);
    },
  };
}
