import { parseQuantity } from '../../../api/quantity.ts';
import { fieldsAt, listAt, type Stored } from '../../object.ts';

/** Amounts by resource name, in billionths of its unit so that sums are exact. */
export type Amounts = Readonly<Record<string, bigint>>;

export function amountsOf(quantities: Readonly<Record<string, unknown>>): Amounts {
  return Object.fromEntries(
    Object.entries(quantities).map(([name, value]) => [name, BigInt(parseQuantity(String(value))?.nanos ?? 0)]),
  );
}

/** The resources that a pod requests: the sum of its containers, or its largest init container, and one place for a pod. */
export function requestsOf(pod: Stored): Amounts {
  const asked = (container: unknown) => amountsOf(fieldsAt(container, 'resources', 'requests'));
  const sum = listAt(pod, 'spec', 'containers').map(asked).reduce(plus, {});
  const largest = listAt(pod, 'spec', 'initContainers').map(asked).reduce(greater, sum);
  return plus(plus(largest, amountsOf(fieldsAt(pod, 'spec', 'overhead'))), { pods: 1_000_000_000n });
}

export const plus = (a: Amounts, b: Amounts): Amounts => merge(a, b, (left, right) => left + right);
export const minus = (a: Amounts, b: Amounts): Amounts => merge(a, b, (left, right) => left - right);
const greater = (a: Amounts, b: Amounts): Amounts => merge(a, b, (left, right) => (left > right ? left : right));

function merge(a: Amounts, b: Amounts, join: (left: bigint, right: bigint) => bigint): Amounts {
  const out: Record<string, bigint> = { ...a };
  for (const [name, amount] of Object.entries(b)) out[name] = join(out[name] ?? 0n, amount);
  return out;
}
