import { type KubernetesVersion, minorsBetween, parseVersion } from '../../api/kubernetes-version.ts';
import type { ObservedPool } from '../../api/observed-versions.ts';
import { isLts, isLtsOnly, isPastSupport, oldestSupported } from './catalog.ts';
import type { MemberVersions, WantedUpgrade } from './wanted-upgrade.ts';

/** What the rules of version skew look at (Kubernetes' version skew policy, and AKS's exceptions). */
export interface SkewContext {
  readonly wanted: WantedUpgrade;
  readonly member: MemberVersions;
  /** Of the control plane. */
  readonly current: KubernetesVersion;
}

/** Long-term support reaches over several minors: from one that has it to another no minor in between is needed. */
export const isBetweenLts = (
  current: KubernetesVersion,
  target: KubernetesVersion,
  { versions, catalog }: MemberVersions,
): boolean => catalog !== undefined && versions?.lts !== false && isLts(catalog, current) && isLts(catalog, target);

/** Whether a version is not for a member, since it is known not to have long-term support. */
export const isForLtsOnly = (
  target: KubernetesVersion,
  { longTermSupport }: WantedUpgrade,
  { versions, catalog, nowMs }: MemberVersions,
): boolean =>
  versions?.lts === false && (longTermSupport || (catalog !== undefined && isLtsOnly(catalog, target, nowMs)));

/** What is no longer supported may go to the oldest minor that is, pools and all. */
export function isRaisedFromEndOfSupport(target: KubernetesVersion, { wanted, member, current }: SkewContext): boolean {
  const { catalog, nowMs } = member;
  const oldest = catalog && oldestSupported(catalog, { at: nowMs, past: current });
  return (
    wanted.type === 'Full' &&
    oldest !== undefined &&
    minorsBetween(oldest, target) === 0 &&
    isPastSupport(catalog!, current, nowMs)
  );
}

/** Pools that would be too far behind a control plane of this version: more than three minors, two before 1.28. */
export const fallingBehind = (controlPlane: KubernetesVersion, { member }: SkewContext): readonly ObservedPool[] =>
  (member.versions?.pools ?? []).filter(({ kubernetes }) => {
    const version = versionOf(kubernetes);
    return version !== undefined && minorsBetween(version, controlPlane) > (controlPlane.minor >= 28 ? 3 : 2);
  });

/** A version as it was observed; undefined = it was not, or cannot be read. */
export const versionOf = (text: string | undefined): KubernetesVersion | undefined =>
  text === undefined ? undefined : parseVersion(text);
