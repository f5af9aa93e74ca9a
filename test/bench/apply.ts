import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Manifest } from '../../src/api/meta.ts';
import { memberClient } from '../../src/members/api-server/client.ts';
import { discover } from '../../src/members/api-server/discovery.ts';
import { connectionsOf } from '../../src/members/api-server/kubeconfig.ts';
import { pathOf } from '../../src/members/api-server/served-kind.ts';
import { sharedLimits } from '../../src/members/api-server/shared-limits.ts';
import type { Transport } from '../../src/members/api-server/transport.ts';
import { inWaves } from '../../src/members/apply/waves.ts';
import { systemClock } from '../../src/members/clock.ts';
import { fewAtOnce } from '../../src/members/few-at-once.ts';
import { type Member, openMember } from '../../src/members/member.ts';
import { eachOf } from '../../src/members/pool.ts';
import { assignment, configMap, namespace } from '../support/member-world.ts';
import { clusterName, inTempDir, simulatedFleetFile } from './fleet-repo.ts';
import { limits } from './limits.ts';
import { median, report, timed } from './report.ts';

const objects = 1_000;
const rounds = 5;
/** Time of the server for each response, milliseconds. */
const workMs = 2;
/** Requests that the server works on at once; others wait. */
const atOnce = 2;
/** Requests of the bare loop in flight. */
const width = 8;

type Phase = 'first apply' | 'update' | 'no change, new daemon';
type Times = Record<'ours' | 'processor' | 'bare' | 'kubectl', number[]>;

/** 1,000 ConfigMaps to a member without any, over HTTP to a process of its own: by us, by a bare loop and by kubectl in turns. */
export const run = (): Promise<void> =>
  inTempDir(async (dir) => {
    const file = join(dir, 'objects.json');
    await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: configMaps('1') }));
    const server = await startServer(dir);
    const times: Times = { ours: [], processor: [], bare: [], kubectl: [] };
    const requests: Record<Phase, number> = { 'first apply': 0, update: 0, 'no change, new daemon': 0 };
    try {
      const connections = await connectionsOf(server.kubeconfig);
      for (let round = 0; round < rounds; round++) {
        const [ours, bare, theirs] = [0, 1, 2].map((at) => clusterName(3 * round + at)) as [string, string, string];
        const transport = (await connections.open(ours))!;
        Object.assign(requests, await measureOurs(transport, times, () => server.requestsTo(ours)));
        const bareTransport = (await connections.open(bare))!;
        times.bare.push(...(await timed(1, () => bareLoop(bareTransport, configMaps('1')))));
        times.kubectl.push(...(await timed(1, () => kubectl(server.kubeconfig, theirs, file))));
      }
    } finally {
      await server.stop();
    }
    reportAll(times, requests);
  });

const configMaps = (value: string): Manifest[] => [
  namespace('shop'),
  ...Array.from({ length: objects }, (_, at) => configMap(`settings-${at}`, { value }, 'shop')),
];

/** Requests by phase. */
async function measureOurs(
  transport: Transport,
  times: Times,
  sent: () => Promise<number>,
): Promise<Record<Phase, number>> {
  const counted = async (work: () => Promise<unknown>): Promise<number> => {
    const before = await sent();
    await work();
    return (await sent()) - before;
  };
  const daemon = open(transport);
  const used = process.cpuUsage();
  const first = await counted(async () => times.ours.push(...(await timed(1, () => daemon.apply(configMaps('1'))))));
  const { user, system } = process.cpuUsage(used);
  times.processor.push((user + system) / 1000);
  const update = await counted(() => daemon.apply(configMaps('2')));
  daemon.stop();
  const next = open(transport);
  const none = await counted(() => next.apply(configMaps('2')));
  next.stop();
  return { 'first apply': first, update, 'no change, new daemon': none };
}

