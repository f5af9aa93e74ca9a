import { error, type Issue, warning } from '../../api/issue.ts';
import type { Manifest, ObjectRef } from '../../api/meta.ts';
import { nearest } from '../../api/syntax.ts';
import { apiVersionOf, groupVersionOf } from '../../engine/selection/group-version.ts';
import { builtInGroups, builtInKinds } from '../../engine/selection/scope.ts';
import { stableVersion } from '../schemas/built-in-shapes.ts';

/** The built-in kind that a kind of the same group is too similar to for a newer one. */
export const misspeltOf = ({ apiVersion, kind }: Pick<ObjectRef, 'apiVersion' | 'kind'>): string | undefined =>
  nearest(kind, builtInKinds(groupVersionOf(apiVersion).group));

/**
 * A kind that is nearly a built-in one would be added as another object, and the one that is meant removed. Others may be newer kinds of
 * Kubernetes.
 */
export function misspeltKind({ apiVersion, kind }: Manifest): Issue[] {
  const { group, version } = groupVersionOf(apiVersion);
  const message = `there is no kind ${kind} in ${group === '' ? 'the core group' : group}`;
  const like = misspeltOf({ apiVersion, kind });
  if (like !== undefined) return [error('unknown-kind', ['kind'], message, `did you mean ${like}?`)];
  const homes = builtInGroups(kind);
  const isOfKubernetes = group === 'extensions' || builtInKinds(group).length > 0;
  const home = isOfKubernetes ? homes[0] : homes.find((of) => isNearly(group, of));
  if (home === undefined) return [];
  const written = apiVersionOf(home, stableVersion(home, kind, version) ?? 'v1');
  // Old API servers have that group, and others may be of CRDs.
  const issue = isOfKubernetes && group !== 'extensions' ? error : warning;
  return [issue('unknown-kind', ['apiVersion'], message, `did you mean ${written}?`)];
}

/** `networking` and `networking.k8s.oi` for `networking.k8s.io`, and `policy.k8s.io` for `policy`. */
const isNearly = (group: string, home: string): boolean =>
  home !== '' && (home.startsWith(`${group}.`) || group === `${home}.k8s.io` || nearest(group, [home]) !== undefined);

/** A version that API servers do not have, or that old ones alone have. Kinds without a stable version may gain one. */
export function unservedVersion({ apiVersion, kind }: Manifest): Issue[] {
  const { group, version } = groupVersionOf(apiVersion);
  const stable = stableVersion(group, kind, version);
  if (stable === undefined || stable === version) return [];
  const message = `current versions of Kubernetes do not serve ${kind} in ${apiVersion}`;
  return [warning('unserved-version', ['apiVersion'], message, `write ${apiVersionOf(group, stable)}`)];
}
