import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import type { Manifest } from '../../src/api/meta.ts';
import { connectionsOf } from '../../src/members/api-server/kubeconfig.ts';
import { sharedLimits } from '../../src/members/api-server/shared-limits.ts';
import type { Transport } from '../../src/members/api-server/transport.ts';
import { systemClock } from '../../src/members/clock.ts';
import { fewAtOnce } from '../../src/members/few-at-once.ts';
import { openMember } from '../../src/members/member.ts';
import { assignment } from '../support/member-world.ts';
import { clusterName, filesOf, inTempDir, simulatedFleetFile, tenObjects, writeFiles } from './fleet-repo.ts';
import { limits } from './limits.ts';
import { median, report, timed } from './report.ts';

const namespaces = 100;
const rounds = 3;

/** 1,000 objects to a member that holds nothing yet, over HTTP to a process of its own: by us and by kubectl in turns. */
export const run = (): Promise<void> =>
  inTempDir(async (dir) => {
    const files = filesOf(namespaces, (at) => tenObjects(`team-${at}`, '1'));
    const manifests = Object.values(files).flatMap((text) =>
      parseAllDocuments(text).map((document) => document.toJS() as Manifest),
    );
    await writeFiles(dir, files);
    const kubeconfig = join(dir, 'kubeconfig');
    const simulator = await simulate(dir, kubeconfig);
    const ours: number[] = [];
    const theirs: number[] = [];
    try {
      const connections = await connectionsOf(kubeconfig);
      for (let round = 0; round < rounds; round++) {
        const transport = (await connections.open(clusterName(2 * round)))!;
        ours.push(...(await timed(1, () => applyAll(transport, manifests))));
        const context = clusterName(2 * round + 1);
        theirs.push(...(await timed(1, () => kubectl(kubeconfig, context, join(dir, 'resources')))));
      }
    } finally {
      simulator.kill();
      await once(simulator, 'exit');
    }
    report({
      what: `${manifests.length} objects to one simulated member over HTTP`,
      value: median(ours),
      unit: 'ms',
      baseline: { what: 'kubectl apply --server-side', value: median(theirs) },
      limit: limits.apply,
    });
  });

async function simulate(dir: string, kubeconfig: string) {
  const fleet = join(dir, 'simulated-fleet.yaml');
  await writeFile(fleet, JSON.stringify(simulatedFleetFile(2 * rounds)));
  const main = join(import.meta.dirname, '../../src/main.ts');
  const args = [main, 'simulate', '--simulated-fleet', fleet, '--kubeconfig', kubeconfig];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  // Its first line says that it listens and has written the kubeconfig.
  await once(createInterface(child.stdout), 'line');
  return child;
}

/** All the daemon does at a member that it never saw: contact, discovery, watches, waves, until every outcome is known. */
async function applyAll(transport: Transport, manifests: readonly Manifest[]): Promise<void> {
  const { promise: done, resolve } = Promise.withResolvers<void>();
  const member = openMember({
    name: clusterName(0),
    transport,
    clock: systemClock,
    fewAtOnce: fewAtOnce(systemClock),
    shared: sharedLimits(),
    heartbeatMs: 60_000,
    priceLists: () => [],
    knownAt: () => Number.NEGATIVE_INFINITY,
    events: {
      changed() {
        if (member.observation().placements[0]?.done) resolve();
      },
      conflict() {},
    },
  });
  member.assign([assignment('all', manifests)]);
  await done;
  const { results } = member.observation().placements![0]!;
  member.stop();
  if (results.length > 0) throw new Error(`not applied: ${JSON.stringify(results[0])}`);
}

const kubectl = (kubeconfig: string, context: string, folder: string) =>
  promisify(execFile)(
    'kubectl',
    ['--kubeconfig', kubeconfig, '--context', context, 'apply', '--server-side', '-f', folder],
    { maxBuffer: 1 << 26 },
  );
