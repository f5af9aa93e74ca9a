import { expect, it } from 'vitest';
import { loadFleet } from '../../../../src/repo/fleet/load-fleet.ts';
import { unpricedTypes } from '../../../../src/repo/fleet/nodes/unpriced-types.ts';
import { placeProblems } from '../../../../src/repo/fleet/place-problems.ts';
import { nodeMember } from '../../../support/node-world.ts';
import { treeOf } from '../../../support/paper-fleet.ts';

const head = (kind: string) => `apiVersion: gitfleet.dev/v1alpha1\nkind: ${kind}\nmetadata: {name: all}\nspec:\n`;
const whole = '{cpu: "4", memory: 16Gi, pods: "110"}';
const sold = '[{zones: [eu-1a]}]';
const type = ({ name = 'D4', capacity = whole, overhead = '{}', offerings = sold }) =>
  `  - {name: ${name}, capacity: ${capacity}, overhead: ${overhead}, offerings: ${offerings}}\n`;
const catalog = (...types: readonly string[]) =>
  `${head('InstanceCatalog')}  instanceTypes:${types.length === 0 ? ' []' : `\n${types.join('')}`}`;
const prices = (text: string) => `${head('PriceList')}  prices: ${text}\n`;
const priced = '[{instanceType: D4, perHour: 0.2}]';

/** `file:line:column message (fix)` of the warnings that `gitfleet validate` shows. */
async function warned(types: string, list: string | undefined): Promise<readonly string[]> {
  const tree = treeOf({
    'eu-1.yaml': nodeMember('eu-1', 'plan', { region: 'eu' }),
    'types.yaml': types,
    ...(list === undefined ? {} : { 'prices.yaml': list }),
  });
  const fleet = await loadFleet(tree);
  const found = [...fleet.problems, ...(await placeProblems(unpricedTypes(fleet), async () => tree))];
  return found.map(
    (one) => `${one.severity} ${one.file}:${one.line}:${one.column} ${one.code}: ${one.message} (${one.fix})`,
  );
}

it.each([
  ['a usable type with a price', catalog(type({})), prices(priced), []],
  [
    'no memory and no pods',
    catalog(type({ capacity: '{cpu: "4"}' })),
    prices(priced),
    [
      'warning types.yaml:6:16 unusable-type: InstanceCatalog all: the type D4 has no memory and no pods: no pod that needs it fits (add memory and pods to capacity)',
    ],
  ],
  [
    'an overhead that leaves nothing',
    catalog(type({ overhead: '{cpu: 100m, memory: 16Gi}' })),
    prices(priced),
    [
      'warning types.yaml:6:87 unusable-type: InstanceCatalog all: the overhead of D4 leaves no memory to pods: 16Gi of 16Gi (write less overhead, or more capacity)',
    ],
  ],
  [
    'a capacity that cannot be read, which is told once',
    catalog(type({ capacity: '{cpu: four, memory: 16Gi, pods: "110"}', overhead: '{cpu: 100m}' })),
    prices(priced),
    [
      'error types.yaml:6:27 invalid-quantity: InstanceCatalog all: "four" is not a quantity (write for example 4 or 16Gi)',
    ],
  ],
  [
    'no offering',
    catalog(type({ offerings: '[]' })),
    prices(priced),
    [
      'warning types.yaml:6:79 unusable-type: InstanceCatalog all: the type D4 has no offering: none can be launched, and nodes of it are drifted (add an offering, with available: false while it is sold out, or remove the type)',
    ],
  ],
  [
    'no type',
    catalog(),
    prices(priced),
    [
      'warning types.yaml:5:3 unusable-type: InstanceCatalog all: it has no types: nothing can be launched, and nodes of every type are drifted (list the types, or remove the catalog)',
    ],
  ],
  [
    'prices of some offerings only',
    catalog(type({ offerings: '[{zones: [eu-1a, eu-1b]}, {capacityType: spot, zones: [eu-1a]}]' })),
    prices('[{instanceType: D4, zone: eu-1a, perHour: 0.2}]'),
    [
      'warning types.yaml:6:6 no-price: InstanceCatalog all: no PriceList has a price for D4 on-demand in eu-1b, spot in eu-1a: no node is replaced by it to save money (add the price to a PriceList)',
    ],
  ],
  [
    'a price of a type of nearly that name',
    catalog(type({ name: 'Standard_D4s_v5' })),
    prices('[{instanceType: Standard_D4sv5, perHour: 0.2}]'),
    [
      'warning types.yaml:6:6 no-price: InstanceCatalog all: no PriceList has a price for Standard_D4s_v5 on-demand in eu-1a: no node is replaced by it to save money (did you mean Standard_D4sv5, which has a price?)',
    ],
  ],
  ['no PriceList', catalog(type({})), undefined, []],
  [
    'prices that an invalid PriceList may have',
    catalog(type({})),
    `${prices('[]')}---\n${prices('[{instanceType: D4, perHour: -1}]').replace('name: all', 'name: other')}`,
    [
      'error prices.yaml:11:31 out-of-range: PriceList other: perHour must be at least 0 (write a number of at least 0)',
    ],
  ],
])('an InstanceCatalog with %s', async (_, types, list, expected) => {
  expect(await warned(types, list)).toEqual(expected);
});
