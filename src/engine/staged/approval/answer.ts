import type { ApprovalRequest, StagedUpdateRun, UpdateRunStatus } from '../../../api/staged.ts';
import { type Answer, isAbsenceCertain, readAnswer, type WrittenAnswer } from '../../gate/answer.ts';
import { approverMessage } from '../../gate/approval-text.ts';
import { reviewAnnotation } from '../../gate/review.ts';
import { type Fleet, sourceKey } from '../../input.ts';
import { findCondition } from '../../kernel/condition.ts';
import { memoize } from '../../kernel/memoize.ts';
import type { RunContext } from '../step.ts';
import { isAmong } from './early-approvals.ts';
import { subjectOf } from './stage-approval.ts';
import { approvalName, olderApprovalName, type StageGate } from './stage-gates.ts';

export type StageAnswer =
  | Answer<ApprovalRequest>
  /** The file has the name of the gate's approval but names another run or stage. */
  | { readonly kind: 'foreign'; readonly message: string };

/** How the approval file on main answers a gate. `early`: recorded in the run's status. `digest`: of the requested review. */
export function answerTo(
  gate: StageGate,
  context: {
    readonly run: StagedUpdateRun;
    readonly input: Pick<RunContext['input'], 'approvals' | 'handWritten'>;
  },
  { early, digest }: { readonly early: UpdateRunStatus['earlyApprovals']; readonly digest: () => string },
): StageAnswer {
  const file = approvalFileFor(gate, context);
  if (file === undefined || isFor(file, context.run, gate))
    return readAnswer(file && answerIn(file, early), { digest, handWritten: context.input.handWritten });
  const { parentStageRollout, targetStage } = file.spec;
  return {
    kind: 'foreign',
    message: `approval ${file.metadata.name} is for run ${parentStageRollout}, stage ${targetStage}, not for run ${context.run.metadata.name}, stage ${gate.stageName}`,
  };
}

function answerIn(file: ApprovalRequest, early: UpdateRunStatus['earlyApprovals']): WrittenAnswer<ApprovalRequest> {
  const { name, annotations, generation = 1 } = file.metadata;
  const approved = findCondition(file.status?.conditions, 'Approved');
  const { status, observedGeneration = generation } = approved ?? { status: 'Unknown' };
  return {
    file,
    decision: status === 'True' ? 'approved' : status === 'False' ? 'rejected' : undefined,
    outdated:
      observedGeneration === generation
        ? undefined
        : `approval ${name} is of generation ${observedGeneration}, not ${generation}`,
    early: isAmong(early, file),
    review: annotations?.[reviewAnnotation],
    message: approverMessage(approved?.message, subjectOf(file.spec)) ?? '',
  };
}

/** The approval file of a gate, by kind and name. The older name counts only for exactly this run and stage. */
export function approvalFileFor(
  gate: StageGate,
  { run, input }: { readonly run: StagedUpdateRun; readonly input: Pick<RunContext['input'], 'approvals'> },
): ApprovalRequest | undefined {
  const kind = approvalKind(run);
  const namespace = kind === 'ClusterApprovalRequest' ? undefined : run.metadata.namespace;
  const named = (name: string) => byName(input.approvals).get(sourceKey(kind, { name, namespace }));
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

/** Whether a missing approval of a stage was removed. */
export const isApprovalAbsenceCertain = (fleet: Pick<Fleet, 'unreadable' | 'refused'>): boolean =>
  isAbsenceCertain(fleet, ['ClusterApprovalRequest', 'ApprovalRequest']);

/** Requests of a run have its scope. */
export const approvalKind = (run: StagedUpdateRun): ApprovalRequest['kind'] =>
  run.kind === 'ClusterStagedUpdateRun' ? 'ClusterApprovalRequest' : 'ApprovalRequest';

const isFor = ({ spec }: ApprovalRequest, run: StagedUpdateRun, gate: StageGate): boolean =>
  spec.parentStageRollout === run.metadata.name && spec.targetStage === gate.stageName;

/** Run `web-before` and its stage `canary` make the same name as the gate before stage `canary` of run `web`. */
const isOlderNameOfAnother = ({ metadata, spec }: ApprovalRequest, run: StagedUpdateRun): boolean =>
  spec.parentStageRollout !== run.metadata.name && metadata.name === `${spec.parentStageRollout}-${spec.targetStage}`;
