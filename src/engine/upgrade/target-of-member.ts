import { formatVersion, parseVersion, reaches } from '../../api/kubernetes-version.ts';
import type { ObservedPool } from '../../api/observed-versions.ts';
import type { UpgradeType } from '../../api/upgrade-fields.ts';
import { shortList } from '../kernel/short-list.ts';
import { type PoolImage, poolImages } from './pool-images.ts';
import { type VersionStep, versionStep } from './version-step.ts';
import type { MemberProblem, MemberVersions, WantedUpgrade } from './wanted-upgrade.ts';

/** Versions that an operation changes. */
export interface VersionChange {
  /** Absent = it stays as it is. `v1.31` = the provider's newest patch of it, where no catalog says which. */
  readonly controlPlane?: string;
  readonly pools: readonly PoolChange[];
}

export interface PoolChange {
  readonly name: string;
  /** Absent = it stays as it is. */
  readonly kubernetes?: string;
  /** Absent with `kubernetes` = the provider's own for that version; absent without it = the provider's newest. */
  readonly image?: string;
}

export type TargetOfMember = MemberStart | { readonly kind: 'at-target'; readonly message: string } | MemberProblem;

export interface MemberStart {
  readonly kind: 'start';
  /** Of this operation: a hop is ControlPlaneOnly, or Full where pools have to follow. */
  readonly type: UpgradeType;
  readonly to: VersionChange;
  /** The operation is one of several: the run's target is not reached by it. */
  readonly hop: boolean;
  /** Names pools that the operation leaves as they are. */
  readonly message: string | undefined;
  readonly warnings: readonly { readonly reason: 'NodeImageOOSLA'; readonly message: string }[];
}

/** What one member has to do next for a run, by its versions alone. Nothing is ever set to an older version or image. */
export function targetOfMember(wanted: WantedUpgrade, member: MemberVersions): TargetOfMember {
  const images: Images = wanted.type === 'ControlPlaneOnly' ? new Map() : poolImages(wanted.images, member);
  const step = versionStep(wanted, member, ({ name }) => images.get(name)?.kind !== 'untouched');
  const problem = firstProblem(step, images);
  if (problem || step.kind !== 'step') return problem ?? (step as MemberProblem);
  const pools = (member.versions?.pools ?? []).flatMap((pool) =>
    poolChange(pool, { step, image: images.get(pool.name), type: wanted.type }),
  );
  // Of a member of which nothing is known, the provider finds out what its newest images are.
  const mayHavePools = member.versions === undefined && wanted.type === 'NodeImageOnly';
  if (!step.controlPlane && pools.length === 0 && !mayHavePools)
    return { kind: 'at-target', message: atTargetText(wanted, images) };
  const isHop = step.hop !== undefined;
  return {
    kind: 'start',
    type: step.hop ?? wanted.type,
    to: { ...(step.controlPlane && { controlPlane: formatVersion(step.controlPlane) }), pools },
    hop: isHop,
    message: isHop ? undefined : leftText(pools, images),
    warnings: isHop ? [] : outOfSla(images, member),
  };
}

type Images = ReadonlyMap<string, PoolImage>;

/** In this order they count. */
const problemKinds: readonly string[] = ['skip', 'fail', 'wait'] satisfies MemberProblem['kind'][];

function firstProblem(step: VersionStep | MemberProblem, images: Images): MemberProblem | undefined {
  const found = [step, ...images.values()].filter((of): of is MemberProblem => problemKinds.includes(of.kind));
  return found.sort((a, b) => problemKinds.indexOf(a.kind) - problemKinds.indexOf(b.kind))[0];
}

interface ForPool {
  readonly step: VersionStep;
  readonly image: PoolImage | undefined;
  readonly type: UpgradeType;
}

function poolChange({ name, kubernetes, image }: ObservedPool, to: ForPool): readonly PoolChange[] {
  if (to.image?.kind === 'untouched') return [];
  const current = kubernetes === undefined ? undefined : parseVersion(kubernetes);
  const wanted = to.step.pools;
  const moves = wanted !== undefined && !(current && reaches(current, wanted));
  const version = moves ? { kubernetes: formatVersion(wanted) } : {};
  if (to.step.hop !== undefined) return moves ? [{ name, ...version }] : [];
  switch (to.image?.kind) {
    case 'image':
      return [{ name, ...version, image: to.image.image }];
    case 'reached':
      // Another Kubernetes version makes new nodes, which must not get an older image.
      return moves ? [{ name, ...version, ...(image !== undefined && { image }) }] : [];
    default:
      return moves || to.type === 'NodeImageOnly' ? [{ name, ...version }] : [];
  }
}

function atTargetText({ type, kubernetesVersion }: WantedUpgrade, images: Images): string {
  const isNone = images.size > 0 && images.values().every(({ kind }) => kind === 'untouched');
  if (type === 'NodeImageOnly')
    return isNone ? 'no pool has an image of a family that is listed' : 'all node images are at or ahead of the target';
  const what = type === 'Full' ? 'control plane and pools are' : 'control plane is';
  return `${what} at or ahead of ${kubernetesVersion}`;
}

function leftText(changed: readonly PoolChange[], images: Images): string | undefined {
  const left = [...images].filter(([name]) => !changed.some((pool) => pool.name === name));
  const [untouched, reached] = [true, false].map((isUntouched) =>
    left.filter(([, { kind }]) => (kind === 'untouched') === isUntouched).map(([name]) => name),
  );
  const texts = [
    ...(reached!.length > 0 ? [`pools already at or ahead of the target: ${shortList(reached!)}`] : []),
    ...(untouched!.length > 0 ? [`pools whose image family is not listed stay: ${shortList(untouched!)}`] : []),
  ];
  return texts.length > 0 ? texts.join('; ') : undefined;
}

/** AKS refuses images that were released longer ago. */
const imageSlaMs = 90 * 86_400_000;

function outOfSla(images: Images, { nowMs }: MemberVersions): MemberStart['warnings'] {
  const old = [...images.values()].flatMap((of) =>
    of.kind === 'image' && of.known?.released !== undefined && of.known.released + imageSlaMs < nowMs ? [of.image] : [],
  );
  return [...new Set(old)].map((image) => ({
    reason: 'NodeImageOOSLA',
    message: `node image ${image} was released more than 90 days ago`,
  }));
}
