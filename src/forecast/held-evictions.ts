import { type Fleet, sourceKey } from '../engine/input.ts';
import { suspendedAnnotation } from '../engine/pause/placement-pause.ts';
import type { Hold } from '../engine/plan-document.ts';

/**
 * The fleet once no freeze and no suspension holds it, without the evictions of holds and with them. Undefined: none is held. What an
 * eviction does depends on whom the scheduler selects then, so it takes a plan.
 */
export function heldEvictions(
  holds: readonly Hold[],
  fleet: Fleet,
): { readonly without: Fleet; readonly evicting: Fleet } | undefined {
  const held = new Set(holds.map(({ subject }) => sourceKey(subject.kind, subject)));
  const evictions = fleet.evictions.filter(({ kind, metadata }) => !held.has(sourceKey(kind, metadata)));
  if (evictions.length === fleet.evictions.length) return undefined;
  const evicting = continued(fleet);
  return { without: { ...evicting, evictions }, evicting };
}

function continued({ config, placements, ...fleet }: Fleet): Fleet {
  return {
    ...fleet,
    config: config && { ...config, spec: { ...config.spec, freeze: [] } },
    frozenUntil: undefined,
    placements: placements.map((placement) => {
      const { [suspendedAnnotation]: reason, ...annotations } = placement.metadata.annotations ?? {};
      return reason === undefined ? placement : { ...placement, metadata: { ...placement.metadata, annotations } };
    }),
  };
}
