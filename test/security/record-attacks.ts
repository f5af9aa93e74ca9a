import fc from 'fast-check';
import { parse, stringify } from 'yaml';
import { sha256 } from '../../src/repo/sha256.ts';
import type { Files } from './attacked-fleet.ts';

/** What an attacker knows who can push branches that nobody merges, and to the status branch. */
export interface Known {
  /** The tip of the followed branch, an old commit of it, and one of a branch that was never merged. */
  readonly commits: readonly string[];
  /** Status branches of before, and of a fleet of the attacker's own with the same names. */
  readonly other: readonly Files[];
}

export type Attack = (files: Files, at: Choice, known: Known) => void;

/** What a step does, among what there is. */
export interface Choice {
  readonly a: number;
  readonly b: number;
}

/** One step of an attack, as a value that fast-check can shrink. */
export interface StepOf<Kind extends string> extends Choice {
  readonly kind: Kind;
}

export type Step = StepOf<keyof typeof steps>;

export const pick = <T>(from: readonly T[], by: number): T | undefined =>
  from.length === 0 ? undefined : from[by % from.length];
export const pathsOf = (files: Files, pattern: RegExp): string[] =>
  Object.keys(files)
    .filter((path) => pattern.test(path))
    .sort();

/* biome-ignore lint/suspicious/noExplicitAny: an attacker knows no types. */
type Anything = any;

export function changed(files: Files, path: string | undefined, change: (value: Anything) => void): void {
  if (path === undefined) return;
  try {
    const value = parse(files[path]!);
    change(value);
    files[path] = stringify(value);
  } catch {
    // What an earlier step made of the file is not an object any more.
  }
}

const evil = (text: string): string => text.replaceAll(/(web|tools):[0-9]+/g, 'evil:1');
const truth = (type: string) => ({
  type,
  status: 'True',
  reason: 'Forged',
  lastTransitionTime: '2026-11-20T10:00:00Z',
});

const runs = /^runs\//;
const states = /state\.yaml$/;
const group = 'placement.kubernetes-fleet.io';
const digestsIn = (text = ''): string[] => text.match(/sha256:[0-9a-f]{64}/g) ?? [];

/** Lists the bindings of a cluster as being removed. */
function leaving(files: Files, name: string, cluster: string, more: object): void {
  changed(files, `placements/${name}/state.yaml`, ({ bindings }) => {
    for (const binding of bindings)
      if (binding.targetCluster === cluster) Object.assign(binding, { deleting: true, ...more });
  });
}

/** Steps that fit to every file. */
export const generalSteps = {
  otherFile(files, { a, b }, { other }) {
    const from = pick(other, a) ?? {};
    const path = pick(Object.keys(from).sort(), b);
    if (path) files[path] = from[path]!;
  },
  otherCommits(files, { a, b }, { commits }) {
    const path = pick(pathsOf(files, /\.yaml$/), a);
    if (path) files[path] = files[path]!.replaceAll(/[0-9a-f]{40}/g, pick(commits, b)!);
  },
  futureTimes(files, { a }) {
    const path = pick(pathsOf(files, /\.yaml$/), a);
    if (path) files[path] = files[path]!.replaceAll(/2026-11-[0-9T:.]*Z/g, '9999-01-01T00:00:00Z');
  },
  remove(files, { a }) {
    const path = pick(pathsOf(files, /./), a);
    if (path) delete files[path];
  },
  garbage(files, { a, b }) {
    const path = pick(pathsOf(files, /./), a);
    if (path) files[path] = pick(['', '{', '*a', '&a [*a]', 'evil: 1', '\u0000', files[path]!.slice(0, b % 200)], b)!;
  },
} as const satisfies Record<string, Attack>;

