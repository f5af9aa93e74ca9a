import type { ClusterName } from '../../api/meta.ts';
import type { UpdateRun } from '../../api/upgrade-run.ts';
import type { UpgradeRunStatus } from '../../api/upgrade-status.ts';
import { parseInstant } from '../kernel/instant.ts';
import { byText } from '../kernel/ordering.ts';
import { sameValue } from '../kernel/same-value.ts';
import { heldSinceLoss, isHeldSinceLoss, isMereHold } from '../recovery/held-since-loss.ts';
import { advanceStages } from './advance-stages.ts';
import { flawedApprovals, noteAnswers } from './check-gates.ts';
import { inFieldOrder } from './field-order.ts';
import { gatesOf } from './gate-names.ts';
import { isOver, type LoadedRun, loadRun } from './load-run.ts';
import { progressDeadlines } from './refresh-members.ts';
import { withCommits } from './run-commits.ts';
import { type RunStep, stepOf, withHold } from './run-context.ts';
import { allMembers, isInFlight } from './tree.ts';
import { withUnlistedRegions } from './unlisted-regions.ts';
import type { UpgradesInput } from './upgrades-input.ts';
import { wantedBy } from './wanted.ts';

/** A run after a plan. */
export interface AdvancedRun {
  readonly run: UpdateRun;
  readonly loaded: LoadedRun | undefined;
  readonly step: RunStep;
  /** The content of `upgrades/<name>.yaml`. */
  readonly recorded: UpdateRun;
}

/**
 * Advances all cluster update runs as far as they can go now, the one that started first before the others. A second call with
 * the outcome changes nothing. A member has one operation at a time, whichever run started it.
 */
export function advanceUpgrades(input: UpgradesInput): readonly AdvancedRun[] {
  const known: UpgradesInput = {
    ...input,
    recorded: new Map([...input.recorded].filter(([, run]) => !isMereHold(run))),
  };
  const { held, loaded } = loadAll(known, input);
  const active = loaded.filter(({ isActive }) => isActive);
  let state = advanceAll(active, new Map(loaded.map(({ context, step }) => [context.run, step])), known);
  for (let round = 1; round < mostRounds && !state.settled; round++) state = advanceAll(active, state.steps, known);
  const advanced = loaded.map((it): AdvancedRun => {
    const { run } = it.context;
    const step = state.steps.get(run)!;
    const status = inFieldOrder(noteAnswers(step.status, it.context));
    const reported =
      it.isActive && !isOver(status) ? withUnlistedRegions(flawedApprovals(step, it.context), it.context) : step;
    return {
      run,
      loaded: it,
      step: { ...reported, status, wakes: [...step.wakes, ...progressDeadlines(status, it.context)] },
      recorded: withCommits(
        { ...run, spec: it.recordedSpec, status },
        { before: known.recorded.get(run.metadata.name), commit: input.commit },
      ),
    };
  });
  return [...held, ...advanced].sort((a, b) => byText(a.run.metadata.name, b.run.metadata.name));
}

/** `written`: with the records that only say that a run is held. */
function loadAll(
  input: UpgradesInput,
  written: UpgradesInput,
): {
  readonly held: readonly AdvancedRun[];
  readonly loaded: readonly LoadedRun[];
} {
  const held: AdvancedRun[] = [];
  const loaded: LoadedRun[] = [];
  const holders = new Map<ClusterName, string>();
  const gateOwners = new Map<string, string>();
  const removed = new Set(input.removed);
  for (const run of inOrder(input)) {
    const { name } = run.metadata;
    if (isLost(run, written)) {
      held.push(heldRun(run, input));
      continue;
    }
    const it = loadRun({
      run,
      input,
      isRemoved: removed.has(run),
      holderOf: (cluster) => holders.get(cluster),
      gateOwner: (gate) => gateOwners.get(gate),
    });
    for (const gate of gatesOf(name, it.step.status)) if (!gateOwners.has(gate.name)) gateOwners.set(gate.name, name);
    loaded.push(it);
  }
  return { held, loaded };
}

/** By start, then by name; those that start now, or have not started, after those that did. */
function inOrder({ runs, removed, recorded }: UpgradesInput): readonly UpdateRun[] {
  const startOf = ({ metadata }: UpdateRun): number =>
    parseInstant(recorded.get(metadata.name)?.status?.status.startTime ?? '') ?? Number.POSITIVE_INFINITY;
  return [...runs, ...removed]
    .map((run) => ({ run, start: startOf(run) }))
    .sort((a, b) => (a.start === b.start ? 0 : a.start - b.start) || byText(a.run.metadata.name, b.run.metadata.name))
    .map(({ run }) => run);
}

/** What one run starts keeps others from a member; two of them change each other's causes at most a few times. */
const mostRounds = 8;

type Steps = ReadonlyMap<UpdateRun, RunStep>;

/** What one run starts another sees, so with several runs this is repeated until nothing changes. */
function advanceAll(
  active: readonly LoadedRun[],
  before: Steps,
  input: UpgradesInput,
): { readonly steps: Steps; readonly settled: boolean } {
  const holders = new Map<ClusterName, string>();
  const hold = ({ context: { run } }: LoadedRun, { status }: RunStep): void => {
    for (const member of allMembers(status)) if (isInFlight(member)) holders.set(member.name, run.metadata.name);
  };
  for (const it of active) hold(it, before.get(it.context.run)!);
  const steps = new Map(before);
  let settled = true;
  for (const it of active) {
    const { context } = it;
    const { status } = before.get(context.run)!;
    // Every round reports anew.
    const step = advanceStages(
      { ...it.step, status },
      {
        ...context,
        holderOf: (cluster) => holders.get(cluster),
        wanted: wantedBy(context.update, { run: context.run, status }, input),
        nowMs: parseInstant(input.now)!,
      },
    );
    hold(it, step);
    settled &&= active.length === 1 || sameValue(status, step.status);
    steps.set(context.run, step);
  }
  return { steps, settled };
}

const isLost = (run: UpdateRun, { recorded, recordLost, unread, digest }: UpgradesInput): boolean =>
  isHeldSinceLoss({
    file: run,
    recorded: recorded.get(run.metadata.name),
    lost: recordLost || unread?.has(run.metadata.name) === true,
    digest,
  });

function heldRun(run: UpdateRun, input: UpgradesInput): AdvancedRun {
  const { name } = run.metadata;
  const message = `the record was lost, so ${name} may have run before: change its file, or give it a new name, to run it`;
  const status: UpgradeRunStatus = {
    status: { state: 'NotStarted' },
    attempt: run.spec.attempt,
    failureCount: 0,
    stages: [],
  };
  const step = withHold(stepOf(status), { run }, { reason: 'RecordLost', message });
  return { run, loaded: undefined, step, recorded: heldSinceLoss(run, input.digest) };
}
