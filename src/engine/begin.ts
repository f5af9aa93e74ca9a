import type { Condition, Manifest, PlacementKey } from '../api/meta.ts';
import type { ClusterObservation } from '../api/observation.ts';
import { type Placement, placementKey, refOf } from '../api/placement.ts';
import type { Binding, PlacementState } from '../api/placement-state.ts';
import { observeBinding } from './delivery/binding-conditions.ts';
import { isCleanedUp } from './delivery/cleanup.ts';
import { sightingOf } from './delivery/outcomes.ts';
import type { RecordedPlacement } from './input.ts';
import { byText } from './kernel/ordering.ts';
import { placementLabelValue } from './overrides/ownership.ts';
import type { Rendered } from './overrides/render.ts';
import { selectResources } from './selection/select.ts';
import type { BindingStep, PlacementWork } from './working.ts';
import type { World } from './world.ts';

const pending: Condition = {
  type: 'Scheduled',
  status: 'Unknown',
  reason: 'SchedulePending',
  message: 'not scheduled yet',
};

/** A placement as the record remembers it and as the members show it, before anything is decided. */
export function beginPlacement(placement: Placement, world: World): PlacementWork {
  const key = placementKey(refOf(placement));
  const recorded = world.record.placements.get(key);
  return {
    placement,
    policySnapshots: recorded?.state.policySnapshots ?? [],
    resourceSnapshots: recorded?.state.resourceSnapshots ?? [],
    contents: recorded?.snapshots ?? new Map(),
    selection: selectResources({ placement, hub: world.hub, digest: world.input.digest }),
    bindings: presentBindings({ placement, key, recorded, world }),
    scheduled: pending,
    decisions: [],
    holds: [],
    problems: [],
    wakes: [],
  };
}

/** A placement whose file is gone: whatever it holds anywhere is to be removed, or left behind if it says so (decision 13). */
export function beginDeleted(
  deleted: { readonly key: PlacementKey; readonly recorded: RecordedPlacement },
  world: World,
): PlacementWork | undefined {
  const { key, recorded } = deleted;
  const placement = recorded.object ?? unknownPlacement(recorded.state);
  if (placement.spec.strategy.deleteStrategy?.propagationPolicy === 'Abandon') return undefined;
  const leaving = presentBindings({ placement, key, recorded, world })
    .filter(({ binding }) => world.members.has(binding.targetCluster))
    .filter(
      ({ binding }) => binding.deleting || binding.state !== 'Scheduled' || binding.resourceSnapshotIndex !== undefined,
    )
    .map(({ binding }): BindingStep => ({ binding: { ...binding, deleting: true }, move: 'remove' }));
  if (leaving.length === 0) return undefined;
  return {
    placement,
    policySnapshots: recorded.state.policySnapshots,
    resourceSnapshots: recorded.state.resourceSnapshots,
    contents: recorded.snapshots,
    selection: { ok: true, manifests: [], hash: '', identifiers: [] },
    bindings: leaving,
    scheduled: pending,
    decisions: [],
    holds: [],
    problems: [],
    wakes: [],
  };
}

/** The record may hold state without status (written by hand): enough to clean up after it. */
const unknownPlacement = (state: PlacementState): Placement => ({
  apiVersion: 'placement.kubernetes-fleet.io/v1',
  ...(state.metadata.namespace === undefined
    ? { kind: 'ClusterResourcePlacement', metadata: { name: state.metadata.name } }
    : { kind: 'ResourcePlacement', metadata: { name: state.metadata.name, namespace: state.metadata.namespace } }),
  spec: {
    resourceSelectors: [],
    policy: { placementType: 'PickAll' },
    strategy: {
      type: 'RollingUpdate',
      applyStrategy: {
        type: 'ClientSideApply',
        comparisonOption: 'PartialComparison',
        whenToApply: 'Always',
        whenToTakeOver: 'Always',
        allowCoOwnership: false,
      },
    },
    revisionHistoryLimit: 10,
    statusReportingScope: 'ClusterScopeOnly',
  },
});

