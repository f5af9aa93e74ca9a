import type { Manifest } from '../../../api/meta.ts';
import { placementKey, refOf } from '../../../api/placement.ts';
import type { Fleet } from '../../../engine/input.ts';
import { sameValue } from '../../../engine/kernel/same-value.ts';
import { unpack } from '../../../engine/selection/envelope.ts';
import { keyOfManifest } from '../../../engine/selection/object-key.ts';

/** Whether the change from one commit to the next may remove something from clusters. */
export const mayRemove = (before: Fleet, after: Fleet): boolean =>
  byPart.some((mayRemoveBy) => mayRemoveBy(before, after));

type Rule = (before: Fleet, after: Fleet) => boolean;

/** A change removes nothing, nor starts what does. */
const never: Rule = () => false;

/** Any change may remove something. */
const always =
  (part: keyof Fleet): Rule =>
  (before, after) =>
    !sameValue(before[part], after[part]);

/**
 * Whether a change of each part of a fleet may remove something. New members, placements and resources do not, nor new contents of a
 * resource with the same metadata. A new part of Fleet without a row does not compile.
 */
const byPart: readonly Rule[] = Object.values({
  members: (before, after) => isChanged(before.members, after.members, ({ metadata }) => metadata.name, sameValue),
  placements: (before, after) =>
    isChanged(before.placements, after.placements, (it) => placementKey(refOf(it)), sameValue),
  resources: (before, after) => isChanged(manifestsOf(before), manifestsOf(after), keyOfManifest, isSelectedAlike),
  beingDeleted: always('beingDeleted'),
  overrides: always('overrides'),
  strategies: always('strategies'),
  runs: always('runs'),
  evictions: always('evictions'),
  budgets: always('budgets'),
  refused: always('refused'),
  unreadable: always('unreadable'),
  // A default strategy is part of its placements.
  config: never,
  withoutStrategy: never,
  approvals: never,
  removalApprovals: never,
  // Upgrades and the disruption of nodes remove no objects.
  upgradeStrategies: never,
  upgradeRuns: never,
  gates: never,
  maintenanceConfigurations: never,
  versionCatalogs: never,
  upgradeProfiles: never,
  priceLists: never,
  instanceCatalogs: never,
  invalidPools: never,
  // What is reported of the files, not what they say.
  noApprovalCounts: never,
  notActedOn: never,
  whyRefused: never,
  problems: never,
  sources: never,
  approvers: never,
  frozenUntil: never,
} satisfies Readonly<Record<keyof Fleet, Rule>>);

const manifestsOf = ({ resources }: Fleet): readonly Manifest[] => resources.map(({ manifest }) => manifest);

/** Whether one of the first is missing among the others, or is no longer the same. */
function isChanged<T>(
  before: readonly T[],
  after: readonly T[],
  keyOf: (item: T) => string,
  isSame: (a: T, b: T) => boolean,
): boolean {
  const present = new Map(after.map((item) => [keyOf(item), item]));
  return before.some((item) => {
    const now = present.get(keyOf(item));
    return now !== item && (now === undefined || !isSame(item, now));
  });
}

/** Metadata and type decide whether a resource is selected. An envelope holds other objects, which its contents decide. */
const isSelectedAlike = (a: Manifest, b: Manifest): boolean =>
  isEnvelope(a) || isEnvelope(b)
    ? sameValue(a, b)
    : sameValue(a.metadata, b.metadata) && sameValue(a['type'], b['type']);

const isEnvelope = (manifest: Manifest): boolean => unpack(manifest) !== undefined;
