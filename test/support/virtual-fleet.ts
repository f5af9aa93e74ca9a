import { simulatedFault } from '../../src/api/simulated-fleet.ts';
import { assemble } from '../../src/daemon/assemble.ts';
import type { Daemon } from '../../src/daemon/daemon.ts';
import type { PassResult } from '../../src/daemon/pass/pass-result.ts';
import type { Status } from '../../src/daemon/ports.ts';
import type { StartedPlans } from '../../src/daemon/previews/started-plans.ts';
import { type Logger, openLog } from '../../src/daemon/report/log.ts';
import { type Metrics, metrics } from '../../src/daemon/report/metrics.ts';
import type { Fleet } from '../../src/engine/input.ts';
import type { Plan } from '../../src/engine/plan-document.ts';
import type { ForgeFetch } from '../../src/forge/http.ts';
import { openForge } from '../../src/forge/open-forge.ts';
import { approvalBranches, approvalPrefix } from '../../src/git/approval-branches.ts';
import type { Branches } from '../../src/git/branches.ts';
import { refPoll } from '../../src/git/ref-poll.ts';
import { branchRef, type GitSource, gitSource } from '../../src/git/source.ts';
import { statusBranch } from '../../src/git/status-branch.ts';
import type { OpenSigning } from '../../src/git/verify/status-signing.ts';
import type { Transport } from '../../src/members/api-server/transport.ts';
import type { Clock } from '../../src/members/clock.ts';
import type { OpenLauncher } from '../../src/members/nodes/launch/launching.ts';
import { upgradeProvidersOf } from '../../src/members/upgrade/providers.ts';
import type { OpenProviders } from '../../src/members/upgrade/upgrade-watch.ts';
import { memoryCache, readThrough } from '../../src/repo/fleet/load-cache.ts';
import { loadFleet } from '../../src/repo/fleet/load-fleet.ts';
import { manualClock } from '../../src/simulator/clock.ts';
import { openMember, type SimulatedMember } from '../../src/simulator/member.ts';
import { serve } from '../../src/simulator/serve/api-server.ts';
import { inProcessTransport } from '../../src/simulator/transport.ts';
import type { TestForge } from '../forge/test-forge.ts';
import { MemoryRepo } from './memory-repo.ts';

type MemberSpec = Parameters<typeof openMember>[0];

const begin = Date.parse('2026-11-20T10:00:00Z');
/** More turns than this without any time passing are an endless loop. */
const mostTurnsPerInstant = 10_000;
const bot = { name: 'gitfleet', email: 'gitfleet@localhost' };

export interface DaemonOptions {
  readonly remote?: boolean;
  readonly intervalMs?: number;
  readonly publishIntervalMs?: number;
  readonly acceptRewind?: string;
  readonly graceMs?: number;
  readonly branches?: Branches;
  /** Wraps the connection of the daemon to a member. */
  readonly through?: (transport: Transport, member: string) => Transport;
  /** Who upgrades members; the simulator when absent. */
  readonly providers?: OpenProviders;
  /** Who launches nodes; the simulator when absent. */
  readonly launchers?: OpenLauncher;
  /** Signs status commits and refuses those of others. */
  readonly signing?: OpenSigning;
  /** Wraps the status branch of the daemon. */
  readonly recorded?: (status: Status) => Status;
  /** Wraps the fleet repo of the daemon. */
  readonly followed?: (source: GitSource) => GitSource;
  /** The forge of the fleet repo; none when absent. */
  readonly forge?: TestForge;
  /** Plans of pull requests that ended a daemon; none when absent. */
  readonly startedPlans?: StartedPlans;
  /** Wraps the fleet's files for the daemon. */
  readonly loaded?: (fleet: Fleet) => Fleet;
}

/** A daemon that lives in virtual time. */
export interface VirtualDaemon {
  readonly daemon: Daemon;
  readonly metrics: Metrics;
  readonly passes: PassResult[];
  readonly plan: () => Plan;
  /** What `run` came to, once it has. */
  readonly ended: () => 'finished' | 'cut short' | undefined;
  /** Ends it like kill -9: its work stops, and responses to it are dropped. */
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
  /** Aborted when a member is removed: its connections break. */
  readonly #lives = new Map<string, AbortController>();
  #log: Logger | undefined;
  files: Record<string, string> = {};

  static open(files: Readonly<Record<string, string>>, ...members: (string | MemberSpec)[]): Promise<VirtualFleet> {
    return VirtualFleet.#open(files, members, false);
  }

  /** Without a log: for thousands of runs. */
  static quiet(files: Readonly<Record<string, string>>): Promise<VirtualFleet> {
    return VirtualFleet.#open(files, [], true);
  }