/**
 * Bindings that this plan moved, as their clusters show them now: the next plan would say the same, so this one says it
 * already. Override failures show at once.
 */
export function observeMoved(work: PlacementWork, world: World): PlacementWork {
  const label = placementLabelValue(refOf(work.placement), world.input.digest);
  const bindings = work.bindings.map((step): BindingStep => {
    if (step.move !== 'add' && step.move !== 'update') return step;
    const { binding } = step;
    const observation = world.observationOf(binding.targetCluster);
    const rendered = renderedFor({
      binding,
      placement: work.placement,
      snapshots: work.contents,
      world,
      label,
      observation,
    });
    return {
      ...step,
      binding: observeBinding({ placement: work.placement, binding, rendered, observation, now: world.input.now }),
    };
  });
  return { ...work, bindings };
}

/** Bindings on their way out of clusters that left the fleet are gone at once: nothing is removed there, so nothing is waited for. */
export function withoutLeft(work: PlacementWork, world: World): PlacementWork {
  const stays = ({ binding }: BindingStep): boolean => !binding.deleting || inFleet(binding.targetCluster, world);
  return work.bindings.every(stays) ? work : { ...work, bindings: work.bindings.filter(stays) };
}

const inFleet = (cluster: string, world: World): boolean => world.members.get(cluster)?.leaving === false;

/** Recorded bindings as their clusters show them; those that are cleaned up are gone. */
function presentBindings(of: {
  readonly placement: Placement;
  readonly key: PlacementKey;
  readonly recorded: RecordedPlacement | undefined;
  readonly world: World;
}): BindingStep[] {
  const { placement, recorded, world } = of;
  const label = placementLabelValue(refOf(placement), world.input.digest);
  return (recorded?.state.bindings ?? [])
    .filter((binding) => {
      const { targetCluster } = binding;
      const observation = world.observationOf(targetCluster);
      const cleanup = {
        observation,
        label,
        inFleet: inFleet(targetCluster, world),
        binding,
        placement: refOf(placement),
      };
      return !(binding.deleting && isCleanedUp(cleanup));
    })
    .map((binding): BindingStep => {
      const observation = world.observationOf(binding.targetCluster);
      const rendered = renderedFor({ binding, placement, snapshots: recorded?.snapshots, world, label, observation });
      const observed = observeBinding({ placement, binding, rendered, observation, now: world.input.now });
      return { binding: observed, move: binding.deleting ? 'remove' : 'keep' };
    })
    .sort(
      (a, b) =>
        byText(a.binding.targetCluster, b.binding.targetCluster) ||
        Number(b.binding.deleting ?? false) - Number(a.binding.deleting ?? false),
    );
}

/** Where a record holds no contents for an index (written by hand), what the member shows of the placement stands for them. */
function renderedFor(of: {
  readonly binding: Binding;
  readonly placement: Placement;
  readonly snapshots: PlacementWork['contents'] | undefined;
  readonly world: World;
  readonly label: string;
  readonly observation: ClusterObservation | undefined;
}): Rendered {
  const { binding, placement, snapshots, world, label, observation } = of;
  const index = binding.resourceSnapshotIndex;
  const contents = index === undefined ? undefined : snapshots?.get(index);
  if (contents)
    return world.render({
      placement: refOf(placement),
      manifests: contents,
      lists: binding,
      cluster: binding.targetCluster,
    });
  const shown = new Map<string, Manifest>();
  for (const object of observation?.objects ?? []) {
    if (object.metadata.labels?.['gitfleet.dev/placement'] === label)
      shown.set(`${object.kind}/${object.metadata.namespace ?? ''}/${object.metadata.name}`, object);
  }
  for (const { object } of sightingOf(observation, refOf(placement))?.results ?? []) {
    const { apiVersion, kind, namespace, name } = object;
    const key = `${kind}/${namespace ?? ''}/${name}`;
    if (!shown.has(key)) shown.set(key, { apiVersion, kind, metadata: { name, ...(namespace ? { namespace } : {}) } });
  }
  return { ok: true, manifests: [...shown.values()].map((manifest) => ({ manifest })), digest: '' };
}
