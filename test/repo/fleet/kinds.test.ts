import { expect, it } from 'vitest';
import { fleetKinds } from '../../../src/api/kinds.ts';
import type { SimulatedFleet } from '../../../src/api/simulated-fleet.ts';
import { emptyFleet } from '../../../src/engine/input.ts';
import type { FleetRow } from '../../../src/repo/fleet/kinds/row.ts';
import { fleetRowOf } from '../../../src/repo/fleet/kinds/rows.ts';

it('every kind has a field of the fleet', () => {
  const fields = Object.keys(emptyFleet);
  expect(fleetKinds.filter((row) => ![...fields, 'none'].includes(fleetRowOf(row).in))).toEqual([]);
});

it('a kind that lands where another belongs does not compile', () => {
  // @ts-expect-error: a SimulatedFleet is no member.
  const row: FleetRow<SimulatedFleet> = { in: 'members' };
  expect(row.in).toBe('members');
});
