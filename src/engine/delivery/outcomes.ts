import type { Manifest, ObjectRef } from '../../api/meta.ts';
import type { ClusterObservation, ObjectOutcome, PlacementSighting } from '../../api/observation.ts';
import type { PlacementRef, ResourceIdentifier } from '../../api/placement.ts';
import type { RenderedManifest } from '../overrides/render.ts';
import { groupVersionOf } from '../selection/group-version.ts';
import { type Availability, availabilityOf } from './availability.ts';

/** One object of a target as the member shows it. */
export interface Delivered {
  readonly item: RenderedManifest;
  readonly identifier: ResourceIdentifier;
  readonly outcome: ObjectOutcome;
  readonly applied: boolean;
  /** Only of applied objects. */
  readonly availability: Availability | undefined;
}

/** What our actor last did for a placement on a member; undefined when the member shows no sign of it. */
export function sightingOf(
  observation: ClusterObservation | undefined,
  ref: PlacementRef,
): PlacementSighting | undefined {
  return observation?.placements.find(
    ({ placement }) =>
      placement.kind === ref.kind && placement.name === ref.name && placement.namespace === ref.namespace,
  );
}

/** Result words that mean that the object is as it should be (KubeFleet workapplier, process.go). */
const goodResults: ReadonlySet<string> = new Set(['Applied', 'AppliedWithFailedDriftDetection']);

/** Every object of a target with its outcome and its availability. Objects that no result names are applied. */
export function deliveredObjects(
  manifests: readonly RenderedManifest[],
  sighting: PlacementSighting,
  observation: ClusterObservation,
): Delivered[] {
  const outcomes = new Map(sighting.results.map((outcome) => [keyOf(outcome.object), outcome]));
  const live = new Map(observation.objects.map((object) => [keyOf(refOf(object)), object]));
  return manifests.map((item): Delivered => {
    const ref = refOf(item.manifest);
    const outcome = outcomes.get(keyOf(ref)) ?? { object: ref, result: 'Applied' };
    const applied = goodResults.has(outcome.result);
    return {
      item,
      identifier: identifierOf(item),
      outcome,
      applied,
      availability: applied ? availabilityHere(live.get(keyOf(ref)), observation.complete) : undefined,
    };
  });
}

/** An applied object that a complete look does not show has been deleted behind our back; one not looked for is unknown. */
function availabilityHere(live: Manifest | undefined, complete: boolean): Availability {
  if (live) return availabilityOf(live);
  return complete
    ? { verdict: 'NotAvailableYet', message: 'the object is gone from the member' }
    : { verdict: 'NotAvailableYet', message: 'the member could not be looked at completely' };
}

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

const refOf = ({ apiVersion, kind, metadata }: Manifest): ObjectRef => ({
  apiVersion,
  kind,
  ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
  name: metadata.name,
});

/** The version may differ between what was applied and what a member lists: an object is one whatever its version. */
const keyOf = ({ apiVersion, kind, namespace, name }: ObjectRef): string =>
  `${groupVersionOf(apiVersion).group}/${kind}/${namespace ?? ''}/${name}`;
