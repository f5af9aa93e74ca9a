import type { Plan } from '../../../engine/plan-document.ts';
import { isUnanswered } from '../../../engine/staged/approval/file.ts';
import { approvalBranch } from '../../../engine/staged/approval/name.ts';
import { markdownText } from '../../markdown-text.ts';
import { holdSubject } from '../hold-subject.ts';
import { removalName } from '../removals-asked.ts';
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
export const approvals = (plan: Plan, merging: Merging): readonly string[] => [
  ...gates(plan, merging),
  ...removals(plan, merging),
];

const gates = (plan: Plan, merging: Merging): readonly string[] =>
  plan.approvals.filter(isUnanswered).flatMap((approval) => {
    const { parentStageRollout: run, targetStage: stage } = approval.spec;
    const hold = plan.holds.find(
      ({ reason, subject }) =>
        reason === 'WaitingForApproval' &&
        subject.name === run &&
        subject.namespace === approval.namespace &&
        subject.stage === stage,
    );
    return [
      `- **${markdownText(run)}**, stage **${markdownText(stage)}**${hold ? `: ${markdownText(hold.message)}` : ''}`,
      `  Yes: ${merging(approvalBranch(approval))}`,
    ];
  });

function removals({ holds }: Plan, merging: Merging): readonly string[] {
  const waiting = holds.filter(({ removalDigest }) => removalDigest !== undefined);
  return [
    ...waiting
      .slice(0, mostRows)
      .flatMap(({ subject, message, removalDigest }) => [
        `- removal of **${markdownText(holdSubject(subject))}**: ${markdownText(message)}`,
        `  Yes: ${merging(removalBranch(removalDigest!))}`,
      ]),
    ...(waiting.length > mostRows ? [`- … and ${waiting.length - mostRows} more removals`] : []),
  ];
}

const removalBranch = (digest: string): string => approvalBranch({ name: removalName(digest) });
