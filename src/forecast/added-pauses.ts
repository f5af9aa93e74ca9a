import type { FleetConfig } from '../api/gitfleet.ts';
import { type Placement, placementKey } from '../api/placement.ts';
import type { Fleet } from '../engine/input.ts';
import { suspendedAnnotation } from '../engine/pause/placement-pause.ts';
import { changedFreezes } from './changed-freezes.ts';

/** Freezes that a change adds or changes, and placements that it suspends: `freeze week`, `suspension of web`. */
export function addedPauses(before: Fleet, after: Fleet, now: string): readonly string[] {
  const suspended = new Set(before.placements.filter(isSuspended).map(({ metadata }) => placementKey(metadata)));
  return [
    ...changedFreezes(before, after, now).flatMap(({ action, name }) =>
      action === 'remove' ? [] : [`freeze ${name}`],
    ),
    ...after.placements
      .filter((placement) => isSuspended(placement) && !suspended.has(placementKey(placement.metadata)))
      .map(({ metadata }) => `suspension of ${placementKey(metadata)}`),
  ];
}

/** A fleet with the freezes of another one, and without suspensions that this one lacks. */
export function withPausesOf(fleet: Fleet, { config, placements }: Fleet): Fleet {
  const suspended = new Set(placements.filter(isSuspended).map(({ metadata }) => placementKey(metadata)));
  return {
    ...fleet,
    config: fleet.config && withFreezes(fleet.config, config?.spec.freeze),
    placements: fleet.placements.map((placement) =>
      suspended.has(placementKey(placement.metadata)) ? placement : resumed(placement),
    ),
  };
}

const isSuspended = ({ metadata }: Placement): boolean => metadata.annotations?.[suspendedAnnotation] !== undefined;

function withFreezes(config: FleetConfig, freezes: FleetConfig['spec']['freeze']): FleetConfig {
  const { freeze: _, ...spec } = config.spec;
  return { ...config, spec: { ...spec, ...(freezes && { freeze: freezes }) } };
}

function resumed(placement: Placement): Placement {
  if (!isSuspended(placement)) return placement;
  const { [suspendedAnnotation]: _, ...annotations } = placement.metadata.annotations ?? {};
  return { ...placement, metadata: { ...placement.metadata, annotations } };
}
