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
  readonly versions: ObservedVersions | undefined;
  readonly catalog: RegionCatalog | undefined;
}

/**
 * Of each image family the newest image that every region has where some member has a pool of it. Regions whose images are not
 * known are left out: one of them must not leave all others without images. `targetOfMember` skips their members.
 */
export function consistentImages(members: readonly Member[]): ConsistentImages {
  const families = [...catalogsByFamily(members)].sort(by(([family]) => family));
  const newest = families.map(([family, catalogs]) => ({ family, image: newestInAll(family, [...catalogs]) }));
  return {
    selected: newest.flatMap(({ image }) => image?.text ?? []),
    without: newest.flatMap(({ family, image }) => (image ? [] : [family])),
  };
}

/** Families of all pools, each with the catalogs of the regions that have pools of it. */
function catalogsByFamily(members: readonly Member[]): ReadonlyMap<string, ReadonlySet<RegionCatalog>> {
  const found = new Map<string, Set<RegionCatalog>>();
  for (const { versions, catalog } of members)
    for (const { image } of versions?.pools ?? []) {
      const family = image === undefined ? undefined : parseNodeImage(image)?.family;
      if (family === undefined) continue;
      const catalogs = found.get(family) ?? new Set();
      if (catalog && catalog.images.size > 0) catalogs.add(catalog);
      found.set(family, catalogs);
    }
  return found;
}

function newestInAll(family: string, catalogs: readonly RegionCatalog[]): NodeImage | undefined {
  const [first, ...others] = catalogs;
  return first?.images
    .get(family)
    ?.findLast(({ image }) => others.every((catalog) => knownImage(catalog, image) !== undefined))?.image;
}
