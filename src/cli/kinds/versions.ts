import { formatVersion } from '../../api/kubernetes-version.ts';
import type { MemberCluster } from '../../api/member-cluster.ts';
import { parseNodeImage } from '../../api/node-image.ts';
import type { ObservedVersions } from '../../api/observed-versions.ts';
import { labelsOf } from '../../engine/placement/members.ts';
import { catalogOf, newestImage, newestMinor, newestPatch, type RegionCatalog } from '../../engine/upgrade/catalog.ts';
import { providerAnnotation } from '../../engine/upgrade/member-annotations.ts';
import { regionOf } from '../../engine/upgrade/member-region.ts';
import { fleetAsPlanned } from '../status/fleet-as-planned.ts';
import { namesOfKind } from './kind-words.ts';
import { type Listing, listing } from './listing.ts';

/** What a cluster runs, and the newest that the VersionCatalogs have for its region. */
interface ClusterVersions {
  readonly cluster: MemberCluster;
  readonly region: string | undefined;
  readonly versions: ObservedVersions;
  readonly newest: {
    readonly kubernetes?: string;
    /** Of the families of its pools. */
    readonly images: readonly string[];
  };
}

export const versions: Listing = listing<ClusterVersions>({
  names: [...namesOfKind('versions'), 'clusterversions', 'clusterversion'],
  folders: ['clusters'],
  byRegion: true,
  async items(status, reader) {
    const catalogs = (await fleetAsPlanned(status, reader))?.versionCatalogs ?? [];
    return [...status.record.clusters.values()].map((cluster): ClusterVersions => {
      const versions = versionsOf(cluster);
      const region = regionOf(labelsOf(cluster), versions);
      const catalog = catalogOf(catalogs, region, cluster.metadata.annotations?.[providerAnnotation]);
      return { cluster, region, versions, newest: newestFor(versions, catalog) };
    });
  },
  describe: ({ cluster, region, versions, newest }) => ({
    name: cluster.metadata.name,
    region,
    value: {
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'ClusterVersions',
      metadata: { name: cluster.metadata.name, labels: cluster.metadata.labels },
      ...(region !== undefined && { region }),
      versions,
      newest,
    },
  }),
  columns: [
    { heading: 'REGION', cell: ({ region }) => region },
    { heading: 'CONTROL-PLANE', cell: ({ versions }) => versions.controlPlane },
    { heading: 'POOLS', cell: ({ versions }) => ofPools(versions, ({ kubernetes }) => kubernetes) },
    { heading: 'NEWEST', cell: ({ newest }) => newest.kubernetes },
    { heading: 'IMAGES', wide: true, cell: ({ versions }) => ofPools(versions, ({ image }) => image) },
    { heading: 'NEWEST-IMAGES', wide: true, cell: ({ newest }) => newest.images.join(',') },
  ],
});

/** Of a cluster without an upgrade provider only the version of its API server is known. */
function versionsOf({ status }: MemberCluster): ObservedVersions {
  const reported = status?.properties?.['k8s.io/k8s-version']?.value;
  return status?.versions ?? (reported === undefined ? {} : { controlPlane: String(reported) });
}

function newestFor({ pools = [] }: ObservedVersions, catalog: RegionCatalog | undefined): ClusterVersions['newest'] {
  const minor = catalog && newestMinor(catalog);
  const version = minor && newestPatch(catalog!, minor);
  const families = new Set(pools.flatMap(({ image }) => parseNodeImage(image ?? '')?.family ?? []));
  return {
    ...(version && { kubernetes: formatVersion(version) }),
    images: [...families].sort().flatMap((family) => (catalog && newestImage(catalog, family)?.text) ?? []),
  };
}

type Pool = NonNullable<ObservedVersions['pools']>[number];

/** `np1=v1.31.5,np2=v1.30.9`; where all pools have the same, that alone. */
function ofPools({ pools = [] }: ObservedVersions, textOf: (pool: Pool) => string | undefined): string | undefined {
  const [first, ...others] = pools;
  if (first && others.every((pool) => textOf(pool) === textOf(first))) return textOf(first);
  return pools.map((pool) => `${pool.name}=${textOf(pool) ?? 'unknown'}`).join(',');
}
