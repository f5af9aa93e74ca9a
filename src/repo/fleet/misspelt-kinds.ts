import { error, type Issue, warning } from '../../api/issue.ts';
import type { Manifest, ObjectRef } from '../../api/meta.ts';
import { nearest } from '../../api/syntax.ts';
import { isGoneEverywhere } from '../../engine/kernel/removed-apis.ts';
import { apiVersionOf, groupVersionOf, isVersion } from '../../engine/selection/group-version.ts';
import { builtInKinds, groupMeant } from '../../engine/selection/scope.ts';
import { stableVersion } from '../schemas/built-in-shapes.ts';
import { type CrdKinds, servedInstead } from './scopes.ts';

/** A kind of Kubernetes, where one that it does not have means it: a misspelt one, or one in the group of others. */
function builtInMeant({ apiVersion, kind }: Pick<ObjectRef, 'apiVersion' | 'kind'>) {
  const { group, version } = groupVersionOf(apiVersion);
  const like = nearest(kind, builtInKinds(group));
  if (like !== undefined) return { apiVersion, kind: like };
  const home = groupMeant(group, kind);
  if (home === undefined) return undefined;
  return { apiVersion: apiVersionOf(home, stableVersion(home, kind, version) ?? 'v1'), kind };
}

const karpenterKinds: ReadonlyMap<string, string> = new Map([
  ['NodePool', 'karpenter.sh/v1'],
  ['NodeClaim', 'karpenter.sh/v1'],
  ['AKSNodeClass', 'karpenter.azure.com/v1beta1'],
]);

/** A kind of Karpenter, as above. NodePools of other projects have other groups. */
function karpenterMeant({ apiVersion, kind }: Pick<ObjectRef, 'apiVersion' | 'kind'>) {
  const { group } = groupVersionOf(apiVersion);
  const like = group.startsWith('karpenter') ? nearest(kind, [...karpenterKinds.keys()]) : undefined;
  if (like === undefined) return undefined;
  const home = karpenterKinds.get(like)!;
  if (groupVersionOf(home).group !== group) return like === kind ? { apiVersion: home, kind } : undefined;
  return like === kind ? undefined : { apiVersion, kind: like };
}

const kindMeant = (ref: Pick<ObjectRef, 'apiVersion' | 'kind'>) => builtInMeant(ref) ?? karpenterMeant(ref);

/** The object as it is written; also the one that a misspelt kind or group means, so that it is not taken for removed. */
export function meantRefs(ref: ObjectRef): readonly ObjectRef[] {
  const meant = kindMeant(ref);
  return meant === undefined || (meant.kind === ref.kind && meant.apiVersion === ref.apiVersion)
    ? [ref]
    : [ref, { ...ref, ...meant }];
}

/** The manifest with the kind that a misspelt one means. */
export const meantManifest = (manifest: Manifest): Manifest => ({ ...manifest, ...builtInMeant(manifest) });

/**
 * A kind that is nearly a built-in one would be added as another object, and the one that is meant removed. Others may be newer kinds of
 * Kubernetes.
 */
export function misspeltKind({ apiVersion, kind }: Manifest): Issue[] {
  const meant = kindMeant({ apiVersion, kind });
  if (meant === undefined) return [];
  const { group } = groupVersionOf(apiVersion);
  const message = `there is no kind ${kind} in ${group === '' ? 'the core group' : group}`;
  const [field, fix] = meant.kind === kind ? ['apiVersion', meant.apiVersion] : ['kind', meant.kind];
  return [error('unknown-kind', [field], message, `did you mean ${fix}?`)];
}

/**
 * A version that API servers do not have, or that old ones alone have. Kinds without a stable version may gain one. It is an error where
 * no member can have it: applied under another version it is the same object, so that it would be taken from members instead.
 */
export function unservedVersion({ apiVersion, kind }: Manifest): Issue[] {
  const { group, version } = groupVersionOf(apiVersion);
  const stable = stableVersion(group, kind, version);
  if (stable === undefined || stable === version) return [];
  const message = `current versions of Kubernetes do not serve ${kind} in ${apiVersion}`;
  const fix = `write ${apiVersionOf(group, stable)}`;
  const isSure = isGoneEverywhere({ apiVersion, kind }) || !isVersion(version);
  return [(isSure ? error : warning)('unserved-version', ['apiVersion'], message, fix)];
}

/** A version that the repo's own CRD of the kind does not serve. Members may have another CRD, so it is a warning. */
export function undeclaredVersion(manifest: Manifest, crds: CrdKinds): Issue[] {
  const served = servedInstead(manifest, crds);
  if (served === undefined) return [];
  const message = `the CRD in this repo does not serve ${manifest.kind} in ${manifest.apiVersion}`;
  const fix = served.length === 0 ? 'set served: true in the CRD' : `write ${served.join(' or ')}`;
  return [warning('unserved-version', ['apiVersion'], message, fix)];
}