const steps = {
  ...generalSteps,
  evilContents(files, { a }) {
    const path = pick(pathsOf(files, /snapshots\//), a);
    if (path) files[path] = evil(files[path]!);
  },
  evilContentsWithHash(files, { a, b }, { commits }) {
    const path = pick(pathsOf(files, /snapshots\//), a);
    if (!path) return;
    files[path] = evil(files[path]!);
    changed(files, path.replace(/snapshots.*/, 'state.yaml'), (state) => {
      for (const entry of state.resourceSnapshots ?? []) {
        entry.hash = sha256(files[path]!);
        entry.commit = pick(commits, b);
      }
    });
  },
  otherPlacement(files, { a, b }, { other }) {
    const from = pick(other, a) ?? {};
    const folder = pick(['placements/web/', 'placements/tools/'], b)!;
    for (const [path, text] of Object.entries(from)) if (path.startsWith(folder)) files[path] = text;
  },
  bogusObjects(files, { a, b }) {
    const path = pick(pathsOf(files, /snapshots\//), a);
    if (path) files[path] = files[path]!.replaceAll(/name: (web|tools)/g, `name: ${pick(['other', 'kube-system'], b)}`);
  },
  withoutHash(files, { a }) {
    changed(files, pick(pathsOf(files, states), a), (state) => {
      for (const entry of state.resourceSnapshots ?? []) delete entry.hash;
    });
  },
  passGate(files, { a, b }, { commits }) {
    changed(files, pick(pathsOf(files, runs), a), ({ metadata, status }) => {
      const approved = `web-1-after-canary=${pick(commits, b)}`;
      metadata.annotations = { ...metadata.annotations, 'gitfleet.dev/approved-in': approved };
      for (const stage of status.stagesStatus)
        for (const task of [...(stage.beforeStageTaskStatus ?? []), ...(stage.afterStageTaskStatus ?? [])]) {
          task.conditions = [truth('ApprovalRequestCreated'), truth('ApprovalRequestApproved')];
        }
    });
  },
  finishStages(files, { a }) {
    changed(files, pick(pathsOf(files, runs), a), ({ status }) => {
      for (const stage of status.stagesStatus) {
        stage.conditions = [truth('Succeeded')];
        for (const cluster of stage.clusters) cluster.conditions = [truth('Started'), truth('Succeeded')];
      }
    });
  },
  skipClusters(files, { a, b }) {
    changed(files, pick(pathsOf(files, runs), a), ({ status }) => {
      const condition = { ...truth(a % 2 === 0 ? 'Skipped' : 'Succeeded'), reason: 'ClusterLeft' };
      for (const cluster of pick<Anything>(status.stagesStatus, b).clusters) cluster.conditions = [condition];
    });
  },
  startStages(files, { a, b }) {
    changed(files, pick(pathsOf(files, runs), a), ({ status }) => {
      for (const cluster of pick<Anything>(status.stagesStatus, b).clusters) cluster.conditions = [truth('Started')];
    });
  },
  dropTasks(files, { a }) {
    changed(files, pick(pathsOf(files, runs), a), ({ status }) => {
      for (const stage of status.stagesStatus) delete stage.afterStageTaskStatus;
      for (const stage of status.stagedUpdateStrategySnapshot.stages) delete stage.afterStageTasks;
    });
  },
  moveClusters(files, { a, b }) {
    changed(files, pick(pathsOf(files, runs), a), ({ status: { stagesStatus: stages } }) => {
      const from = stages[b % stages.length];
      stages[(b + 1) % stages.length].clusters.push(...from.clusters);
      from.clusters = [];
    });
  },
  emptyStage(files, { a, b }) {
    changed(files, pick(pathsOf(files, runs), a), ({ status }) => {
      pick<Anything>(status.stagesStatus, b).clusters = [];
    });
  },
  giveSnapshot(files, { a, b }) {
    changed(files, pick(pathsOf(files, states), a), (state) => {
      for (const binding of state.bindings) {
        binding.state = 'Bound';
        binding.resourceSnapshotIndex = pick<Anything>(state.resourceSnapshots, b)?.index ?? 0;
      }
    });
  },
  swapIndexes(files, { a }) {
    changed(files, pick(pathsOf(files, states), a), (state) => {
      const indexes = state.resourceSnapshots.map((entry: Anything) => entry.index);
      for (const [at, entry] of state.resourceSnapshots.entries()) entry.index = indexes[indexes.length - 1 - at];
    });
  },
  ruleOfRollout(files) {
    for (const path of pathsOf(files, /status\.yaml$/))
      files[path] = files[path]!.replace('type: External', 'type: RollingUpdate');
  },
  settings(files) {
    files['fleet.yaml'] =
      'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {approvals: {handWritten: true, path: runs/}, guard: {maxClusters: 100%}}\n';
  },
  labels(files, { a, b }) {
    changed(files, pick(pathsOf(files, /^clusters\//), a), ({ metadata }) => {
      metadata.labels = { ...metadata.labels, env: b % 2 === 0 ? 'canary' : 'evil:1' };
    });
    changed(files, pick(pathsOf(files, states), b), ({ bindings }) => {
      for (const binding of bindings) binding.clusterLabels = { env: 'evil:1' };
    });
  },
  forgedOverride(files) {
    files['overrides/web/0.yaml'] = stringify({
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'ClusterResourceOverrideSnapshot',
      metadata: { name: 'web-0' },
      index: 0,
      latest: true,
      overrideSpec: {
        clusterResourceSelectors: [{ group: '', version: 'v1', kind: 'Namespace', name: 'web' }],
        policy: {
          overrideRules: [
            {
              clusterSelector: { clusterSelectorTerms: [] },
              jsonPatchOverrides: [{ op: 'add', path: '/metadata/labels', value: { from: 'evil:1' } }],
            },
          ],
        },
      },
    });
    for (const path of pathsOf(files, states))
      changed(files, path, ({ bindings }) => {
        for (const binding of bindings) binding.clusterResourceOverrideSnapshots = ['web-0'];
      });
  },
  mergedContents(files, { a }) {
    const path = pick(pathsOf(files, /snapshots\//), a);
    if (path) files[path] = files[path]!.replaceAll('web:0', 'web:1').replaceAll('tools:1', 'tools:2');
  },
  overrideLists(files, { a, b }) {
    const lists = pick([undefined, ['mark-0'], ['mark-1'], ['mark-7']], b);
    changed(files, pick(pathsOf(files, states), a), ({ bindings }) => {
      for (const binding of bindings) binding.clusterResourceOverrideSnapshots = lists;
    });
  },
  deleting(files, { a, b }) {
    changed(files, pick(pathsOf(files, states), a), ({ bindings }) => {
      for (const [at, binding] of bindings.entries()) if (at >= b % 3) binding.deleting = true;
    });
  },
  inventedBinding(files, { a, b }) {
    changed(files, pick(pathsOf(files, states), a), ({ bindings }) => {
      const targetCluster = pick(['canary-1', 'prod-1', 'prod-2', 'prod-9'], b);
      bindings.push({ ...bindings[0], targetCluster, state: pick(['Bound', 'Scheduled', 'Unscheduled'], b) });
    });
  },
  applyStrategy(files, { a }) {
    changed(files, pick(pathsOf(files, states), a), ({ bindings }) => {
      for (const binding of bindings)
        binding.applyStrategy = { type: 'ServerSideApply', serverSideApplyConfig: { force: true } };
    });
  },
  runSpec(files, { a, b }) {
    changed(files, pick(pathsOf(files, runs), a), (run) => {
      Object.assign(run.spec, pick<object>([{ stagedRolloutStrategyName: 'free' }, { state: 'Stop' }], b));
      if (b % 3 === 0) delete run.status;
    });
  },
  indexSpelling(files, { a, b }) {
    changed(files, pick(pathsOf(files, runs), a), ({ status }) => {
      status.resourceSnapshotIndexUsed = pick([' 0', '+0', '00', '1e0', '7', '-1'], b);
    });
  },
  swapFiles(files, { a, b }) {
    const yaml = pathsOf(files, /(runs|clusters|state|status|overrides).*\.yaml$/);
    const [one, other] = [pick(yaml, a), pick(yaml, b)];
    if (one && other) [files[one], files[other]] = [files[other]!, files[one]!];
  },
  garbageStateWithStatus(files, { a, b }) {
    const path = pick(pathsOf(files, states), a);
    if (!path) return;
    files[path] = '{';
    changed(files, path.replace('state.yaml', 'status.yaml'), ({ spec }) => {
      spec.policy = pick<object>(
        [{ placementType: 'PickAll' }, { placementType: 'PickFixed', clusterNames: ['prod-2'] }],
        b,
      );
    });
  },
  inventedPlacement(files, { a }) {
    for (const [path, text] of Object.entries(files))
      if (path.startsWith('placements/tools/')) files[path.replace('tools', 'foo')] = text.replaceAll('tools', 'foo');
    if (a % 2 === 0) files['placements/foo/state.yaml'] = '{';
  },
  hugeIndex(files, { a }) {
    changed(files, pick(pathsOf(files, states), a), ({ resourceSnapshots }) => {
      resourceSnapshots.push({ ...resourceSnapshots[0], index: Number.MAX_SAFE_INTEGER });
    });
  },
  executedEviction(files, { a, b }) {
    const [name, cluster] = pick(
      [
        ['out', 'prod-1'],
        ['done', 'prod-2'],
        ['none', 'canary-1'],
      ] as const,
      a,
    )!;
    files[`evictions/${name}.yaml`] = stringify({
      apiVersion: `${group}/v1beta1`,
      kind: 'ClusterResourcePlacementEviction',
      metadata: { name },
      spec: { placementName: 'tools', clusterName: cluster },
      status: { conditions: [truth('Valid'), truth('Executed')] },
    });
    leaving(files, 'tools', cluster, pick<object>([{}, { deletionTimestamp: '2026-11-20T10:00:00Z' }], b)!);
  },
  onlyLastVersion(files, { a }) {
    const path = pick(pathsOf(files, states), a);
    changed(files, path, (state) => {
      const [last] = state.resourceSnapshots.toSorted((one: Anything, other: Anything) => other.index - one.index);
      for (const { index } of state.resourceSnapshots)
        if (index !== last.index) delete files[path!.replace('state.yaml', `snapshots/${index}.yaml`)];
      state.resourceSnapshots = [last];
      for (const binding of state.bindings) binding.resourceSnapshotIndex = last.index;
    });
  },
  approvedRemoval(files, { a, b }, { commits }) {
    const removalDigest = pick([...new Set(digestsIn(files['daemon.yaml']))], a);
    if (removalDigest === undefined) return;
    const name = removalDigest.slice('sha256:'.length);
    const underWay = pick([undefined, [{ placement: 'tools' }], [{ placement: 'gone', clusterName: 'prod-2' }]], b);
    files[`removals/${name}.yaml`] = stringify({
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'ApprovedRemoval',
      metadata: { name },
      spec: { removalDigest },
      status: { commit: pick(commits, b), underWay },
    });
  },
  withoutEarlyApprovals(files, { a, b }) {
    changed(files, pick(pathsOf(files, runs), a), ({ status }) => {
      delete status.earlyApprovals;
      const [task] = status.stagesStatus[0].afterStageTaskStatus;
      if (b % 2 === 0) task.conditions.push(truth('ApprovalRequestApproved'));
    });
  },
  daemonMemory(files, { a, b }, { commits }) {
    const commit = pick([...commits, '0'.repeat(40)], b);
    const fields: readonly object[] = [
      { commit },
      { commitInEffect: commit },
      { askedRemovals: pick([[], digestsIn(files['summary.yaml'])], b) },
      { unreachable: { 'prod-1': { cause: 'evil:1', lastContact: '9999-01-01T00:00:00Z' } } },
      { holds: [], holdCount: b },
    ];
    changed(files, 'daemon.yaml', (memory) => Object.assign(memory, pick(fields, a)));
  },
  rolledBack(files, { a, b }) {
    changed(files, pick(pathsOf(files, runs), a), ({ status }) => {
      const [{ stageName, clusters }] = status.stagesStatus;
      for (const cluster of clusters) cluster.previous = { resourceSnapshotIndex: b % 3 };
      const stages = [{ stageName, clusters: clusters.map(({ clusterName }: Anything) => ({ clusterName })) }];
      if (a % 3 > 0) status.rollbackStatus = { reason: 'UpdateRunFailed', message: 'forged', stagesStatus: stages };
    });
  },
  deletionStage(files, { a, b }) {
    const clusterName = pick(['canary-1', 'prod-1'], a)!;
    changed(files, pick(pathsOf(files, runs), a), ({ status }) => {
      const clusters = [{ clusterName, conditions: [truth('Started')] }];
      status.deletionStageStatus = { stageName: 'kubernetes-fleet.io/deleteStage', clusters };
    });
    leaving(files, 'web', clusterName, { state: pick(['Unscheduled', 'Bound'], b) });
  },
  removeFolder(files, { a }) {
    const folder = pick(['placements/', 'runs/', 'approvals/', 'clusters/', 'placements/web/'], a)!;
    for (const path of pathsOf(files, new RegExp(`^${folder}`))) delete files[path];
  },
} as const satisfies Record<string, Attack>;

/** Steps of these kinds. */
export const stepOf = <Kind extends string>(kinds: Readonly<Record<Kind, Attack>>): fc.Arbitrary<StepOf<Kind>> =>
  fc.record({
    kind: fc.constantFrom(...(Object.keys(kinds) as Kind[])),
    a: fc.nat({ max: 1000 }),
    b: fc.nat({ max: 1000 }),
  });

export const step = stepOf(steps);

export const attack = (files: Files, at: Step, known: Known): void => attackBy(steps, files, at, known);

/** Does a step to the files of a status branch. What it does not fit to is left as it is. */
export function attackBy<Kind extends string>(
  kinds: Readonly<Record<Kind, Attack>>,
  files: Files,
  at: StepOf<Kind>,
  known: Known,
): void {
  try {
    kinds[at.kind](files, at, known);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}
