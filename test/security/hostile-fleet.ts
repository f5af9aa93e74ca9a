import { KubeConfig } from '@kubernetes/client-node';
import type { MemberCluster } from '../../src/api/member-cluster.ts';
import { fleetMembers } from '../../src/daemon/members.ts';
import { limitHeapGrowth } from '../../src/daemon/memory/heap-growth.ts';
import { collectGarbage } from '../../src/daemon/memory/release-memory.ts';
import '../../src/daemon/open.ts';
import { emptyFleet } from '../../src/engine/input.ts';
import { httpTransport } from '../../src/members/api-server/http-transport.ts';
import type { Transport } from '../../src/members/api-server/transport.ts';
import { sleep, systemClock } from '../../src/members/clock.ts';
import { openMember } from '../../src/simulator/member.ts';
import { inProcessTransport } from '../../src/simulator/transport.ts';
import { assignment, configMap } from '../support/member-world.ts';

/**
 * A process with all that a daemon loads and ten members that are well. Then members of the hostile server join that the arguments
 * name: its port, and the names. Prints the memory at rest, the most since, and why each hostile member is not responding.
 */
const [port, ...hostile] = process.argv.slice(2);
const well = Array.from({ length: 10 }, (_, at) => `m-${at}`);
const heartbeatPeriodSeconds = 2;
const longestMs = 90_000;

async function connect(name: string): Promise<Transport> {
  if (!hostile.includes(name)) return inProcessTransport(await openMember({ name }, systemClock));
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    { name, server: `http://127.0.0.1:${port}/${name}`, skipTLSVerify: true },
    { name: 'gitfleet' },
  );
  return httpTransport(config, async () => config);
}

const members = fleetMembers({
  connect,
  clock: systemClock,
  pace: systemClock,
  changed: () => {},
  conflict: () => {},
  watchMembers: 100,
  recordAgeMs: 0,
});

async function follow(names: readonly string[]): Promise<void> {
  const wanted = assignment(
    'web',
    Array.from({ length: 30 }, (_, at) => configMap(`c-${at}`)),
  );
  await members.follow(
    names.map((name) => ({ metadata: { name }, spec: { heartbeatPeriodSeconds } }) as MemberCluster),
    emptyFleet,
  );
  members.assign(new Map(names.map((name) => [name, [wanted]])));
}

limitHeapGrowth();
await follow(well);
await members.looked(longestMs);
await members.settled(longestMs);
await collectGarbage();
await sleep(systemClock, 500);
const rest = process.memoryUsage.rss();
let most = rest;
setInterval(() => {
  most = Math.max(most, process.memoryUsage.rss());
}, 5).unref();

await follow([...well, ...hostile]);
const until = Date.now() + longestMs;
const isRefused = (name: string): boolean => members.unreachable().has(name);
while (!hostile.every(isRefused) && Date.now() < until) await sleep(systemClock, 50);
// Requested again, each of them continues.
await sleep(systemClock, 5_000);
const stillWell = well.every((name) => members.observations().get(name)?.placements[0]?.done);
const causes = Object.fromEntries([...members.unreachable()]);
console.log(
  JSON.stringify({ rest, most, causes: stillWell ? causes : 'a member that is well did not get its objects' }),
);
process.exit(0);
