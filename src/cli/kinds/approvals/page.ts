import { placementKey } from '../../../api/placement.ts';
import type { ApprovalRequest } from '../../../api/staged.ts';
import type { UpgradeGate } from '../../../api/upgrade-gate.ts';
import { approvedForLater, approvedText } from '../../../engine/gate/approver.ts';
import {
  type ApprovalRequestName,
  approvalBranch,
  howToMerge,
  mergeCommand,
  placeOfBranch,
} from '../../../engine/gate/request.ts';
import { reviewAnnotation } from '../../../engine/gate/review.ts';
import type { FleetRecord } from '../../../engine/input.ts';
import { conditionIs, findCondition } from '../../../engine/kernel/condition.ts';
import { isEnding, isOver } from '../../../engine/update-run.ts';
import { gateIn, gatesOf, type RunGate } from '../../../engine/upgrade/gate-names.ts';
import { removedInRecord } from '../../../forecast/run-removals.ts';
import { titleOf } from '../../../repo/title-of.ts';
import {
  type ApprovalPage,
  type AskedGate,
  askedGate,
  gatePage as requestForGate,
  type StageFacts,
  stagePage,
} from '../../../report/approval/approval-page.ts';
import type { GateFacts } from '../../../report/approval/upgrade-gate-page.ts';
import { changeLines } from '../../../report/effect/effect-text.ts';
import type { Proposed } from '../../../report/proposed-runs.ts';
import { recordedApproval } from '../../../report/recorded-approval.ts';
import { plainText } from '../../../report/sections/section.ts';
import { upgradeBrings } from '../../../report/upgrades/progress.ts';
import { approvalStarts, openedByTask } from '../../../report/waits/approval-starts.ts';
import {
  beginsAt,
  freezeEnd,
  gateFailureText,
  gateStarts,
  isStarted,
  openedByGate,
  rejectedGateText,
  type StartedUpgrade,
} from '../../../report/waits/gate-starts.ts';
import { targetsOf, withSkips } from '../../../report/waits/gate-targets.ts';
import { openedTexts } from '../../../report/waits/opened.ts';
import { progressText } from '../../../report/waits/progress-text.ts';
import { failureText, rejectionText } from '../../../report/waits/rollback-texts.ts';
import type { Status } from '../../status/open-status.ts';
import { answeredText, refusedText, uncountedText } from '../../status/refused-text.ts';
import { conditionTable, fields, sentences, titled } from '../page-text.ts';

/** Whether nothing is to be decided any more. */
export const isClosed = ({ status }: ApprovalRequest, gate: AskedGate | undefined): boolean =>
  findCondition(status?.conditions, 'Approved') !== undefined ||
  (gate?.run.status !== undefined && isEnding(gate.run.status));

/** What a pull request for a stage says. `facts`: what approval brings, where that is known. */
export function requestOfStage(
  request: ApprovalRequest,
  record: Pick<FleetRecord, 'runs' | 'placements' | 'clusters'>,
  facts: StageFacts = { isKnown: false, commits: [], changes: [], rebuilt: [], kept: [] },
): ApprovalPage | undefined {
  const gate = askedGate(recordedApproval(request), record);
  // What restarted on members is not recorded.
  const of = { name: placementKey(request.metadata), record, problems: [], observations: new Map(), ...facts };
  return gate && stagePage(gate, of);
}

/** What a page of a request is made from. */
export type Asking = Pick<Status, 'record' | 'inPlace' | 'reported' | 'pages'> & Partial<Pick<Status, 'notInEffect'>>;

/** A request of a run: since when the run waits, what approval starts and changes, and how to approve. */
export function approvalPage(
  request: ApprovalRequest,
  { record, inPlace, reported, pages, notInEffect }: Asking,
  facts?: StageFacts,
): string[] {
  const { metadata, status } = request;
  const gate = askedGate(recordedApproval(request), record);
  const { sections = [], changes = [], changesTitle = '' } = requestOfStage(request, record, facts) ?? {};
  const answered = answeredText(placementKey(request.metadata), notInEffect);
  const isOpen = !isClosed(request, gate) && answered === undefined;
  const isApproved = conditionIs(status?.conditions, 'Approved', 'True');
  const diffs =
    changes.length > 0
      ? [titled(changesTitle, changes.map(changeLines).join('\n'))]
      : isOpen && gate && !facts
        ? [`On the clusters: not known here: ${unknownHere(record)}`]
        : [];
  return [
    head(request, gate, [answered, refusedText({ notInEffect })].filter((text) => text !== undefined).join('; ')),
    ...(gate && (isOpen || isApproved)
      ? [
          titled(
            isEnding(gate.run.status ?? {}) ? 'Approval allowed' : 'Approval starts',
            sentences(startsOf(gate, record, facts)),
          ),
        ]
      : []),
    ...diffs,
    ...listsOf(sections),
    ...(isOpen
      ? [
          ...ofBranch(request.metadata, reported),
          titled(
            'How to approve or reject',
            sentences([
              ...approveLines(request.metadata, { inPlace, pages, notInEffect }),
              rejectLine(metadata, rejectionText(gate?.run, { ...facts, record })),
            ]),
          ),
        ]
      : []),
    ...(status?.conditions?.length ? [titled('Conditions', conditionTable(status.conditions))] : []),
  ];
}

