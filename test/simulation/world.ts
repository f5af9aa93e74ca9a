import type { PassResult } from '../../src/daemon/pass/pass-result.ts';
import type { Plan } from '../../src/engine/plan-document.ts';
import { approvalPrefix } from '../../src/git/approval-branches.ts';
import type { Transport, TransportRequest } from '../../src/members/api-server/transport.ts';
import type { SimulatedMember } from '../../src/simulator/member.ts';
import { type DaemonOptions, type VirtualDaemon, VirtualFleet } from '../support/virtual-fleet.ts';
import { badDecisions } from './decisions.ts';
import { type App, addRun, type Breadth, type Desired, drawDesired, giveUpSharing } from './desired.ts';
import type { Dice } from './dice.ts';
import { filesOf } from './files.ts';
import { refusing } from './gates.ts';
import { writtenWhereCompared } from './hands-off.ts';
import { Lists } from './lists.ts';
import { type GitFaults, noGitFaults, type Outside, outside } from './outside.ts';
import { type Published, published } from './published.ts';
import { badRuns } from './run-rules.ts';
import { type Safety, safety } from './safety.ts';
import { serveGadgets } from './user-fixes.ts';
import { Wishes } from './wishes.ts';

/** A rule of ours that is broken on purpose, so that one sees the checks fail. */
export type Sabotage = Pick<DaemonOptions, 'recorded' | 'loaded' | 'through'>;

interface Living {
  readonly number: number;
  readonly daemon: VirtualDaemon;
  readonly git: GitFaults;
  readonly outside: Outside;
}

/** A fleet, the people around it, and the daemons that serve it; every step of it is drawn from one seed. */
export class World {
  readonly dice: Dice;
  readonly desired: Desired;
  readonly fleet: VirtualFleet;
  readonly safety: Safety;
  /** What goes wrong with git for everybody. */
  readonly git = noGitFaults();
  readonly lists = new Lists();
  readonly wishes = new Wishes();
  readonly remote: boolean;
  /** The status branch was deleted: what only it told is known to nobody. */
  recordLost = false;
  /** What happened, for the reader of a failure. */
  readonly story: string[] = [];
  /** What a person was asked to say yes to, by the commit of the request: whatever the name of the run says. */
  readonly #asked = new Map<string, { readonly app: string; readonly images: readonly string[] }>();
  readonly #finished = new Set<string>();
  /** From then on everybody says yes. */
  #healed = false;
  /** How many clusters have answered under a name. */
  readonly #clusters = new Map<string, number>();
  /** What the status branch has told. */
  readonly record: Published;
  readonly #sabotage: Sabotage;
  #living: Living[] = [];
  /** So many daemons there ever were. */
  #started = 0;
  /** One that was told to stop ends what it began. */
  #stoppedAt = Number.NEGATIVE_INFINITY;

  private constructor(dice: Dice, desired: Desired, fleet: VirtualFleet, sabotage: Sabotage) {
    this.dice = dice;
    this.desired = desired;
    this.fleet = fleet;
    this.#sabotage = sabotage;
    const now = () => fleet.clock.now();
    const broken: string[] = [];
    this.record = published(
      now,
      (decision) => broken.push(...badDecisions(decision, this.wishes, desired)),
      (before, after, commit) => broken.push(...badRuns(before, after, this.wishes.gates(commit))),
    );
    const knows = (app: string, apply: App['apply']) => this.#everybodyKnows(app, apply);
    this.safety = safety({ desired, record: this.record, now, broken, wishes: this.wishes, knows });
    this.wishes.note(fleet.repo.tip('main')!, desired);
    this.remote = dice.chance(0.7);
  }

  static async open(dice: Dice, sabotage: Sabotage = {}, breadth: Breadth = 'first'): Promise<World> {
    const desired = drawDesired(dice, breadth);
    const world = new World(dice, desired, await VirtualFleet.quiet(filesOf(desired)), sabotage);
    if (desired.wide) world.lists.size = dice.pick([undefined, 1, 2]);
    for (const name of desired.clusters.keys()) await world.join(name);
    return world;
  }

