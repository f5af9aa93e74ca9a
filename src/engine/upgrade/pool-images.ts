import { type NodeImage, parseNodeImage, reachesImage } from '../../api/node-image.ts';
import type { ObservedPool } from '../../api/observed-versions.ts';
import { type KnownImage, knownImage, newestImage } from './catalog.ts';
import { type MemberProblem, type MemberVersions, trackerText, type WantedImages } from './wanted-upgrade.ts';

/** What becomes of the node image of a pool. */
export type PoolImage =
  /** It is to be this one. */
  | { readonly kind: 'image'; readonly image: string; readonly known: KnownImage | undefined }
  /** It is at or ahead of what is wanted. */
  | { readonly kind: 'reached' }
  /** Nothing is known of its images: the provider decides. */
  | { readonly kind: 'left-to-provider' }
  /** The list has no image of its family: the pool keeps its Kubernetes version too. */
  | { readonly kind: 'untouched' }
  | MemberProblem;

/** By pool. */
export const poolImages = (wanted: WantedImages, member: MemberVersions): ReadonlyMap<string, PoolImage> =>
  new Map((member.versions?.pools ?? []).map((pool) => [pool.name, poolImage(pool, wanted, member)]));

function poolImage(pool: ObservedPool, wanted: WantedImages, member: MemberVersions): PoolImage {
  const current = pool.image === undefined ? undefined : parseNodeImage(pool.image);
  if (wanted.type === 'Latest') return pool.snapshot ? { kind: 'reached' } : latest(current, member);
  const listed = wanted.selected.map(parseNodeImage).find((image) => image && image.family === current?.family);
  if (wanted.type === 'Consistent') return consistent(pool, { current, listed }, member);
  if (!listed) return { kind: 'untouched' };
  return current && reachesImage(current, listed) ? { kind: 'reached' } : inRegion(listed, pool, member);
}

function latest(current: NodeImage | undefined, { catalog }: MemberVersions): PoolImage {
  if (!current || !catalog || catalog.images.size === 0) return { kind: 'left-to-provider' };
  const newest = newestImage(catalog, current.family);
  // A family of which nothing is listed there has nothing newer.
  if (!newest || reachesImage(current, newest)) return { kind: 'reached' };
  return { kind: 'image', image: newest.text, known: knownImage(catalog, newest) };
}

interface Images {
  readonly current: NodeImage | undefined;
  readonly listed: NodeImage | undefined;
}

function consistent(pool: ObservedPool, { current, listed }: Images, member: MemberVersions): PoolImage {
  if (!current) return notFound(`pool ${pool.name} reports no node image whose family and version can be read`);
  if (!listed)
    return notFound(`no image of ${current.family}, the family of pool ${pool.name}, is common to all regions`);
  if (reachesImage(current, listed)) return { kind: 'reached' };
  if (!member.catalog || member.catalog.images.size === 0)
    return notFound(`no VersionCatalog lists node images of ${regionText(member)}`);
  return inRegion(listed, pool, member);
}

function inRegion(image: NodeImage, pool: ObservedPool, member: MemberVersions): PoolImage {
  const { catalog } = member;
  const known = catalog && knownImage(catalog, image);
  if (known || !catalog || catalog.images.size === 0) return { kind: 'image', image: image.text, known };
  const message = `node image ${image.text} of pool ${pool.name} is not available in ${catalog.region} yet${trackerText(catalog)}`;
  return { kind: 'wait', code: 'NodeImageVersionNotAvailable', message };
}

const notFound = (message: string): PoolImage => ({ kind: 'skip', code: 'NodeImageNotFound', message });

const regionText = ({ region }: MemberVersions): string => (region === undefined ? 'an unknown region' : region);
