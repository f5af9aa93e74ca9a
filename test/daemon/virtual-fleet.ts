import { simulatedFault } from '../../src/api/simulated-fleet.ts';
import { assemble } from '../../src/daemon/assemble.ts';
import type { Daemon } from '../../src/daemon/daemon.ts';
import { type Logger, openLog } from '../../src/daemon/log.ts';
import { type Metrics, metrics } from '../../src/daemon/metrics.ts';
import type { PassResult } from '../../src/daemon/reconciler.ts';
import type { Plan } from '../../src/engine/plan-document.ts';
import { approvalBranches, approvalPrefix } from '../../src/git/approval-branches.ts';
import type { Branches } from '../../src/git/branches.ts';
import { refPoll } from '../../src/git/ref-poll.ts';
import { branchRef, gitSource } from '../../src/git/source.ts';
import { statusBranch } from '../../src/git/status-branch.ts';
import type { Clock } from '../../src/members/clock.ts';
import type { Transport } from '../../src/members/transport.ts';
import { memoryCache } from '../../src/repo/load-cache.ts';
import { loadFleet } from '../../src/repo/load-fleet.ts';
import { manualClock } from '../../src/simulator/clock.ts';
import { openMember, type SimulatedMember } from '../../src/simulator/member.ts';
import { inProcessTransport } from '../../src/simulator/transport.ts';
import { MemoryRepo } from './memory-repo.ts';

const begin = Date.parse('2026-11-20T10:00:00Z');
const bot = { name: 'gitfleet', email: 'gitfleet@localhost' };

export interface DaemonOptions {
  readonly remote?: boolean;
  readonly intervalMs?: number;
  readonly publishIntervalMs?: number;
  readonly acceptRewind?: string;
  readonly graceMs?: number;
  readonly branches?: Branches;
  /** Stands between the daemon and a member. */
  readonly through?: (transport: Transport, member: string) => Transport;
}

/** A daemon that lives in virtual time. */
export interface VirtualDaemon {
  readonly daemon: Daemon;
  readonly metrics: Metrics;
  readonly passes: PassResult[];
  readonly plan: () => Plan;
  /** What `run` came to, once it has. */
  readonly ended: () => 'finished' | 'cut short' | undefined;
  /** Ends it as kill -9 does: nothing that it began goes on, nothing that it asked for is heard. */
  kill(): void;
}

/** A fleet repo in memory and simulated members, on a clock that is moved by hand. */
export class VirtualFleet {
  readonly clock = manualClock(begin);
  readonly repo = new MemoryRepo(() => this.clock.now());
  readonly members = new Map<string, SimulatedMember>();
  /** `member METHOD path?query` of every request of a daemon. */
  readonly requests: string[] = [];
  /** Every line that a daemon logged. */
  readonly logged: string[] = [];
  readonly #daemons: VirtualDaemon[] = [];
  #log: Logger | undefined;
  files: Record<string, string> = {};

  static async open(files: Readonly<Record<string, string>>, ...names: string[]): Promise<VirtualFleet> {
    const fleet = new VirtualFleet();
    const write = (line: string): void => void fleet.logged.push(line);
    fleet.#log = await openLog({ level: 'trace', pretty: false, to: { write } });
    for (const name of names) fleet.members.set(name, await openMember({ name }, fleet.clock));
    fleet.commit(files);
    return fleet;
  }

  /** Commits files to main; undefined removes one. */
  commit(changes: Readonly<Record<string, string | undefined>>, message?: string): string {
    for (const [path, text] of Object.entries(changes)) {
      if (text === undefined) delete this.files[path];
      else this.files[path] = text;
    }
    return this.repo.commit('main', this.files, message);
  }

