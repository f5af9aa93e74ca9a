import fc from 'fast-check';
import { expect } from 'vitest';
import type { Condition } from '../../src/api/meta.ts';
import type { ClusterUpdatingStatus, StageStatus, UpdateRunStatus } from '../../src/api/staged.ts';
import type { Plan, PlannedRun } from '../../src/engine/plan-document.ts';
import { approvalFile, isUnanswered } from '../../src/engine/staged/approval/file.ts';
import { changes, deployment, member, PaperFleet, placement } from './fleet.ts';
import { happened } from './happenings.ts';

const names = ['a', 'b', 'c', 'd', 'e', 'f'];
const environments = ['dev', 'test', 'prod'];

const kinds = [
  ...(['version', 'version', 'override', 'break', 'mend', 'down', 'up', 'pass', 'relabel', 'drift', 'thaw'] as const),
  ...(['deliver', 'deliverAll', 'deliverAll', 'deliverAll', 'freeze', 'join', 'leave', 'taint', 'evict'] as const),
  ...(['run', 'run', 'back', 'stop', 'resume', 'initialize', 'withdrawRun', 'approve', 'approve', 'approve'] as const),
  ...(['reject', 'takeBack', 'resize', 'strategy', 'wait', 'restart', 'apply', 'history', 'budget'] as const),
  ...(['delete', 'recreate', 'forgetOne', 'forgetAll'] as const),
];

const stage = fc.record({
  environment: fc.constantFrom(...environments),
  maxConcurrency: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.constantFrom('1%', '34%', '50%', '100%')),
  asksBefore: fc.boolean(),
  asksAfter: fc.boolean(),
  waits: fc.boolean(),
});
type Stage = typeof stage extends fc.Arbitrary<infer T> ? T : never;

const strategies = fc
  .uniqueArray(stage, { minLength: 1, maxLength: 3, selector: ({ environment }) => environment })
  .map((stages) => stages as readonly Stage[]);

