import type { Timestamp } from '../../api/meta.ts';
import type { MemberUpgrade, MemberVersions, ScopeStatus, StageUpgrade } from '../../api/upgrade-status.ts';
import { formatInstant, type Instant, parseInstant } from '../kernel/instant.ts';
import { candidatesOf } from './candidates.ts';
import { isHalted } from './derive-states.ts';
import { lookAtMember, type MemberVerdict } from './look-at-member.ts';
import { newOperation } from './operation-id.ts';
import type { RunContext, RunHold } from './run-context.ts';
import { openSlots, type Slots } from './slots.ts';
import { asked, ended, isInFlight, isTerminal, withStatus } from './tree.ts';
import type { WantedUpgrade } from './wanted-upgrade.ts';
import { soonMs, windowAt } from './windows.ts';

type LookContext = RunContext & { readonly wanted: WantedUpgrade; readonly nowMs: Instant };

/**
 * Starts members of a stage as far as slots are free. A member that cannot start is Pending, and the next one is looked at. Without
 * a free slot only those that were waiting already are looked at again. Ends with the first failure that the run does not tolerate.
 */
export function startMembers(
  before: StageUpgrade,
  { openGroups, ...context }: LookContext & { readonly openGroups: ReadonlySet<number> },
): { readonly stage: StageUpgrade; readonly holds: readonly RunHold[]; readonly wakes: readonly Timestamp[] } {
  const slots = openSlots(before);
  const changed = new Map<string, MemberUpgrade>();
  const holds: RunHold[] = [];
  const wakes: Timestamp[] = [];
  const { reserveUpcomingWindows } = context.run.spec;
  const stageNow = () => withMembers(before, changed);
  const windowOf = ({ name }: MemberUpgrade) =>
    windowAt(context.input.maintenanceOf(context.input.members.get(name)!, context.wanted.type), context.nowMs).state;
  for (const { member, groupAt } of candidatesOf(before, { openGroups, windowOf })) {
    const isFree = slots.isFree(groupAt);
    if (!isFree && !wasWaiting(member)) continue;
    const verdict = lookAtMember(member, { ...context, isFree });
    if ((verdict.kind === 'start' && isFree) || verdict.kind === 'ask') slots.take(groupAt);
    // No one has to do anything about what is asked.
    if (verdict.kind === 'wait') {
      const of = { stage: before.name, group: before.groups[groupAt]!.name, clusterName: member.name };
      holds.push(holdOf(verdict, of));
      // A slot is kept for a member that only waits for a window that opens soon; from then on, where it opens later.
      if (reserveUpcomingWindows && verdict.opensSoon && isFree) slots.reserve(groupAt, member.name);
      else if (reserveUpcomingWindows && verdict.code === 'WindowClosed' && verdict.until !== undefined)
        wakes.push(formatInstant(parseInstant(verdict.until)! - soonMs));
    }
    changed.set(member.name, afterLook(member, verdict, { isFree, context }));
    if (verdict.kind === 'fail' && isHalted({ stages: [stageNow()] }, context)) break;
  }
  return {
    stage: withMembers(notOpened(before, openGroups), changed),
    holds: [...holds, ...reservedHolds(before, slots, openGroups)],
    wakes,
  };
}

type Waiting = Extract<MemberVerdict, { readonly kind: 'wait' }>;

const holdOf = ({ code, message, until }: Waiting, of: NonNullable<RunHold['of']>): RunHold => ({
  of,
  reason: code,
  message: `${of.clusterName} waits: ${message}`,
  ...(until === undefined ? {} : { until }),
});

const reservedHolds = (
  { name: stage, groups }: StageUpgrade,
  slots: Slots,
  openGroups: ReadonlySet<number>,
): RunHold[] =>
  [...openGroups].flatMap((at) => {
    const reservedFor = slots.reservedFor(at);
    if (reservedFor === '' || slots.isFree(at)) return [];
    const group = groups[at]!.name;
    const message = `a slot of group ${group} is kept free for ${reservedFor}, whose window opens soon`;
    return [{ of: { stage, group }, reason: 'ReservedForWindow', message }];
  });

const wasWaiting = ({ status: { state } }: MemberUpgrade): boolean => state === 'Pending' || state === 'Stopped';

function afterLook(
  member: MemberUpgrade,
  verdict: MemberVerdict,
  { isFree, context }: { readonly isFree: boolean; readonly context: LookContext },
): MemberUpgrade {
  const { now } = context.input;
  const { status } = member;
  switch (verdict.kind) {
    case 'done':
      return { ...ended(member, 'Completed', { now }), operationId: verdict.operationId };
    case 'skip':
    case 'fail': {
      const { kind, code, message } = verdict;
      return ended(member, kind === 'skip' ? 'Skipped' : 'Failed', { now, error: { code, message } });
    }
    case 'ask':
    case 'wait': {
      const { kind, message } = verdict;
      const error = kind === 'ask' ? asked(message) : { code: verdict.code, message };
      const startTime = status.state === 'Pending' ? status.startTime : now;
      return withStatus(member, { state: 'Pending', startTime, error });
    }
    case 'start':
      return isFree ? inFlight(member, verdict, context) : withStatus(member, { state: 'NotStarted' });
  }
}

function inFlight(
  { operationId, from: _, to: __, type: ___, message: ____, hop: _____, ...member }: MemberUpgrade,
  { target, message }: Extract<MemberVerdict, { readonly kind: 'start' }>,
  { run, input, nowMs }: LookContext,
): MemberUpgrade {
  const { controlPlane, pools } = input.members.get(member.name)?.observation?.versions ?? {};
  const from: MemberVersions = {
    ...(controlPlane === undefined ? {} : { controlPlane }),
    ...(pools === undefined
      ? {}
      : {
          pools: pools.map(({ name, kubernetes, image }) => ({
            name,
            ...(kubernetes === undefined ? {} : { kubernetes }),
            ...(image === undefined ? {} : { image }),
          })),
        }),
  };
  const { controlPlane: version, pools: changed } = target.to;
  return {
    ...member,
    status: { state: 'Running', startTime: input.now },
    operationId: newOperation({ run: run.metadata.name, member: member.name }, nowMs, operationId),
    type: target.type,
    ...(Object.keys(from).length === 0 ? {} : { from }),
    to: {
      ...(version === undefined ? {} : { controlPlane: version }),
      ...(changed.length === 0 ? {} : { pools: changed.map((pool) => ({ ...pool })) }),
    },
    ...(message === undefined ? {} : { message }),
    ...(target.hop ? { hop: true } : {}),
  };
}

const withMembers = (stage: StageUpgrade, changed: ReadonlyMap<string, MemberUpgrade>): StageUpgrade => ({
  ...stage,
  groups: stage.groups.map((group) => ({
    ...group,
    members: group.members.map((member) => changed.get(member.name) ?? member),
  })),
});

/** Of groups that are not open, nothing waits. */
export const notOpened = (stage: StageUpgrade, openGroups: ReadonlySet<number> = new Set()): StageUpgrade => ({
  ...stage,
  groups: stage.groups.map((group, at) =>
    openGroups.has(at)
      ? group
      : {
          ...group,
          members: group.members.map((member) =>
            isTerminal(member) || isInFlight(member) || member.status.state === 'NotStarted'
              ? member
              : withStatus(member, notStarted),
          ),
        },
  ),
});

const notStarted: ScopeStatus = { state: 'NotStarted' };
