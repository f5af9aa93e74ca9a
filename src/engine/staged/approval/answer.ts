import type { ApprovalRequest, StagedUpdateRun } from '../../../api/staged.ts';
import { type Answer, type GateInput, gateInput, readAnswer, type WrittenAnswer } from '../../gate/answer.ts';
import { approverMessage } from '../../gate/approval-text.ts';
import type { ApprovalRequestName } from '../../gate/request.ts';
import type { RunGates } from '../../gate/run-gates.ts';
import { sourceKey } from '../../input.ts';
import { findCondition } from '../../kernel/condition.ts';
import { memoize } from '../../kernel/memoize.ts';
import type { RunsInput } from '../step.ts';
import { type ReviewedRun, reviewDigest } from './review-digest.ts';
import { subjectOf } from './stage-approval.ts';
import { approvalName, gatesOf, isApproved, olderApprovalName, type StageGate, taskOf } from './stage-gates.ts';

export type StageAnswer =
  | Answer<ApprovalRequest>
  /** The file has the name of the gate's approval but names another run or stage. */
  | { readonly kind: 'foreign'; readonly message: string };

type Answering = Pick<RunsInput, 'approvals' | 'handWritten' | 'digest'>;

/** The gates of a run and how main answers them. */
export const gatesIn = (of: ReviewedRun, input: Answering): RunGates<StageGate, ApprovalRequest> => ({
  all: gatesOf(of.status.stagesStatus ?? []),
  isApproved: (gate) => isApproved(taskOf(of.status, gate)),
  requestOf: (gate) => requestOf(gate, of),
  answerTo: (gate) => answerTo(gate, of, input),
});

/** How the approval file on main answers a gate. `digest`: of the requested review. */
export function answerTo(
  gate: StageGate,
  of: ReviewedRun,
  { approvals, handWritten, digest: digestOf }: Answering,
  digest = () => reviewDigest(of, gate, digestOf),
): StageAnswer {
  const { run, status } = of;
  const file = approvalFileFor(gate, run, approvals);
  if (file === undefined || isFor(file, run, gate))
    return readAnswer(file && answerIn(file), { digest, handWritten, early: status.earlyApprovals });
  const { parentStageRollout, targetStage } = file.spec;
  return {
    kind: 'foreign',
    message: `approval ${file.metadata.name} is for run ${parentStageRollout}, stage ${targetStage}, not for run ${run.metadata.name}, stage ${gate.stageName}`,
  };
}

/** The approval request of a gate. */
export const requestOf = (gate: StageGate, { run, status }: Omit<ReviewedRun, 'contents'>): ApprovalRequestName => ({
  name: taskOf(status, gate).approvalRequestName ?? '',
  namespace: run.metadata.namespace,
});

function answerIn(file: ApprovalRequest): WrittenAnswer<ApprovalRequest> {
  const { name, generation = 1 } = file.metadata;
  const approved = findCondition(file.status?.conditions, 'Approved');
  const { status, observedGeneration = generation } = approved ?? { status: 'Unknown' };
  return {
    file,
    decision: status === 'True' ? 'approved' : status === 'False' ? 'rejected' : undefined,
    outdated:
      observedGeneration === generation
        ? undefined
        : `approval ${name} is of generation ${observedGeneration}, not ${generation}`,
    message: approverMessage(approved?.message, subjectOf(file.spec)) ?? '',
  };
}

/** The approval file of a gate, by kind and name. The older name counts only for exactly this run and stage. */
export function approvalFileFor(
  gate: StageGate,
  run: StagedUpdateRun,
  approvals: readonly ApprovalRequest[],
): ApprovalRequest | undefined {
  const kind = approvalKind(run);
  const namespace = kind === 'ClusterApprovalRequest' ? undefined : run.metadata.namespace;
  const named = (name: string) => byName(approvals).get(sourceKey(kind, { name, namespace }));
  const exact = named(approvalName(run, gate.stageName, gate.timing));
  if (exact && !isOlderNameOfAnother(exact, run)) return exact;
  if (gate.timing === 'before') return undefined;
  const older = named(olderApprovalName(run, gate.stageName));
  return older && isFor(older, run, gate) ? older : undefined;
}

/** By kind and name; the first of several. Cluster-scoped ones have no namespace, even if their file names one. */
const byName = memoize(
  (approvals: readonly ApprovalRequest[]) =>
    new Map(
      approvals.toReversed().map((file) => {
        const { kind, metadata } = file;
        const { name } = metadata;
        return [sourceKey(kind, kind === 'ClusterApprovalRequest' ? { name } : metadata), file];
      }),
    ),
);

/** What gates of stages read of the fleet. */
export const stageGateInput = (fleet: Parameters<typeof gateInput>[0]): GateInput =>
  gateInput(fleet, ['ClusterApprovalRequest', 'ApprovalRequest']);

/** The approval files of a run. */
export const approvalsOf = (
  { metadata }: StagedUpdateRun,
  approvals: readonly ApprovalRequest[],
): readonly ApprovalRequest[] =>
  approvals.filter(
    (file) =>
      file.spec.parentStageRollout === metadata.name &&
      (metadata.namespace === undefined || file.metadata.namespace === metadata.namespace),
  );

/** Requests of a run have its scope. */
export const approvalKind = (run: StagedUpdateRun): ApprovalRequest['kind'] =>
  run.kind === 'ClusterStagedUpdateRun' ? 'ClusterApprovalRequest' : 'ApprovalRequest';

const isFor = ({ spec }: ApprovalRequest, run: StagedUpdateRun, gate: StageGate): boolean =>
  spec.parentStageRollout === run.metadata.name && spec.targetStage === gate.stageName;

/** Run `web-before` and its stage `canary` make the same name as the gate before stage `canary` of run `web`. */
const isOlderNameOfAnother = ({ metadata, spec }: ApprovalRequest, run: StagedUpdateRun): boolean =>
  spec.parentStageRollout !== run.metadata.name && metadata.name === `${spec.parentStageRollout}-${spec.targetStage}`;
