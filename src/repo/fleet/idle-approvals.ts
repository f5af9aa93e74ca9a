import { placementKey } from '../../api/placement.ts';
import type { Problem } from '../../api/problem.ts';
import type { ApprovalRequest } from '../../api/staged.ts';
import { nearest } from '../../api/syntax.ts';
import type { UpgradeGate } from '../../api/upgrade-gate.ts';
import { acceptsHandWritten } from '../../engine/gate/answer.ts';
import { reviewOf } from '../../engine/gate/early-approvals.ts';
import { whyRefused } from '../../engine/gate/messages.ts';
import type { Fleet, FleetRecord } from '../../engine/input.ts';
import { findCondition } from '../../engine/kernel/condition.ts';
import { gatesOf as stageGatesOf } from '../../engine/staged/approval/stage-gates.ts';
import { gatesOf } from '../../engine/upgrade/gate-names.ts';
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

/** Warnings about approvals that the gate will refuse. Rejections need no review. */
export const unreviewedApprovals = (fleet: Fleet): Problem[] =>
  acceptsHandWritten(fleet)
    ? []
    : [...fleet.approvals, ...fleet.gates].flatMap((file) => {
        const { kind, metadata } = file;
        const approves =
          file.kind === 'Gate'
            ? file.spec.gateType === 'Approval' && file.spec.state === 'Completed'
            : findCondition(file.status?.conditions, 'Approved')?.status === 'True';
        if (!approves || reviewOf(file) !== undefined) return [];
        const of = { kind, ...metadata };
        const why = `${whyRefused(metadata.name, 'without-review')}, so it is refused`;
        const fix = `merge the branch gitfleet/approve/${placementKey(metadata)}`;
        return [fieldWarning(fleet, of, { code: 'approval-without-review', path: 'metadata.annotations', why, fix })];
      });
