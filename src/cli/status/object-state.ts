import type { Manifest } from '../../api/meta.ts';
import type { DiffedPlacement, DriftedPlacement, FailedPlacement } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import { mostOfList } from '../../engine/bindings/conditions/object-lists.ts';
import { conditionIs } from '../../engine/kernel/condition.ts';
import { isAllRepaired } from '../../report/placements/new-differences.ts';

/** The state of one object on a cluster, by its binding. */
export interface ObjectState {
  /** `failed`, `drifted` and `differs` are known for the object itself, the others mostly for all objects of the binding together. */
  readonly state: 'failed' | 'drifted' | 'differs' | 'available' | 'applied' | 'compared' | 'pending' | 'leaving';
  readonly failed?: FailedPlacement | undefined;
  readonly drifted?: DriftedPlacement | undefined;
  readonly diffed?: DiffedPlacement | undefined;
}

/** The state of one object of a binding. A repaired drift no longer counts. */
export function objectState(binding: Binding, manifest: Manifest): ObjectState {
  const mine = <T extends Named>(list: readonly T[] = []) => list.find((entry) => isOf(entry, manifest));
  const [failed, drifted, diffed] = [
    mine(binding.failedPlacements),
    mine(binding.driftedPlacements),
    mine(binding.diffedPlacements),
  ];
  const found = { failed, drifted, diffed };
  if (drifted && !(isAllRepaired(drifted.observedDrifts ?? []) && !failed)) return { state: 'drifted', ...found };
  if (diffed) return { state: 'differs', ...found };
  if (failed) return { state: 'failed', ...found };
  const all = stateOfAll(binding);
  return { state: all === 'failed' ? otherThanFailed(binding) : all, ...found };
}

/** Objects that could not be applied are listed, up to the limit of the list: the others were applied. */
const otherThanFailed = ({ failedPlacements = [] }: Binding): ObjectState['state'] =>
  failedPlacements.length < mostOfList ? 'applied' : 'pending';

/** The state that all objects of a binding have reached; `failed` when some could not be applied. */
export function stateOfAll({ conditions, deleting, failedPlacements }: Binding): ObjectState['state'] {
  const isTrue = (type: string): boolean => conditionIs(conditions, type, 'True');
  if (deleting) return 'leaving';
  if (isTrue('Available')) return 'available';
  if (isTrue('DiffReported')) return 'compared';
  if (failedPlacements?.some(({ condition }) => condition.type === 'Applied')) return 'failed';
  return isTrue('Applied') ? 'applied' : 'pending';
}

interface Named {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string | undefined;
}

const isOf = ({ kind, name, namespace }: Named, manifest: Manifest): boolean =>
  kind === manifest.kind &&
  name === manifest.metadata.name &&
  (namespace ?? '') === (manifest.metadata.namespace ?? '');
