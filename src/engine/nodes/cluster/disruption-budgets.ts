import type { LabelSelector, Manifest } from '../../../api/meta.ts';
import { isFields } from '../../kernel/fields.ts';
import { matchesSelector } from '../../kernel/selector.ts';
import { numberAt, textAt, valueAt } from '../../node-pools/read-fields.ts';
import type { Pod } from './pod.ts';

/** A PodDisruptionBudget. */
export interface PodBudget {
  readonly name: string;
  readonly selector: LabelSelector;
  readonly disruptionsAllowed: number;
  /** Pods that are not ready may go whatever the budget says. */
  readonly allowsUnready: boolean;
  /** It allows nothing, and never can while all of its pods stay. */
  readonly isFullyBlocking: boolean;
}

export type PodBudgets = ReadonlyMap<string, readonly PodBudget[]>;

/** By namespace, sorted by name. A budget without a selector selects nothing. */
export function podBudgetsOf(extras: readonly Manifest[]): PodBudgets {
  const found = extras
    .filter(({ kind, apiVersion }) => kind === 'PodDisruptionBudget' && apiVersion.startsWith('policy/'))
    .flatMap((manifest) => {
      const selector = valueAt(manifest, ['spec', 'selector']);
      if (!isFields(selector)) return [];
      const { namespace = 'default', name } = manifest.metadata;
      return [{ namespace, budget: budgetOf(manifest, name, selector as LabelSelector) }];
    })
    .sort((a, b) => (a.budget.name < b.budget.name ? -1 : 1));
  return new Map(
    [...Map.groupBy(found, ({ namespace }) => namespace)].map(([namespace, of]) => [
      namespace,
      of.map(({ budget }) => budget),
    ]),
  );
}

function budgetOf(manifest: Manifest, name: string, selector: LabelSelector): PodBudget {
  const disruptionsAllowed = numberAt(manifest, 'status', 'disruptionsAllowed') ?? 0;
  const asksForAll =
    isOneOf(valueAt(manifest, ['spec', 'maxUnavailable']), [0, '0', '0%']) ||
    isOneOf(valueAt(manifest, ['spec', 'minAvailable']), ['100%']);
  return {
    name,
    selector,
    disruptionsAllowed,
    allowsUnready: textAt(manifest, 'spec', 'unhealthyPodEvictionPolicy') === 'AlwaysAllow',
    // While a rollout surges even such a budget allows some: a drain evicts its pods then, which need a place.
    isFullyBlocking: asksForAll && disruptionsAllowed <= 0,
  };
}

const isOneOf = (value: unknown, values: readonly unknown[]): boolean => values.includes(value);

export const budgetsOfPod = (budgets: PodBudgets, pod: Pod): readonly PodBudget[] =>
  budgets.get(pod.namespace)?.filter(({ selector }) => matchesSelector(selector, pod.labels)) ?? [];

/** Whether a drain evicts the pod, so that budgets protect it. Protection by annotation is looked at before. */
export const isEvicted = (pod: Pod): boolean =>
  !pod.isTerminal && !pod.isTerminating && !pod.isStatic && !pod.toleratesDisruption;

/** Whether a drain could never evict the pod by itself: it gets no place elsewhere in advance. */
export function isHeldForEver(budgets: PodBudgets, pod: Pod): boolean {
  if (!isEvicted(pod)) return false;
  const matching = budgetsOfPod(budgets, pod);
  if (matching.length > 1) return true;
  return matching.some(({ isFullyBlocking, allowsUnready }) => isFullyBlocking && !(allowsUnready && pod.isUnready));
}
