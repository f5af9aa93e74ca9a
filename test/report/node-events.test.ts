import { expect, it } from 'vitest';
import type { NodeCommand } from '../../src/api/nodes/node-plan.ts';
import { currenciesOf } from '../../src/report/money.ts';
import { nodeDisruptions, nodeEffects, nodeEvents } from '../../src/report/nodes.ts';

const command = (phase: NodeCommand['phase'], more: object = {}) => ({
  id: 'c1',
  reason: 'Underutilized',
  phase,
  nodes: [{ name: 'n1' }, { name: 'n2' }],
  priceBefore: 0.4,
  priceAfter: 0.1,
  ...more,
});

it.each([
  [
    'a command that begins',
    [],
    [command('Validating')],
    'check before removing n1, n2 (Underutilized), saves 219 EUR a month',
  ],
  ['its next phase', [command('Validating')], [command('Launching')], 'launch replacements for n1, n2 (Underutilized)'],
  ['its end', [command('Removing')], [], '✓ n1, n2 removed, saves 219 EUR a month'],
  ['the end of one without a price', [command('Removing', { priceBefore: undefined })], [], '✓ n1, n2 removed'],
  ['the end of one that only replaces', [command('Removing', { reason: 'Drifted' })], [], '✓ n1, n2 removed'],
  ['no command that is dropped', [command('Validating')], [], undefined],
  ['no proposal', [], [command('Proposed')], undefined],
])('events tell %s', (_, before, commands, expected) => {
  const events = nodeEvents.events({
    before: { nodes: new Map([['eu-1', { commands: before }]]) },
    plan: { nodes: [{ clusterName: 'eu-1', commands }] },
    currencies: (cluster: string) => (cluster === 'eu-1' ? 'EUR' : undefined),
  } as never);
  expect(events.map(({ text }) => text)).toEqual(expected === undefined ? [] : [expected]);
});

const leaving = (mode: string, ...commands: readonly object[]) => [{ clusterName: 'eu-1', mode, commands }];
const saving = command('Proposed', { priceBefore: 1, priceAfter: 0 });
const begun = { ...saving, phase: 'Validating' };
const unpriced = command('Proposed', { priceBefore: undefined });
const others = { ...saving, nodes: [{ name: 'n1' }, { name: 'n3' }] };
it.each([
  [
    'the mode becomes execute',
    leaving('plan', saving),
    leaving('execute', begun),
    'execute, before plan): 2 nodes may go now (n1, n2), 2 before; gitfleet carries that out',
  ],
  [
    'it is execute no more',
    leaving('execute', begun),
    leaving('delegate', saving),
    'delegate, before execute): 2 nodes may go now (n1, n2), 2 before; gitfleet does not carry that out any more',
  ],
  [
    'no node may go',
    leaving('plan'),
    leaving('execute'),
    'execute, before plan): 0 nodes may go now, 0 before; gitfleet carries that out',
  ],
  [
    'others may go',
    leaving('plan', saving),
    leaving('plan', others),
    'plan): 2 nodes may go now (n1, n3), 2 before (n1, n2)',
  ],
  [
    'prices are gone',
    leaving('plan', saving),
    leaving('plan', unpriced),
    'plan): 2 nodes may go now, 2 before, what that saves is not known',
  ],
  [
    'prices are there',
    leaving('plan', unpriced),
    leaving('plan', saving),
    'plan): 2 nodes may go now, 2 before, saves 730 EUR a month',
  ],
  [
    'something keeps them',
    leaving('execute'),
    leaving('execute', saving),
    'execute): 0 nodes may go now, 0 before; 2 wait',
  ],
  [
    'nothing keeps them any more',
    leaving('execute', saving),
    leaving('execute', begun),
    'execute): 2 nodes may go now, 0 before, 730 EUR a month less',
  ],
  ['nothing differs', leaving('plan', saving), leaving('plan', saving), undefined],
])('a preview says what becomes of nodes where as many may go and %s', (_, before, after, text) => {
  const compared = { at: '2026-11-20T10:00:00Z', isNow: true, before, after } as never;
  expect(nodeEffects([compared], () => 'EUR')).toEqual(text === undefined ? [] : [`eu-1 (${text}`]);
});
it('a preview names a cluster whose nodes are not planned any more', () => {
  const compared = { at: '2026-11-20T10:00:00Z', isNow: true, before: leaving('execute', saving), after: [] } as never;
  expect(nodeEffects([compared], () => 'EUR')).toEqual([
    'eu-1: nodes are not planned any more (mode execute before, 2 might go)',
  ]);
});

it('the dashboard names the cluster of each command, and the currency of what it saves', () => {
  const commands = [{ ...command('Proposed'), method: 'Emptiness', replacements: [] }];
  const { rows } = nodeDisruptions({
    inEffect: { nodes: [{ clusterName: 'eu-1', mode: 'plan', commands }] },
    fleet: { members: [{ metadata: { name: 'eu-1' } }], priceLists: [{ spec: { currency: 'EUR' } }] },
  } as never);
  expect(rows).toMatchObject({
    items: [
      { line: [{ bold: 'eu-1' }, ' (plan): 1 command, saves 0.3 EUR an hour, 219 EUR a month'] },
      { line: [{ bold: 'eu-1' }, ' ', 'Proposed Emptiness: ', { code: 'n1, n2' }] },
    ],
  });
});

it('the currency of a cluster is that of the first PriceList that selects it', () => {
  const member = (name: string, region: string) => ({ metadata: { name, labels: { region } } });
  const priced = (currency: string, region: string) => ({
    spec: { currency, clusterSelector: { matchLabels: { region } } },
  });
  const currencies = currenciesOf({
    members: [member('eu-1', 'eu'), member('us-1', 'us'), member('ap-1', 'ap')],
    priceLists: [priced('EUR', 'eu'), priced('USD', 'us'), priced('CHF', 'eu')],
  } as never);
  expect(['eu-1', 'us-1', 'ap-1', 'gone'].map(currencies)).toEqual(['EUR', 'USD', undefined, undefined]);
});
