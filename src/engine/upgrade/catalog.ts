import {
  compareVersions,
  type KubernetesVersion,
  type Minor,
  minorsBetween,
  parseVersion,
} from '../../api/kubernetes-version.ts';
import { compareNodeImages, type NodeImage, parseNodeImage } from '../../api/node-image.ts';
import type { VersionCatalog } from '../../api/version-catalog.ts';
import { type Instant, parseInstant } from '../kernel/instant.ts';
import { memoize } from '../kernel/memoize.ts';

/** What is known of one region for one provider. */
export interface RegionCatalog {
  readonly region: string;
  /** Ascending. Empty = nothing is known of Kubernetes versions there. */
  readonly kubernetes: readonly KnownVersion[];
  /** Of each family ascending. Empty = nothing is known of node images there. */
  readonly images: ReadonlyMap<string, readonly KnownImage[]>;
  readonly releaseTracker: string | undefined;
}

export interface KnownVersion {
  readonly version: KubernetesVersion;
  readonly preview: boolean;
  readonly lts: boolean;
  /** The first instant at which it is no longer supported. */
  readonly endOfSupport: Instant | undefined;
}

export interface KnownImage {
  readonly image: NodeImage;
  readonly released: Instant | undefined;
}

/**
 * All catalogs of a region together, those of other providers left out. Undefined = nothing is known of it. The same value for the
 * same region and provider of one list of catalogs.
 */
export function catalogOf(
  catalogs: readonly VersionCatalog[],
  region: string | undefined,
  provider: string | undefined,
): RegionCatalog | undefined {
  if (region === undefined) return undefined;
  const known = read(catalogs);
  const key = `${provider ?? ''} ${region}`;
  if (!known.has(key)) known.set(key, readRegion(catalogs, region, provider));
  return known.get(key);
}

/** The newest patch of a minor that is generally available; undefined = there is none. */
export const newestPatch = (catalog: RegionCatalog, minor: Minor): KubernetesVersion | undefined =>
  catalog.kubernetes.findLast(({ version, preview }) => !preview && isOf(version, minor))?.version;

/**
 * The version that is there for a wanted one: of a minor its newest patch, of a patch the newest build. A preview is there for those
 * who name its patch. Undefined = there is none.
 */
export const resolve = (catalog: RegionCatalog, wanted: KubernetesVersion): KubernetesVersion | undefined =>
  wanted.patch === undefined
    ? newestPatch(catalog, wanted)
    : catalog.kubernetes.findLast(({ version }) => compareVersions(version, wanted) === 0)?.version;

/** The newest minor that is generally available; undefined = there is none. */
export const newestMinor = (catalog: RegionCatalog): KubernetesVersion | undefined =>
  catalog.kubernetes.findLast(({ preview }) => !preview)?.version;

/**
 * The oldest minor past another one that is generally available and supported; undefined = there is none. Older ones may be supported
 * for longer, or stand in the catalog as history without an end.
 */
export const oldestSupported = (
  catalog: RegionCatalog,
  { at, past }: { readonly at: Instant; readonly past: Minor },
): Minor | undefined =>
  catalog.kubernetes.find(
    ({ version, preview }) => !preview && minorsBetween(past, version) > 0 && !isPastSupport(catalog, version, at),
  )?.version;

/** When the support of a minor ends, which is the last end that is known of its patches; undefined = none is known. */
export function endOfSupport(catalog: RegionCatalog, minor: Minor): Instant | undefined {
  const ends = catalog.kubernetes.flatMap(({ version, endOfSupport: end }) =>
    end !== undefined && isOf(version, minor) ? [end] : [],
  );
  return ends.length > 0 ? Math.max(...ends) : undefined;
}

export function isPastSupport(catalog: RegionCatalog, minor: Minor, at: Instant): boolean {
  const end = endOfSupport(catalog, minor);
  return end !== undefined && end <= at;
}

/** Whether a minor has long-term support. */
export const isLts = (catalog: RegionCatalog, minor: Minor): boolean =>
  catalog.kubernetes.some(({ version, lts }) => lts && isOf(version, minor));

/** Whether only clusters with long-term support may have a minor: the support of its patches without `lts`, if it has any, is over. */
export function isLtsOnly({ kubernetes }: Pick<RegionCatalog, 'kubernetes'>, minor: Minor, at: Instant): boolean {
  const patches = kubernetes.filter(({ version }) => isOf(version, minor));
  if (!patches.some(({ lts }) => lts)) return false;
  const others = patches.filter(({ lts }) => !lts);
  const ends = (others.length > 0 ? others : patches).flatMap(({ endOfSupport: end }) => end ?? []);
  return ends.length > 0 && Math.max(...ends) <= at;
}

/** The newest image of a family; undefined = there is none. */
export const newestImage = (catalog: RegionCatalog, family: string): NodeImage | undefined =>
  catalog.images.get(family)?.at(-1)?.image;

/** An image that is there; undefined = it is not. */
export const knownImage = (catalog: RegionCatalog, wanted: NodeImage): KnownImage | undefined =>
  catalog.images.get(wanted.family)?.find(({ image }) => compareNodeImages(image, wanted) === 0);

const isOf = (version: KubernetesVersion, minor: Minor): boolean =>
  version.major === minor.major && version.minor === minor.minor;

/** By provider and region. */
const read = memoize((_: readonly VersionCatalog[]) => new Map<string, RegionCatalog | undefined>());

function readRegion(
  catalogs: readonly VersionCatalog[],
  region: string,
  provider: string | undefined,
): RegionCatalog | undefined {
  const applicable = catalogs.filter(({ spec }) => spec.provider === undefined || spec.provider === provider);
  const found = applicable.flatMap(({ spec }) => spec.regions.filter(({ name }) => name === region));
  if (found.length === 0) return undefined;
  const images = found.flatMap(({ nodeImageVersions }) => nodeImageVersions.flatMap(knownImageOf));
  return {
    region,
    kubernetes: found
      .flatMap(({ kubernetesVersions }) => kubernetesVersions.flatMap(knownVersionOf))
      .sort((a, b) => compareVersions(a.version, b.version)),
    images: new Map(
      [...Map.groupBy(images, ({ image }) => image.family)].map(([family, of]) => [
        family,
        of.sort((a, b) => compareNodeImages(a.image, b.image) ?? 0),
      ]),
    ),
    releaseTracker: applicable.find(({ spec }) => spec.releaseTracker !== undefined)?.spec.releaseTracker,
  };
}

type WrittenRegion = VersionCatalog['spec']['regions'][number];

function knownVersionOf({
  version,
  preview,
  lts,
  endOfSupport,
}: WrittenRegion['kubernetesVersions'][number]): readonly KnownVersion[] {
  const parsed = parseVersion(version);
  if (!parsed) return [];
  const end = endOfSupport === undefined ? undefined : instantOf(endOfSupport, 'end');
  return [{ version: parsed, preview: preview || parsed.preRelease !== undefined, lts, endOfSupport: end }];
}

function knownImageOf({ version, released }: WrittenRegion['nodeImageVersions'][number]): readonly KnownImage[] {
  const image = parseNodeImage(version);
  return image ? [{ image, released: released === undefined ? undefined : instantOf(released, 'begin') }] : [];
}

/** The instant, or where a day begins or ends in UTC. */
function instantOf(day: string, which: 'begin' | 'end'): Instant {
  if (day.includes('T')) return parseInstant(day)!;
  return parseInstant(`${day}T00:00:00Z`)! + (which === 'end' ? 86_400_000 : 0);
}
