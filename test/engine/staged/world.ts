import type { Condition, Manifest } from '../../../src/api/meta.ts';
import {
  defaultRollingUpdate,
  type Placement,
  type PlacementPolicy,
  placementKey,
} from '../../../src/api/placement.ts';
import type { Binding } from '../../../src/api/placement-state.ts';
import type { ApprovalRequest, StageConfig, StagedUpdateRun, StagedUpdateStrategy } from '../../../src/api/staged.ts';
import { latestOf } from '../../../src/engine/kernel/latest-of.ts';
import { notPaused } from '../../../src/engine/pause/pause.ts';
import type { PlacementWork } from '../../../src/engine/placement-work.ts';
import { advanceRuns, type RunsOutcome } from '../../../src/engine/staged/advance-runs.ts';
import type { RunsInput } from '../../../src/engine/staged/step.ts';
import { sha256 } from '../../../src/repo/sha256.ts';
import { at, T0 } from '../../support/instants.ts';

export const digest = sha256;
export { at, T0 };

export const applyStrategy = {
  type: 'ClientSideApply',
  comparisonOption: 'PartialComparison',
  whenToApply: 'Always',
  whenToTakeOver: 'Always',
  allowCoOwnership: false,
} as const;

export const placementOf = (
  change: { policy?: PlacementPolicy; type?: 'External' | 'RollingUpdate'; strategy?: object } = {},
): Placement => ({
  apiVersion: 'placement.kubernetes-fleet.io/v1',
  kind: 'ClusterResourcePlacement',
  metadata: { name: 'web' },
  spec: {
    resourceSelectors: [
      { group: '', version: 'v1', kind: 'Namespace', name: 'web', selectionScope: 'NamespaceWithResources' },
    ],
    policy: change.policy ?? { placementType: 'PickAll' },
    strategy: {
      ...(change.type === 'RollingUpdate'
        ? { type: change.type, rollingUpdate: defaultRollingUpdate }
        : { type: 'External' }),
      applyStrategy,
      ...change.strategy,
    },
    revisionHistoryLimit: 10,
    statusReportingScope: 'ClusterScopeOnly',
  },
});

export const manifest = (name: string, data = '1'): Manifest => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'web' },
  data: { v: data },
});

export const available = (time = T0, reason = 'AllWorkAreAvailable'): Condition[] => [
  { type: 'RolloutStarted', status: 'True', reason: 'RolloutStarted', lastTransitionTime: time },
  { type: 'Applied', status: 'True', reason: 'AllWorkHaveBeenApplied', lastTransitionTime: time },
  { type: 'Available', status: 'True', reason, lastTransitionTime: time },
];

export const scheduled = (targetCluster: string, more: Partial<Binding> = {}): Binding => ({
  targetCluster,
  state: 'Scheduled',
  policySnapshotIndex: 0,
  ...more,
});
export const bound = (targetCluster: string, index = 0, more: Partial<Binding> = {}): Binding => ({
  targetCluster,
  state: 'Bound',
  policySnapshotIndex: 0,
  resourceSnapshotIndex: index,
  applyStrategy,
  conditions: available(),
  ...more,
});

export function workOf(change: {
  bindings?: readonly Binding[];
  placement?: Placement;
  snapshots?: readonly number[];
  selected?: string;
  scheduled?: 'True' | 'False';
  more?: Partial<PlacementWork>;
}): PlacementWork {
  const placement = change.placement ?? placementOf();
  const indexes = change.snapshots ?? [];
  const manifests = [manifest('app', change.selected ?? 'selected')];
  return {
    placement,
    policySnapshots: [{ index: 0, latest: true, policy: placement.spec.policy }],
    resourceSnapshots: indexes.map((index, place) => ({
      index,
      hash: `hash-${index}`,
      ...(place === indexes.length - 1 ? { latest: true } : {}),
    })),
    contents: new Map(indexes.map((index) => [index, [manifest('app', String(index))]])),
    selection: { ok: true, manifests, hash: digest(JSON.stringify(manifests)), identifiers: [] },
    bindings: (change.bindings ?? []).map((binding) => ({ binding, move: binding.deleting ? 'remove' : 'keep' })),
    scheduled: { type: 'Scheduled', status: change.scheduled ?? 'True', reason: 'SchedulingPolicyFulfilled' },
    decisions: [],
    holds: [],
    problems: [],
    wakes: [],
    ...change.more,
  };
}

