import { afterEach, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { PlacementState } from '../../src/api/placement-state.ts';
import { sleep } from '../../src/members/clock.ts';
import { settledFleet, settles, web } from '../support/small-fleet.ts';
import type { VirtualFleet } from '../support/virtual-fleet.ts';

const open: VirtualFleet[] = [];
afterEach(() => {
  for (const fleet of open.splice(0)) fleet.close();
});

it('a daemon that cannot reach a cluster does not revert the availability that another daemon observed', async () => {
  const { fleet, one } = await settledFleet();
  open.push(fleet);
  let isDeaf = false;
  async function hear(): Promise<void> {
    while (isDeaf) await sleep(fleet.clock, 1_000);
  }
  async function* heard(body: AsyncIterable<Uint8Array>) {
    for await (const chunk of body) {
      await hear();
      yield chunk;
    }
  }
  const deaf = fleet.start({
    through: (transport, name) => async (request) => {
      const answer = await transport(request);
      if (name !== 'b' || request.path === '/readyz') return answer;
      await hear();
      return { ...answer, body: heard(answer.body) };
    },
  });
  await settles(fleet, deaf);
  const reported: string[] = [];
  const see = async (seconds: number): Promise<void> => {
    for (let at = 0; at < seconds; at++) {
      await fleet.run(1);
      const files = await fleet.repo.files('fleet-status');
      const { bindings = [] } = parse(files['placements/web/state.yaml']!) as PlacementState;
      const { resourceSnapshotIndex, conditions = [] } = bindings.find((it) => it.targetCluster === 'b')!;
      const available = conditions.find(({ type }) => type === 'Available')?.status;
      const line = `${resourceSnapshotIndex} ${available}`;
      if (available !== undefined && line !== reported.at(-1)) reported.push(line);
    }
  };
  fleet.commit(web('web:2'));
  await fleet.until('it has come to b', () =>
    JSON.stringify(fleet.stored('b', 'apps/deployments', 'web', 'web')).includes('web:2'),
  );
  isDeaf = true;
  await see(40);
  fleet.commit(web('web:3'));
  await see(60);
  isDeaf = false;
  await settles(fleet, one);
  // That it is applied and not available yet is no news, and comes with what is.
  expect(reported).toEqual(['1 True', '2 True']);
});
