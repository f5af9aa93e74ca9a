import type { ClusterName, Timestamp } from '../../api/meta.ts';
import type { Problem } from '../../api/problem.ts';
import type { ManagedClusterUpdate, UpdateRun } from '../../api/upgrade-run.ts';
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
  readonly notes: Notes;
}

/** What a run reports with its status, in the order in which it is found. */
export interface Notes {
  readonly holds: Hold[];
  readonly wakes: Timestamp[];
  readonly problems: Problem[];
}

export const noNotes = (): Notes => ({ holds: [], wakes: [], problems: [] });

export function addHold(
  { run, notes }: Pick<RunContext, 'run' | 'notes'>,
  { subject, ...hold }: Omit<Hold, 'subject'> & { readonly subject?: Omit<Hold['subject'], 'kind' | 'name'> },
): void {
  notes.holds.push({ subject: { kind: run.kind, name: run.metadata.name, ...subject }, ...hold });
}

/** A problem of the run's file, or of another object. */
export function addProblem(
  { run, notes, input }: Pick<RunContext, 'run' | 'notes' | 'input'>,
  problem: Problem,
  of: { readonly kind: string; readonly metadata: { readonly name: string } } = run,
): void {
  notes.problems.push(problemOf(input, { kind: of.kind, name: of.metadata.name }, problem));
}
