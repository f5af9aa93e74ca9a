import type { AutoUpgradeProfile } from '../../api/auto-upgrade-profile.ts';
import { compareVersions, formatVersion, type KubernetesVersion, parseVersion } from '../../api/kubernetes-version.ts';
import { compareNodeImages, type NodeImage, parseNodeImage, reachesImage } from '../../api/node-image.ts';
import type { VersionCatalog } from '../../api/version-catalog.ts';
import { by } from '../kernel/ordering.ts';
import { shortList } from '../kernel/short-list.ts';
import { newestImage, newestMinor, newestPatch, type RegionCatalog } from './catalog.ts';
import { consistentImages } from './consistent-images.ts';
import type { UpgradeMember, UpgradesInput } from './upgrades-input.ts';

/** What a profile would upgrade to now. */
export type ChannelTarget =
  | { readonly kind: 'version'; readonly version: KubernetesVersion }
  /** One image of each family, by name. */
  | { readonly kind: 'images'; readonly images: readonly string[] };

/** The newest target of the channel of a profile in any region that a member is in; undefined = no catalog has one. */
export function channelTarget(
  { spec }: AutoUpgradeProfile,
  { members, catalogOf }: Pick<UpgradesInput, 'members' | 'catalogOf'>,
): ChannelTarget | undefined {
  const known = [...members.values()].map((member) => ({ member, catalog: catalogOf(member) }));
  const catalogs = [...new Set(known.flatMap(({ catalog }) => catalog ?? []))];
  if (spec.channel === 'NodeImage') {
    const images =
      spec.nodeImageSelection.type === 'Consistent'
        ? consistentImages(
            known.flatMap(({ member: { lastVersions: versions }, catalog }) => (versions ? { versions, catalog } : [])),
          ).selected
        : newestImages(known);
    return images.length === 0 ? undefined : { kind: 'images', images };
  }
  const version = newestVersion(spec, catalogs);
  return version && { kind: 'version', version };
}

/** Why there is no target of the channel of a profile, and what is missing. */
export function whyNoTarget(
  { spec: { channel, targetKubernetesVersion } }: AutoUpgradeProfile,
  { members, catalogOf }: Pick<UpgradesInput, 'members' | 'catalogOf'>,
): string {
  const all = [...members.values()];
  if (all.length === 0) return 'the fleet has no members';
  const known = all.flatMap((member) => {
    const catalog = catalogOf(member);
    return catalog ? [{ member, catalog }] : [];
  });
  const regions = [...new Set(all.flatMap(({ region }) => region ?? []))];
  if (regions.length === 0)
    return `the regions of its members are not known: set the label topology.kubernetes.io/region, or give observations (${howToObserve})`;
  if (known.length === 0)
    return `no VersionCatalog is for a region of a member and for its upgrade provider; regions: ${shortList(regions)}`;
  if (channel !== 'NodeImage') {
    const wanted = channel === 'TargetKubernetesVersion' ? ` of ${targetKubernetesVersion ?? ''}` : '';
    const minor = channel === 'Stable' ? ', of the minor before the newest one' : '';
    return `no VersionCatalog of a region with members lists a generally available version${wanted}${minor}`;
  }
  if (!all.some(({ lastVersions }) => lastVersions?.pools))
    return `the node images of its members are not known: give observations (${howToObserve})`;
  if (!all.some(({ lastVersions }) => lastVersions?.pools?.some(({ image }) => image !== undefined)))
    return 'no upgrade provider of its members reports node images';
  return 'no VersionCatalog of a region with members lists node images of the families that they run';
}

const howToObserve = '--observed FILE, as gitfleet observe writes it, or the status branch of a daemon';

/** As text, for names and the record: `1.31.5`, or the images with commas between. */
export const targetText = (target: ChannelTarget): string =>
  target.kind === 'version' ? formatVersion(target.version).replace(/^v/, '') : target.images.join(',');

