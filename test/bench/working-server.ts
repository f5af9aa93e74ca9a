import { writeFile } from 'node:fs/promises';
import { readSimulatedFleet } from '../../src/repo/read-simulated-fleet.ts';
import { scaledClock } from '../../src/simulator/clock.ts';
import { openFleet } from '../../src/simulator/fleet.ts';
import { kubeconfigOf } from '../../src/simulator/kubeconfig.ts';
import { listen } from '../../src/simulator/listen.ts';

/**
 * Simulated members over HTTP in a process of their own. Each response first takes processor time, as those of real API servers do,
 * which need one or two milliseconds for an apply. Requests are counted by member.
 */
const [fleetFile = '', kubeconfig = '', workMs = '0'] = process.argv.slice(2);

const { fleet } = await readSimulatedFleet(fleetFile);
const members = await openFleet(fleet!, scaledClock(Date.now(), 1));
const counts: Record<string, number> = {};
const working = [...members].map(([name, member]) => {
  const request: typeof member.request = (wanted) => {
    counts[name] = (counts[name] ?? 0) + 1;
    const end = performance.now() + Number(workMs);
    while (performance.now() < end);
    return member.request(wanted);
  };
  return [name, { ...member, request }] as const;
});
const { urlOf } = await listen(new Map(working));
await writeFile(kubeconfig, kubeconfigOf([...members.keys()], urlOf));
process.on('message', () => process.send!(counts));
process.send!({});
