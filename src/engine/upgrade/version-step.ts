import {
  compareVersions,
  formatMinor,
  formatVersion,
  type KubernetesVersion,
  minorsBetween,
  parseVersion,
  reaches,
} from '../../api/kubernetes-version.ts';
import type { ObservedPool } from '../../api/observed-versions.ts';
import type { UpgradeType } from '../../api/upgrade-fields.ts';
import { assert } from '../kernel/assert.ts';
import { shortList } from '../kernel/short-list.ts';
import { newestPatch, oldestSupported, resolve } from './catalog.ts';
import {
  fallingBehind,
  isBetweenLts,
  isForLtsOnly,
  isRaisedFromEndOfSupport,
  type SkewContext,
  versionOf,
} from './version-skew.ts';
import { type MemberProblem, type MemberVersions, trackerText, type WantedUpgrade } from './wanted-upgrade.ts';

/** What becomes of the Kubernetes versions of a member by its next operation. */
export interface VersionStep {
  readonly kind: 'step';
  /** Absent = it stays as it is. */
  readonly controlPlane: KubernetesVersion | undefined;
  /** For pools that do not reach it; absent = they stay. */
  readonly pools: KubernetesVersion | undefined;
  /** Of a hop, a step on the way to what is wanted, the type of the operation. */
  readonly hop: UpgradeType | undefined;
}

const stay: VersionStep = { kind: 'step', controlPlane: undefined, pools: undefined, hop: undefined };

/**
 * The next step to the wanted Kubernetes version, by the rules of version skew: the control plane moves one minor at a time, with
 * AKS's two exceptions, and no pool may fall too far behind it. `isMovable`: the pool may get another version.
 */
export function versionStep(
  wanted: WantedUpgrade,
  member: MemberVersions,
  isMovable: (pool: ObservedPool) => boolean,
): VersionStep | MemberProblem {
  if (wanted.kubernetesVersion === undefined) return stay;
  const target = parseVersion(wanted.kubernetesVersion);
  assert(target !== undefined, `${wanted.kubernetesVersion} is a Kubernetes version`);
  const available = inRegion(target, member);
  const current = versionOf(member.versions?.controlPlane);
  if (current && reaches(current, target)) return forPools(target, available, { wanted, member, current, isMovable });
  if (available.kind === 'wait') return available;
  if (isForLtsOnly(available.version, wanted, member)) return withoutLts(available.version);
  if (!current) return wholeStep(available.version, wanted);
  return towards(available.version, { wanted, member, current, isMovable });
}

interface Present extends SkewContext {
  readonly isMovable: (pool: ObservedPool) => boolean;
}

type Available = { readonly kind: 'there'; readonly version: KubernetesVersion } | Wait;
type Wait = Extract<MemberProblem, { readonly kind: 'wait' }>;

/** The version that is there for a wanted one. Where nothing is known of the region, what is wanted. */
function inRegion(version: KubernetesVersion, { catalog }: MemberVersions): Available {
  if (!catalog || catalog.kubernetes.length === 0) return { kind: 'there', version };
  const known = resolve(catalog, version);
  if (known) return { kind: 'there', version: known };
  const what =
    version.patch === undefined
      ? `no patch of Kubernetes ${formatMinor(version)} is`
      : `Kubernetes ${formatVersion(version)} is not`;
  const message = `${what} available in ${catalog.region} yet${trackerText(catalog)}`;
  return { kind: 'wait', code: 'KubernetesVersionNotAvailable', message };
}

/** The last step: what the run says. */
const wholeStep = (version: KubernetesVersion, { type }: WantedUpgrade): VersionStep => ({
  ...stay,
  controlPlane: version,
  pools: type === 'Full' ? version : undefined,
});

/** The control plane is where it is wanted: pools may not be. */
function forPools(
  target: KubernetesVersion,
  available: Available,
  { wanted, member, current, isMovable }: Present,
): VersionStep | MemberProblem {
  const behind = member.versions?.pools?.some((pool) => {
    const version = versionOf(pool.kubernetes);
    return version !== undefined && !reaches(version, target) && isMovable(pool);
  });
  if (wanted.type !== 'Full' || !behind) return stay;
  // Every patch of a wanted minor is at target: pools get that of the control plane.
  if (target.patch === undefined || compareVersions(current, target) === 0) return { ...stay, pools: current };
  return available.kind === 'wait' ? available : { ...stay, pools: available.version };
}

