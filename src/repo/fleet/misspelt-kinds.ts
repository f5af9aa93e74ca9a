import { error, type Issue, warning } from '../../api/issue.ts';
import type { Manifest, ObjectRef } from '../../api/meta.ts';
import { nearest } from '../../api/syntax.ts';
import { apiVersionOf, groupVersionOf } from '../../engine/selection/group-version.ts';
import { builtInGroups, builtInKinds } from '../../engine/selection/scope.ts';
import { stableVersion } from '../schemas/built-in-shapes.ts';

/** A kind of Kubernetes, where one that it does not have means it: a misspelt one, or one in the group of others. */
function builtInMeant({ apiVersion, kind }: Pick<ObjectRef, 'apiVersion' | 'kind'>) {
  const { group, version } = groupVersionOf(apiVersion);
  const ofGroup = builtInKinds(group);
  const like = nearest(kind, ofGroup);
  if (like !== undefined) return { apiVersion, kind: like };
  const homes = builtInGroups(kind);
  // Groups of CRDs have a dot.
  const home =
    homes.find((of) => isNearly(group, of)) ?? (ofGroup.length > 0 || !group.includes('.') ? homes[0] : undefined);
  if (home === undefined) return undefined;
  return { apiVersion: apiVersionOf(home, stableVersion(home, kind, version) ?? 'v1'), kind };
}

/** The object as it is written; also the one that a misspelt kind or group means, so that it is not taken for removed. */
export function meantRefs(ref: ObjectRef): readonly ObjectRef[] {
  const meant = builtInMeant(ref);
  return meant === undefined || (meant.kind === ref.kind && meant.apiVersion === ref.apiVersion)
    ? [ref]
    : [ref, { ...ref, ...meant }];
}

/**
 * A kind that is nearly a built-in one would be added as another object, and the one that is meant removed. Others may be newer kinds of
 * Kubernetes.
 */
export function misspeltKind({ apiVersion, kind }: Manifest): Issue[] {
  const meant = builtInMeant({ apiVersion, kind });
  if (meant === undefined) return [];
  const { group } = groupVersionOf(apiVersion);
  // Old API servers have that group.
  const issue = group === 'extensions' ? warning : error;
  const message = `there is no kind ${kind} in ${group === '' ? 'the core group' : group}`;
  const [field, fix] = meant.kind === kind ? ['apiVersion', meant.apiVersion] : ['kind', meant.kind];
  return [issue('unknown-kind', [field], message, `did you mean ${fix}?`)];
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
