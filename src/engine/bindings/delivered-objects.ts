import type { Manifest } from '../../api/meta.ts';
import type { ClusterObservation, ObjectOutcome, PlacementObservation } from '../../api/observation.ts';
import type { ResourceIdentifier } from '../../api/placement.ts';
import { memoize } from '../kernel/memoize.ts';
import type { Rendered, RenderedManifest } from '../overrides/render.ts';
import type { Duplicate } from '../selection/duplicates.ts';
import { groupVersionOf } from '../selection/group-version.ts';
import { keyOfManifest, objectKey, refOfManifest } from '../selection/object-key.ts';
import { type Availability, availabilityOf, becauseOf } from './availability.ts';

/** One object of a target as the member shows it. */
export interface Delivered {
  readonly item: RenderedManifest;
  readonly identifier: ResourceIdentifier;
  readonly outcome: ObjectOutcome;
  readonly applied: boolean;
  /** The object on the member; undefined also where an incomplete observation does not show it. */
  readonly live: Manifest | undefined;
  /** Only of applied objects; absent also where an incomplete observation does not show the object. */
  readonly availability: Availability | undefined;
  /** Applied, but a complete observation does not show it: it was deleted on the member. */
  readonly gone: boolean;
}

/** Result words that mean that the object is as it should be (KubeFleet workapplier, process.go). */
const goodResults: ReadonlySet<string> = new Set(['Applied', 'AppliedWithFailedDriftDetection']);

/** Whether the object on the member is as in its manifest. */
export const isApplied = ({ result }: ObjectOutcome): boolean => goodResults.has(result);

/** Every object of a target with its outcome and availability, then the duplicates. An object without a result is applied. */
export function deliveredObjects(
  { manifests, duplicates }: Extract<Rendered, { ok: true }>,
  { results }: PlacementObservation,
  observation: ClusterObservation,
): Delivered[] {
  const outcomes = new Map(results.map((outcome) => [objectKey(outcome.object), outcome]));
  const twice = new Set(duplicates.map(({ item }) => keyOfManifest(item.manifest)));
  const objects = liveObjects(observation);
  const causes = podCauses(observation);
  const delivered = manifests.map((item): Delivered => {
    const ref = refOfManifest(item.manifest);
    const key = objectKey(ref);
    const known = outcomes.get(key);
    // A result `Duplicated` is about the other manifest of the object.
    const outcome =
      known && !(known.result === duplicated && twice.has(key)) ? known : { object: ref, result: 'Applied' };
    const applied = isApplied(outcome);
    const live = objects.get(key);
    const available = (shown: Manifest) => becauseOf(availabilityOf(shown, item.manifest.apiVersion), causes.get(key));
    const gone = applied && live === undefined && observation.complete;
    return {
      item,
      identifier: identifierOf(item),
      outcome,
      applied,
      live,
      availability: gone ? missing : applied && live ? available(live) : undefined,
      gone,
    };
  });
  return [...delivered, ...duplicates.map(refused)];
}

/** KubeFleet's word for a further manifest of an object (work applier, preprocess.go). */
const duplicated = 'Duplicated';

const refused = ({ item, message }: Duplicate<RenderedManifest>): Delivered => ({
  item,
  identifier: identifierOf(item),
  outcome: { object: refOfManifest(item.manifest), result: duplicated, message },
  applied: false,
  live: undefined,
  availability: undefined,
  gone: false,
});

const missing: Availability = { verdict: 'NotAvailableYet', message: 'the object does not exist on the member' };

/** Live objects by key; cached, since every placement on the member looks them up. */
const liveObjects = memoize(
  ({ objects }: ClusterObservation): ReadonlyMap<string, Manifest> =>
    new Map(objects.map((object) => [keyOfManifest(object), object])),
);

const podCauses = memoize(
  ({ podCauses: found = [] }: ClusterObservation): ReadonlyMap<string, string> =>
    new Map(found.map(({ object, cause }) => [objectKey(object), cause])),
);

function identifierOf({ manifest, envelope }: RenderedManifest): ResourceIdentifier {
  const { group, version } = groupVersionOf(manifest.apiVersion);
  return {
    ...(group === '' ? {} : { group }),
    version,
    kind: manifest.kind,
    name: manifest.metadata.name,
    ...(manifest.metadata.namespace ? { namespace: manifest.metadata.namespace } : {}),
    ...(envelope ? { envelope } : {}),
  };
}
