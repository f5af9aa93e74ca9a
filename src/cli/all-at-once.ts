import { type Fleet, noRequests } from '../engine/input.ts';
import { suspendedAnnotation } from '../engine/pause/placement-pause.ts';

/**
 * The fleet as if every placement were brought to all its clusters now: by no stages, in no freeze, suspended by nobody and
 * within no budget. What goes wrong on a cluster is then found before its turn comes, which may be days after a stage before.
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