export const runOf = (
  change: Partial<StagedUpdateRun['spec']> & { name?: string; annotations?: Record<string, string> } = {},
): StagedUpdateRun => {
  const { name = 'web-1', annotations, ...spec } = change;
  return {
    apiVersion: 'placement.kubernetes-fleet.io/v1',
    kind: 'ClusterStagedUpdateRun',
    metadata: { name, ...(annotations ? { annotations } : {}) },
    spec: { placementName: 'web', stagedRolloutStrategyName: 'careful', ...spec },
  };
};

export const stage = (name: string, more: Partial<StageConfig> = {}): StageConfig => ({
  name,
  labelSelector: { matchLabels: { env: name } },
  maxConcurrency: 1,
  ...more,
});
export const strategyOf = (...stages: StageConfig[]): StagedUpdateStrategy => ({
  apiVersion: 'placement.kubernetes-fleet.io/v1',
  kind: 'ClusterStagedUpdateStrategy',
  metadata: { name: 'careful' },
  spec: { stages },
});

export const cluster = (name: string, env: string, labels: Record<string, string> = {}) => ({
  name,
  labels: { env, ...labels },
  left: false,
});

export const answer = (change: {
  name: string;
  run?: string;
  stage: string;
  status?: 'True' | 'False' | 'Unknown';
  review?: string;
  message?: string;
  generation?: number;
}): ApprovalRequest => ({
  apiVersion: 'placement.kubernetes-fleet.io/v1',
  kind: 'ClusterApprovalRequest',
  metadata: { name: change.name, ...(change.review ? { annotations: { 'gitfleet.dev/review': change.review } } : {}) },
  spec: { parentStageRollout: change.run ?? 'web-1', targetStage: change.stage },
  status: {
    conditions: [
      {
        type: 'Approved',
        status: change.status ?? 'True',
        reason: 'Approved',
        ...(change.message ? { message: change.message } : {}),
        ...(change.generation ? { observedGeneration: change.generation } : {}),
      },
    ],
  },
});

/** Takes a snapshot as the engine does: the latest stays when its contents are the selection's. */
const takeSnapshot = (work: PlacementWork): PlacementWork => {
  const { selection } = work;
  const latest = latestOf(work.resourceSnapshots);
  if (!selection.ok || latest?.hash === selection.hash) return work;
  const index = (latest?.index ?? -1) + 1;
  return {
    ...work,
    resourceSnapshots: [
      ...work.resourceSnapshots.map(({ latest: _, ...entry }) => entry),
      { index, latest: true, hash: selection.hash },
    ],
    contents: new Map([...work.contents, [index, selection.manifests]]),
  };
};

export const inputOf = (change: Partial<RunsInput>): RunsInput => ({
  runs: [runOf()],
  recordedRuns: new Map(),
  strategies: [],
  approvals: [],
  recordedApprovals: new Map(),
  clusters: [],
  upgrading: new Map(),
  isUnavailable: () => false,
  now: T0,
  commit: 'c0ffee',
  pause: notPaused,
  digest,
  takeSnapshot,
  repoDigest: ({ selection }) => (selection.ok ? selection.hash : undefined),
  observed: () => (step) => step,
  unseenUntil: () => undefined,
  lastGoodIn: () => [],
  replacesRemaining: () => false,
  budgets: [],
  refused: [],
  handWritten: false,
  absenceIsCertain: true,
  recordLost: false,
  unread: undefined,
  sources: undefined,
  approvers: undefined,
  overridesFor: () => ({}),
  ...change,
});

/** A fleet that is planned again and again: members do what they are told between two plans. */
export class Rollout {
  outcome!: RunsOutcome;
  now = 0;
  work: PlacementWork;
  input: RunsInput;
  constructor(work: PlacementWork, input: Partial<RunsInput>) {
    this.work = work;
    this.input = inputOf(input);
  }

