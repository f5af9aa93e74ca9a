import { stringify } from 'yaml';
import type { ApprovedRemoval } from '../../../api/gitfleet.ts';
import { approvedText } from '../../../engine/gate/approver.ts';
import { removalName } from '../../../engine/gate/removal-approval.ts';
import { listUpTo } from '../../../engine/kernel/short-list.ts';
import { approvalFolder } from '../../../repo/fleet/approval-places.ts';
import {
  type RemovalToApprove,
  removalApprovalObject,
  type UnusedApproval,
} from '../../../repo/record/removals-to-approve.ts';
import {
  type RemovalFacts,
  reasonLines,
  removalCounts,
  removalLines,
  restTexts,
  toRejectRemoval,
} from '../../../report/approval/removal-page.ts';
import type { Status } from '../../status/open-status.ts';
import { fields, sentences, titled } from '../page-text.ts';
import { type Asking, approveLines, ofBranch } from './page.ts';

const mostNamed = 10;

/** Removals that are refused or held: what would be removed, why that needs an approval, and how to give it. */
export function removalPage(
  asked: RemovalToApprove,
  { record, inPlace, reported, pages, notInEffect }: Asking,
): string[] {
  const { name, removalDigest, commit, changes = [], messages } = asked;
  const facts = removalFacts({ record, notInEffect });
  const rest = restTexts(asked, facts).map((text) => text.replaceAll('`', ''));
  return [
    fields([
      ['Name', name],
      ['Kind', 'RemovalApproval'],
      ['Decision', 'none yet'],
      commit === undefined ? undefined : ['Refused', `commit ${commit}, as a whole`],
      ['Allows', removalCounts(asked) ?? (messages.length === 1 ? 'one removal' : 'these removals')],
      ['Digest', removalDigest],
    ]),
    ...(changes.length > 0 ? [titled('Removals', sentences(removalLines(asked)))] : []),
    titled(commit === undefined ? 'Held because' : 'Refused because', sentences(reasonLines(asked))),
    ...(rest.length === 0 ? [] : [titled('What waits with them', sentences(rest))]),
    ...ofBranch({ name }, reported),
    titled(
      'How to approve or reject',
      sentences([
        ...approveLines({ name }, { inPlace, pages, notInEffect }),
        `          or commit ${approvalFolder(record.config)}${name}.yaml:`,
        ...stringify(removalApprovalObject(asked), { lineWidth: 0 })
          .trimEnd()
          .split('\n')
          .map((line) => `            ${line}`),
        `reject:   ${toRejectRemoval(asked, facts).replaceAll('`', '')}`,
      ]),
    ),
  ];
}

/** What a page of a removal is made from, beside the removal. */
export const removalFacts = ({ record, notInEffect }: Pick<Asking, 'record' | 'notInEffect'>): RemovalFacts => ({
  runs: record.runs.values(),
  answered: notInEffect?.answered ?? [],
});

/** An approval that allowed a removal. `decided`: when its commit was made, where that is known here. */
export function usedRemovalPage(
  { spec: { removalDigest }, status }: ApprovedRemoval,
  decided: string | undefined,
): string[] {
  const { commit, at, approvedBy, underWay = [] } = status;
  const left = underWay.map(({ placement, clusterName, run }) =>
    clusterName === undefined
      ? `${placement}, as ${run === undefined ? 'its rollout' : `update run ${run}`} continues`
      : `${placement} on ${clusterName}`,
  );
  return [
    fields([
      ...headOf(removalName(removalDigest), approvedText(approvedBy) ?? 'approved', decided),
      ['Used', `${at === undefined ? '' : `since ${at}, `}by the plan of commit ${commit}`],
      ['Under way', left.length === 0 ? 'none: all of it is done' : listUpTo(left, mostNamed, '; ')],
      ['Digest', removalDigest],
    ]),
    'It counts once: the same removal needs another approval.',
  ];
}

/** An approval on the followed branch that has allowed nothing. */
export function unusedRemovalPage(
  { name, removalDigest, approvedBy }: UnusedApproval,
  { reported, decided }: Pick<Status, 'reported'> & { readonly decided: string | undefined },
): string[] {
  const found = reported.filter(({ code, message }) => ofApproval.has(code) && message.startsWith(front(name)));
  return [
    fields([
      ...headOf(name, approvedText(approvedBy) ?? 'approved', decided),
      ['Used', found.length === 0 ? 'not yet' : 'no'],
      ['Digest', removalDigest],
    ]),
    ...found.map(({ message, fix }) =>
      titled('Problem', sentences([message.slice(front(name).length), ...(fix ? [`Fix: ${fix}`] : [])])),
    ),
  ];
}

const ofApproval: ReadonlySet<string> = new Set(['unused-approval', 'early-approval']);

const front = (name: string): string => `RemovalApproval ${name}: `;

const headOf = (name: string, decision: string, decided: string | undefined) =>
  [
    ['Name', name],
    ['Kind', 'RemovalApproval'],
    ['Decision', decision],
    ...(decided === undefined ? [] : [['Decided', decided] as const]),
  ] as const;
