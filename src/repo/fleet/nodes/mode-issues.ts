import { error, type Issue } from '../../../api/issue.ts';
import type { FleetObject } from '../../../api/kinds.ts';
import { disruptionModes, nodeDisruptionAnnotation } from '../../../api/nodes/disruption-modes.ts';

/** An unknown mode of node disruption does not take the member out of the fleet: nothing is disrupted there. */
export function modeIssues({ kind, metadata }: FleetObject): Issue[] {
  const written = metadata?.annotations?.[nodeDisruptionAnnotation];
  if (kind !== 'MemberCluster' || written === undefined || disruptionModes.some((mode) => mode === written)) return [];
  return [
    error(
      'invalid-value',
      ['metadata', 'annotations', nodeDisruptionAnnotation],
      `"${written}" is not a mode of node disruption, and reads as delegate`,
      'write delegate, plan or execute',
    ),
  ];
}