/** Reads the text of a target of a channel; undefined for what is none. */
export function parseTarget({ spec }: AutoUpgradeProfile, text: string): ChannelTarget | undefined {
  if (spec.channel === 'NodeImage') {
    const images = text.split(',');
    return images.every((image) => parseNodeImage(image)) ? { kind: 'images', images } : undefined;
  }
  const version = parseVersion(text);
  return version && { kind: 'version', version };
}

/** Whether all of a target is in catalogs, of any region. */
export function isListed(target: ChannelTarget, catalogs: readonly VersionCatalog[]): boolean {
  const { versions, images } = listedIn(catalogs);
  if (target.kind === 'images') return target.images.every((image) => images.some(({ text }) => text === image));
  const wanted = formatVersion(target.version);
  return versions.some((version) => formatVersion(version) === wanted);
}

/** Whether catalogs of any region list all of a target, or something newer. */
export function isReachedBy(target: ChannelTarget, catalogs: readonly VersionCatalog[]): boolean {
  const { versions, images } = listedIn(catalogs);
  if (target.kind === 'version') return versions.some((version) => compareVersions(version, target.version) >= 0);
  return target.images.every((text) => {
    const image = parseNodeImage(text);
    return image !== undefined && images.some((listed) => reachesImage(listed, image));
  });
}

function listedIn(catalogs: readonly VersionCatalog[]) {
  const regions = catalogs.flatMap(({ spec }) => spec.regions);
  return {
    versions: regions.flatMap(({ kubernetesVersions }) =>
      kubernetesVersions.flatMap(({ version }) => parseVersion(version) ?? []),
    ),
    images: regions.flatMap(({ nodeImageVersions }) =>
      nodeImageVersions.flatMap(({ version }) => parseNodeImage(version) ?? []),
    ),
  };
}

/** Whether a target is newer than the text of one that was seen. Of images one that is newer is enough. */
export function isNewer(target: ChannelTarget, seen: string): boolean {
  if (target.kind === 'version') {
    const before = parseVersion(seen);
    return before === undefined || compareVersions(target.version, before) > 0;
  }
  const before = new Map(seen.split(',').flatMap((text) => byFamily(parseNodeImage(text))));
  return target.images.some((text) => {
    const image = parseNodeImage(text);
    const known = image && before.get(image.family);
    return image !== undefined && (known === undefined || (compareNodeImages(image, known) ?? 0) > 0);
  });
}

/** Minors are those of the fleet: of N-1, N is the newest in any region, also where another region does not have it yet. */
function newestVersion(
  { channel, targetKubernetesVersion }: AutoUpgradeProfile['spec'],
  catalogs: readonly RegionCatalog[],
): KubernetesVersion | undefined {
  const newest = newestOf(catalogs.map(newestMinor));
  const minor =
    channel === 'TargetKubernetesVersion'
      ? parseVersion(targetKubernetesVersion ?? '')
      : channel === 'Rapid'
        ? newest
        : newest && { ...newest, minor: newest.minor - 1 };
  return minor && newestOf(catalogs.map((catalog) => newestPatch(catalog, minor)));
}

const newestOf = (versions: readonly (KubernetesVersion | undefined)[]): KubernetesVersion | undefined =>
  versions
    .filter((version) => version !== undefined)
    .sort(compareVersions)
    .at(-1);

/** Of the families that the members have, the newest image of any of their regions. */
function newestImages(
  known: readonly { readonly member: UpgradeMember; readonly catalog: RegionCatalog | undefined }[],
): readonly string[] {
  const newest = new Map<string, NodeImage>();
  for (const { member, catalog } of known)
    for (const { image = '' } of member.lastVersions?.pools ?? []) {
      const family = parseNodeImage(image)?.family;
      const found = family !== undefined && catalog ? newestImage(catalog, family) : undefined;
      const best = found && newest.get(found.family);
      if (found && (best === undefined || (compareNodeImages(found, best) ?? 0) > 0)) newest.set(found.family, found);
    }
  return [...newest.values()].sort(by(({ family }) => family)).map(({ text }) => text);
}

const byFamily = (image: NodeImage | undefined): [string, NodeImage][] => (image ? [[image.family, image]] : []);
