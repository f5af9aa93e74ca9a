import { placementKey } from '../../api/placement.ts';
import type { Problem } from '../../api/problem.ts';
import type { ApprovalRequest } from '../../api/staged.ts';
import { nearest } from '../../api/syntax.ts';
import type { UpgradeGate } from '../../api/upgrade-gate.ts';
import { acceptsHandWritten } from '../../engine/gate/answer.ts';
import { decisionIn } from '../../engine/gate/decision.ts';
import { reviewOf } from '../../engine/gate/early-approvals.ts';
import { whyRefused } from '../../engine/gate/messages.ts';
import type { Fleet, FleetRecord } from '../../engine/input.ts';
import { problemOf } from '../../engine/problem-of.ts';
import { isApproved, gatesOf as stageGatesOf, taskOf } from '../../engine/staged/approval/stage-gates.ts';
import { gateIn, gatesOf } from '../../engine/upgrade/gate-names.ts';
import { fieldWarning } from './field-warning.ts';

/**
 * Warnings about approvals that answer no gate now or later: their name is none of their run and stage, or their run, which has begun, has
 * no such gate.
 */
export const idleApprovals = (fleet: Fleet, record: FleetRecord): Problem[] =>
  [...fleet.approvals, ...fleet.gates].flatMap((file) => {
    const { kind, metadata } = file;
    const run = runOf(file);
    const names = file.kind === 'Gate' ? gateNames(run, record) : stageNames(file, record);
    if (names === undefined || names.includes(metadata.name)) return [];
    const like = nearest(metadata.name, names);
    return [
      fieldWarning(
        fleet,
        { kind, ...metadata },
        {
          code: 'no-use',
          path: 'metadata.name',
          why: `run ${run} asks for no such approval, so this file has no effect`,
          fix: like && `did you mean ${like}?`,
        },
      ),
    ];
  });

const runOf = (file: ApprovalRequest | UpgradeGate): string =>
  file.kind === 'Gate' ? file.spec.target.updateRunProperties.name : file.spec.parentStageRollout;

/** Undefined: not known before it has begun. */
function gateNames(run: string, { upgrades }: FleetRecord): string[] | undefined {
  const status = upgrades.get(run)?.status;
  return status?.stages.length ? gatesOf(run, status).map(({ name }) => name) : undefined;
}

/** Those that a run may ask for at the stage; once it has begun, only those of its gates. */
function stageNames({ metadata: { namespace }, spec }: ApprovalRequest, { runs }: FleetRecord): string[] {
  const { parentStageRollout: run, targetStage } = spec;
  const stages = runs.get(placementKey({ namespace, name: run }))?.status?.stagesStatus;
  const gates = stages?.length
    ? stageGatesOf(stages)
    : (['before', 'after'] as const).map((timing) => ({ stageName: targetStage, timing }));
  return gates.flatMap(({ stageName, timing }) => [
    `${run}-${timing}-${stageName}`,
    ...(timing === 'after' ? [`${run}-${stageName}`] : []),
  ]);
}

/** Errors of approvals that their gate refuses, as a plan reports them once it is reached. Rejections need no review. */
export const unreviewedApprovals = (fleet: Fleet, record: FleetRecord): Problem[] =>
  acceptsHandWritten(fleet)
    ? []
    : [...fleet.approvals, ...fleet.gates].flatMap((file) => {
        const { kind, metadata } = file;
        if (decisionIn(file) !== 'approved' || reviewOf(file) !== undefined || isPassed(file, record)) return [];
        const of = { kind, ...metadata };
        const why = `${whyRefused(metadata.name, 'without-review')}, so it is refused`;
        const fix = `merge the branch gitfleet/approve/${placementKey(metadata)}`;
        const found = { code: 'approval-without-review', path: 'metadata.annotations', message: why, fix } as const;
        return [problemOf(fleet, of, { severity: 'error', ...found })];
      });

/** The run accepted it while it counted. */
function isPassed(file: ApprovalRequest | UpgradeGate, { runs, upgrades }: FleetRecord): boolean {
  const { name, namespace } = file.metadata;
  if (file.kind === 'Gate') {
    const status = upgrades.get(runOf(file))?.status;
    const gate = status && gatesOf(runOf(file), status).find((it) => it.name === name);
    return gate !== undefined && gateIn(status!, gate).status.state === 'Completed';
  }
  const { parentStageRollout: run, targetStage } = file.spec;
  const status = runs.get(placementKey({ namespace, name: run }))?.status;
  const timing = name.startsWith(`${run}-before-`) ? 'before' : 'after';
  const gate = stageGatesOf(status?.stagesStatus ?? []).find(
    (it) => it.stageName === targetStage && it.timing === timing,
  );
  return gate !== undefined && isApproved(taskOf(status!, gate));
}
