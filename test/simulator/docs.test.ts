import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { simulatedFault, simulatedFleet } from '../../src/api/simulated-fleet.ts';
import { usualDelays } from '../../src/simulator/cluster.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/simulator.md'), 'utf8');
const member = simulatedFleet.shape.spec.shape.members.element;

it.each([
  ['fields of a member', Object.keys(member.shape)],
  ['fields of a pool of nodes', Object.keys(member.shape.nodes.unwrap().element.shape)],
  ['faults', simulatedFault.options.map(({ shape }) => shape.type.value)],
  [
    'fields of faults',
    simulatedFault.options.flatMap(({ shape }) => Object.keys(shape)).filter((key) => key !== 'type'),
  ],
  ['kinds that take their time', Object.keys(usualDelays)],
])('the page about the simulator names all %s', (_, names) => {
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

it.each(Object.entries(usualDelays))('the page says that %s takes %s seconds by default', (kind, seconds) => {
  expect(page.split('\n').find((line) => line.startsWith('|') && line.includes(`\`${kind}\``))).toContain(
    `\`${seconds}\``,
  );
});
