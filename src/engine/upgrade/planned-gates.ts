import type { Approver } from '../../api/approver.ts';
import type { UpgradeGate } from '../../api/upgrade-gate.ts';
import { approvedForLater, approvedText } from '../gate/approver.ts';
import { reviewAnnotation } from '../gate/review.ts';
import type { PlannedApproval, RequestedApproval } from '../plan-document.ts';
import { objectDocument } from '../record/documents.ts';
import { reviewedIn } from './check-gates.ts';
import { reviewDigest } from './gate-answer.ts';
import { gateIn, gatesOf } from './gate-names.ts';
import type { RunContext, RunStep } from './run-context.ts';

/** The approval of a gate of a cluster update run. */
interface PlannedGate extends PlannedApproval {
  readonly kind: UpgradeGate['kind'];
  readonly spec: UpgradeGate['spec'];
  readonly status: { readonly state: 'Pending' | 'Completed' | 'Rejected'; readonly approvedBy?: Approver };
  readonly reviewDigest: string;
}

/** Gates of a run that it reached and that are not skipped. Those that are open as it fails can be answered for its next attempt. */
export const plannedGates = (
  step: RunStep,
  context: Pick<RunContext, 'run' | 'update' | 'input'>,
): readonly RequestedApproval[] =>
  gatesOf(context.run.metadata.name, step.status).flatMap((gate): RequestedApproval[] => {
    const {
      displayName,
      type,
      approvedBy,
      status: { state, error },
    } = gateIn(step.status, gate);
    const isRejected = error?.code === 'ApprovalRejected';
    if (state !== 'Completed' && state !== 'Pending') return [];
    const scope = gate.group === undefined ? { stage: gate.stage } : { group: gate.group };
    return [
      {
        ...requested(
          {
            kind: 'Gate',
            name: gate.name,
            spec: {
              ...(displayName === undefined ? {} : { displayName }),
              gateType: type,
              target: { updateRunProperties: { name: context.run.metadata.name, ...scope, timing: gate.timing } },
            },
            status: { state: isRejected ? 'Rejected' : state, ...(approvedBy && { approvedBy }) },
            reviewDigest: reviewDigest(gate, reviewedIn(step, context), context.input.digest),
          },
          isRejected ? error.message : undefined,
        ),
      },
    ];
  });

/** A recorded gate as it was requested. */
export function recordedGate({ kind, metadata, spec, status }: UpgradeGate): RequestedApproval {
  const state = status?.state;
  const approvedBy = status?.approvedBy;
  return requested(
    {
      kind,
      name: metadata.name,
      spec,
      status: {
        state: state === 'Completed' || state === 'Rejected' ? state : 'Pending',
        ...(approvedBy && { approvedBy }),
      },
      reviewDigest: metadata.annotations?.[reviewAnnotation] ?? '',
    },
    status?.message,
  );
}

/** One that is approved while its run is halted opens once the run continues. */
const answerOf = ({ state, approvedBy }: PlannedGate['status']): RequestedApproval['answer'] =>
  state === 'Rejected' ? 'rejected' : state === 'Completed' || approvedBy ? 'approved' : undefined;

/** `rejection`: who rejected it and why. */
function requested(planned: PlannedGate, rejection: string | undefined): RequestedApproval {
  const { kind, name, spec, status, reviewDigest: review } = planned;
  const { name: run, stage, group } = spec.target.updateRunProperties;
  const object: UpgradeGate = {
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind,
    metadata: { name, annotations: { [reviewAnnotation]: review } },
    spec,
  };
  return {
    planned,
    answer: answerOf(status),
    subject: {
      kind: 'UpdateRun',
      name: run,
      ...(stage === undefined ? {} : { stage }),
      ...(group === undefined ? {} : { group }),
    },
    // A scheduled start opens by itself.
    file:
      spec.gateType === 'Approval'
        ? { path: undefined, object: { ...object, spec: { ...spec, state: 'Completed' } } }
        : undefined,
    approvedBy: status.state === 'Pending' ? approvedForLater(status.approvedBy) : approvedText(status.approvedBy),
    ...(rejection !== undefined && { rejection }),
    document: objectDocument({
      ...object,
      status: { ...status, ...(rejection !== undefined && { message: rejection }) },
    }),
  };
}
