import type { MemberUpgrade } from '../../../api/upgrade-status.ts';
import type { GuardFinding } from '../../plan-document.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { isDone, type UpgradeChange } from './upgrade-changes.ts';

/** Nothing starts in a run that is stopped, over, past its failures or lost, nor in a stage before those ahead of it are done. */
export function startsOutOfOrder(change: UpgradeChange, { input, isRecordLost }: Evidence): GuardFinding[] {
  const { name, file, before, starts, status } = change;
  const [first] = starts;
  if (first === undefined) return [];
  const finding = (why: string): GuardFinding => ({
    rule: 'upgrade-not-allowed',
    message: `run ${name} would start the upgrade of ${first.member.name}, but ${why}`,
  });
  const isOver = before?.status !== undefined && isDone(before.status) && before.status.status.startTime !== undefined;
  const isLost = isRecordLost || input.record.unread?.upgrades.has(name) === true;
  const written = file ?? before;
  return [
    ...(file === undefined && !mayBeHidden(input.fleet, name) ? [finding('its file is removed')] : []),
    ...(written?.spec.state === 'Stopped' ? [finding('it is stopped')] : []),
    ...(isOver && (written?.spec.attempt ?? 1) <= before.status!.attempt ? [finding('it is over')] : []),
    ...(isLost && before?.status === undefined ? [finding('the record is lost, so it may have run before')] : []),
    ...failuresOf(change).map((scope) => finding(`more members of ${scope} failed than it allows`)),
    ...starts.flatMap(({ stageAt, member }): GuardFinding[] => {
      const open = status.stages.slice(0, stageAt).find((stage) => !isDone(stage));
      if (!open) return [];
      const message = `run ${name} would upgrade ${member.name} while stage ${open.name} is not done`;
      return [{ rule: 'stage-order', message }];
    }),
  ];
}

/** An invalid file keeps its last good version. */
const mayBeHidden = ({ refused, unreadable }: Evidence['input']['fleet'], name: string): boolean =>
  unreadable.length > 0 || refused.some((ref) => ref.kind === 'UpdateRun' && ref.name === name);

/** Failures of an operation, which are known before anything starts. */
const outcomes: ReadonlySet<string> = new Set(['UpgradeFailed', 'ProgressDeadlineExceeded']);

/**
 * Scopes with more failed members than their strategy allows, counted again. Members that fail as they are looked at, without an
 * operation or between two of them, do not count: those before them may have started.
 */
function failuresOf({ status, before, after }: UpgradeChange): string[] {
  const isRaised = status.attempt > (before?.status?.attempt ?? status.attempt);
  const stateBefore = new Map(
    before?.status?.stages.flatMap(({ groups }) =>
      groups.flatMap(({ members }) => members.map(({ name, status: { state } }) => [name, state] as const)),
    ),
  );
  const failedBefore = ({ name, status: { state, error } }: MemberUpgrade): boolean => {
    if (state !== 'Failed') return false;
    const was = stateBefore.get(name);
    return was === 'Running' ? outcomes.has(error?.code ?? '') : was === 'Failed' && !isRaised;
  };
  return status.stages.flatMap((stage, at) => {
    const config = after.spec.strategy?.stages[at];
    const groups = stage.groups.map((group, index) => ({
      name: `group ${group.name}`,
      failed: group.members.filter(failedBefore).length,
      size: group.members.length,
      allowed: (config?.groups?.length ? config.groups[index] : config)?.maxAllowedFailures,
    }));
    const sum = (of: (group: (typeof groups)[number]) => number): number => groups.reduce((all, it) => all + of(it), 0);
    const whole = {
      name: `stage ${stage.name}`,
      failed: sum(({ failed }) => failed),
      size: sum(({ size }) => size),
      allowed: config?.maxAllowedFailures,
    };
    return [...groups, whole]
      .filter(
        ({ failed, size, allowed = '0' }) =>
          failed > (allowed.endsWith('%') ? Math.ceil((Number(allowed.slice(0, -1)) * size) / 100) : Number(allowed)),
      )
      .map(({ name }) => name);
  });
}