  /** A new, empty cluster answers under a name. */
  async join(name: string): Promise<SimulatedMember> {
    const { dice } = this;
    const before = this.#clusters.get(name) ?? 0;
    this.#clusters.set(name, before + 1);
    const member = await this.fleet.join(
      {
        // A cluster draws its uids from its own name: one that takes the place of another has others, as in life.
        name: before === 0 ? name : `${name}, cluster ${before + 1}`,
        readySeconds: { Deployment: dice.int(1, 15), Pod: dice.int(1, 15), Termination: dice.int(0, 5) },
        clockSkewSeconds: dice.chance(0.2) ? dice.int(-300, 300) : 0,
      },
      name,
    );
    this.safety.replaced(name);
    member.cluster.store.observe((event) => this.safety.seen(name, event));
    if (this.desired.wide && dice.chance(0.5)) await serveGadgets(this, name);
    return member;
  }

  tell(what: string): void {
    this.story.push(`${new Date(this.fleet.clock.now()).toISOString().slice(11, 19)} ${what}`);
  }

  /** Writes down what is desired now. */
  commit(why: string): void {
    const files = filesOf(this.desired);
    const gone = Object.keys(this.fleet.files).filter((path) => files[path] === undefined);
    const commit = this.fleet.commit({ ...files, ...Object.fromEntries(gone.map((path) => [path, undefined])) }, why);
    this.wishes.note(commit, this.desired);
    this.tell(why);
    if (this.dice.chance(0.5)) for (const { daemon } of this.#living) daemon.daemon.look('webhook');
  }

  get daemons(): readonly VirtualDaemon[] {
    return this.#living.map(({ daemon }) => daemon);
  }

  /** What goes wrong with git now: for everybody, or for each daemon by itself. */
  gits(): readonly GitFaults[] {
    return this.desired.wide ? this.#living.map(({ git }) => git) : [this.git];
  }

  allRunsOver(app: string): boolean {
    const runs = [...this.desired.runs].filter(([, run]) => run.app === app).map(([name]) => name);
    const plan = this.daemons.at(0)?.passes.at(-1);
    if (plan === undefined || plan.kind === 'moved') return false;
    return runs.every((name) => isOver(plan.plan, name));
  }

  /** All faults end; what people broke they repair, and what they were asked they answer. */
  heal(): void {
    const { desired, fleet, git } = this;
    for (const name of fleet.members.keys()) fleet.fault(name);
    for (const faults of [git, ...this.#living.map((living) => living.git)]) Object.assign(faults, noGitFaults());
    this.lists.expire = false;
    giveUpSharing(desired);
    desired.broken.clear();
    desired.evictions.clear();
    if (desired.gates) desired.gates.frozen = false;
    desired.gates?.stopped.clear();
    this.#healed = true;
    for (const cluster of desired.clusters.values()) cluster.tainted = false;
    for (const app of desired.apps.values()) {
      app.suspended = false;
      app.apply = 'always';
      app.budget = undefined;
      // With fewer clusters than asked for a rollout waits for the rest, as in KubeFleet.
      if (app.policy.kind === 'PickN')
        app.policy = { kind: 'PickN', count: Math.min(app.policy.count, desired.clusters.size) };
      if (app.policy.kind === 'PickFixed')
        app.policy = { kind: 'PickFixed', clusters: app.policy.clusters.filter((name) => desired.clusters.has(name)) };
      if (!app.failing && app.selector === 'web') continue;
      app.failing = false;
      app.selector = 'web';
      app.version++;
    }
    this.commit('all faults end');
    if (this.daemons.length === 0) this.start();
  }

  /**
   * Runs that are held because nobody remembers them: people change the file of the one that is to run again, without the approvals
   * of its first time, and remove those that an app has outgrown, which would bring its newest version under an old name. An approval
   * that came before its run requested it they remove, as the problem says.
   */
  answerHeldRuns(): void {
    const { desired, fleet } = this;
    const last = this.daemons.at(0)?.passes.at(-1);
    if (last === undefined || last.kind === 'moved' || last.plan.commit !== fleet.repo.tip('main')) return;
    const held = last.plan.holds.filter(({ reason }) => reason === 'RecordLost').map(({ subject }) => subject.name);
    for (const [name, run] of desired.runs) {
      if (!held.includes(name)) continue;
      if (run.version === desired.apps.get(run.app)?.version) run.touched++;
      else desired.runs.delete(name);
      for (const path of desired.merged.keys()) if (path.startsWith(`approvals/${name}-`)) desired.merged.delete(path);
      this.commit(`${name} is ${desired.runs.has(name) ? 'changed, to run again' : 'removed'}`);
    }
    for (const { code, file } of last.plan.problems)
      if (code === 'early-approval' && file !== undefined && desired.merged.delete(file))
        this.commit(`${file} is removed`);
  }

  /** A staged app comes to clusters that joined during or after its last run with the next one. */
  finishStaged(): void {
    for (const app of this.desired.apps.values()) {
      if (!app.external || !this.allRunsOver(app.name)) continue;
      if (this.#finished.has(app.name) && !this.#waitsForRun(app.name)) continue;
      this.#finished.add(app.name);
      app.version++;
      addRun(this.desired, app);
      this.commit(`${app.name} becomes version ${app.version}, the last`);
    }
  }

  /**
   * Whether the app was picked for a cluster that the last run has not brought it to: one that joined, or came back with an older version.
   */
  #waitsForRun(app: string): boolean {
    const last = this.daemons.at(0)?.passes.at(-1);
    if (last === undefined || last.kind === 'moved' || last.plan.commit !== this.fleet.repo.tip('main')) return false;
    const placement = last.plan.placements.find(({ name }) => name === app);
    return (placement?.bindings ?? []).some(
      ({ state, resourceSnapshotIndex }) =>
        state !== 'Unscheduled' && resourceSnapshotIndex !== placement?.resourceSnapshotIndex,
    );
  }

  start(): VirtualDaemon {
    const { fleet, dice } = this;
    const git = this.desired.wide ? noGitFaults() : this.git;
    const number = ++this.#started;
    const out = outside(fleet.clock, git, (ref) => this.#moved(ref, number));
    const { through, ...rest } = this.#sabotage;
    const daemon = fleet.start({
      ...rest,
      intervalMs: dice.pick([10_000, 30_000]),
      publishIntervalMs: dice.pick([2_000, 10_000]),
      branches: out.branches(fleet.repo.branches({ remote: this.remote })),
      through: (transport, name) =>
        this.#watched(
          { name, by: number },
          this.lists.through(out.through(through ? through(transport, name) : transport)),
        ),
    });
    this.#living.push({ number, daemon, git, outside: out });
    this.tell(`a daemon starts (${this.#living.length} run)`);
    return daemon;
  }

  /** Tells the checks what a member refused of what an apply needs. Not to be there is an answer. */
  #watched({ name, by }: { readonly name: string; readonly by: number }, transport: Transport): Transport {
    return async (request) => {
      this.#keepsHandsOff(request, { name, by });
      const answer = await transport(request);
      if (answer.status < 400 || answer.status === 404) return answer;
      const app = /\/namespaces\/([^/?]+)/.exec(request.path)?.[1];
      if (isPartOfApply(request)) this.safety.refused({ cluster: name, app, by });
      return answer;
    };
  }

  /** Where a daemon has been told only to compare, it writes nothing of the app. */
  #keepsHandsOff(request: TransportRequest, { name, by }: { readonly name: string; readonly by: number }): void {
    const last = this.#living.find(({ number }) => number === by)?.daemon.passes.at(-1);
    if (!isFollowed(last)) return;
    const told = { ended: last.plan.commit, published: this.record.commit(), wishes: this.wishes };
    const app = writtenWhereCompared(request, told);
    if (app !== undefined) this.safety.broken.push(`${app} was written to on ${name}, where it is only to be compared`);
  }

  /** Whether every daemon has been told for a minute, so that nothing else is on its way any more. */
  #everybodyKnows(app: string, apply: App['apply']): boolean {
    const since = this.fleet.clock.now() - 60_000;
    const knows = ({ daemon: { passes } }: Living): boolean => {
      const first = passes.findLastIndex((pass) => 'plan' in pass && Date.parse(pass.plan.now) <= since);
      return (
        first >= 0 &&
        passes.slice(first).every((pass) => isFollowed(pass) && this.wishes.at(pass.plan.commit, app)?.apply === apply)
      );
    };
    // A daemon may act on the tip before its reconciliation is over.
    const isStillSo = this.desired.apps.get(app)?.apply === apply;
    return isStillSo && this.#living.length > 0 && this.#stoppedAt < since && this.#living.every(knows);
  }

