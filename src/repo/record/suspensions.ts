import type { PlacementKey } from '../../api/meta.ts';
import { type Placement, placementKey } from '../../api/placement.ts';
import { suspendedAnnotation } from '../../engine/freeze/suspension.ts';
import type { Plan } from '../../engine/plan-document.ts';

/** Why each placement is suspended that is; an empty text where nobody gave a reason. */
export function suspensions({ record }: Pick<Plan, 'record'>): ReadonlyMap<PlacementKey, string> {
  const suspended = new Map<PlacementKey, string>();
  for (const [path, { kind, value }] of record) {
    if (kind !== 'object' || !path.startsWith('placements/') || !path.endsWith('/status.yaml')) continue;
    const { metadata } = value as Placement;
    const why = metadata.annotations?.[suspendedAnnotation];
    if (why !== undefined) suspended.set(placementKey(metadata), why);
  }
  return suspended;
}
