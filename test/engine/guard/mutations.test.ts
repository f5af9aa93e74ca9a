import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Condition } from '../../../src/api/meta.ts';
import { placementKey } from '../../../src/api/placement.ts';
import type { ApprovalRequest, StageStatus } from '../../../src/api/staged.ts';
import type { PlanInput } from '../../../src/engine/input.ts';
import type { Plan, PlannedBinding, Target } from '../../../src/engine/plan-document.ts';
import { placementTargets } from '../../../src/engine/target-kinds.ts';
import { runFile, strategyFile } from '../../scenarios/staged-files.ts';
import { disruptionBudget, frozen } from '../../scenarios/texts.ts';
import { drawn } from '../../support/law-runs.ts';
import { deployment, member, PaperFleet, placement } from '../../support/paper-fleet.ts';
import { findings } from './world.ts';

/** A plan that the guard passes, and what it was made from. */
interface Judged {
  readonly input: PlanInput;
  readonly plan: Plan;
}

/** A plan with one mistake in it; undefined where this mistake cannot be made there. `at` picks the place. */
type Mutation = (judged: Judged, at: number) => Plan | undefined;

const names = Array.from({ length: 12 }, (_, at) => `c-${String(at).padStart(2, '0')}`);
const cluster = (name: string, env = 'prod') => [`clusters/${name}.yaml`, member(name, { env })] as const;
const all = '{placementType: PickAll}';
const justOne = '{type: RollingUpdate, rollingUpdate: {maxUnavailable: 1}}';

const plans: Judged[] = [];

async function watch(paper: PaperFleet, steps: number, delivers = true): Promise<void> {
  for (let step = 0; step < steps; step++) {
    const input = await paper.input();
    plans.push({ input, plan: await paper.plan() });
    if (delivers) paper.deliver();
    paper.pass(30);
  }
}

async function watchRollout(): Promise<void> {
  const paper = new PaperFleet({
    ...Object.fromEntries(names.map((name) => cluster(name))),
    'placements/web.yaml': placement('web', all, justOne),
    'budgets/web.yaml': disruptionBudget('web', '{minAvailable: 11}', true),
    'resources/web.yaml': deployment('web', 'web', 'web:1'),
    'clusters/z.yaml': member('z', {}, 'taints: [{key: out, value: "1", effect: NoSchedule}]'),
  });
  await watch(paper, 3);
  paper.files['resources/web.yaml'] = deployment('web', 'web', 'web:2');
  await watch(paper, 4);
  paper.files['fleet.yaml'] = frozen;
  await watch(paper, 2);
  delete paper.files['fleet.yaml'];
  await paper.settle(40);
  paper.files['placements/web.yaml'] = placement(
    'web',
    `{placementType: PickAll, affinity: {clusterAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {clusterSelectorTerms: [{labelSelector: {matchLabels: {env: prod}}}]}}}}`,
    justOne,
  );
  paper.files['clusters/c-00.yaml'] = member('c-00', { env: 'dev' });
  await watch(paper, 3, false);
}

async function watchRun(): Promise<void> {
  const stage = (environment: string, more: object = {}) => ({
    environment,
    maxConcurrency: 1,
    asksBefore: false,
    asksAfter: false,
    waits: false,
    ...more,
  });
  const paper = new PaperFleet({
    ...Object.fromEntries(names.slice(0, 6).map((name, at) => cluster(name, at < 3 ? 'dev' : 'prod'))),
    'placements/web.yaml': placement('web', all, '{type: External}'),
    'resources/web.yaml': deployment('web', 'web', 'web:1'),
    'strategies/steps.yaml': strategyFile([
      stage('dev', { asksAfter: true, waits: true }),
      stage('prod', { asksBefore: true }),
    ]),
    'runs/one.yaml': runFile('one', 'Run', undefined),
  });
  for (let step = 0; step < 14; step++) {
    await watch(paper, 1);
    for (const { file, answer } of paper.last!.plan.approvals) {
      if (answer !== undefined || step % 2 === 0) continue;
      const request = file!.object as ApprovalRequest;
      const conditions = [{ type: 'Approved', status: 'True', reason: 'Approved', message: '' }];
      paper.files[`approvals/${request.metadata.name}.yaml`] = JSON.stringify({ ...request, status: { conditions } });
    }
  }
}

beforeAll(async () => {
  await watchRollout();
  await watchRun();
});

const pick = <T>(list: readonly T[], at: number): T | undefined => list[at % Math.max(1, list.length)];
const yes = (type: string): Condition => ({
  type,
  status: 'True',
  reason: 'x',
  lastTransitionTime: '2026-11-20T10:00:00Z',
});

/** The plan with one binding of its first placement changed; undefined = it is left out. */
function withBinding({ plan }: Judged, of: PlannedBinding, changed: PlannedBinding | undefined): Plan {
  const [first, ...others] = plan.placements;
  const bindings = first!.bindings.flatMap((it) => (it === of ? (changed ?? []) : it));
  return { ...plan, placements: [{ ...first!, bindings }, ...others] };
}

