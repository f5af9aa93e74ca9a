import { expect, it } from 'vitest';
import type { ClusterNode } from '../../../src/engine/nodes/cluster/cluster-nodes.ts';
import { cheaperReplacement } from '../../../src/engine/nodes/methods/price-rules.ts';
import type { NewNode } from '../../../src/engine/nodes/simulate/new-node.ts';

const prices: Readonly<Record<string, number>> = { nano: 0.05, small: 0.1, xl: 0.4, '2xl': 0.8 };
const replaced = (leaving: readonly string[], options: readonly string[]) => {
  const found = cheaperReplacement(
    leaving.map(
      (instanceType) => ({ instanceType, price: prices[instanceType], capacityType: 'on-demand' }) as ClusterNode,
    ),
    {
      from: { pool: { name: 'default', template: { requirements: new Map() } }, minValues: [] },
      open: new Map(),
      admits: new Set(['on-demand']),
      options: options.map((name) => ({ type: { name }, zone: 'a', capacityType: 'on-demand', price: prices[name] })),
    } as unknown as NewNode,
    { SpotToSpotConsolidation: false },
  );
  return typeof found === 'string' ? found : found.options;
};

it.each<[string, string[], string[], string | string[]]>([
  [
    'a type of them',
    ['2xl', '2xl', 'small'],
    ['small', 'xl', '2xl'],
    'a cheaper node would be of a type that is removed',
  ],
  ['cheaper than the cheapest of a shared type', ['2xl', '2xl', 'small'], ['nano', 'small', 'xl', '2xl'], ['nano']],
  ['no type is shared', ['2xl', 'small'], ['nano', 'xl'], ['nano', 'xl']],
  ['one node: its own type is dearer anyway', ['2xl'], ['small', 'xl', '2xl'], ['small', 'xl']],
])(
  'several nodes are replaced by none of their own types (core multinodeconsolidation.go): %s',
  (_, leaving, options, left) => {
    expect(replaced(leaving, options)).toEqual(left);
  },
);
