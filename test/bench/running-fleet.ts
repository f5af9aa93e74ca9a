import { join } from 'node:path';
import { type SimulatedFault, simulatedFleet } from '../../src/api/simulated-fleet.ts';
import { limitHeapGrowth } from '../../src/daemon/memory/heap-growth.ts';
import { openDaemon } from '../../src/daemon/open.ts';
import { openLog } from '../../src/daemon/report/log.ts';
import type { Plan } from '../../src/engine/plan-document.ts';
import { defaultAuthor, parsePerson } from '../../src/git/person.ts';
import type { TransportRequest } from '../../src/members/api-server/transport.ts';
import { systemClock } from '../../src/members/clock.ts';
import { openFleet } from '../../src/simulator/fleet.ts';
import { inProcessTransport } from '../../src/simulator/transport.ts';
import { type Files, type FleetRepo, openFleetRepo, simulatedFleetFile } from './fleet-repo.ts';

/**
 * A request to a member on its way, and when it was answered; undefined while it is not. Milliseconds of `performance.now`. The
 * request itself is not kept: a hundred thousand bodies and signals would count as memory of the daemon.
 */
export interface Sent {
  readonly cluster: string;
  readonly path: string;
  readonly isApply: boolean;
  readonly at: number;
  answeredAt: number | undefined;
}

export interface RunningFleet {
  readonly repo: FleetRepo;
  /** Of every pass so far but those that another writer overtook. */
  readonly passes: { readonly plan: Plan; readonly kind: string }[];
  /** Objects that members were asked to apply so far. */
  readonly applies: () => number;
  /** What was asked of members since the last `keepSent`; nothing is kept before that, since it would count as memory of the daemon. */
  readonly sent: readonly Sent[];
  keepSent(): void;
  /** Resolves with the first plan from now on (or the last one) of which this is true. */
  until(isSo: (plan: Plan) => boolean): Promise<Plan>;
  /** Looks at the repo and the members once more; resolves when that pass is over. */
  passAgain(): Promise<void>;
  setFaults(cluster: string, faults: readonly SimulatedFault[]): void;
  close(): Promise<void>;
}

/** The real daemon on a repo of its own in `dir`, and simulated members that are ready at once, in this process. */
export async function runFleet(options: {
  readonly dir: string;
  readonly clusters: number;
  readonly files: Files;
  readonly intervalMs?: number;
}): Promise<RunningFleet> {
  // Before them, as the command does: what is new in the heap never takes less than it came to take.
  limitHeapGrowth();
  const members = await openFleet(simulatedFleet.parse(simulatedFleetFile(options.clusters)), systemClock);
  const repo = await openFleetRepo(join(options.dir, 'fleet'), options.files);
  const passes: { plan: Plan; kind: string }[] = [];
  let sent: Sent[] | undefined;
  let applies = 0;
  let wake = (): void => {};
  const passed = (): Promise<void> => new Promise((next) => (wake = next));
  const opened = await openDaemon({
    repo: repo.dir,
    branch: 'main',
    statusBranch: 'fleet-status',
    watchMembers: 1_000,
    async connect(cluster) {
      const member = members.get(cluster);
      if (!member) return undefined;
      const transport = inProcessTransport(member);
      return async (request) => {
        const sending = sentOf(cluster, request);
        sent?.push(sending);
        if (sending.isApply) applies++;
        const response = await transport(request);
        sending.answeredAt = performance.now();
        return response;
      };
    },
    cacheDir: join(options.dir, 'cache'),
    intervalMs: options.intervalMs ?? 10_000,
    publishIntervalMs: 0,
    listen: undefined,
    webhookSecret: undefined,
    acceptRewind: undefined,
    author: parsePerson(defaultAuthor),
    graceMs: 5_000,
    clock: systemClock,
    pace: systemClock,
    log: await openLog({ level: 'warn', pretty: false }),
    passed(result) {
      if (result.kind === 'moved') return;
      // A plan holds its whole record: of a large fleet only the last is kept, as the daemon does.
      if (passes.length > 0) passes.shift();
      passes.push({ plan: result.plan, kind: result.kind });
      wake();
    },
  });
  const running = opened.daemon.run();
  return {
    repo,
    passes,
    applies: () => applies,
    get sent() {
      return sent ?? [];
    },
    keepSent() {
      sent = [];
    },
    async until(isSo) {
      for (;;) {
        const last = passes.at(-1);
        if (last && isSo(last.plan)) return last.plan;
        await passed();
      }
    },
    passAgain() {
      opened.daemon.look('again');
      return passed();
    },
    setFaults: (cluster, faults) => members.get(cluster)!.setFaults(faults),
    async close() {
      opened.daemon.stop();
      await running;
      await opened.close();
      for (const member of members.values()) member.close();
    },
  };
}

const sentOf = (cluster: string, { method, path, headers }: TransportRequest): Sent => ({
  cluster,
  path,
  isApply: method === 'PATCH' && (headers['content-type'] ?? '').includes('apply-patch'),
  at: performance.now(),
  answeredAt: undefined,
});

/** Every placement has this many bindings, and all of them are available. */
export const allAvailable =
  (bindings: number) =>
  (plan: Plan): boolean =>
    plan.placements.length > 0 &&
    plan.placements.every(
      (placement) =>
        placement.bindings.length === bindings &&
        placement.bindings.every(
          ({ move, conditions }) =>
            move === 'keep' && conditions.some(({ type, status }) => type === 'Available' && status === 'True'),
        ),
    );