function towards(target: KubernetesVersion, present: Present): VersionStep | MemberProblem {
  const { wanted, member, current } = present;
  const minors = minorsBetween(current, target);
  const distance = `control plane ${formatVersion(current)} is ${minors} minors behind ${formatVersion(target)}`;
  const notChained = `${distance}; write chainMinors: true to upgrade it minor by minor`;
  // Auto-upgrade moves no cluster by more, not even where an update run may (AKS Fleet).
  if (minors > 1 && wanted.ofProfile && !wanted.chainMinors) return tooFar(notChained, wanted);
  if (minors > 1 && isRaisedFromEndOfSupport(target, present)) return wholeStep(target, wanted);
  if (minors <= 1 || isBetweenLts(current, target, member)) {
    const leftBehind = fallingBehind(target, present);
    if (leftBehind.length === 0) return wholeStep(target, wanted);
    return poolsFirst(present) ?? tooFar(lagText(leftBehind, target), wanted);
  }
  if (!wanted.chainMinors) return tooFar(notChained, wanted);
  return nextHop(distance, present);
}

/** One minor ahead. Where pools would be too far behind at the minor after that, they come along. */
function nextHop(distance: string, present: Present): VersionStep | MemberProblem {
  const { wanted, member, current } = present;
  const { catalog, nowMs } = member;
  if (!catalog || catalog.kubernetes.length === 0)
    return tooFar(
      `${distance}, and no VersionCatalog lists the versions of ${member.region ?? 'its region'} in between`,
      wanted,
    );
  const next = { ...minorOf(current), minor: current.minor + 1 };
  const oldest = oldestSupported(catalog, { at: nowMs, past: current });
  const hop = inRegion(next, member);
  if (hop.kind === 'wait') {
    // Minors in between may be gone for good; support rules then allow one step to the oldest that is supported.
    const raised = oldest && newestPatch(catalog, oldest);
    if (raised && isRaisedFromEndOfSupport(raised, present)) return hopOf('Full', raised);
    return hop;
  }
  if (isForLtsOnly(hop.version, wanted, member)) return withoutLts(hop.version);
  if (fallingBehind(hop.version, present).length > 0)
    return poolsFirst(present) ?? tooFar(lagText(fallingBehind(hop.version, present), hop.version), wanted);
  const afterNext = { ...minorOf(current), minor: current.minor + 2 };
  return hopOf(fallingBehind(afterNext, present).length > 0 ? 'Full' : 'ControlPlaneOnly', hop.version);
}

const minorOf = ({ major, minor }: KubernetesVersion): KubernetesVersion => ({
  major,
  minor,
  patch: undefined,
  preRelease: undefined,
  build: undefined,
});

const hopOf = (type: UpgradeType, version: KubernetesVersion): VersionStep => ({
  kind: 'step',
  controlPlane: version,
  pools: type === 'Full' ? version : undefined,
  hop: type,
});

/** An operation that raises pools to the control plane, before that moves on; undefined = not asked for, or no pool can be raised. */
function poolsFirst({ wanted, member, current, isMovable }: Present): VersionStep | undefined {
  const canRise = member.versions?.pools?.some((pool) => {
    const version = versionOf(pool.kubernetes);
    return version !== undefined && !reaches(version, current) && isMovable(pool);
  });
  return wanted.chainMinors && canRise ? { ...stay, pools: current, hop: 'Full' } : undefined;
}

const lagText = (pools: readonly ObservedPool[], controlPlane: KubernetesVersion): string =>
  `${shortList(pools.map(({ name, kubernetes }) => `pool ${name} (${kubernetes})`))} would be too many minors behind a control plane ${formatVersion(controlPlane)}; upgrade pools first`;

/** Also in the run of a profile (AKS Fleet). */
const withoutLts = (version: KubernetesVersion): MemberProblem => ({
  kind: 'fail',
  code: 'UnsupportedKubernetesVersion',
  message: `${formatVersion(version)} is for clusters with long-term support, in which this one is not enrolled: enroll it, or skip it`,
});

const tooFar = (message: string, { ofProfile }: WantedUpgrade): MemberProblem =>
  ofProfile ? { kind: 'skip', code: 'TooFarBehind', message } : { kind: 'fail', code: 'MinorSkipped', message };
