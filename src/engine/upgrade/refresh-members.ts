import type { Timestamp } from '../../api/meta.ts';
import type { GroupUpgrade, MemberUpgrade, StageUpgrade, UpgradeRunStatus } from '../../api/upgrade-status.ts';
import { parseDuration } from '../kernel/duration.ts';
import { formatInstant, parseInstant } from '../kernel/instant.ts';
import { type OperationOutcome, outcomeOf } from './operation-outcome.ts';
import type { RunContext } from './run-context.ts';
import { allMembers, ended, isInFlight, isTerminal, mapMembers, withoutGates, withStatus } from './tree.ts';

/** What became of the members of a run since it was recorded: skipped by a user, gone, or an operation has its outcome. */
export const refreshMembers = (before: UpgradeRunStatus, context: RunContext): UpgradeRunStatus =>
  mapMembers(withSkippedGates(before, context), (member, at) => {
    const isSkipped = isSkippedAt(member, at, context);
    if (!context.input.members.has(member.name)) return isTerminal(member) ? member : gone(member, context);
    if (isInFlight(member)) return afterOperation(member, isSkipped, context);
    return isSkipped && member.status.state !== 'Completed'
      ? skippedByUser(member, context, context.input.now)
      : member;
  });

/** Gates of what a user skips: one that was rejected fails nothing any more. */
const withSkippedGates = (status: UpgradeRunStatus, { skips }: RunContext): UpgradeRunStatus => ({
  ...status,
  stages: status.stages.map((stage) => {
    if (skips.stage(stage.name)) return { ...withoutGates(stage), groups: stage.groups.map(withoutGates) };
    const groups = stage.groups.map((group) => (skips.group(group.name) ? withoutGates(group) : group));
    return groups.every((group, at) => group === stage.groups[at]) ? stage : { ...stage, groups };
  }),
});

function gone(member: MemberUpgrade, { input: { now } }: RunContext): MemberUpgrade {
  return ended(member, 'Skipped', { now, error: { code: 'MemberGone', message: `${member.name} left the fleet` } });
}

/** The members that a user skips in a run that has not started. */
export const skippedBeforeStart = (before: UpgradeRunStatus, context: RunContext): UpgradeRunStatus =>
  mapMembers(before, (member, at) =>
    isSkippedAt(member, at, context) ? skippedByUser(member, context, undefined) : member,
  );

const isSkippedAt = (
  member: MemberUpgrade,
  { stage, group }: { readonly stage: StageUpgrade; readonly group: GroupUpgrade },
  { skips }: Pick<RunContext, 'skips'>,
): boolean => skips.stage(stage.name) || skips.group(group.name) || skips.member(member.name);

function skippedByUser(
  member: MemberUpgrade,
  { run }: Pick<RunContext, 'run'>,
  now: string | undefined,
): MemberUpgrade {
  if (member.status.state === 'Skipped') return member;
  const message = `skipped by the file of run ${run.metadata.name}`;
  return ended(member, 'Skipped', { now, error: { code: 'SkippedByUser', message } });
}

function afterOperation(member: MemberUpgrade, isSkipped: boolean, context: RunContext): MemberUpgrade {
  const { now } = context.input;
  const outcome = outcomeNow(member, context);
  switch (outcome.kind) {
    case 'running':
      return member;
    case 'failed': {
      const { code, message } = outcome;
      // What a user skips while it is in flight ends as it ends.
      return isSkipped
        ? skippedByUser(member, context, context.input.now)
        : ended(member, 'Failed', { now, error: { code, message } });
    }
    case 'completed': {
      if (!member.hop) return ended(member, 'Completed', { now });
      return isSkipped
        ? skippedByUser(member, context, context.input.now)
        : withStatus(member, { state: 'NotStarted' });
    }
  }
}

/** When operations in flight count as failed, unless there is news of them. */
export const progressDeadlines = (status: UpgradeRunStatus, context: RunContext): Timestamp[] =>
  allMembers(status)
    .filter(isInFlight)
    .flatMap((member) => {
      const outcome = outcomeNow(member, context);
      return outcome.kind === 'running' && outcome.deadline !== undefined ? [formatInstant(outcome.deadline)] : [];
    });

const outcomeNow = (member: MemberUpgrade, { input, run }: RunContext): OperationOutcome =>
  outcomeOf(member, input.members.get(member.name) ?? {}, {
    now: parseInstant(input.now)!,
    deadlineMs: parseDuration(run.spec.progressDeadline) ?? 0,
  });
