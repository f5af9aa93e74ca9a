import type { ClusterObservation } from '../../src/api/observation.ts';
import { T0 } from '../support/instants.ts';

/** What a complete look at the member `a` showed at T0: nothing, unless `more` says so. */
export const sighting = (more: Partial<ClusterObservation> = {}): ClusterObservation => ({
  apiVersion: 'gitfleet.dev/v1alpha1',
  kind: 'ClusterObservation',
  metadata: { name: 'a' },
  observedAt: T0,
  reachable: true,
  complete: true,
  placements: [],
  objects: [],
  nodes: [],
  pods: [],
  extras: [],
  ...more,
});
