import type { Manifest } from '../../api/meta.ts';

/** A PodDisruptionBudget that selects pods and lets none of them go: a drain would wait for ever. */
export function isBlockingBudget({ kind, status }: Manifest): boolean {
  if (kind !== 'PodDisruptionBudget') return false;
  const { disruptionsAllowed, expectedPods } = (status ?? {}) as Readonly<Record<string, unknown>>;
  return disruptionsAllowed === 0 && typeof expectedPods === 'number' && expectedPods > 0;
}
