import { placementKey } from '../../api/placement.ts';
import { removalName } from '../../engine/gate/removal-approval.ts';
import { approvalBranch } from '../../engine/gate/request.ts';
import type { Plan } from '../../engine/plan-document.ts';
import { markdownText } from '../../repo/markdown-text.ts';
import { holdSubject } from '../hold-subject.ts';
import type { InForce } from '../in-force.ts';
import { mostRows } from './rows.ts';

/** What a person does with a branch that asks. */
export type Merging = (branch: string) => string;

/** What the guard refuses, and how to let it happen. */
export function refused({ guard }: Plan, merging: Merging): readonly string[] {
  if (guard.length === 0) return [];
  const rows = [...Map.groupBy(guard, ({ removalDigest }) => removalDigest)].flatMap(([digest, findings]) => [
    ...findings.map(({ message }) => `- ${markdownText(message)}`),
    ...(digest ? [`  To let it happen, ${merging(removalBranch(digest))}`] : []),
  ]);
  return [
    'The last plan was not carried out; everything stays as it was, and as the tables below tell it.',
    '',
    ...rows,
  ];
}

/** Stages and removals that wait for a yes. */
export const approvals = (present: InForce, plan: Plan, merging: Merging): readonly string[] => [
  ...gates(present, plan, merging),
  ...removals(present, merging),
];

/** Of a plan that is refused only the sentence of a gate that was there before it is told. */
const gates = (present: InForce, plan: Plan, merging: Merging): readonly string[] =>
  present.approvals.flatMap((approval) => {
    const { parentStageRollout: run, targetStage: stage } = approval.spec;
    const isPlanned = plan.approvals.some((it) => placementKey(it) === placementKey(approval));
    const hold = plan.holds.find(
      ({ reason, subject }) =>
        reason === 'WaitingForApproval' &&
        subject.name === run &&
        subject.namespace === approval.namespace &&
        subject.stage === stage,
    );
    return [
      `- **${markdownText(run)}**, stage **${markdownText(stage)}**${hold && isPlanned ? `: ${markdownText(hold.message)}` : ''}`,
      `  Yes: ${merging(approvalBranch(approval))}`,
    ];
  });

function removals({ removalHolds }: InForce, merging: Merging): readonly string[] {
  return [
    ...removalHolds
      .slice(0, mostRows)
      .flatMap(({ subject, message, removalDigest }) => [
        `- removal of **${markdownText(holdSubject(subject))}**: ${markdownText(message)}`,
        `  Yes: ${merging(removalBranch(removalDigest!))}`,
      ]),
    ...(removalHolds.length > mostRows ? [`- … and ${removalHolds.length - mostRows} more removals`] : []),
  ];
}

const removalBranch = (digest: string): string => approvalBranch({ name: removalName(digest) });
