import type { Condition } from '../../../src/api/meta.ts';
import type { Binding } from '../../../src/api/placement-state.ts';

/** Everything one pick of KubeFleet's rollout controller reads. */
export interface PickInput {
  readonly bindings: readonly Binding[];
  readonly latest: number;
  readonly target: number;
  readonly maxUnavailable: number | string;
  readonly maxSurge: number | string;
  readonly cutOff: number;
}

/** The naive version: four lists, two numbers, as pickBindingsToRoll has them. Clusters by name. */
export function pickBindingsToRoll(input: PickInput): string[] {
  const removes: string[] = [];
  const adds: string[] = [];
  const updates: string[] = [];
  const failures: string[] = [];
  let ready = 0;
  let canBeReady = 0;
  let canBeUnavailable = 0;
  for (const binding of input.bindings) {
    if (binding.state === 'Scheduled') {
      adds.push(binding.targetCluster);
      continue;
    }
    const isReady = readyBy(binding, input.cutOff);
    const failed = failedOn(binding);
    if (isReady) ready += 1;
    if (!failed && !find(binding, 'DiffReported')) canBeReady += 1;
    if (binding.deleting) {
      if (isReady) canBeUnavailable += 1;
    } else if (binding.state === 'Unscheduled') removes.push(binding.targetCluster);
    else if (binding.resourceSnapshotIndex !== input.latest) (failed ? failures : updates).push(binding.targetCluster);
  }
  const minAvailable = input.target - up(input.maxUnavailable, input.target);
  const maxToRemove = ready - canBeUnavailable - minAvailable;
  const maxToAdd = input.target + up(input.maxSurge, input.target) - canBeReady;
  const picked = [...failures];
  for (const cluster of [...removes, ...updates])
    if (picked.length - failures.length < maxToRemove) picked.push(cluster);
  const before = picked.length;
  for (const cluster of adds) if (picked.length - before < maxToAdd) picked.push(cluster);
  return picked;
}

const find = (binding: Binding, type: string): Condition | undefined =>
  (binding.conditions ?? []).find((condition) => condition.type === type);

function readyBy(binding: Binding, cutOff: number): boolean {
  if (find(binding, 'DiffReported')?.status === 'True') return true;
  const available = find(binding, 'Available');
  if (available?.status !== 'True') return false;
  return available.reason === 'AllWorkAreAvailable' || Date.parse(available.lastTransitionTime ?? '') < cutOff;
}

const failedOn = (binding: Binding): boolean =>
  ['Overridden', 'WorkSynchronized', 'Applied', 'Available'].some((type) => {
    const condition = find(binding, type);
    return condition?.status === 'False' && !mereWaiting.test(condition.reason);
  });

const mereWaiting = /^(OverriddenPending|WorkNotSynchronizedYet|ApplyPending|ResourceNotAvailableYet)$/;

const up = (value: number | string, total: number): number =>
  typeof value === 'number' ? value : Math.ceil((Number.parseInt(value, 10) * total) / 100);