  static async #open(
    files: Readonly<Record<string, string>>,
    members: readonly (string | MemberSpec)[],
    quiet: boolean,
  ): Promise<VirtualFleet> {
    const fleet = new VirtualFleet();
    const write = (line: string): void => void fleet.logged.push(line);
    fleet.#log = await openLog(
      quiet ? { level: 'silent', pretty: false } : { level: 'trace', pretty: false, to: { write } },
    );
    for (const member of members) await fleet.join(typeof member === 'string' ? { name: member } : member);
    const main = fleet.commit(files);
    // The fields of kinds are loaded as modules when files first name them, which takes real time.
    await loadFleet(await fleet.repo.objects.files(main), memoryCache());
    return fleet;
  }

  /** Starts a cluster with a name, which replaces the one before. */
  async join(spec: MemberSpec, name = spec.name): Promise<SimulatedMember> {
    this.members.get(name)?.close();
    this.#lives.get(name)?.abort(new Error('read ECONNRESET'));
    this.#lives.set(name, new AbortController());
    const member = await openMember(spec, this.clock);
    this.members.set(name, member);
    return member;
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
    const branches = mortalBranches(
      options.branches ?? this.repo.branches({ remote: options.remote ?? false }),
      life.signal,
    );
    const prefixes = [branchRef('main'), branchRef('fleet-status'), approvalPrefix];
    const refs = refPoll(branches, { prefixes, maxAgeMs: intervalMs, now: () => clock.now() });
    const source = (options.followed ?? ((followed) => followed))(gitSource(branches, { branch: 'main' }, refs));
    const commits = { author: bot, now: () => clock.now() };
    const status = statusBranch(branches, branchRef('fleet-status'), { ...commits, refs, signing: options.signing });
    const cache = memoryCache();
    const measured = metrics();
    const passes: PassResult[] = [];
    const { daemon, members, requests, previews } = assemble({
      pullRequestBranches: async () => branches,
      startedPlans: options.startedPlans ?? { start: () => true, end() {} },
      statusBranch: 'fleet-status',
      forge: (named) =>
        openForge({
          named,
          repo: 'memory',
          env: options.forge ? { GITFLEET_FORGE_TOKEN: 'right-token', GITFLEET_FORGE_HOST: 'forge.example' } : {},
          fetch: mortalFetch(options.forge, life.signal),
          now: () => clock.now(),
        }),
      desired: source,
      status: (options.recorded ?? ((status) => status))(status),
      approvals: approvalBranches(source, commits),
      watchMembers: 1_000,
      providers: options.providers ?? upgradeProvidersOf(),
      launchers: options.launchers,
      loadPast: (tree) => loadFleet(tree, readThrough(cache)),
      load: async (tree) => (options.loaded ?? ((fleet) => fleet))(await loadFleet(tree, cache)),
      connect: async (name) => {
        if (!this.members.has(name)) return undefined;
        // By name: a cluster may take the place of another while the daemon runs.
        const found: Transport = (request) => {
          const signals = [request.signal, this.#lives.get(name)!.signal].filter((signal) => signal !== undefined);
          return inProcessTransport(this.members.get(name)!)({ ...request, signal: AbortSignal.any(signals) });
        };
        const counted = this.#counted(name, found, life.signal);
        return options.through ? options.through(counted, name) : counted;
      },
      clock,
      pace: clock,
      log: this.#log!,
      metrics: measured,
      branch: 'main',
      author: bot,
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
        requests.stop();
        previews.stop();
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
    let standing = 0;
    for (let next = this.clock.next(); next !== undefined && next <= until; next = this.clock.next()) {
      standing = next > this.clock.now() ? 0 : standing + 1;
      if (standing > mostTurnsPerInstant) throw new Error('time stands still: something wakes itself again and again');
      this.clock.advance(Math.max(0, next - this.clock.now()));
      await turn();
    }
    this.clock.advance(until - this.clock.now());
    await turn();
  }

  /** Advances time until a condition is true; fails when it is not within `seconds`. */
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

  /** A request of another client to a member, without faults. */
  async ask(
    member: string,
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    type = 'application/json',
  ) {
    const [pathname = '', query = ''] = path.split('?');
    const answer = await serve(this.members.get(member)!.cluster, {
      method,
      path: pathname,
      query: new URLSearchParams(query),
      headers: { 'content-type': type, 'user-agent': 'kubectl' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return { status: answer.status, body: JSON.parse(String(answer.body)) };
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

/** The same for the forge. */
function mortalFetch(forge: TestForge | undefined, life: AbortSignal): ForgeFetch {
  return async (url, init) => {
    if (forge === undefined || life.aborted) return new Promise(() => {});
    const answer = await forge.fetch(url, init);
    return life.aborted ? new Promise(() => {}) : answer;
  };
}

/** Requests of a stopped daemon are not performed, and it gets no responses. */
function mortalBranches(branches: Branches, life: AbortSignal): Branches {
  const alive = async <T>(ask: () => Promise<T>): Promise<T> => {
    const answer = life.aborted ? undefined : await ask();
    return life.aborted ? new Promise(() => {}) : (answer as T);
  };
  return {
    ...branches,
    list: (prefixes) => alive(() => branches.list(prefixes)),
    obtain: (...of) => alive(() => branches.obtain(...of)),
    change: (change) => alive(() => branches.change(change)),
  };
}
