import fc from 'fast-check';
import type { ApprovalRequest } from '../../src/api/staged.ts';
import type { Plan, RequestedApproval } from '../../src/engine/plan-document.ts';
import { changes, deployment, member, PaperFleet, placement } from '../support/paper-fleet.ts';
import { happened } from './happenings.ts';
import { environments, runFile, type Stage, strategyFile, withEverybody } from './staged-files.ts';
import { changesAsItMay, is, isOver, keepsToItsStages, onlyRunsMove } from './staged-rules.ts';
import { disruptionBudget, eviction, override, taint } from './texts.ts';

const names = ['a', 'b', 'c', 'd', 'e', 'f'];

const kinds = [
  ...(['version', 'version', 'override', 'break', 'mend', 'down', 'up', 'pass', 'relabel', 'drift', 'thaw'] as const),
  ...(['deliver', 'deliverAll', 'deliverAll', 'deliverAll', 'freeze', 'join', 'leave', 'taint', 'evict'] as const),
  ...(['run', 'run', 'back', 'stop', 'resume', 'initialize', 'withdrawRun', 'approve', 'approve', 'approve'] as const),
  ...(['reject', 'takeBack', 'resize', 'strategy', 'wait', 'restart', 'apply', 'history', 'budget'] as const),
  ...(['delete', 'recreate', 'forgetOne', 'forgetAll'] as const),
];

const stage: fc.Arbitrary<Stage> = fc.record({
  environment: fc.constantFrom(...environments),
  maxConcurrency: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.constantFrom('1%', '34%', '50%', '100%')),
  asksBefore: fc.boolean(),
  asksAfter: fc.boolean(),
  waits: fc.boolean(),
});

const strategies = fc
  .uniqueArray(stage, { minLength: 1, maxLength: 3, selector: ({ environment }) => environment })
  .map((stages) => stages as readonly Stage[]);

const given = fc.record({
  policy: fc.constantFrom('PickAll' as const, 'PickN' as const),
  strategy: strategies,
  abortsOnChange: fc.constantFrom(false, false, false, true),
  failing: fc.constantFrom(
    '',
    ', gitfleet.dev/progress-deadline: 2m',
    ', gitfleet.dev/progress-deadline: 3m, gitfleet.dev/max-failures: "1"',
    ', gitfleet.dev/progress-deadline: 2m, gitfleet.dev/on-failure: rollback',
    ', gitfleet.dev/progress-deadline: 3m, gitfleet.dev/on-failure: rollback, gitfleet.dev/max-failures: 34%',
  ),
});
type Given = typeof given extends fc.Arbitrary<infer T> ? T : never;

const happening = fc.record({ kind: fc.constantFrom(...kinds), at: fc.nat(5), amount: fc.nat(400) });
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

export const stagedStories = fc.record({
  given,
  happenings: fc.array(happening, { minLength: 4, maxLength: 24 }),
});

/** An External placement with update runs, and what is known of them without asking the engine. */
export class StagedFleet {
  readonly paper: PaperFleet;
  readonly #given: Given;
  #before: Plan | undefined;
  #version = 1;
  #runs = 0;
  #evictions = 0;
  #wanted = 3;
  #apply = '{}';
  #history = 10;
  /** Part of the record was lost: the next plan need not continue the last one. */
  #forgot = false;
  /** Of the whole story. */
  #everForgot = false;
  /** Approvals that a file on main ever approved, at the time of a plan. */
  readonly #yes = new Set<string>();

  constructor(given: Given) {
    this.#given = given;
    this.paper = new PaperFleet({
      ...Object.fromEntries(
        names.slice(0, 5).map((name, at) => [`clusters/${name}.yaml`, member(name, { env: environments[at % 3]! })]),
      ),
      'resources/web.yaml': deployment('web', 'web', 'web:1'),
      'strategy.yaml': strategyFile(withEverybody(given.strategy)),
      'resources/other.yaml': deployment('other', 'other', 'other:1'),
      'other.yaml': placement('other', '{placementType: PickAll}'),
    });
    this.#place();
    this.#commitRun('Run');
  }