const given = fc.record({
  policy: fc.constantFrom('PickAll' as const, 'PickN' as const),
  strategy: strategies,
  abortsOnChange: fc.constantFrom(false, false, false, true),
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
  /** Part of the record was lost: the next plan need not go on from the last. */
  #forgot = false;
  /** Approvals that a file on main ever said yes to, at the time of a plan. */
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
    this.paper.files[`run-${this.#runs}.yaml`] = runFile(`r${this.#runs}`, state, index, this.#given.abortsOnChange);
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
      case 'mend':
        paper.broken.delete(`${cluster}/Deployment/web`);
        paper.refresh();
        return;
      case 'relabel':
        if (file in files) files[file] = member(cluster, { env: environment });
        return;
      case 'join':
        files[file] ??= member(cluster, { env: environment });
        return;
      case 'leave':
        // That all leave at once is refused, and one that is the last of them is all.
        if (Object.keys(files).filter((path) => path.startsWith('clusters/')).length > 2) delete files[file];
        return;
      case 'taint':
        if (file in files)
          files[file] = member(cluster, { env: environment }, 'taints: [{key: out, value: "1", effect: NoSchedule}]');
        return;
      case 'evict':
        this.#evictions += 1;
        files[`evict-${this.#evictions}.yaml`] = eviction(`e${this.#evictions}`, cluster);
        return;
      case 'freeze':
        files['fleet.yaml'] = freeze;
        return;
      case 'override':
        files['override.yaml'] = override(amount % 3);
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
      case 'restart':
        paper.restart();
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
        else files['budget.yaml'] = budget(amount % 4);
        return;
      case 'delete':
        delete files['web.yaml'];
        return;
      case 'recreate':
        this.#place();
        return;
      case 'forgetOne': {
        const paths = [...paper.record.keys()];
        const lost = paths[(amount * 7) % Math.max(paths.length, 1)];
        this.#forget((path) => path === lost);
        return;
      }
      case 'forgetAll':
        this.#forget(() => true);
        return;
      default:
        happened(paper, kind, { cluster, app: 'web', amount });
    }
  }

  #forget(isLost: (path: string) => boolean): void {
    this.paper.record = new Map([...this.paper.record].filter(([path]) => !isLost(path)));
    this.#forgot = true;
  }

  /** Writes the file of an approval that is asked for, as merging its branch does. */
  #answer(status: 'True' | 'False', amount: number): void {
    const asked = (this.#before?.approvals ?? []).filter(isUnanswered);
    if (asked.length === 0) return;
    const file = approvalFile(asked[amount % asked.length]!);
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
      this.#keepsToItsStages(run);
      if (this.#forgot) continue;
      this.#changesAsItMay(
        run,
        this.#before?.runs.find(({ name }) => name === run.name),
      );
    }
    if (!this.#forgot) this.#onlyRunsMove(plan);
    this.#forgot = false;
    this.#before = plan;
    return plan;
  }

  #keepsToItsStages({ name, status }: PlannedRun): void {
    const { stagesStatus = [], stagedUpdateStrategySnapshot } = status;
    const stages = stagedUpdateStrategySnapshot?.stages ?? [];
    let endOfAll = 0;
    for (const [at, stage] of stagesStatus.entries()) {
      const config = stages[at]!;
      const began = stage.clusters.filter(({ conditions }) => is(conditions, 'Started'));
      const limit = String(config.maxConcurrency ?? 1);
      const most = limit.endsWith('%')
        ? Math.max(1, Math.floor((Number(limit.slice(0, -1)) * stage.clusters.length) / 100))
        : Number(limit);
      expect(stage.clusters.filter(isInFlight).length, `in flight in ${name} ${stage.stageName}`).toBeLessThanOrEqual(
        most,
      );
      if (began.length > 0) {
        for (const earlier of stagesStatus.slice(0, at)) expect(is(earlier.conditions, 'Succeeded')).toBe(true);
        if (config.beforeStageTasks?.length) expect([...this.#yes]).toContain(`${name}-before-${stage.stageName}`);
        for (const { conditions } of began) expect(timeOf(conditions, 'Started')).toBeGreaterThanOrEqual(endOfAll);
      }
      if (!is(stage.conditions, 'Succeeded')) continue;
      expect(stage.clusters.every(isDone), `${name} ${stage.stageName} is done`).toBe(true);
      if (stage.clusters.length === 0) continue;
      const soaked = config.afterStageTasks?.some(({ type }) => type === 'TimedWait') ? 60_000 : 0;
      const lastDone = Math.max(
        ...stage.clusters.map(({ conditions }) => timeOf(conditions, 'Succeeded') || timeOf(conditions, 'Skipped')),
      );
      endOfAll = Math.max(endOfAll, lastDone + soaked);
      expect(Date.parse(stage.endTime!)).toBeGreaterThanOrEqual(endOfAll);
      if (config.afterStageTasks?.some(({ type }) => type === 'Approval'))
        expect([...this.#yes]).toContain(`${name}-after-${stage.stageName}`);
    }
  }

  /** What is over stays as it is; one that is stopped, frozen or refused starts nothing. */
  #changesAsItMay({ name, status }: PlannedRun, before: PlannedRun | undefined): void {
    if (before && isOver(before.status)) expect(withoutGeneration(status)).toEqual(withoutGeneration(before.status));
    const file = Object.values(this.paper.files).find((text) => text.includes(`metadata: {name: ${name},`));
    const isStopped = file?.includes('state: Stop') && before !== undefined;
    const mayStart = !isStopped && !('fleet.yaml' in this.paper.files) && !file?.includes('state: Initialize');
    const startedBefore = new Set((before ? stagesOf(before.status) : []).flatMap(startsOf));
    const started = stagesOf(status).flatMap(startsOf);
    if (!mayStart)
      expect(
        started.filter((start) => !startedBefore.has(start)),
        `${name} starts nothing`,
      ).toEqual([]);
    for (const stage of before ? stagesOf(before.status) : []) {
      const now = stagesOf(status).find(({ stageName }) => stageName === stage.stageName);
      const done = stage.clusters.filter(isDone).map(({ clusterName }) => clusterName);
      expect(now?.clusters.filter(isDone).map(({ clusterName }) => clusterName)).toEqual(expect.arrayContaining(done));
      expect(now?.clusters.map(({ clusterName }) => clusterName)).toEqual(
        stage.clusters.map(({ clusterName }) => clusterName),
      );
    }
  }

  /** What a cluster is told to run changes only when a run comes to it. */
  #onlyRunsMove(plan: Plan): void {
    for (const target of plan.targets) {
      const before = this.#before?.targets.find(
        ({ clusterName, placement: { name } }) => clusterName === target.clusterName && name === 'web',
      );
      if (
        target.placement.name !== 'web' ||
        target.remove ||
        before?.resourceSnapshotIndex === target.resourceSnapshotIndex
      )
        continue;
      const startedNow = plan.runs.filter(
        ({ name, status }) =>
          status.resourceSnapshotIndexUsed === String(target.resourceSnapshotIndex) &&
          stagesOf(status).some(
            (stage) =>
              startsOf(stage).some((start) => start.startsWith(`${target.clusterName} `)) &&
              !(
                this.#before?.runs.find((run) => run.name === name)?.status
                  ? stagesOf(this.#before!.runs.find((run) => run.name === name)!.status)
                  : []
              )
                .flatMap(startsOf)
                .some((start) => startsOf(stage).includes(start) && start.startsWith(`${target.clusterName} `)),
          ),
      );
      expect(startedNow.length, `${target.clusterName} moves by a run`).toBeGreaterThan(0);
    }
  }

  /** From here on everything works, everybody says yes, and every run that was not refused is to go on. */
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
      for (let at = plan.approvals.filter(isUnanswered).length; at > 0; at--) this.#answer('True', at - 1);
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

const holdsOf = (plan: Plan, name: string): string =>
  plan.holds
    .filter(({ subject }) => subject.name === name)
    .map(({ message }) => message)
    .join('; ');

/** Clusters of any other environment come last, so that no run fails for want of a stage. */
const withEverybody = (stages: readonly Stage[]): readonly Stage[] => [
  ...stages,
  ...environments
    .filter((environment) => stages.every((stage) => stage.environment !== environment))
    .map((environment) => ({ environment, maxConcurrency: 2, asksBefore: false, asksAfter: false, waits: false })),
];

const strategyFile = (stages: readonly Stage[]): string =>
  `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStagedUpdateStrategy\nmetadata: {name: steps}\nspec: ${JSON.stringify(
    {
      stages: stages.map(({ environment, maxConcurrency, asksBefore, asksAfter, waits }) => ({
        name: environment,
        labelSelector: { matchLabels: { env: environment } },
        maxConcurrency,
        ...(asksBefore ? { beforeStageTasks: [{ type: 'Approval' }] } : {}),
        afterStageTasks: [
          ...(waits ? [{ type: 'TimedWait', waitTime: '1m' }] : []),
          ...(asksAfter ? [{ type: 'Approval' }] : []),
        ],
      })),
    },
  )}\n`;

const runFile = (name: string, state: string, index: number | undefined, aborts: boolean): string =>
  `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStagedUpdateRun\nmetadata: {name: ${name}, annotations: {gitfleet.dev/on-membership-change: ${aborts ? 'abort' : 'go-on'}}}\nspec: {placementName: web, stagedRolloutStrategyName: steps, state: ${state}${index === undefined ? '' : `, resourceSnapshotIndex: "${index}"`}}\n`;

const eviction = (name: string, cluster: string) =>
  `apiVersion: placement.kubernetes-fleet.io/v1beta1\nkind: ClusterResourcePlacementEviction\nmetadata: {name: ${name}}\nspec: {placementName: web, clusterName: ${cluster}}\n`;

const override = (version: number) =>
  `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ResourceOverride\nmetadata: {name: size, namespace: web}\nspec:\n  placement: {name: web}\n  resourceSelectors: [{group: apps, version: v1, kind: Deployment, name: web}]\n  policy: {overrideRules: [{clusterSelector: {clusterSelectorTerms: [{labelSelector: {matchLabels: {env: prod}}}]}, jsonPatchOverrides: [{op: add, path: /metadata/labels, value: {size: "${version}"}}]}]}\n`;

const budget = (minAvailable: number) =>
  `apiVersion: placement.kubernetes-fleet.io/v1beta1\nkind: ClusterResourcePlacementDisruptionBudget\nmetadata: {name: web, annotations: {gitfleet.dev/budget-scope: all}}\nspec: {minAvailable: ${minAvailable}}\n`;

/** On at every minute, for a minute: always. */
const freeze =
  'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {freeze: [{name: always, schedule: "* * * * *", duration: 1m}]}\n';

const conditionOf = (conditions: readonly Condition[] | undefined, type: string) =>
  conditions?.find((condition) => condition.type === type);
const is = (conditions: readonly Condition[] | undefined, type: string): boolean =>
  conditionOf(conditions, type)?.status === 'True';
const timeOf = (conditions: readonly Condition[] | undefined, type: string): number =>
  is(conditions, type) ? Date.parse(conditionOf(conditions, type)!.lastTransitionTime!) : 0;

const isDone = ({ conditions }: ClusterUpdatingStatus): boolean =>
  is(conditions, 'Succeeded') || is(conditions, 'Skipped');
const isInFlight = (cluster: ClusterUpdatingStatus): boolean => is(cluster.conditions, 'Started') && !isDone(cluster);
const isOver = ({ conditions }: UpdateRunStatus): boolean =>
  conditionOf(conditions, 'Succeeded') !== undefined || conditionOf(conditions, 'Initialized')?.status === 'False';
const stagesOf = ({ stagesStatus = [], deletionStageStatus }: UpdateRunStatus): readonly StageStatus[] => [
  ...stagesStatus,
  ...(deletionStageStatus ? [deletionStageStatus] : []),
];
/** When clusters were started: one that was evicted in flight is started again. */
const startsOf = ({ clusters }: StageStatus): string[] =>
  clusters.flatMap(({ clusterName, conditions }) =>
    is(conditions, 'Started') ? [`${clusterName} ${timeOf(conditions, 'Started')}`] : [],
  );
const withoutGeneration = (status: UpdateRunStatus): unknown =>
  JSON.parse(JSON.stringify(status, (key, value: unknown) => (key === 'observedGeneration' ? undefined : value)));
