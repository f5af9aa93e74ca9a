import type { PlacementKey } from '../../api/meta.ts';
import { placementKey } from '../../api/placement.ts';
import type { StagedUpdateRun } from '../../api/staged.ts';
import { decisionIn } from '../../engine/gate/decision.ts';
import type { Fleet } from '../../engine/input.ts';
import { conditionIs } from '../../engine/kernel/condition.ts';
import { parseInstant } from '../../engine/kernel/instant.ts';
import { plannedUpgradeRuns } from '../../engine/plan-document.ts';
import { gatesOf } from '../../engine/upgrade/gate-names.ts';
import { removedInPlan } from '../../forecast/run-removals.ts';
import type { TotalEffect } from '../../forecast/total-effect.ts';
import {
  approvalStarts,
  openedByTask,
  pauseBehind,
  resumedTitle,
  waitedForBy,
  waitingFor,
} from '../waits/approval-starts.ts';
import {
  beginsAt,
  freezeEnd,
  gateStarts,
  haltTexts,
  isStarted,
  openedByGate,
  rejectedGateText,
} from '../waits/gate-starts.ts';
import { targetsOf, withSkips } from '../waits/gate-targets.ts';
import { heldClusters } from '../waits/held-clusters.ts';
import { openedTitle } from '../waits/opened.ts';
import { type StageTaskState, stageTasks } from '../waits/stage-tasks.ts';

/**
 * Approvals of runs that count, one clause each: `approves web-1-after-canary: starts production (4 clusters)`. Previews suppose
 * that approvals are given in time, so that one more is in none of their counts. `isWhole`: with the names of the clusters, the pace, and
 * rejections of which a title says already that the run ends.
 */
export function approvedTexts(
  { answers, uncounted, allowed, stopped, upgradesInProgress, halted, first }: TotalEffect,
  { isWhole = false }: { readonly isWhole?: boolean } = {},
): string[] {
  const { world } = first.contents;
  const { input, record } = world;
  const others = new Set([...uncounted, ...allowed].map(({ approval }) => approval));
  const ended = endedByRejection(stopped);
  const rejected = endedByRejection(upgradesInProgress);
  const stageFiles = new Map<string, ApprovalFile>(
    input.fleet.approvals.map((file) => [placementKey(file.metadata), file]),
  );
  const gates = new Map<string, GateFile>(input.fleet.gates.map((file) => [placementKey(file.metadata), file]));
  const given = new Set(
    [...gates].flatMap(([name, gate]) =>
      answers.includes(name) && !others.has(name) && decisionIn(gate) !== 'rejected' ? [name] : [],
    ),
  );
  const { fleet, now, observations = new Map() } = input;
  const facts = { fleet, observations, nowMs: parseInstant(now)! };
  // As the change makes them: without clusters that leave by it, say.
  const statuses = new Map(first.plan.runs.map((run) => [placementKey(run), run.status]));
  const runs = new Map(
    world.admitted.runs.map((run) => {
      const key = placementKey(run.metadata);
      return [key, { ...run, status: statuses.get(key) }];
    }),
  );
  const gone = new Set(stopped.map(({ run }) => run));
  const present = [...record.runs].flatMap(([key, run]) => (gone.has(key) ? [] : [run]));
  const planned = new Map(plannedUpgradeRuns(first.plan).map(({ name, status }) => [name, status]));
  const upgrades = new Map(
    [...record.upgrades].map(([name, run]) => [name, { ...run, status: planned.get(name) ?? run.status }]),
  );
  const rejects = (gate: GateFile): string => {
    const upgrade = upgrades.get(runOf(gate));
    if (!isWhole || !isStarted(upgrade) || !halted.includes(runOf(gate))) return '';
    return `: ${[rejectedGateText(upgrade), ...haltTexts(upgrade)].join('; ')}`;
  };
  const starts = (name: string): string | undefined => {
    const [file, gate] = [stageFiles.get(name), gates.get(name)];
    const upgrade = gate && upgrades.get(runOf(gate));
    const opens = isStarted(upgrade) && gatesOf(upgrade.metadata.name, upgrade.status).find((it) => it.name === name);
    if (isStarted(upgrade) && opens) {
      const ahead = withSkips(upgrade, targetsOf(upgrade, facts));
      if (!isWhole) return openedTitle(openedByGate(ahead, opens, { given }));
      const isHalted = halted.includes(upgrade.metadata.name);
      return gateStarts(ahead, opens, {
        pause: freezeEnd(fleet, beginsAt(ahead, opens, facts.nowMs)),
        given,
        halted: isHalted,
      }).join('; ');
    }
    const run = file && runs.get(runKey(file));
    const task = run && taskOf(run, file);
    if (run === undefined || task === undefined) return undefined;
    if (isFailing(run)) return 'nothing, as the run fails';
    const isRemovedFrom = removedInPlan(run, first.contents);
    return isWhole
      ? approvalStarts(run, task, {
          isRemovedFrom,
          pause: pauseBehind(run, task, first.contents),
          waits: heldClusters(run, first.plan.holds),
          runs: present,
        }).join('; ')
      : titleOf(run, openedByTask(run, task, isRemovedFrom));
  };
  const titleOf = (run: StagedUpdateRun, opened: ReturnType<typeof openedByTask>): string => {
    const after = opened.next === undefined ? waitingFor(run, present) : [];
    return `${openedTitle(opened)}${resumedTitle(run)}${waitedForBy(after)}`;
  };
  return answers.flatMap((name) => {
    if (others.has(name)) return [];
    const [file, gate] = [stageFiles.get(name), gates.get(name)];
    if (file && decisionIn(file) === 'rejected')
      return ended.has(runKey(file)) && !isWhole ? [] : [`rejects ${name} (${stageOf(file)})`];
    if (gate && decisionIn(gate) === 'rejected')
      return rejected.has(runOf(gate)) && !isWhole ? [] : [`rejects ${name} (${scopeOf(gate)})${rejects(gate)}`];
    const what = starts(name);
    return [`approves ${name}${what === undefined ? '' : `: starts ${what}`}`];
  });
}

/** Also while it rolls back. */
const isFailing = ({ status }: StagedUpdateRun): boolean =>
  status?.rollbackStatus !== undefined || conditionIs(status?.conditions, 'Succeeded', 'False');

const runOf = ({ spec }: GateFile): string => spec.target.updateRunProperties.name;

const endedByRejection = (runs: readonly { readonly run: string; readonly by?: string }[]): ReadonlySet<string> =>
  new Set(runs.flatMap(({ run, by }) => (by === 'rejection' ? [run] : [])));

type ApprovalFile = Fleet['approvals'][number];
type GateFile = Fleet['gates'][number];

/** `run web-1, stage canary` */
const stageOf = ({ spec }: ApprovalFile): string => `run ${spec.parentStageRollout}, stage ${spec.targetStage}`;

const scopeOf = ({ spec }: GateFile): string => {
  const { name, stage, group } = spec.target.updateRunProperties;
  return `cluster update run ${name}, ${group === undefined ? `stage ${stage}` : `group ${group}`}`;
};

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
