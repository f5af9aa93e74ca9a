import { type Fleet, noRequests } from '../engine/input.ts';
import { suspendedAnnotation } from '../engine/pause/placement-pause.ts';

/**
 * The fleet as if every placement were rolled out to all its clusters now, without stages, freezes, suspensions and budgets.
 * This finds failures on a cluster before its turn comes, which may be days after an earlier stage.
 */
export function allAtOnce(fleet: Fleet): Fleet {
  const { config } = fleet;
  return {
    ...fleet,
    placements: fleet.placements.map(atOnce),
    ...noRequests,
    budgets: [],
    config: config && { ...config, spec: { ...config.spec, freeze: [] } },
  };
}

function atOnce<T extends Fleet['placements'][number]>(placement: T): T {
  const { metadata, spec } = placement;
  const { [suspendedAnnotation]: _, ...annotations } = metadata.annotations ?? {};
  const rollingUpdate = { maxUnavailable: '100%', maxSurge: '100%', unavailablePeriodSeconds: 0 };
  return {
    ...placement,
    metadata: { ...metadata, annotations },
    spec: { ...spec, strategy: { ...spec.strategy, type: 'RollingUpdate', rollingUpdate } },
  };
}