  start(options: DaemonOptions = {}): VirtualDaemon {
    const { intervalMs = 10_000, publishIntervalMs = 10_000 } = options;
    const life = new AbortController();
    const clock = mortal(this.clock, life.signal);
    const branches = options.branches ?? this.repo.branches({ remote: options.remote ?? false });
    const prefixes = [branchRef('main'), branchRef('fleet-status'), approvalPrefix];
    const refs = refPoll(branches, { prefixes, maxAgeMs: intervalMs, now: () => clock.now() });
    const source = gitSource(branches, 'main', refs);
    const commits = { author: bot, now: () => clock.now() };
    const cache = memoryCache();
    const measured = metrics();
    const passes: PassResult[] = [];
    const { daemon, members } = assemble({
      desired: source,
      status: statusBranch(branches, branchRef('fleet-status'), { ...commits, refs }),
      approvals: approvalBranches(source, commits),
      load: (tree) => loadFleet(tree, cache),
      watchMembers: 1_000,
      connect: async (name) => {
        const member = this.members.get(name);
        if (!member) return undefined;
        const counted = this.#counted(name, inProcessTransport(member), life.signal);
        return options.through ? options.through(counted, name) : counted;
      },
      clock,
      pace: clock,
      log: this.#log!,
      metrics: measured,
      branch: 'main',
      acceptRewind: options.acceptRewind,
      publishIntervalMs: branches.remote ? publishIntervalMs : 0,
      intervalMs,
      graceMs: options.graceMs ?? 25_000,
      forgetRefs: () => refs.expire(),
      passed: (result) => passes.push(result),
    });
    let ended: 'finished' | 'cut short' | undefined;
    void daemon.run().then((how) => {
      ended = how;
      members.stop();
    });
    const started: VirtualDaemon = {
      daemon,
      metrics: measured,
      passes,
      ended: () => ended,
      plan() {
        const last = passes.at(-1);
        if (last === undefined || last.kind === 'moved') throw new Error('no plan was made yet');
        return last.plan;
      },
      kill() {
        life.abort(new Error('killed'));
        members.stop();
      },
    };
    this.#daemons.push(started);
    return started;
  }

  #counted(name: string, transport: Transport, life: AbortSignal): Transport {
    return async (request) => {
      if (life.aborted) return new Promise(() => {});
      this.requests.push(`${name} ${request.method} ${request.path}`);
      const signal = request.signal ? AbortSignal.any([request.signal, life]) : life;
      const answer = await transport({ ...request, signal });
      return life.aborted ? new Promise(() => {}) : answer;
    };
  }

  /** Lets time pass; everything that is due happens in its order. */
  async run(seconds: number): Promise<void> {
    const until = this.clock.now() + seconds * 1000;
    await turn();
    for (let next = this.clock.next(); next !== undefined && next <= until; next = this.clock.next()) {
      this.clock.advance(Math.max(0, next - this.clock.now()));
      await turn();
    }
    this.clock.advance(until - this.clock.now());
    await turn();
  }

  /** Lets time pass until something holds; fails when it does not within `seconds`. */
  async until(what: string, holds: () => boolean | Promise<boolean>, seconds = 120): Promise<void> {
    for (let passed = 0; passed <= seconds; passed++) {
      await turn();
      if (await holds()) return;
      await this.run(1);
    }
    throw new Error(`not within ${seconds} s: ${what}`);
  }

  fault(member: string, ...faults: readonly object[]): void {
    this.members.get(member)!.setFaults(faults.map((fault) => simulatedFault.parse(fault)));
  }

  /** A request of somebody else to a member. */
  async ask(
    member: string,
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    type?: string,
  ) {
    const answer = await inProcessTransport(this.members.get(member)!)({
      method,
      path,
      headers: { 'content-type': type ?? 'application/json', 'user-agent': 'kubectl' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of answer.body) chunks.push(chunk);
    return { status: answer.status, body: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
  }

  /** Everything stored on a member: `Kind namespace/name` → object. */
  stored(member: string, plural: string, namespace: string, name: string) {
    return this.members.get(member)!.cluster.store.get(plural, { namespace, name });
  }

  close(): void {
    for (const daemon of this.#daemons) daemon.kill();
    for (const member of this.members.values()) member.close();
  }
}

/** Everything that can happen without time passing. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A clock whose timers die with their daemon. */
function mortal(clock: Clock, life: AbortSignal): Clock {
  return {
    now: () => clock.now(),
    after: (ms, run) =>
      clock.after(ms, () => {
        if (!life.aborted) run();
      }),
  };
}