function reportAll(times: Times, requests: Readonly<Record<Phase, number>>): void {
  const ours = { value: median(times.ours), unit: 'ms' as const };
  report(
    {
      ...ours,
      what: `${objects} ConfigMaps to a member that takes ${workMs} ms for each response`,
      baseline: { what: 'kubectl apply --server-side', value: median(times.kubectl) },
      limit: limits.apply.kubectl,
    },
    {
      ...ours,
      what: '  the same',
      baseline: { what: `a bare loop, ${width} requests at once`, value: median(times.bare) },
      limit: limits.apply.bare,
    },
    { what: '  processor time of the daemon, an object', value: median(times.processor) / objects, unit: 'ms' },
    ...Object.entries(requests).map(([phase, count]) => ({
      what: `  requests an object: ${phase}`,
      value: count / objects,
      unit: 'requests' as const,
      limit: limits.apply.requests,
    })),
  );
}

async function startServer(dir: string) {
  const fleet = join(dir, 'simulated-fleet.yaml');
  const kubeconfig = join(dir, 'kubeconfig');
  await writeFile(fleet, JSON.stringify(simulatedFleetFile(3 * rounds)));
  const child: ChildProcess = fork(join(import.meta.dirname, 'working-server.ts'), [
    fleet,
    kubeconfig,
    ...[workMs, atOnce].map(String),
  ]);
  // It sends a message when it listens and has written the kubeconfig.
  await once(child, 'message');
  return {
    kubeconfig,
    async requestsTo(member: string): Promise<number> {
      child.send('count');
      const [counts] = (await once(child, 'message')) as [Readonly<Record<string, number>>];
      return counts[member] ?? 0;
    },
    async stop() {
      child.kill();
      await once(child, 'exit');
    },
  };
}

/** All the daemon does at a member that it never saw: contact, discovery, watches, waves, until every outcome is known. */
function open(transport: Transport) {
  let concluded = () => {};
  const member: Member = openMember({
    name: clusterName(0),
    transport,
    clock: systemClock,
    fewAtOnce: fewAtOnce(systemClock),
    shared: sharedLimits(),
    heartbeatMs: 60_000,
    priceLists: () => [],
    needsProperties: () => 'hour',
    knownAt: () => Number.NEGATIVE_INFINITY,
    events: { changed: () => concluded(), conflict() {}, identified() {} },
  });
  return {
    async apply(manifests: readonly Manifest[]): Promise<void> {
      const wanted = assignment('all', manifests);
      member.assign([wanted]);
      await new Promise<void>((resolve) => {
        concluded = () => {
          // An observation of a thousand objects takes time, which the daemon spends once for many changes.
          if (!member.idle()) return;
          const [placement] = member.observation().placements;
          if (placement?.done && placement.digest === wanted.digest) resolve();
        };
      });
      const { results } = member.observation().placements[0]!;
      if (results.length > 0) throw new Error(`not applied: ${JSON.stringify(results[0])}`);
    },
    stop: () => member.stop(),
  };
}

/** Only the requests, in the order of the waves, without any look at what is there. */
async function bareLoop(transport: Transport, manifests: readonly Manifest[]): Promise<void> {
  const life = new AbortController();
  const client = memberClient({
    name: 'bare',
    transport,
    clock: systemClock,
    life: life.signal,
    shared: sharedLimits(),
    refused() {},
  });
  const { find } = discover(client);
  const headers = { 'content-type': 'application/apply-patch+yaml', accept: 'application/json' };
  for (const wave of inWaves(manifests, (manifest) => manifest))
    await eachOf(wave, width, async (manifest) => {
      const kind = (await find(manifest.apiVersion, manifest.kind))!;
      const path = `${pathOf(kind, manifest.metadata)}?fieldManager=bare&force=true`;
      const { status, body } = await transport({ method: 'PATCH', path, headers, body: JSON.stringify(manifest) });
      for await (const _ of body);
      if (status >= 300) throw new Error(`${path}: ${status}`);
    });
  life.abort();
}

const kubectl = (kubeconfig: string, context: string, file: string) =>
  promisify(execFile)(
    'kubectl',
    ['--kubeconfig', kubeconfig, '--context', context, 'apply', '--server-side', '-f', file],
    { maxBuffer: 1 << 26 },
  );
