import { writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { readSimulatedFleet } from '../../src/repo/read-simulated-fleet.ts';
import { scaledClock } from '../../src/simulator/clock.ts';
import { openFleet } from '../../src/simulator/fleet.ts';
import { kubeconfigOf } from '../../src/simulator/kubeconfig.ts';
import { listen } from '../../src/simulator/listen.ts';

/**
 * Simulated members over HTTP in a process of their own. Each works on a few requests at once and takes its time for each, as real API
 * servers do. That time passes without work, because a real server has processors of its own. Requests are counted by member.
 */
const [fleetFile = '', kubeconfig = '', workMs = '0', atOnce = '1'] = process.argv.slice(2);

const { fleet } = await readSimulatedFleet(fleetFile);
const members = await openFleet(fleet!, scaledClock(Date.now(), 1));
const counts: Record<string, number> = {};
const working = [...members].map(([name, member]) => {
  /** When each of its workers is free, milliseconds. */
  const freeAt = new Array<number>(Number(atOnce)).fill(0);
  const request: typeof member.request = async (wanted) => {
    counts[name] = (counts[name] ?? 0) + 1;
    const now = performance.now();
    const worker = freeAt.indexOf(Math.min(...freeAt));
    freeAt[worker] = Math.max(freeAt[worker]!, now) + Number(workMs);
    await setTimeout(freeAt[worker] - now);
    return member.request(wanted);
  };
  return [name, { ...member, request }] as const;
});
const { urlOf } = await listen(new Map(working));
await writeFile(kubeconfig, kubeconfigOf([...members.keys()], urlOf));
process.on('message', () => process.send!(counts));
process.send!({});
