import type { Manifest } from '../../../../src/api/meta.ts';
import type { ClusterObservation, PlacementObservation } from '../../../../src/api/observation.ts';
import type { ApplyStrategy, Placement } from '../../../../src/api/placement.ts';
import type { Binding } from '../../../../src/api/placement-state.ts';
import { observeBinding } from '../../../../src/engine/bindings/conditions/observe-binding.ts';
import type { Rendered } from '../../../../src/engine/overrides/render.ts';
import { memberObservation } from '../../member-observation.ts';
import { applyStrategy, placementOf as rollingPlacement, T0 } from '../../rollout/world.ts';

export const config = (name: string): Manifest => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'web' },
});
export const widget: Manifest = { apiVersion: 'acme.io/v1', kind: 'Widget', metadata: { name: 'w', namespace: 'web' } };
export const web = (availableReplicas: number): Manifest => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'web', generation: 1 },
  spec: { replicas: 1 },
  status: { observedGeneration: 1, availableReplicas, updatedReplicas: 1 },
});
export const rendered = (...manifests: Manifest[]): Rendered => ({
  ok: true,
  manifests: manifests.map((manifest) => ({ manifest })),
  duplicates: [],
  digest: 'sha256:own',
});
export const placementOf = (change: Partial<ApplyStrategy> = {}): Placement => {
  const placement = rollingPlacement({ placementType: 'PickAll' });
  const strategy = { ...placement.spec.strategy, applyStrategy: { ...applyStrategy, ...change } };
  return { ...placement, spec: { ...placement.spec, strategy } } as Placement;
};
export const bindingOf = (more: Partial<Binding> = {}): Binding => ({
  targetCluster: 'a',
  state: 'Bound',
  resourceSnapshotIndex: 3,
  ...more,
});
export const entry = (more: Partial<PlacementObservation> = {}): PlacementObservation => ({
  placement: { kind: 'ClusterResourcePlacement', name: 'web' },
  resourceSnapshotIndex: 3,
  done: true,
  results: [],
  ...more,
});
export const look = (more: Partial<ClusterObservation> = {}): ClusterObservation =>
  memberObservation({ placements: [entry()], ...more });
export const ref = ({ apiVersion, kind, metadata: { name, namespace } }: Manifest) => ({
  apiVersion,
  kind,
  namespace: namespace!,
  name,
});

export interface Scene {
  readonly binding?: Partial<Binding>;
  readonly strategy?: Partial<ApplyStrategy> | undefined;
  readonly appliedBy?: ApplyStrategy;
  readonly rendered?: Rendered;
  readonly seen?: ClusterObservation | undefined;
  readonly now?: string;
}
export const observe = (scene: Scene): Binding =>
  observeBinding({
    placement: placementOf(scene.strategy),
    binding: bindingOf(scene.binding),
    rendered: scene.rendered ?? rendered(config('x')),
    appliedBy: scene.appliedBy,
    observation: 'seen' in scene ? scene.seen : look({ objects: [config('x')] }),
    now: scene.now ?? T0,
  });
export const words = (binding: Binding): string[] =>
  (binding.conditions ?? []).map(({ type, status, reason }) => `${type}=${status}/${reason}`);
export const head = ['Overridden=True/NoOverrideSpecified', 'WorkSynchronized=True/AllWorkSynced'];
export const applied = [...head, 'Applied=True/AllWorkHaveBeenApplied'];
