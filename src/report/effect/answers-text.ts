import type { PlacementKey } from '../../api/meta.ts';
import { placementKey } from '../../api/placement.ts';
import type { StagedUpdateRun } from '../../api/staged.ts';
import { gatesOf } from '../../engine/upgrade/gate-names.ts';
import { isRejection } from '../../forecast/given-answers.ts';
import type { TotalEffect } from '../../forecast/total-effect.ts';
import { approvalStarts, openedByTask } from '../waits/approval-starts.ts';
import { gateStarts, isStarted, openedByGate } from '../waits/gate-starts.ts';
import { openedTitle } from '../waits/opened.ts';
import { type StageTaskState, stageTasks } from '../waits/stage-tasks.ts';

/**
 * Approvals of runs that count, one clause each: `approves web-1-after-canary: starts production (4 clusters)`. Previews suppose
 * that approvals are given in time, so that one more is in none of their counts. `isWhole`: with the names of the clusters, and the pace.
 */
export function approvedTexts(
  { answers, uncounted, allowed, stopped, upgradesInProgress, first }: TotalEffect,
  { isWhole = false }: { readonly isWhole?: boolean } = {},
): string[] {
  const { input, record } = first.contents.world;
  const others = new Set([...uncounted, ...allowed].map(({ approval }) => approval));
  const ended = endedByRejection(stopped);
  const rejected = endedByRejection(upgradesInProgress);
  const stageFiles = new Map<string, (typeof input.fleet.approvals)[number]>(
    input.fleet.approvals.map((file) => [placementKey(file.metadata), file]),
  );
  const gates = new Map<string, (typeof input.fleet.gates)[number]>(
    input.fleet.gates.map((file) => [placementKey(file.metadata), file]),
  );
  return answers.flatMap((name) => {
    if (others.has(name)) return [];
    const file = stageFiles.get(name);
    const gate = gates.get(name);
    const of = file ?? gate;
    const run = file && runKey(file);
    const isEnded =
      run === undefined ? gate && rejected.has(gate.spec.target.updateRunProperties.name) : ended.has(run);
    if (of && isRejection(of)) return isEnded ? [] : [`rejects ${name}`];
    const upgrade = gate && record.upgrades.get(gate.spec.target.updateRunProperties.name);
    const opens = isStarted(upgrade) && gatesOf(upgrade.metadata.name, upgrade.status).find((it) => it.name === name);
    if (isStarted(upgrade) && opens)
      return [
        `approves ${name}: starts ${isWhole ? gateStarts(upgrade, opens).join('; ') : openedTitle(openedByGate(upgrade, opens))}`,
      ];
    const recorded = run === undefined ? undefined : record.runs.get(run);
    const task = recorded && file && taskOf(recorded, file);
    if (recorded === undefined || task === undefined) return [`approves ${name}`];
    return [
      `approves ${name}: starts ${isWhole ? approvalStarts(recorded, task).join('; ') : openedTitle(openedByTask(recorded, task))}`,
    ];
  });
}

const endedByRejection = (runs: readonly { readonly run: string; readonly by?: string }[]): ReadonlySet<string> =>
  new Set(runs.flatMap(({ run, by }) => (by === 'rejection' ? [run] : [])));

type ApprovalFile = TotalEffect['first']['contents']['world']['input']['fleet']['approvals'][number];

const runKey = ({ metadata: { namespace }, spec }: ApprovalFile): PlacementKey =>
  placementKey({ namespace, name: spec.parentStageRollout });

/** Also by an older name, which tells the stage only. */
const taskOf = (run: StagedUpdateRun, { metadata, spec }: ApprovalFile): StageTaskState | undefined => {
  const tasks = stageTasks(run).filter(({ type }) => type === 'Approval');
  return (
    tasks.find(({ approval }) => approval === metadata.name) ??
    tasks.find(({ stage, timing }) => stage === spec.targetStage && timing === 'after')
  );
};
