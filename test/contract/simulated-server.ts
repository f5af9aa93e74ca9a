import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scaledClock } from '../../src/simulator/clock.ts';
import { kubeconfigOf } from '../../src/simulator/kubeconfig.ts';
import { listen } from '../../src/simulator/listen.ts';
import { openMember } from '../../src/simulator/member.ts';
import type { ContractServer } from './server.ts';

/** Watches that must end and bookmarks that must come take five seconds of the server's time. */
const speed = 5;

/** A simulated member over real HTTP. */
export async function simulatedServer(): Promise<ContractServer> {
  const clock = scaledClock(Date.now(), speed);
  const member = await openMember({ name: 'contract' }, clock);
  const listening = await listen(new Map([[member.name, member]]));
  const directory = await mkdtemp(join(tmpdir(), 'gitfleet-contract-'));
  const kubeconfig = join(directory, 'kubeconfig');
  await writeFile(
    kubeconfig,
    kubeconfigOf([member.name], (name) => listening.urlOf(name)),
  );
  return {
    kubeconfig,
    context: member.name,
    clock,
    forget: () => member.cluster.store.compact(),
    forgetsWithinMs: 0,
    controllers: true,
    async close() {
      await listening.close();
      member.close();
      await rm(directory, { recursive: true });
    },
  };
}