  /** Lets one die at one of its next calls to the outside; another starts a while after. */
  killSoon(): void {
    const victim = this.#living.at(0);
    if (!victim) return;
    const calls = this.dice.int(1, 60);
    this.tell(`a daemon will die at call ${calls}`);
    victim.outside.dieAt(calls, () => {
      victim.daemon.kill();
      this.#living = this.#living.filter((living) => living !== victim);
      this.tell('a daemon dies');
    });
  }

  /** Who was to die lives on. */
  spare(): void {
    for (const { outside } of this.#living) outside.dieAt(Number.POSITIVE_INFINITY, () => {});
  }

  stopOne(): void {
    const [one] = this.#living;
    if (!one) return;
    this.#living = this.#living.slice(1);
    one.daemon.daemon.stop();
    this.#stoppedAt = this.fleet.clock.now();
    this.tell('a daemon is stopped');
  }

  async #moved(ref: string, by: number): Promise<void> {
    const commit = this.fleet.repo.refs.get(ref);
    const run = ref.startsWith(approvalPrefix)
      ? ref.slice(approvalPrefix.length).replace(/-(before|after)-\w+$/, '')
      : undefined;
    const app = run === undefined ? undefined : this.desired.runs.get(run)?.app;
    if (commit && run && app) this.#asked.set(commit, { app, images: this.record.broughtBy(run) });
    if (ref !== 'refs/heads/fleet-status') return;
    const files = await this.fleet.repo.files('fleet-status');
    try {
      this.record.moved(files, by);
    } catch (error) {
      // To the daemon it would be one more fault of git.
      this.safety.broken.push(`a check failed: ${error}`);
    }
  }