  #place(): void {
    const policy =
      this.#given.policy === 'PickAll'
        ? '{placementType: PickAll}'
        : `{placementType: PickN, numberOfClusters: ${this.#wanted}}`;
    const text = placement('web', policy, `{type: External, applyStrategy: ${this.#apply}}`);
    this.paper.files['web.yaml'] = `${text}  revisionHistoryLimit: ${this.#history}\n`;
  }

  #commitRun(state: string, index?: number): void {
    this.#runs += 1;
    this.paper.files[`run-${this.#runs}.yaml`] = runFile(`r${this.#runs}`, state, index, {
      aborts: this.#given.abortsOnChange,
      failing: this.#given.failing,
    });
  }

  /** File of a run, chosen among those there are. */
  #runFile(amount: number): string | undefined {
    const files = Object.keys(this.paper.files).filter((path) => path.startsWith('run-'));
    return files[amount % Math.max(files.length, 1)];
  }

  happens(event: Happening): void {
    this.#happen(event);
    this.paper.pass(1);
  }

  #happen({ kind, at, amount }: Happening): void {
    const { paper } = this;
    const { files } = paper;
    const cluster = names[at]!;
    const file = `clusters/${cluster}.yaml`;
    const environment = environments[amount % 3]!;
    switch (kind) {
      case 'version':
        this.#version += 1;
        files['resources/web.yaml'] = deployment('web', 'web', `web:${this.#version}`);
        return;
      case 'relabel':
        if (file in files) files[file] = member(cluster, { env: environment });
        return;
      case 'join':
        files[file] ??= member(cluster, { env: environment });
        return;
      case 'taint':
        if (file in files) files[file] = member(cluster, { env: environment }, taint);
        return;
      case 'evict':
        this.#evictions += 1;
        files[`evict-${this.#evictions}.yaml`] = eviction(`e${this.#evictions}`, 'web', cluster);
        return;
      case 'override':
        files['override.yaml'] = override('web', 'env: prod', amount % 3);
        return;
      case 'resize':
        this.#wanted = 1 + (amount % 4);
        if ('web.yaml' in files) this.#place();
        return;
      case 'run':
        this.#commitRun('Run');
        return;
      case 'initialize':
        this.#commitRun('Initialize');
        return;
      case 'back':
        this.#commitRun('Run', amount % 3);
        return;
      case 'stop':
      case 'resume': {
        const path = this.#runFile(amount);
        if (path) files[path] = files[path]!.replace(/state: \w+/, `state: ${kind === 'stop' ? 'Stop' : 'Run'}`);
        return;
      }
      case 'withdrawRun': {
        const path = this.#runFile(amount);
        if (path) delete files[path];
        return;
      }
      case 'approve':
      case 'reject':
        this.#answer(kind === 'approve' ? 'True' : 'False', amount);
        return;
      case 'takeBack': {
        const given = Object.keys(files).filter((path) => path.startsWith('approvals/'));
        if (given.length > 0) delete files[given[amount % given.length]!];
        return;
      }
      case 'strategy':
        if (amount % 4 === 0) delete files['strategy.yaml'];
        else
          files['strategy.yaml'] = strategyFile(
            withEverybody(this.#given.strategy.map((stage) => ({ ...stage, asksBefore: amount % 2 === 0 }))),
          );
        return;
      case 'wait':
        paper.pass(30);
        return;
      case 'apply':
        this.#apply = amount % 3 === 0 ? '{whenToApply: IfNotDrifted}' : '{}';
        if ('web.yaml' in files) this.#place();
        return;
      case 'history':
        this.#history = amount % 2 === 0 ? 1 : 10;
        if ('web.yaml' in files) this.#place();
        return;
      case 'budget':
        if (amount % 4 === 0) delete files['budget.yaml'];
        else files['budget.yaml'] = disruptionBudget('web', `{minAvailable: ${amount % 4}}`, true);
        return;
      case 'delete':
        delete files['web.yaml'];
        return;
      case 'recreate':
        this.#place();
        return;
      default:
        this.#forgot ||= kind === 'forgetOne' || kind === 'forgetAll';
        this.#everForgot ||= this.#forgot;
        happened(paper, kind, { cluster, app: 'web', amount });
    }
  }

  /** Writes the file of an approval that is asked for, as merging its branch does. */
  #answer(status: 'True' | 'False', amount: number): void {
    const asked = (this.#before?.approvals ?? []).filter(isOpen);
    if (asked.length === 0) return;
    const file = asked[amount % asked.length]!.file!.object as ApprovalRequest;
    const conditions = file.status!.conditions!.map((condition) => ({ ...condition, status }));
    this.paper.files[`approvals/${file.metadata.name}.yaml`] = JSON.stringify({ ...file, status: { conditions } });
  }

  /** Plans, and holds the plan against what happened. */
  async look(): Promise<Plan> {
    for (const [path, text] of Object.entries(this.paper.files))
      if (path.startsWith('approvals/') && text.includes('"status":"True"')) this.#yes.add(path.slice(10, -5));
    const plan = await this.paper.plan();
    if (this.#forgot) this.#before = undefined;
    for (const run of plan.runs) {
      keepsToItsStages(run, this.#yes);
      if (this.#forgot) continue;
      const before = this.#before?.runs.find(({ name }) => name === run.name);
      changesAsItMay(run, before, this.paper.files);
    }
    if (!this.#forgot) onlyRunsMove(plan, this.#before);
    this.#forgot = false;
    this.#before = plan;
    return plan;
  }

  /** From here on everything works, everything is approved, and every run that was not refused must continue. */
  mendAll(): void {
    const { paper } = this;
    const { files } = paper;
    for (const path of ['fleet.yaml', 'budget.yaml']) delete files[path];
    for (const [path, text] of Object.entries(files))
      if (path.startsWith('clusters/')) files[path] = text.replace(/spec: .*/, 'spec: {}');
    this.#wanted = Math.min(this.#wanted, Object.keys(files).filter((path) => path.startsWith('clusters/')).length);
    this.#apply = '{}';
    this.#place();
    for (const path of Object.keys(files)) {
      if (path.startsWith('approvals/') && !files[path]!.includes('"status":"True"')) delete files[path];
      if (path.startsWith('run-'))
        // Runs that are held since they were forgotten run when their file changes.
        files[path] = files[path]!.replace(/state: \w+/, 'state: Run').replace(
          'annotations: {',
          'annotations: {touched: "yes", ',
        );
    }
    files['strategy.yaml'] = strategyFile(withEverybody(this.#given.strategy));
    paper.broken.clear();
    paper.down.clear();
    paper.refresh();
  }

  async #calm(most: number): Promise<Plan> {
    let plan = await this.look();
    for (let step = 0, still = 0; step < most && still < 7; step++) {
      const before = this.paper.record;
      // An approval from before the record was lost is refused as early: as its problem asks, it is removed, and given again.
      const refused = plan.problems.filter(({ code }) => code === 'early-approval').map(({ file }) => file!);
      const early = this.#everForgot ? refused : [];
      for (const path of early) delete this.paper.files[path];
      if (early.length === 0)
        for (let at = plan.approvals.filter(isOpen).length; at > 0; at--) this.#answer('True', at - 1);
      this.paper.deliver();
      this.paper.pass(61);
      plan = await this.look();
      still = Object.keys(changes(before, this.paper.record)).length === 0 ? still + 1 : 0;
    }
    return plan;
  }

  /** What has not come to its end though nothing is in its way. */
  async endsOf(): Promise<string[]> {
    const old = await this.#calm(80);
    const open = old.runs.filter(({ status }) => !isOver(status)).map(({ name }) => `${name}: ${holdsOf(old, name)}`);
    if (open.length > 0) return open;
    this.#commitRun('Run');
    const plan = await this.#calm(80);
    const name = `r${this.#runs}`;
    const run = plan.runs.find((it) => it.name === name)!;
    const web = plan.placements.find((it) => it.name === 'web')!;
    const behind = web.bindings.filter(
      ({ move, state, resourceSnapshotIndex, conditions }) =>
        move !== 'keep' ||
        state !== 'Bound' ||
        String(resourceSnapshotIndex) !== run.status.resourceSnapshotIndexUsed ||
        !is(conditions, 'Available'),
    );
    return [
      ...(is(run.status.conditions, 'Succeeded')
        ? []
        : [`the last run: ${JSON.stringify(run.status.conditions)} ${holdsOf(plan, name)}`]),
      ...behind.map(
        ({ clusterName, move, state, resourceSnapshotIndex }) =>
          `${clusterName} ${move} ${state} ${resourceSnapshotIndex}`,
      ),
    ];
  }
}

const isOpen = ({ answer }: RequestedApproval): boolean => answer === undefined;

const holdsOf = (plan: Plan, name: string): string =>
  plan.holds
    .filter(({ subject }) => subject.name === name)
    .map(({ message }) => message)
    .join('; ');
