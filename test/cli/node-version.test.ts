import { expect, it } from 'vitest';
import { nodeTooOld } from '../../src/cli/node-version.ts';

it.each([
  ['20.20.2', true],
  ['22.9.0', true],
  ['22.22.0', false],
  ['22.23.1', false],
  ['24.0.0', false],
])('Node %s is refused when 22.22 is needed: %s', (running, refused) => {
  expect(nodeTooOld(running, '>=22.22')).toBe(
    refused ? `gitfleet needs Node 22.22 or newer; this is Node ${running}` : undefined,
  );
});

it('this Node is as new as package.json requires', () => {
  expect(nodeTooOld(process.versions.node)).toBeUndefined();
});
