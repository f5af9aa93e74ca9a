import type { ClusterName } from '../../api/meta.ts';
import type { ClusterObservation } from '../../api/observation.ts';
import { by } from '../kernel/ordering.ts';
import type { Hold } from '../plan-document.ts';

/** Removals that an actor will not carry out, because what is to be removed holds objects that are not ours (decision 19). */
export function foreignHolds(observations: ReadonlyMap<ClusterName, ClusterObservation> | undefined): Hold[] {
  const holds: Hold[] = [];
  for (const [clusterName, { placements }] of observations ?? []) {
    for (const { placement, results } of placements) {
      for (const { result, message, object } of results) {
        if (result !== 'ContainsForeignObjects') continue;
        const { kind, name, namespace } = placement;
        const subject = { kind, name, ...(namespace === undefined ? {} : { namespace }), clusterName };
        holds.push({
          subject,
          reason: 'ContainsForeignObjects',
          message: `${message ?? `${object.kind} ${object.name} holds objects that are not of this placement`}; it stays on ${clusterName} until they are gone`,
        });
      }
    }
  }
  return holds.sort(by(({ message }) => message));
}