const bindingsOf = ({ plan }: Judged, move: PlannedBinding['move']): readonly PlannedBinding[] =>
  (plan.placements[0]?.bindings ?? []).filter((binding) => binding.move === move);

const isAvailable = ({ conditions }: PlannedBinding): boolean =>
  conditions.some(({ type, reason }) => type === 'Available' && reason === 'AllWorkAreAvailable');

const strategyOf = ({ input }: Judged) => input.fleet.placements[0]?.spec.strategy.type;
const isFrozen = ({ input }: Judged): boolean => input.fleet.config?.spec.freeze !== undefined;

/** A hold dropped: a healthy cluster that waits for another one is updated beside it. */
const withoutHold: Mutation = (judged, at) => {
  const latest = judged.plan.placements[0]?.resourceSnapshotIndex;
  const waiting = bindingsOf(judged, 'wait').filter(isAvailable);
  const binding = pick(waiting, at);
  if (!binding || latest === undefined || bindingsOf(judged, 'update').length === 0) return undefined;
  return withBinding(judged, binding, { ...binding, move: 'update', resourceSnapshotIndex: latest, conditions: [] });
};

const withStage = (
  { plan }: Judged,
  which: number,
  change: (stage: StageStatus) => StageStatus | undefined,
): Plan | undefined => {
  const [run] = plan.runs;
  const stage = run?.status.stagesStatus?.[which];
  const changed = stage && change(stage);
  if (!run || !changed) return undefined;
  const stagesStatus = run.status.stagesStatus!.map((it, at) => (at === which ? changed : it));
  return { ...plan, runs: [{ ...run, status: { ...run.status, stagesStatus } }] };
};
const has = (conditions: readonly Condition[] | undefined, type: string): boolean =>
  conditions?.some((condition) => condition.type === type && condition.status === 'True') === true;
const isOpen = ({ plan, input }: Judged): boolean =>
  !has(input.record.runs.get(plan.runs[0]?.name ?? '')?.status?.conditions, 'Succeeded');

const approved = (tasks: StageStatus['afterStageTaskStatus']): StageStatus['afterStageTaskStatus'] =>
  tasks?.map((task) => (task.type === 'Approval' ? { ...task, conditions: [yes('ApprovalRequestApproved')] } : task));

