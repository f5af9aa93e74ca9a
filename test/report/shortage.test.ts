import { expect, it } from 'vitest';
import { shortageText } from '../../src/report/shortage.ts';

const web = { kind: 'ClusterResourcePlacement', name: 'web', wanted: 3, why: [] } as const;

it.each([
  [0, '0 of 3 clusters scheduled; the fleet has no clusters'],
  [2, '2 of 3 clusters scheduled; the fleet has no other cluster'],
])('a shortage without candidates names what is missing: %i found', (found, text) => {
  expect(shortageText({ ...web, found })).toBe(text);
});
