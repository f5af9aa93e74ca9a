import { type NodeImage, parseNodeImage } from '../../api/node-image.ts';
import type { ObservedVersions } from '../../api/observed-versions.ts';
import { by } from '../kernel/ordering.ts';
import { knownImage, type RegionCatalog } from './catalog.ts';

export interface ConsistentImages {
  /** One of each family, by name: `status.nodeImageSelection.selectedNodeImageVersions`. */
  readonly selected: readonly string[];
  /** Families that have no image in common: members with such a pool are skipped. */
  readonly without: readonly string[];
}

interface Member {
  /** Undefined, or without pools = it was never observed: it may have pools of any family that its region has. */
  readonly versions: ObservedVersions | undefined;
  readonly catalog: RegionCatalog | undefined;
}

/**
 * Of each image family the newest image that every region has where some member has a pool of it. Regions whose images are not
 * known are left out: one of them must not leave all others without images. `targetOfMember` skips their members.
 */
export function consistentImages(members: readonly Member[]): ConsistentImages {
  const observed = catalogsByFamily(members, observedFamilies);
  const possible = catalogsByFamily(members, possibleFamilies);
  const newest = [...possible].sort(by(([family]) => family)).map(([family, catalogs]) => ({
    family,
    // What a member may have must not leave those without an image that have the family.
    image: newestInAll(family, catalogs) ?? newestInAll(family, observed.get(family) ?? []),
  }));
  return {
    selected: newest.flatMap(({ image }) => image?.text ?? []),
    without: newest.flatMap(({ family, image }) => (image ? [] : [family])),
  };
}

type CatalogsByFamily = ReadonlyMap<string, ReadonlySet<RegionCatalog>>;

/** Families of all pools, each with the catalogs of the regions that have pools of it. */
function catalogsByFamily(
  members: readonly Member[],
  familiesOf: (member: Member) => Iterable<string>,
): CatalogsByFamily {
  const found = new Map<string, Set<RegionCatalog>>();
  for (const member of members)
    for (const family of familiesOf(member)) {
      const catalogs = found.get(family) ?? new Set();
      if (member.catalog && member.catalog.images.size > 0) catalogs.add(member.catalog);
      found.set(family, catalogs);
    }
  return found;
}

const observedFamilies = ({ versions }: Member): string[] =>
  (versions?.pools ?? []).flatMap(({ image = '' }) => parseNodeImage(image)?.family ?? []);

/** Images are selected once: a member that was not observed by then must find those of its pools among them. */
const possibleFamilies = (member: Member): Iterable<string> =>
  member.versions?.pools === undefined ? (member.catalog?.images.keys() ?? []) : observedFamilies(member);

function newestInAll(family: string, catalogs: Iterable<RegionCatalog>): NodeImage | undefined {
  const [first, ...others] = catalogs;
  return first?.images
    .get(family)
    ?.findLast(({ image }) => others.every((catalog) => knownImage(catalog, image) !== undefined))?.image;
}