/** What approval starts; of a run that starts nothing any more, what it allowed. */
function startsOf(gate: AskedGate, record: Asking['record'], facts: StageFacts | undefined): string[] {
  const { run, task } = gate;
  const isRemovedFrom = removedInRecord(run, record);
  return isEnding(run.status ?? {})
    ? openedTexts(openedByTask(run, task, isRemovedFrom))
    : [
        ...approvalStarts(run, task, { ...facts, isRemovedFrom, runs: record.runs.values() }),
        ...failureText(gate, record, facts),
      ];
}

const unknownHere = ({ commit }: Pick<FleetRecord, 'commit'>): string =>
  commit === undefined ? 'the status branch names no commit' : `the repo has no commit ${commit.slice(0, 12)}`;

/** Lists of a page that have items, with their titles. */
const listsOf = (sections: ApprovalPage['sections']): string[] =>
  sections.flatMap(({ title, rows }) =>
    rows.kind === 'list' && rows.items.length > 0
      ? [titled(title, sentences(rows.items.map(({ line }) => plainText(line))))]
      : [],
  );

/** The same page for programs. */
export const pageObject = ({ title, lead, instructions, sections, changes }: ApprovalPage): object => ({
  title,
  lead: [...lead, instructions],
  sections: sections.flatMap(({ title: name, rows }) =>
    rows.kind === 'list' && rows.items.length > 0
      ? [{ title: name, lines: rows.items.map(({ line }) => plainText(line)) }]
      : [],
  ),
  changes,
});

function head(
  { kind, metadata, spec, status }: ApprovalRequest,
  { run, task }: Partial<AskedGate> = {},
  undecided: string,
): string {
  const decision = findCondition(status?.conditions, 'Approved');
  const answered = (answer: string): string => (task?.progress.startsWith(answer) ? task.progress : answer);
  const waits = run?.status && isOver(run.status) ? 'the run is over' : progressText(run?.status);
  return fields([
    ['Name', metadata.name],
    metadata.namespace === undefined ? undefined : ['Namespace', metadata.namespace],
    ['Kind', kind],
    ['Run', spec.parentStageRollout],
    ['Placement', run && titleOf({ name: run.spec.placementName, namespace: run.metadata.namespace })],
    ['Snapshot', run?.status?.resourceSnapshotIndexUsed],
    ['Stage', `${task ? `${task.timing} ` : ''}${spec.targetStage}`],
    [
      'Decision',
      decision
        ? { True: answered('approved'), False: answered('rejected'), Unknown: 'unknown' }[decision.status]
        : undecided || 'none yet',
    ],
    [decision ? 'Decided' : 'Requested', decision?.lastTransitionTime ?? task?.asked],
    ['Waiting', decision ? 'none' : `run ${spec.parentStageRollout}: ${waits}`],
    decision && run?.status && !isOver(run.status) ? ['Run now', nowText(run)] : undefined,
    ['Review', metadata.annotations?.[reviewAnnotation]],
  ]);
}

/** Where a run is that has read the decision: what follows may be held. */
const nowText = ({ metadata, spec, status }: AskedGate['run']): string =>
  [
    progressText(status),
    ...(spec.state === 'Stop' ? [`it continues with gitfleet resume run ${titleOf(metadata)}`] : []),
  ].join('; ');

/** A gate of a cluster update run: what it opens, and how to approve it. */
export function gatePage(
  gate: UpgradeGate,
  { record, inPlace, pages, notInEffect, now }: Pick<Status, 'record' | 'inPlace' | 'pages' | 'notInEffect' | 'now'>,
  members: Members,
): string[] {
  const { kind, metadata, spec, status } = gate;
  const { name, stage, group, timing } = spec.target.updateRunProperties;
  const state = status?.state ?? 'Pending';
  const run = record.upgrades.get(name);
  const isScheduled = spec.gateType === 'ScheduledStart';
  const opens = run?.status && gatesOf(name, run.status).find((gate) => gate.name === metadata.name);
  const recorded = run?.status && opens && gateIn(run.status, opens);
  const facts = gateFacts(members, now);
  const ahead = isStarted(run) ? (facts ? withSkips(run, targetsOf(run, facts)) : run) : undefined;
  const at = recorded?.absoluteStartTime;
  const isPending = state === 'Pending';
  const later = isPending ? approvedForLater(status?.approvedBy) : undefined;
  const answered = isPending ? answeredText(metadata.name, notInEffect) : undefined;
  const isOpen = isPending && later === undefined && answered === undefined;
  const refused = isPending && later === undefined ? refusedText({ notInEffect }) : undefined;
  const by =
    later ?? approvedText(status?.approvedBy) ?? (state === 'Rejected' ? recorded?.status.error?.message : undefined);
  return [
    fields([
      ['Name', metadata.name],
      ['Kind', kind],
      ['Run', name],
      ['Gate', `${timing.toLowerCase()} ${group === undefined ? `stage ${stage}` : `group ${group}`}`],
      ['Type', spec.gateType],
      spec.displayName === undefined ? undefined : ['Title', spec.displayName],
      ['State', by === undefined ? state : `${state}, ${by}`],
      answered === undefined ? undefined : ['Decision', answered],
      refused === undefined ? undefined : ['Refused', refused],
      isScheduled && isPending ? ['Opens', `${at ?? 'at its time'}, by itself`] : undefined,
      ['Review', metadata.annotations?.[reviewAnnotation]],
    ]),
    ...(ahead && opens && isPending ? [titled('Approval starts', sentences(approvalLines(ahead, opens, facts)))] : []),
    ...(isOpen
      ? [
          ...listsOf(requestOfGate(gate, { record, now }, members)?.sections ?? []),
          titled(
            isScheduled ? 'How to open it before' : 'How to approve or reject',
            sentences(
              isScheduled
                ? [`gitfleet approve ${metadata.name}`]
                : [
                    ...approveLines(metadata, { inPlace, pages, notInEffect }),
                    rejectLine(metadata, ahead ? rejectedGateText(ahead) : 'ends the run'),
                  ],
            ),
          ),
        ]
      : []),
  ];
}