const mutations: readonly (readonly [what: string, rule: string, mutation: Mutation])[] = [
  [
    'a target twice',
    'duplicate-target',
    ({ plan }, at) => {
      const target = pick(plan.targets, at);
      return target && { ...plan, targets: [...plan.targets, target] };
    },
  ],
  [
    'a hold dropped',
    'budget-broken',
    (judged, at) => (strategyOf(judged) === 'External' ? undefined : withoutHold(judged, at)),
  ],
  [
    'a hold of a disruption budget dropped',
    'disruption-budget-broken',
    (judged, at) => (strategyOf(judged) === 'External' ? undefined : withoutHold(judged, at)),
  ],
  [
    'a hold of a freeze dropped',
    'frozen',
    (judged, at) => {
      const latest = judged.plan.placements[0]?.resourceSnapshotIndex;
      const binding = pick(
        bindingsOf(judged, 'wait').filter(({ resourceSnapshotIndex }) => resourceSnapshotIndex !== latest),
        at,
      );
      if (!binding || latest === undefined || !isFrozen(judged)) return undefined;
      return withBinding(judged, binding, { ...binding, move: 'update', resourceSnapshotIndex: latest });
    },
  ],
  [
    'an older index',
    'older-snapshot',
    (judged, at) => {
      const newer = bindingsOf(judged, 'keep').filter(({ resourceSnapshotIndex = 0 }) => resourceSnapshotIndex > 0);
      const binding = pick(newer, at);
      if (!binding || strategyOf(judged) === 'External') return undefined;
      return withBinding(judged, binding, {
        ...binding,
        move: 'update',
        resourceSnapshotIndex: binding.resourceSnapshotIndex! - 1,
      });
    },
  ],
  [
    'an index that no run brought',
    'moved-without-run',
    (judged, at) => {
      const binding = pick(
        bindingsOf(judged, 'keep').filter(({ clusterName }) =>
          judged.input.record.placements
            .values()
            .next()
            .value?.state.bindings.some(({ targetCluster }) => targetCluster === clusterName),
        ),
        at,
      );
      if (!binding || strategyOf(judged) !== 'External') return undefined;
      return withBinding(judged, binding, { ...binding, move: 'update', resourceSnapshotIndex: 7 });
    },
  ],
  [
    'a removal from where it never was',
    'removal-without-binding',
    ({ plan, input }) => {
      const placement = placementTargets(plan.targets)[0]?.placement;
      if (!placement || !input.fleet.members.some(({ metadata }) => metadata.name === 'z')) return undefined;
      return { ...plan, targets: [...plan.targets, { clusterName: 'z', placement, remove: true, objects: [] }] };
    },
  ],
  [
    'a removal left out',
    'removal-forgotten',
    (judged, at) => {
      const { input, plan } = judged;
      const [recorded] = input.record.placements.values();
      const leaving = new Set(
        recorded?.state.bindings.filter(({ deleting }) => deleting).map(({ targetCluster }) => targetCluster),
      );
      const binding = pick(
        bindingsOf(judged, 'remove').filter(({ clusterName }) => leaving.has(clusterName)),
        at,
      );
      if (!binding) return undefined;
      const targets = plan.targets.filter(({ clusterName }) => clusterName !== binding.clusterName);
      // While the member shows the remaining objects.
      return { ...withBinding(judged, binding, undefined), targets };
    },
  ],
  [
    'targets that remove everything',
    'blast-radius-clusters',
    ({ plan, input }) => {
      const bound = [...input.record.placements.values()]
        .flatMap(({ state }) => state.bindings)
        .filter(({ deleting }) => !deleting);
      if (bound.length < 11 || !bound.every(({ state }) => state === 'Bound')) return undefined;
      return {
        ...plan,
        placements: plan.placements.map((it) => ({ ...it, bindings: [] })),
        targets: plan.targets.map((target): Target => ({ ...target, remove: true, objects: [] })),
      };
    },
  ],
  [
    'a gate that is not approved counted as passed',
    'gate-not-approved',
    (judged, at) => {
      if (!isOpen(judged)) return undefined;
      return withStage(judged, at % 2, (stage) => {
        const tasks = at % 2 === 0 ? stage.afterStageTaskStatus : stage.beforeStageTaskStatus;
        const isAsked = tasks?.some(
          ({ type, conditions }) => type === 'Approval' && !has(conditions, 'ApprovalRequestApproved'),
        );
        if (!isAsked || judged.input.fleet.approvals.some(({ spec }) => spec.targetStage === stage.stageName))
          return undefined;
        return at % 2 === 0
          ? { ...stage, afterStageTaskStatus: approved(tasks) }
          : { ...stage, beforeStageTaskStatus: approved(tasks) };
      });
    },
  ],
  [
    'a stage started before the one before it is done',
    'stage-order',
    (judged, at) => {
      const [first] = judged.plan.runs[0]?.status.stagesStatus ?? [];
      if (!isOpen(judged) || !first || has(first.conditions, 'Succeeded')) return undefined;
      return withStage(judged, 1, (stage) => ({
        ...stage,
        clusters: stage.clusters.map((it, which) =>
          which === at % stage.clusters.length ? { ...it, conditions: [yes('Started')] } : it,
        ),
      }));
    },
  ],
  [
    'a stage called done before its clusters are',
    'stage-order',
    (judged, at) => {
      if (!isOpen(judged)) return undefined;
      return withStage(judged, at % 2, (stage) =>
        stage.clusters.every(({ conditions }) => has(conditions, 'Succeeded'))
          ? undefined
          : { ...stage, conditions: [yes('Succeeded')] },
      );
    },
  ],
  [
    'a soak cut short',
    'soak-cut-short',
    (judged) => {
      if (!isOpen(judged)) return undefined;
      return withStage(judged, 0, (stage) => {
        const times = stage.clusters.map(
          ({ conditions }) => conditions?.find(({ type }) => type === 'Succeeded')?.lastTransitionTime,
        );
        const isOver = has(stage.conditions, 'Succeeded') || !times.every((time) => time !== undefined);
        const since = Date.parse(judged.input.now) - Math.max(...times.map((time) => Date.parse(time ?? '')));
        return isOver || since >= 60_000 ? undefined : { ...stage, conditions: [yes('Succeeded')] };
      });
    },
  ],
  [
    'more clusters of a stage at once',
    'stage-concurrency',
    (judged) => {
      if (!isOpen(judged)) return undefined;
      return withStage(judged, 0, (stage) => {
        const idle = stage.clusters.filter(({ conditions }) => !has(conditions, 'Started'));
        return idle.length < 2
          ? undefined
          : {
              ...stage,
              clusters: stage.clusters.map((it) => (idle.includes(it) ? { ...it, conditions: [yes('Started')] } : it)),
            };
      });
    },
  ],
  [
    'an eviction that no file requests',
    'eviction-unasked',
    ({ plan }, at) => {
      const target = pick(placementTargets(plan.targets), at);
      if (!target) return undefined;
      const { clusterName, placement } = target;
      const eviction = {
        name: 'e',
        placementName: placementKey(placement),
        clusterName,
        status: { conditions: [yes('Executed')] },
      };
      return { ...plan, evictions: [eviction] };
    },
  ],
];

describe('a plan with a mistake in it', () => {
  it.each(mutations)('%s is found: %s', (_, rule, mutation) => {
    const open = plans.filter((judged) => mutation(judged, 0) ?? mutation(judged, 1));
    expect(open.length).toBeGreaterThan(0);
    fc.assert(
      fc.property(fc.constantFrom(...open), fc.nat(100), (judged, at) => {
        const plan = mutation(judged, at);
        fc.pre(plan !== undefined);
        expect(findings({ input: judged.input, plan }).map((finding) => finding.rule)).toContain(rule);
      }),
      drawn(60),
    );
  });

  it('none is found in the plans as they are', () => {
    expect(plans.flatMap(findings)).toEqual([]);
  });
});