  /** A person merges everything that asks for a yes. */
  async merge(): Promise<boolean> {
    let merged = false;
    for (const [ref, commit] of this.fleet.repo.refs) {
      if (!ref.startsWith(approvalPrefix)) continue;
      const files = await this.fleet.repo.files(ref.slice('refs/heads/'.length));
      for (const [path, text] of Object.entries(files)) {
        if (!path.startsWith('approvals/') || this.desired.merged.get(path) === text) continue;
        if (ref.startsWith(`${approvalPrefix}removal-`) && !this.#letsAPlanPass(text)) continue;
        const asked = this.#asked.get(commit);
        const refused = this.desired.gates?.refused;
        if (refused?.get(path) === text) continue;
        const isNo = asked && refused !== undefined && !this.#healed && this.dice.chance(0.15);
        if (isNo) refused.set(path, text);
        this.desired.merged.set(path, isNo ? refusing(text) : text);
        if (isNo) this.tell(`a person says no to ${path}`);
        else if (asked) this.safety.approved(asked.app, asked.images);
        this.commit(`merge ${ref.slice(approvalPrefix.length)}`);
        merged = true;
      }
    }
    return merged;
  }

  /** To the removal of what is not theirs people do not say yes; to a plan that is refused as a whole they do. */
  #letsAPlanPass(approval: string): boolean {
    return this.daemons.some(({ passes }) => {
      const last = passes.at(-1);
      if (last?.kind !== 'refused') return false;
      return last.plan.guard.some(({ removalDigest }) => removalDigest && approval.includes(removalDigest));
    });
  }

  close(): void {
    this.fleet.close();
  }
}

/** What it says has been assigned. */
const isFollowed = (pass: PassResult | undefined): pass is PassResult & { readonly kind: 'published' | 'unchanged' } =>
  pass?.kind === 'published' || pass?.kind === 'unchanged';

/** Lists, watches and removals come to nothing that an object is called not applied for. */
const isPartOfApply = ({ method, path }: TransportRequest): boolean => {
  const [where = ''] = path.split('?');
  const asksWhatIsServed = /^\/api(\/v1|s(\/[^/]+\/[^/]+)?)?$/.test(where);
  const readsOne = /\/namespaces\/[^/]+(\/[^/]+\/[^/]+)?$/.test(where);
  return method === 'PATCH' || (method === 'GET' && (asksWhatIsServed || readsOne));
};

const isOver = (plan: Plan, run: string): boolean =>
  plan.runs
    .find(({ name }) => name === run)
    ?.status.conditions?.some(({ type, status }) => type === 'Succeeded' && status !== 'Unknown') ?? false;
