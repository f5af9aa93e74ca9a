import { placementKey } from '../../api/placement.ts';
import { removalName } from '../../engine/gate/removal-approval.ts';
import { type ApprovalRequestName, howToMerge, placeOfBranch } from '../../engine/gate/request.ts';
import type { Hold, Plan, RequestedApproval } from '../../engine/plan-document.ts';
import { holdSubject } from '../hold-text.ts';
import type { InEffect } from '../in-effect.ts';
import { upgradeBrings } from '../upgrades/progress.ts';
import { haltOf, waitingApprovals } from './halted.ts';
import { type Item, type Line, list, type SectionInput, type SectionSource } from './section.ts';

/** What the guard refuses, and how to let it happen. */
export const refused: SectionSource = (input) =>
  list(
    'Refused',
    [
      ...refusedItems(input),
      ...input.inEffect.answered.map(({ approval, answer }) => ({
        line: [{ bold: approval }, `: ${answer} already, which counts once no plan is refused any more`],
      })),
    ],
    {
      intro: `The last plan was not applied. The tables below show the status that stays in effect.${input.fleet.noApprovalCounts ? ` ${noneCounts}` : ''}`,
      attention: input.plan.guard.length > 0 ? 1 : 0,
    },
  );

const refusedItems = (input: SectionInput): Item[] =>
  [...Map.groupBy(input.plan.guard, ({ removalDigest }) => removalDigest)].flatMap(([digest, findings]): Item[] => {
    if (digest === undefined) return findings.map(({ message }) => ({ line: [message] }));
    const ask = { name: removalName(digest) };
    const [first] = findings;
    return findings.length === 1
      ? [{ line: [first!.message, ...ofBranch(ask, input)], ask }]
      : [
          ...findings.map(({ message }): Item => ({ line: [message] })),
          { line: ['all of these are removals that one approval allows', ...ofBranch(ask, input)], ask },
        ];
  });

/** The same for a plan that is not published: no branch was pushed that approves the removal. */
export const refusalItems = (guard: Plan['guard']): Item[] =>
  guard.map(({ rule, message, removalDigest }) => ({
    line: [
      `${rule}: ${message}`,
      ...(removalDigest ? ['. To approve: a RemovalApproval with ', { code: `removalDigest: ${removalDigest}` }] : []),
    ],
  }));

/** Stages and removals that wait for an approver. */
export const approvals: SectionSource = (input) => {
  const removing = removals(input);
  const attention = waitingApprovals(input.inEffect.approvals, input.plan).length + removing.length;
  const intro = whyNoneCounts(input);
  return list('Waiting for approval', [...gates(input), ...removing], { attention, ...(intro && { intro }) });
};

function whyNoneCounts({ fleet, plan }: SectionInput): string | undefined {
  if (fleet.noApprovalCounts) return noneCounts;
  return plan.guard.length > 0 ? 'No answer counts while the guard refuses the plan.' : undefined;
}

/** While the folder of approvals is not known. */
export const noneCounts = 'No approval counts while fleet.yaml is not valid: correct what is reported for it first.';

/** A gate without a file opens by itself, so nobody is asked. */
const asked = ({ inEffect }: SectionInput): InEffect['approvals'] =>
  inEffect.approvals.filter(({ file }) => file !== undefined);

/** Of a plan that is refused only the sentence of a gate that was there before is shown. */
const gates = (input: SectionInput): readonly Item[] =>
  asked(input).map(({ planned, subject, file }) => {
    const { plan, pages } = input;
    const { name, namespace, stage, group } = subject;
    const isPlanned = plan.approvals.some((it) => placementKey(it.planned) === placementKey(planned));
    const hold = plan.holds.find(
      ({ reason, subject }) =>
        reason === 'WaitingForApproval' &&
        subject.name === name &&
        subject.namespace === namespace &&
        (group === undefined ? subject.stage === stage : subject.group === group),
    );
    // How to merge it stands below.
    const known = hold
      ? `: ${hold.message.replace(`: ${howToMerge(planned)}`, '')}`
      : (proposalText(file?.object, plan) ?? haltedText(subject, plan));
    const why = known !== undefined && isPlanned ? [known] : [];
    return {
      line: [{ bold: name }, ...scopeSpans({ stage, group }), ...why, ...ofBranch(planned, { plan, pages })],
      ask: planned,
    };
  });

/** A run that a profile proposes waits for nothing: merging its file adds it. */
function proposalText(
  object: NonNullable<RequestedApproval['file']>['object'] | undefined,
  { upgrades }: Plan,
): string | undefined {
  if (object?.kind !== 'UpdateRun') return undefined;
  const { autoUpgradeProfileId: profile = '' } = object.spec;
  const of = upgrades.find(({ kind, name }) => kind === 'AutoUpgradeProfile' && name === profile);
  const why = of?.kind === 'AutoUpgradeProfile' ? of.status.lastTriggerMessage : undefined;
  return `: profile ${profile} proposes this update run: ${upgradeBrings(object)}${why === undefined ? '' : `. ${why}`}`;
}

/** A gate of a run in which nothing starts any more is answered for later. */
function haltedText(subject: Hold['subject'], plan: Plan): string | undefined {
  const halt = haltOf(subject, plan);
  return halt && `: its run ${halt === 'failed' ? 'failed' : 'is stopped'}; an approval counts once the run continues`;
}

const scopeSpans = ({ stage, group }: Pick<Hold['subject'], 'stage' | 'group'>): Line => {
  if (group !== undefined) return [', group ', { bold: group }];
  return stage === undefined ? [] : [', stage ', { bold: stage }];
};

const removals = ({ inEffect, plan, pages }: SectionInput): readonly Item[] =>
  inEffect.removalHolds.map(({ subject, message, removalDigest }) => ({
    line: [
      'removal of ',
      { bold: holdSubject(subject) },
      `: ${message}`,
      ...ofBranch({ name: removalName(removalDigest!) }, { plan, pages }),
    ],
    ask: { name: removalName(removalDigest!) },
  }));

/** The pull request of a branch, and whether it should not be merged unread. */
function ofBranch(request: ApprovalRequestName, { plan, pages }: Pick<SectionInput, 'plan' | 'pages'>): Line {
  const page = pages?.get(placementKey(request));
  const isDoubtful = plan.problems.some(({ file }) => file === placeOfBranch(request));
  return [
    ...(page ? ['. ', { link: 'Pull request', url: page.url }, ...(page.state === 'closed' ? [closedText] : [])] : []),
    ...(isDoubtful ? ['. See Problems before you merge its branch'] : []),
  ];
}

const closedText = ' closed without merging: not now. Reopen it to be asked again';
