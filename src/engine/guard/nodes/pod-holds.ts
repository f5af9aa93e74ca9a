import type { LabelSelector, Manifest } from '../../../api/meta.ts';
import type { ClusterObservation } from '../../../api/observation.ts';
import { parseInstant } from '../../kernel/instant.ts';
import { matchesSelector } from '../../kernel/selector.ts';

interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

interface PodFields {
  readonly spec?: { readonly tolerations?: readonly Toleration[] };
  readonly status?: {
    readonly startTime?: string;
    readonly conditions?: readonly { readonly type?: string; readonly status?: string }[];
  };
}

interface BudgetFields {
  readonly spec?: { readonly selector?: LabelSelector; readonly unhealthyPodEvictionPolicy?: string };
  readonly status?: { readonly disruptionsAllowed?: number };
}

/** The PodDisruptionBudgets of a member. */
export const protecting = (seen: ClusterObservation | undefined): readonly Manifest[] =>
  [...(seen?.extras ?? []), ...(seen?.objects ?? [])].filter(({ kind }) => kind === 'PodDisruptionBudget');

/** What keeps a running pod where it is; undefined = it may be evicted. */
export function holdOf(pod: Manifest, budgets: readonly Manifest[], now: number): string | undefined {
  const { namespace, name, ownerReferences } = pod.metadata;
  const what = `pod ${namespace}/${name}`;
  const { spec, status } = pod as PodFields;
  const written = pod.metadata.annotations?.['karpenter.sh/do-not-disrupt'];
  if (written === 'true' || (written !== undefined && isWithin(written, status?.startTime, now)))
    return `${what} has karpenter.sh/do-not-disrupt`;
  const isStatic = Array.isArray(ownerReferences) && ownerReferences.some((owner) => owner?.kind === 'Node');
  if (isStatic || spec?.tolerations?.some(staysOnDrained)) return undefined;
  const isUnready = status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'False') ?? false;
  const own = budgets.filter(({ metadata, ...budget }) => {
    const selector = (budget as BudgetFields).spec?.selector;
    return metadata.namespace === namespace && selector && matchesSelector(selector, pod.metadata.labels ?? {});
  });
  const names = [...new Set(own.map(({ metadata }) => metadata.name))];
  if (names.length > 1) return `${what} has more than one PodDisruptionBudget: ${names.join(', ')}`;
  const empty = own.find((budget) => {
    const { spec: of, status: left } = budget as BudgetFields;
    return (left?.disruptionsAllowed ?? 0) <= 0 && !(isUnready && of?.unhealthyPodEvictionPolicy === 'AlwaysAllow');
  });
  return empty && `PodDisruptionBudget ${namespace}/${empty.metadata.name} allows no eviction of ${what}`;
}

/** Whatever tolerates everything, or Karpenter's taint, is left on the node, and no budget is asked. */
const staysOnDrained = ({ key, operator, value, effect }: Toleration): boolean =>
  (!effect || effect === 'NoSchedule') &&
  (operator === 'Exists' ? !key || key === 'karpenter.sh/disrupted' : key === 'karpenter.sh/disrupted' && !value);

const unitMs: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
  ms: 1,
  us: 0.001,
  µs: 0.001,
  ns: 1e-6,
};

/** Whether a Go duration since the start of a pod is not over. What is no duration protects nothing. */
function isWithin(text: string, startTime: string | undefined, now: number): boolean {
  const parts = [...text.matchAll(/(\d+\.?\d*|\.\d+)(h|ms|us|µs|ns|m|s)/g)];
  const isWhole = parts.length > 0 && parts.map(([part]) => part).join('') === text.replace(/^\+/, '');
  if (!isWhole) return false;
  const ms = parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * unitMs[unit!]!, 0);
  const started = parseInstant(startTime ?? '');
  return ms > 0 && (started === undefined || now < started + ms);
}
