import type { Manifest } from '../../api/meta.ts';
import type { ClusterObservation, UpgradeFinding } from '../../api/observation.ts';
import { shortList } from '../kernel/short-list.ts';

/** What stands against an upgrade of a member: what its provider found, and what the member itself shows. */
export function findingsAgainst(observation: ClusterObservation | undefined): readonly UpgradeFinding[] {
  const found = observation?.upgrade?.findings ?? [];
  const budgets = (observation?.extras ?? [])
    .filter(allowsNothing)
    .map(({ metadata }) => nameOf(metadata))
    .sort();
  if (budgets.length === 0 || found.some(({ reason }) => reason === 'PDBConstraint')) return found;
  const message = `no pod may be drained by PodDisruptionBudget ${shortList(budgets)}`;
  return [...found, { reason: 'PDBConstraint', severity: 'Blocking', message }];
}

/** A budget that selects pods and lets none of them go: a drain would wait for ever. */
function allowsNothing({ kind, status }: Manifest): boolean {
  if (kind !== 'PodDisruptionBudget') return false;
  const { disruptionsAllowed, expectedPods } = (status ?? {}) as Readonly<Record<string, unknown>>;
  return disruptionsAllowed === 0 && typeof expectedPods === 'number' && expectedPods > 0;
}

const nameOf = ({ namespace, name }: Manifest['metadata']): string =>
  namespace === undefined ? name : `${namespace}/${name}`;
