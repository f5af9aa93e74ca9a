import { parseVersion } from '../../api/kubernetes-version.ts';
import { parseNodeImage } from '../../api/node-image.ts';
import type { Problem } from '../../api/problem.ts';
import type { Fleet, FleetRecord } from '../../engine/input.ts';
import { memoize } from '../../engine/kernel/memoize.ts';
import { catalogOf, knownImage, type RegionCatalog, resolve } from '../../engine/upgrade/catalog.ts';
import { isOver } from '../../engine/upgrade/load-run.ts';
import { fieldWarning } from './field-warning.ts';

/**
 * Warnings about Kubernetes versions and node images that cluster update runs and profiles name and no VersionCatalog lists, where
 * catalogs list any: members wait until one does. None where an invalid file may list them, nor of runs that are over: catalogs may
 * drop what is old.
 */
export const unlistedVersions = (fleet: Fleet, { upgrades }: FleetRecord): Problem[] =>
  unlisted(fleet).flatMap(({ of, problem }) => {
    const status = of.kind === 'UpdateRun' ? upgrades.get(of.name)?.status : undefined;
    return status !== undefined && isOver(status) ? [] : [problem];
  });

interface Unlisted {
  readonly of: { readonly kind: string; readonly name: string };
  readonly problem: Problem;
}

/** Computed once for each commit. */
const unlisted = memoize((fleet: Fleet): readonly Unlisted[] => {
  const { versionCatalogs, upgradeRuns, upgradeProfiles, unreadable, refused } = fleet;
  if (unreadable.length > 0 || refused.some(({ kind }) => kind === 'VersionCatalog')) return [];
  const regions = versionCatalogs.flatMap((catalog) =>
    catalog.spec.regions.flatMap(({ name }) => catalogOf([catalog], name, catalog.spec.provider) ?? []),
  );
  const wanted = [
    ...upgradeRuns.flatMap(({ kind, metadata: { name }, spec }) => {
      const { upgrade, nodeImageSelection } = spec.managedClusterUpdate;
      const of = { kind, name };
      const path = 'spec.managedClusterUpdate';
      return [
        { of, path: `${path}.upgrade.kubernetesVersion`, version: upgrade.kubernetesVersion },
        ...(nodeImageSelection?.customNodeImageVersions ?? []).map(({ version: image }, at) => ({
          of,
          path: `${path}.nodeImageSelection.customNodeImageVersions.${at}.version`,
          image,
        })),
      ];
    }),
    ...upgradeProfiles.map(({ kind, metadata: { name }, spec }) => ({
      of: { kind, name },
      path: 'spec.targetKubernetesVersion',
      version: spec.targetKubernetesVersion,
    })),
  ];
  return wanted.flatMap(({ of, path, ...what }) => {
    const why = 'image' in what ? whyNoImage(what.image, regions) : whyNoVersion(what.version, regions);
    const fix = 'correct it, or add it to the VersionCatalogs of the regions that have it';
    if (why === undefined) return [];
    return [{ of, problem: fieldWarning(fleet, of, { code: 'dangling-reference', path, why, fix }) }];
  });
});

function whyNoVersion(text: string | undefined, regions: readonly RegionCatalog[]): string | undefined {
  const version = parseVersion(text ?? '');
  const listing = regions.filter(({ kubernetes }) => kubernetes.length > 0);
  if (!version || listing.length === 0 || listing.some((region) => resolve(region, version))) return undefined;
  return `no VersionCatalog lists ${version.patch === undefined ? 'a patch of ' : ''}Kubernetes ${text}`;
}

function whyNoImage(text: string, regions: readonly RegionCatalog[]): string | undefined {
  const image = parseNodeImage(text);
  const listing = regions.filter(({ images }) => images.size > 0);
  if (!image || listing.length === 0 || listing.some((region) => knownImage(region, image))) return undefined;
  return `no VersionCatalog lists the node image ${text}`;
}