/** What is known of the members of the fleet. */
interface Members {
  /** As planned; undefined = not known here. */
  readonly fleet: GateFacts['fleet'] | undefined;
  readonly clusters: FleetRecord['clusters'];
}

/**
 * What a pull request for a gate says, with the clusters behind it, their versions and windows; undefined where the gate is decided or the
 * fleet is not known.
 */
export function requestOfGate(
  gate: UpgradeGate,
  { record, now }: Pick<Status, 'record' | 'now'>,
  members: Members,
): ApprovalPage | undefined {
  const facts = gateFacts(members, now);
  const asked = recordedApproval(gate);
  if (facts === undefined || asked.answer !== undefined) return undefined;
  const run = record.upgrades.get(asked.subject.name);
  return requestForGate(asked, { ...facts, run, problems: [] });
}

function approvalLines(run: StartedUpgrade, gate: RunGate, facts: GateFacts | undefined): string[] {
  const failure = gateFailureText(openedByGate(run, gate));
  return [
    ...gateStarts(run, gate, { pause: facts && freezeEnd(facts.fleet, beginsAt(run, gate, facts.nowMs)) }),
    ...(failure === undefined ? [] : [failure]),
  ];
}

function gateFacts({ fleet, clusters }: Members, nowMs: Status['now']): GateFacts | undefined {
  const observations = new Map(
    [...clusters].flatMap(([name, { status }]) =>
      status?.versions ? [[name, { versions: status.versions }] as const] : [],
    ),
  );
  return fleet && { fleet, observations, nowMs };
}

/** A run that a profile proposes: what it brings, and how to start it. */
export function proposalPage(
  { run, why }: Proposed,
  { inPlace, reported, pages }: Pick<Status, 'inPlace' | 'reported' | 'pages'>,
): string[] {
  const { kind, metadata, spec } = run;
  return [
    fields([
      ['Name', metadata.name],
      ['Kind', kind],
      ['Profile', spec.autoUpgradeProfileId],
      why === undefined ? undefined : ['Because', why],
      ['Brings', upgradeBrings(run)],
      ['Strategy', spec.updateStrategyId ?? 'one by one'],
      ['Decision', 'none yet'],
    ]),
    ...ofBranch(metadata, reported),
    titled(
      'How to approve or reject',
      sentences([
        ...approveLines(metadata, { inPlace, pages }),
        'reject:   do nothing: the run starts once its file is merged',
      ]),
    ),
  ];
}

/** What is wrong with the branch of a request, so that it is not merged unread. */
export function ofBranch(request: ApprovalRequestName, reported: Status['reported']): string[] {
  const found = reported.filter(({ code, file }) => code === 'approval-branch' && file === placeOfBranch(request));
  return found.map(({ message, fix }) => titled('Branch', sentences([message, ...(fix ? [`Fix: ${fix}`] : [])])));
}

/** How to approve, line by line. */
export function approveLines(
  request: ApprovalRequestName,
  { inPlace, pages, notInEffect }: Pick<Asking, 'inPlace' | 'pages' | 'notInEffect'>,
): string[] {
  const uncounted = uncountedText({ notInEffect });
  const page = pages?.get(placementKey(request));
  const now = { open: '', merged: ' (merged)', closed: ' (closed: not now; reopen it to be asked again)' };
  return [
    ...(uncounted === undefined ? [] : [uncounted]),
    ...(page ? [`request:  ${page.url}${now[page.state]}`] : []),
    `approve:  gitfleet approve ${placementKey(request)}`,
    `          or ${page ? howToMerge(request) : `merge branch ${approvalBranch(request)}`}; in ${inPlace ? 'the repo' : 'a clone'}:`,
    `          ${mergeCommand(approvalBranch(request), inPlace)}`,
  ];
}

const rejectLine = (request: ApprovalRequestName, rejection: string): string =>
  `reject:   gitfleet approve ${placementKey(request)} --reject --reason "…"; that ${rejection}`;
