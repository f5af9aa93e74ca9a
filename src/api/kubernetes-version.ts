/** A Kubernetes version as servers, nodes, catalogs and runs write it. */
export interface KubernetesVersion {
  readonly major: number;
  readonly minor: number;
  /** Absent = the minor, whatever patch of it. */
  readonly patch: number | undefined;
  /** `rc.1`: before the release itself. */
  readonly preRelease: string | undefined;
  /** What a vendor adds: `+k3s1`, `-gke.1200`, with its sign. */
  readonly build: string | undefined;
}

/** Reads `1.31`, `v1.31.5`, `v1.31.5-rc.1`, `v1.31.5+k3s1`, `v1.31.5-eks-1234abc`; undefined for anything else. */
export function parseVersion(text: string): KubernetesVersion | undefined {
  const match = /^[vV]?(\d+)\.(\d+)(?:\.(\d+)(?:-((?:alpha|beta|rc)(?:\.\d+)*))?([-+].+)?)?$/.exec(text.trim());
  if (!match) return undefined;
  const [, major, minor, patch, preRelease, build] = match;
  return {
    major: Number(major),
    minor: Number(minor),
    patch: patch === undefined ? undefined : Number(patch),
    preRelease,
    build,
  };
}

/** `v1.31.5`, `v1.31`, with what was added. */
export const formatVersion = ({ major, minor, patch, preRelease, build }: KubernetesVersion): string =>
  `v${major}.${minor}${patch === undefined ? '' : `.${patch}`}${preRelease === undefined ? '' : `-${preRelease}`}${build ?? ''}`;

/** A minor, or a version for its minor. */
export type Minor = Pick<KubernetesVersion, 'major' | 'minor'>;

/** `1.31`. */
export const formatMinor = ({ major, minor }: Minor): string => `${major}.${minor}`;

/**
 * Below 0 where `a` is older than `b`. A minor without a patch comes before all its patches, a pre-release before its release. What a
 * vendor adds counts only where both have it, and its numbers count as numbers.
 */
export function compareVersions(a: KubernetesVersion, b: KubernetesVersion): number {
  return (
    a.major - b.major ||
    a.minor - b.minor ||
    (a.patch ?? -1) - (b.patch ?? -1) ||
    comparePreReleases(a.preRelease, b.preRelease) ||
    (a.build === undefined || b.build === undefined ? 0 : compareNatural(a.build, b.build))
  );
}

/** Whether a version is the wanted one or past it. Of a wanted minor every patch is. */
export const reaches = (version: KubernetesVersion, wanted: KubernetesVersion): boolean =>
  wanted.patch === undefined ? minorsBetween(wanted, version) >= 0 : compareVersions(version, wanted) >= 0;

/** How many minors `to` is ahead of `from`; negative where it is behind. Another major is infinitely far away. */
export const minorsBetween = (from: Minor, to: Minor): number =>
  from.major === to.major ? to.minor - from.minor : (to.major - from.major) * Number.POSITIVE_INFINITY;

function comparePreReleases(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return compareNatural(a, b);
}

/** Numbers in the texts count as numbers: rc.2 comes before rc.10. */
function compareNatural(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const [one = '', other = ''] = [left[at], right[at]];
    if (one === other) continue;
    const [first, second] = [Number(one), Number(other)];
    if (one !== '' && other !== '' && !Number.isNaN(first) && !Number.isNaN(second)) {
      if (first !== second) return first - second;
    } else return one < other ? -1 : 1;
  }
  return 0;
}

const partsOf = (text: string): string[] => text.match(/\d+|\D+/g) ?? [];
