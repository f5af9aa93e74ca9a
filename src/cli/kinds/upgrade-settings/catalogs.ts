import { compareVersions, formatVersion, parseVersion } from '../../../api/kubernetes-version.ts';
import type { VersionCatalog } from '../../../api/version-catalog.ts';
import { fleetAsPlanned } from '../../status/fleet-as-planned.ts';
import { table } from '../../terminal/table.ts';
import { namesOfKind } from '../kind-words.ts';
import { type Listing, listing } from '../listing.ts';
import { fields, titled } from '../page-text.ts';

type Region = VersionCatalog['spec']['regions'][number];

/** VersionCatalogs of the commit that was planned from: which versions and node images exist where. */
export const catalogs: Listing = listing<VersionCatalog>({
  names: namesOfKind('catalogs'),
  folders: [],
  items: async (status, reader) => (await fleetAsPlanned(status, reader))?.versionCatalogs ?? [],
  describe: (catalog) => ({ name: catalog.metadata.name, value: catalog }),
  page: catalogPage,
  columns: [
    { heading: 'PROVIDER', cell: ({ spec }) => spec.provider ?? 'any' },
    { heading: 'REGIONS', cell: ({ spec }) => spec.regions.length },
    { heading: 'NEWEST', cell: newestOf },
  ],
});

function catalogPage(catalog: VersionCatalog): string[] {
  const { kind, metadata, spec } = catalog;
  return [
    fields([
      ['Name', metadata.name],
      ['Kind', kind],
      ['Provider', spec.provider ?? 'any'],
      ['Release tracker', spec.releaseTracker],
    ]),
    ...spec.regions.map((region) => titled(`Region ${region.name}`, regionText(region))),
  ];
}

function regionText({ kubernetesVersions, nodeImageVersions }: Region): string {
  const versions = kubernetesVersions.map(({ version, released, preview, lts, endOfSupport }) => [
    version,
    released,
    endOfSupport,
    [...(preview ? ['preview'] : []), ...(lts ? ['long-term support'] : [])].join(', '),
  ]);
  const images = nodeImageVersions.map(({ version, released }) => [version, released]);
  return [
    ...(versions.length === 0 ? [] : [table(['KUBERNETES', 'RELEASED', 'END-OF-SUPPORT', 'NOTE'], versions)]),
    ...(images.length === 0 ? [] : [table(['NODE-IMAGE', 'RELEASED'], images)]),
  ].join('\n\n');
}

/** The newest generally available version that the catalog has, in any region. */
function newestOf({ spec }: VersionCatalog): string | undefined {
  const versions = spec.regions.flatMap(({ kubernetesVersions }) =>
    kubernetesVersions.flatMap(({ version, preview }) => (preview ? [] : (parseVersion(version) ?? []))),
  );
  const newest = versions.sort(compareVersions).at(-1);
  return newest && formatVersion(newest);
}
