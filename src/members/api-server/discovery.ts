import { type Fields, isFields } from '../../engine/kernel/fields.ts';
import { groupVersionOf } from '../../engine/selection/group-version.ts';
import { intern } from '../intern.ts';
import { ApiError, badResponse } from './api-error.ts';
import type { MemberClient } from './client.ts';
import { memberLimits } from './member-limits.ts';
import { groupVersionPath, type ServedKind } from './served-kind.ts';

export interface Discovery {
  /** Undefined when the member does not serve the kind. That is cached until `forget`. */
  find(apiVersion: string, kind: string): Promise<ServedKind | undefined>;
  /** The other versions of its group in which the member serves the kind. Leaves out versions that do not respond. */
  otherVersions(apiVersion: string, kind: string): Promise<readonly string[]>;
  /** Every kind in its preferred version, and group-versions that did not respond. */
  all(): Promise<{ readonly kinds: readonly ServedKind[]; readonly failed: readonly string[] }>;
  /** Drops one cached group-version, or all: a CRD was added or removed, or a path returned 404. */
  forget(apiVersion?: string): void;
}

/** Kinds of one member, one request per group-version on first use. Rejects when the response of the member is ambiguous. */
export function discover(client: MemberClient): Discovery {
  const known = new Map<string, Promise<readonly ServedKind[]>>();
  /** How many kinds are known of each group-version. */
  const counts = new Map<string, number>();

  async function load(apiVersion: string): Promise<readonly ServedKind[]> {
    try {
      const path = groupVersionPath(apiVersion);
      const tried = `discover ${apiVersion}`;
      const kinds = kindsIn(await client.json({ method: 'GET', path, tried }), apiVersion);
      if (kinds === undefined) throw badResponse(`${tried} on ${client.name}`, 'the response is not a list of kinds');
      counts.set(apiVersion, kinds.length);
      const total = counts.values().reduce((sum, count) => sum + count, 0);
      if (total <= memberLimits.kinds) return intern(kinds);
      counts.delete(apiVersion);
      throw badResponse(`${tried} on ${client.name}`, `the member serves more than ${memberLimits.kinds} kinds`);
    } catch (error) {
      // A proxy may return 404 for any path, so only the server's list of groups shows that the group is missing.
      if (error instanceof ApiError && error.status === 404 && !(await lists(apiVersion))) return [];
      throw error;
    }
  }

  const groups = async (): Promise<readonly Group[]> => {
    const tried = 'discover groups';
    const found = groupsIn(await client.json({ method: 'GET', path: '/apis', tried }));
    if (found === undefined) throw badResponse(`${tried} on ${client.name}`, 'the response is not a list of groups');
    if (found.length > memberLimits.kinds)
      throw badResponse(`${tried} on ${client.name}`, `the member serves more than ${memberLimits.kinds} groups`);
    return found;
  };

  const lists = async (apiVersion: string): Promise<boolean> =>
    apiVersion === 'v1' || (await groups()).some(({ versions }) => versions.includes(apiVersion));

  function groupVersion(apiVersion: string): Promise<readonly ServedKind[]> {
    let loading = known.get(apiVersion);
    if (!loading) {
      loading = load(apiVersion);
      known.set(apiVersion, loading);
      loading.catch(() => known.delete(apiVersion));
    }
    return loading;
  }

  const find = async (apiVersion: string, kind: string): Promise<ServedKind | undefined> =>
    (await groupVersion(apiVersion)).find((served) => served.kind === kind);

  return {
    find,
    async otherVersions(apiVersion, kind) {
      const { group } = groupVersionOf(apiVersion);
      const all = (await groups()).flatMap(({ versions }) => versions);
      const others = all.filter((other) => other !== apiVersion && groupVersionOf(other).group === group);
      const found = await Promise.allSettled(others.map((other) => find(other, kind)));
      return found.flatMap((response) => (response.status === 'fulfilled' ? (response.value?.apiVersion ?? []) : []));
    },
    async all() {
      const versions = ['v1', ...(await groups()).flatMap(({ preferred, versions }) => preferred ?? versions[0] ?? [])];
      const responses = await Promise.allSettled(versions.map(groupVersion));
      return {
        kinds: responses.flatMap((response) => (response.status === 'fulfilled' ? response.value : [])),
        failed: versions.filter((_, index) => responses[index]?.status === 'rejected'),
      };
    },
    forget(apiVersion) {
      for (const version of apiVersion === undefined ? [...known.keys()] : [apiVersion]) {
        known.delete(version);
        counts.delete(version);
      }
    },
  };
}

/** Undefined if the response is not a list of kinds; without kinds that have no name. */
function kindsIn(response: unknown, apiVersion: string): ServedKind[] | undefined {
  const resources = isFields(response) ? (response['resources'] ?? []) : undefined;
  if (!Array.isArray(resources)) return undefined;
  return resources
    .filter(isFields)
    .flatMap(({ name, kind, namespaced, verbs }): ServedKind | readonly [] =>
      isText(name) && !name.includes('/') && isText(kind) && Array.isArray(verbs)
        ? { apiVersion, kind, plural: name, namespaced: namespaced === true, verbs: verbs.filter(isText) }
        : [],
    );
}

/** An API group; group-versions as in `apps/v1`. */
interface Group {
  readonly versions: readonly string[];
  readonly preferred: string | undefined;
}

function groupsIn(response: unknown): Group[] | undefined {
  const groups = isFields(response) ? response['groups'] : undefined;
  if (!Array.isArray(groups)) return undefined;
  return groups.filter(isFields).map(({ versions, preferredVersion }) => ({
    versions: (Array.isArray(versions) ? versions.filter(isFields) : []).flatMap(groupVersionIn),
    preferred: isFields(preferredVersion) ? groupVersionIn(preferredVersion)[0] : undefined,
  }));
}

const groupVersionIn = ({ groupVersion }: Fields): readonly string[] => (isText(groupVersion) ? [groupVersion] : []);

const isText = (value: unknown): value is string => typeof value === 'string';
