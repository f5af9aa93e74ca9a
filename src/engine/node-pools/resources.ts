import { parseQuantity } from '../../api/quantity.ts';
import { memoize } from '../kernel/memoize.ts';
import { fieldsAt, listAt, textAt } from './read-fields.ts';

/**
 * Amounts by resource name: thousandths of a core for cpu, whole units of everything else, rounded up, so that sums are exact.
 */
export type Amounts = ReadonlyMap<string, number>;

export function amountsOf(quantities: Readonly<Record<string, unknown>>): Amounts {
  const amounts = new Map<string, number>();
  for (const [name, value] of Object.entries(quantities)) amounts.set(name, amountOfQuantity(name, String(value)));
  return amounts;
}

const known = new Map<string, number>();

function amountOfQuantity(name: string, text: string): number {
  const key = name === 'cpu' ? `m${text}` : text;
  const before = known.get(key);
  if (before !== undefined) return before;
  const number = parseQuantity(text)?.number ?? 0;
  // Less than a millionth is the error of a float64.
  const amount = Math.ceil(Number((name === 'cpu' ? number * 1000 : number).toFixed(6)));
  if (known.size > 10_000) known.clear();
  known.set(key, amount);
  return amount;
}

/**
 * What a pod requests (Kubernetes resource.PodRequests): its containers and sidecars, or the most that an init container needs while
 * it runs, its overhead, and one place for a pod.
 */
export const requestsOf = memoize((pod: object): Amounts => {
  const asked = (container: unknown): Amounts => requestsOfContainer(container);
  let running = sum(listAt(pod, 'spec', 'containers').map(asked));
  let sidecars: Amounts = new Map();
  let starting: Amounts = new Map();
  for (const container of listAt(pod, 'spec', 'initContainers')) {
    const own = asked(container);
    if (textAt(container, 'restartPolicy') === 'Always') {
      running = sum([running, own]);
      sidecars = sum([sidecars, own]);
      starting = greatest(starting, sidecars);
    } else starting = greatest(starting, sum([sidecars, own]));
  }
  const overhead = amountsOf(fieldsAt(pod, 'spec', 'overhead'));
  return sum([greatest(running, starting), overhead, onePod]);
});

const onePod: Amounts = new Map([['pods', 1]]);

/** A limit without a request is the request, as the API server fills it in. */
const requestsOfContainer = (container: unknown): Amounts =>
  amountsOf({ ...fieldsAt(container, 'resources', 'limits'), ...fieldsAt(container, 'resources', 'requests') });

export function sum(all: readonly Amounts[]): Amounts {
  const total = new Map<string, number>();
  for (const amounts of all) for (const [name, amount] of amounts) total.set(name, (total.get(name) ?? 0) + amount);
  return total;
}

function greatest(a: Amounts, b: Amounts): Amounts {
  const most = new Map(a);
  for (const [name, amount] of b) most.set(name, Math.max(most.get(name) ?? 0, amount));
  return most;
}

/** `a − b`, never below 0, for the names of `a`. */
export const minus = (a: Amounts, b: Amounts): Amounts =>
  new Map([...a].map(([name, amount]) => [name, Math.max(0, amount - (b.get(name) ?? 0))]));
