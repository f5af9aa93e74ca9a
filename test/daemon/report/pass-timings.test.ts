import { afterEach, expect, it } from 'vitest';
import { settledFleet } from '../../support/small-fleet.ts';
import type { VirtualFleet } from '../../support/virtual-fleet.ts';

let fleet: VirtualFleet;
afterEach(() => fleet.close());

it('each reconciliation logs at debug how long its steps took', async () => {
  ({ fleet } = await settledFleet());
  const lines = fleet.logged.map(
    (line) => JSON.parse(line) as { msg: string; level: string; result: string; stepsMs: object },
  );
  const timed = lines.filter(({ msg }) => msg === 'timings of the reconciliation');
  const published = timed.find(({ result }) => result === 'published');
  expect(published).toMatchObject({ level: 'debug' });
  expect(Object.keys(published!.stepsMs)).toEqual(
    expect.arrayContaining(['readRecord', 'load', 'observe', 'plan', 'publish']),
  );
});
