import type { ClusterName, Timestamp } from '../../api/meta.ts';
import type { Problem } from '../../api/problem.ts';
import type { ManagedClusterUpdate, UpdateRun } from '../../api/upgrade-run.ts';
import type { UpgradeRunStatus } from '../../api/upgrade-status.ts';
import type { UpgradeStages } from '../../api/upgrade-strategy.ts';
import type { Hold } from '../plan-document.ts';
import { problemOf } from '../problem-of.ts';
import type { Skips } from './skips.ts';
import type { UpgradesInput } from './upgrades-input.ts';

/** One run, and what it reads. */
export interface RunContext {
  /** Its file; of one whose file is removed, its record. */
  readonly run: UpdateRun;
  /** Fixed once it started, whatever the file says by now. */
  readonly strategy: UpgradeStages;
  readonly update: ManagedClusterUpdate;
  readonly skips: Skips;
  /** Nothing may start: it is stopped, or its file is removed. */
  readonly stopped: boolean;
  readonly input: UpgradesInput;
  /** The run that has an operation in flight on a cluster. */
  readonly holderOf: (cluster: ClusterName) => string | undefined;
}

/** What a run reports with its status, in the order in which it is found. */
export interface Notes {
  readonly holds: readonly Hold[];
  readonly wakes: readonly Timestamp[];
  readonly problems: readonly Problem[];
}

/** A run on its way through a plan. */
export interface RunStep extends Notes {
  readonly status: UpgradeRunStatus;
}

/** A run that has reported nothing yet. */
export const stepOf = (status: UpgradeRunStatus): RunStep => ({ status, holds: [], wakes: [], problems: [] });

/** A hold of a run, or of a part of it. */
export type RunHold = Omit<Hold, 'subject'> & { readonly of?: Omit<Hold['subject'], 'kind' | 'name'> };

/** The step with more holds. */
export const withHolds = (step: RunStep, { run }: Pick<RunContext, 'run'>, holds: readonly RunHold[]): RunStep => ({
  ...step,
  holds: [
    ...step.holds,
    ...holds.map(({ of, ...hold }) => ({ subject: { kind: run.kind, name: run.metadata.name, ...of }, ...hold })),
  ],
});

/** The step with one more hold. */
export const withHold = (step: RunStep, context: Pick<RunContext, 'run'>, hold: RunHold): RunStep =>
  withHolds(step, context, [hold]);

/** The step with a problem of the run's file, or of another object. */
export const withProblem = (
  step: RunStep,
  { run, input }: Pick<RunContext, 'run' | 'input'>,
  problem: Problem,
  of: { readonly kind: string; readonly metadata: { readonly name: string } } = run,
): RunStep => ({
  ...step,
  problems: [...step.problems, problemOf(input, { kind: of.kind, name: of.metadata.name }, problem)],
});
