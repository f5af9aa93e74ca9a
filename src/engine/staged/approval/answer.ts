import type { ApprovalRequest, StagedUpdateRun } from '../../../api/staged.ts';
import { sourceKey } from '../../input.ts';
import { findCondition } from '../../kernel/condition.ts';
import { onceFor } from '../../kernel/once-for.ts';
import type { RunContext } from '../step.ts';
import { approvalName, type Gate, olderApprovalName } from './name.ts';
import { ownWords } from './wording.ts';

/** On an approval file: the digest of what was reviewed. An answer to something else is none. */
export const reviewAnnotation = 'gitfleet.dev/review';

export type Answer =
  /** No file, or one that says neither yes nor no. */
  | { readonly kind: 'none'; readonly why?: string }
  | { readonly kind: 'approved'; readonly file: ApprovalRequest; readonly reviewed: boolean }
  | { readonly kind: 'rejected'; readonly file: ApprovalRequest; readonly message: string }
  /** The file speaks of another review than the one asked for. */
  | { readonly kind: 'stale'; readonly file: ApprovalRequest }
  /** The file bears the gate's name but names another run or stage. */
  | { readonly kind: 'foreign'; readonly message: string };

/** What main says to a gate. `digest` is that of the review asked for. */
export function answerTo(gate: Gate, context: RunContext, digest: () => string): Answer {
  const file = approvalFileFor(gate, context);
  if (file === undefined) return { kind: 'none' };
  const { name, annotations, generation } = file.metadata;
  const { parentStageRollout, targetStage } = file.spec;
  if (!speaksOf(file, context.run, gate))
    return {
      kind: 'foreign',
      message: `approval ${name} is for run ${parentStageRollout}, stage ${targetStage}, not for run ${context.run.metadata.name}, stage ${gate.stageName}`,
    };
  const approved = findCondition(file.status?.conditions, 'Approved');
  if (approved === undefined || approved.status === 'Unknown') return { kind: 'none' };
  if (approved.observedGeneration !== undefined && approved.observedGeneration !== (generation ?? 1))
    return {
      kind: 'none',
      why: `approval ${name} is of generation ${approved.observedGeneration}, not ${generation ?? 1}`,
    };
  const review = annotations?.[reviewAnnotation];
  if (review !== undefined && review !== digest()) return { kind: 'stale', file };
  if (approved.status === 'True') return { kind: 'approved', file, reviewed: review !== undefined };
  return { kind: 'rejected', file, message: ownWords(approved.message, file.spec) ?? '' };
}

/** Recognised by kind in any folder; the older name counts only where it speaks of this very run and stage. */
export function approvalFileFor(
  gate: Gate,
  { run, input }: { readonly run: StagedUpdateRun; readonly input: Pick<RunContext['input'], 'approvals'> },
): ApprovalRequest | undefined {
  const kind = approvalKind(run);
  const namespace = kind === 'ClusterApprovalRequest' ? undefined : run.metadata.namespace;
  const named = (name: string) => byName(input.approvals).get(sourceKey(kind, { name, namespace }));
  const exact = named(approvalName(run, gate.stageName, gate.timing));
  if (exact && !isOlderNameOfAnother(exact, run)) return exact;
  if (gate.timing === 'before') return undefined;
  const older = named(olderApprovalName(run, gate.stageName));
  return older && speaksOf(older, run, gate) ? older : undefined;
}

/** Those of cluster scope have no namespace, whatever their file says. Of several the first. */
const byName = onceFor(
  (approvals: readonly ApprovalRequest[]) =>
    new Map(
      approvals.toReversed().map((file) => {
        const { kind, metadata } = file;
        const { name } = metadata;
        return [sourceKey(kind, kind === 'ClusterApprovalRequest' ? { name } : metadata), file];
      }),
    ),
);

/** Requests of a run have its scope. */
export const approvalKind = (run: StagedUpdateRun): ApprovalRequest['kind'] =>
  run.kind === 'ClusterStagedUpdateRun' ? 'ClusterApprovalRequest' : 'ApprovalRequest';

const speaksOf = ({ spec }: ApprovalRequest, run: StagedUpdateRun, gate: Gate): boolean =>
  spec.parentStageRollout === run.metadata.name && spec.targetStage === gate.stageName;

/** Run `web-before` and its stage `canary` make the same name as the gate before stage `canary` of run `web`. */
const isOlderNameOfAnother = ({ metadata, spec }: ApprovalRequest, run: StagedUpdateRun): boolean =>
  spec.parentStageRollout !== run.metadata.name && metadata.name === `${spec.parentStageRollout}-${spec.targetStage}`;