  /** Plans at T0 + seconds and checks that planning again changes nothing. */
  plan(seconds = this.now): this {
    this.now = seconds;
    this.input = { ...this.input, now: at(seconds) };
    this.outcome = advanceRuns(this.work, this.input);
    this.remember();
    const again = advanceRuns(this.work, this.input);
    const settled = (outcome: RunsOutcome) => ({
      ...outcome,
      work: undefined,
      problems: undefined,
      bindings: outcome.work.bindings.map(({ binding }) => binding),
    });
    if (JSON.stringify(settled(again)) !== JSON.stringify(settled(this.outcome)))
      throw new Error(
        `a replan is not empty:\n${JSON.stringify(settled(this.outcome))}\n${JSON.stringify(settled(again))}`,
      );
    return this;
  }

  private remember(): void {
    const { outcome } = this;
    this.work = {
      ...outcome.work,
      holds: [],
      problems: [],
      bindings: outcome.work.bindings.map(({ binding }) => ({ binding, move: binding.deleting ? 'remove' : 'keep' })),
    };
    this.input = {
      ...this.input,
      recordedRuns: new Map(outcome.recorded.map((run) => [placementKey(run.metadata), run])),
      recordedApprovals: new Map(
        outcome.approvals.map(({ planned, document }) => [planned.name, document!.value as unknown as ApprovalRequest]),
      ),
    };
  }

  /** These clusters become available with what their bindings say. */
  ready(...names: string[]): this {
    return this.bindings((binding) =>
      names.includes(binding.targetCluster) && !binding.deleting
        ? {
            ...binding,
            conditions: [
              ...(binding.conditions ?? []).filter(({ type }) => type === 'RolloutStarted'),
              ...available(at(this.now)).slice(1),
            ],
          }
        : binding,
    );
  }

  /** Removals are done everywhere. */
  cleaned(): this {
    this.work = { ...this.work, bindings: this.work.bindings.filter(({ binding }) => !binding.deleting) };
    return this;
  }

  bindings(change: (binding: Binding) => Binding): this {
    this.work = {
      ...this.work,
      bindings: this.work.bindings.map(({ binding, move }) => {
        const next = change(binding);
        return { binding: next, move: next.deleting ? 'remove' : move };
      }),
    };
    return this;
  }

  /** Merges the branch that asks for this approval, as it stands. */
  merge(name: string): this {
    const asked = this.outcome.approvals.find(({ planned }) => planned.name === name);
    if (!asked) throw new Error(`no request ${name}`);
    this.input = { ...this.input, approvals: [...this.input.approvals, asked.file.object] };
    return this;
  }

  change(input: Partial<RunsInput>): this {
    this.input = { ...this.input, ...input };
    return this;
  }

  get status() {
    return this.outcome.runs[0]!.status;
  }

  /** `Progressing=True/UpdateRunProgressing` … */
  get reads(): string[] {
    return words(this.status.conditions);
  }

  /** By stage: its conditions and those of its clusters. */
  get stages(): Record<string, string> {
    const stages = [
      ...(this.status.stagesStatus ?? []),
      ...(this.status.deletionStageStatus ? [this.status.deletionStageStatus] : []),
    ];
    return Object.fromEntries(
      stages.map((one) => [
        one.stageName,
        [
          words(one.conditions).join(' '),
          ...one.clusters.map((it) => `${it.clusterName}: ${words(it.conditions).join(' ')}`),
        ].join('; '),
      ]),
    );
  }

  get holds(): string[] {
    return this.outcome.holds.map(({ reason, subject }) =>
      [reason, subject.stage, subject.clusterName].filter(Boolean).join(' '),
    );
  }

  /** `eu-1 Bound 1 update` … */
  get moves(): string[] {
    return this.outcome.work.bindings.map(({ binding, move }) =>
      [binding.targetCluster, binding.state, binding.resourceSnapshotIndex ?? '-', move].join(' '),
    );
  }
}

export const words = (conditions: readonly Condition[] | undefined): string[] =>
  (conditions ?? []).map(({ type, status, reason }) => `${type}=${status}/${reason}`);
