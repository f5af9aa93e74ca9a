import type { FleetConfig } from '../../../api/gitfleet.ts';
import { placementKey } from '../../../api/placement.ts';
import { isTimeZone } from '../../../api/syntax.ts';
import type { Fleet } from '../../input.ts';
import { lastHit, parseCron } from '../../kernel/cron.ts';
import { parseDuration } from '../../kernel/duration.ts';
import { type Instant, parseInstant } from '../../kernel/instant.ts';
import type { GuardFinding, Plan } from '../../plan-document.ts';
import { placementTargets } from '../../target-kinds.ts';
import type { Pair } from '../evidence/changes.ts';
import type { Evidence } from '../evidence/evidence.ts';

/**
 * In a freeze no cluster gets another snapshot than it had, and no removal starts. A target without a digest changes nothing:
 * the contents for its cluster are unknown, and its objects stay as they are.
 */
export function changesInFreeze({ now: instant, fleet, plan, changes }: Evidence): GuardFinding[] {
  const now = parseInstant(instant) ?? 0;
  const open = activeFreeze(fleet, now);
  if (open === undefined) return [];
  const started = changes.flatMap(({ key, pairs }) =>
    pairs.filter(isStart).map(({ clusterName }) => `${key} on ${clusterName}`),
  );
  if (started.length === 0) return [];
  const left = leftAsItIs(plan);
  const forbidden = started.filter((it) => !left.has(it));
  if (forbidden.length === 0) return [];
  const message = `freeze ${open} is active, and the plan would start changes: ${forbidden.slice(0, 5).join(', ')}`;
  return [{ rule: 'frozen', message }];
}

/** The name of a freeze that is active; an invalid one is. */
export const activeFreeze = ({ config, frozenUntil }: Pick<Fleet, 'config' | 'frozenUntil'>, now: Instant) =>
  frozenUntil === undefined
    ? config?.spec.freeze?.find((freeze) => isActive(freeze, now))?.name
    : `until ${frozenUntil}`;

const leftAsItIs = ({ targets }: Plan): ReadonlySet<string> =>
  new Set(
    placementTargets(targets)
      .filter(({ digest, remove }) => digest === undefined && !remove)
      .map(({ clusterName, placement }) => `${placementKey(placement)} on ${clusterName}`),
  );

const isStart = ({ before, after, removedNow }: Pair): boolean =>
  removedNow ||
  (after?.resourceSnapshotIndex !== undefined &&
    after.move !== 'remove' &&
    after.resourceSnapshotIndex !== before?.resourceSnapshotIndex);

function isActive(
  { schedule, duration, timeZone = 'UTC' }: NonNullable<FleetConfig['spec']['freeze']>[number],
  now: Instant,
): boolean {
  const cron = parseCron(schedule);
  const ms = parseDuration(duration);
  if (!cron || !ms || !isTimeZone(timeZone)) return true;
  const opened = lastHit(cron, timeZone, now);
  return opened !== undefined && now - opened < ms;
}
