import { type Fields, isFields } from '../../kernel/fields.ts';
import type { Pool } from '../../node-pools/pool.ts';
import { listAt } from '../../node-pools/read-fields.ts';
import type { Amounts } from '../../node-pools/resources.ts';
import type { NodeTarget } from '../../plan-document.ts';
import { fixedLabels, labelsOfNew } from './launchables.ts';
import { hostnameLabel, type Market } from './market.ts';

/** What a launched node has from its pool and its type. */
export interface ReplacementNode {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** As the pool writes them. */
  readonly taints: readonly Fields[];
  /** Quantities by resource. */
  readonly capacity: Readonly<Record<string, string>>;
  readonly allocatable: Readonly<Record<string, string>>;
}

type Launch = Pick<NodeTarget['launches'][number], 'name' | 'instanceType' | 'zone' | 'capacityType' | 'labels'>;

/** Undefined: the catalog lacks the type. */
export function replacementNode(
  { name, instanceType, zone, capacityType, labels }: Launch,
  pool: Pool,
  { types }: Market,
): ReplacementNode | undefined {
  const type = types?.get(instanceType);
  if (type === undefined) return undefined;
  return {
    labels: { ...labels, ...labelsOfNew(fixedLabels(pool), type, { zone, capacityType }), [hostnameLabel]: name },
    annotations: pool.template.annotations,
    taints: taintsOfPool(pool),
    capacity: quantities(type.capacity),
    allocatable: quantities(type.allocatable),
  };
}

export const taintsOfPool = ({ manifest }: Pool): readonly Fields[] =>
  listAt(manifest, 'spec', 'template', 'spec', 'taints').filter(isFields);

const quantities = (amounts: Amounts): Record<string, string> =>
  Object.fromEntries([...amounts].map(([name, amount]) => [name, name === 'cpu' ? `${amount}m` : String(amount)]));
