import { type VersionCatalog, versionCatalog } from '../../../src/api/version-catalog.ts';
import { catalogOf, type RegionCatalog } from '../../../src/engine/upgrade/catalog.ts';

type Region = VersionCatalog['spec']['regions'][number];
type Written = {
  readonly kubernetes?: readonly (string | Partial<Region['kubernetesVersions'][number]>)[];
  readonly images?: readonly (string | Partial<Region['nodeImageVersions'][number]>)[];
};

const entry = (of: string | object) => (typeof of === 'string' ? { version: of } : of);

/** A catalog with these regions. */
export const versionCatalogOf = (
  regions: Readonly<Record<string, Written>>,
  spec: Partial<VersionCatalog['spec']> = {},
): VersionCatalog =>
  versionCatalog.parse({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'VersionCatalog',
    metadata: { name: 'catalog' },
    spec: {
      ...spec,
      regions: Object.entries(regions).map(([name, { kubernetes = [], images = [] }]) => ({
        name,
        kubernetesVersions: kubernetes.map(entry),
        nodeImageVersions: images.map(entry),
      })),
    },
  });

/** What is known of one region, `westeurope` unless named. */
export const regionCatalog = (
  written: Written,
  region = 'westeurope',
  spec: Partial<VersionCatalog['spec']> = {},
): RegionCatalog => catalogOf([versionCatalogOf({ [region]: written }, spec)], region, undefined)!;
