import type { ClusterObservation } from '../../src/api/observation.ts';
import { T0 } from '../support/instants.ts';

/** A complete observation of the member `a` at T0: without objects, unless `more` has some. */
export const memberObservation = (more: Partial<ClusterObservation> = {}): ClusterObservation => ({
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
