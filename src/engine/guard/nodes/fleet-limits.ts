import type { ClusterName } from '../../../api/meta.ts';
import type { NodeDisruption } from '../../../api/nodes/node-disruption.ts';
import type { NodeCommand } from '../../../api/nodes/node-plan.ts';
import { isTimeZone } from '../../../api/syntax.ts';
import { lastHit, parseCron } from '../../kernel/cron.ts';
import { parseDuration } from '../../kernel/duration.ts';
import { type Instant, parseInstant } from '../../kernel/instant.ts';
import { matchesSelector } from '../../kernel/selector.ts';
import type { GuardFinding } from '../../plan-document.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { labelsOfMember } from '../evidence/members.ts';
import { scaledUp } from '../evidence/numbers.ts';
import { heldableStarts, isForced, type NodeChange } from './node-changes.ts';

/** A cluster as the limits of `FleetConfig.spec.nodeDisruption` count it. */
interface Counted {
  readonly name: ClusterName;
  readonly labels: Readonly<Record<string, string>>;
  readonly isObserved: boolean;
  /** That the budgets of its pools count. */
  readonly nodes: number;
  /**
   * With a claim and on their way out before the starts of this plan, forced expiry included, but for those of some commands. Budgets of
   * pools may not count them.
   */
  readonly leavingBut: (isLater: (command: NodeCommand) => boolean) => number;
  readonly hasDrifted: boolean;
  readonly starts: readonly NodeCommand[];
  readonly begunAt: NodeChange['begunAt'];
}

/** Fleet budgets and waves hold for every command that starts; what started earlier counts, and is not judged again. */
export function beyondFleetLimits(changes: readonly NodeChange[], evidence: Evidence): GuardFinding[] {
  const { budgets = [], waves = [] } = evidence.fleet.config?.spec.nodeDisruption ?? {};
  if (budgets.length + waves.length === 0 || changes.every(({ started }) => started.length === 0)) return [];
  const clusters = changes.map((change) => counted(change, evidence));
  const now = parseInstant(evidence.now) ?? 0;
  return [
    ...budgets.filter((budget) => isActive(budget, now)).flatMap((budget) => overBudget(budget, clusters)),
    ...beforeTheirWave(waves, clusters),
  ];
}

function counted(change: NodeChange, evidence: Evidence): Counted {
  const { planned, observation, standing, started } = change;
  const seen = change.known();
  const isObserved =
    observation?.reachable === true &&
    observation.complete &&
    observation.nodes !== undefined &&
    observation.pods !== undefined;
  const pools = new Set(planned.pools.map(({ name }) => name));
  const own = isObserved ? seen.counted.filter(({ pool }) => pools.has(pool)) : [];
  const taking = [...standing, ...started.filter((command) => isForced(command, seen))];
  const namesOf = (commands: readonly NodeCommand[]) =>
    new Set(commands.flatMap(({ nodes }) => nodes.map(({ name }) => name)));
  return {
    name: planned.clusterName,
    labels: labelsOfMember(planned.clusterName, evidence),
    isObserved,
    nodes: own.length,
    leavingBut(isLater) {
      const [names, later] = [namesOf(taking), namesOf(taking.filter(isLater))];
      if (!isObserved) return names.difference(later).size;
      return seen.claimed.filter(({ name, isLeaving }) => (isLeaving || names.has(name)) && !later.has(name)).length;
    },
    hasDrifted: own.some(({ isDrifted }) => isDrifted) || planned.commands.some(({ reason }) => reason === 'Drifted'),
    starts: heldableStarts(change),
    begunAt: change.begunAt,
  };
}

type Budget = NonNullable<NodeDisruption['budgets']>[number];

/** Outside its window a budget limits nothing. One whose window cannot be read is always active. */
const isActive = (budget: Budget, now: Instant): boolean => {
  const { schedule, duration } = budget;
  if (schedule === undefined || duration === undefined || !isReadable(budget)) return true;
  const opened = lastHit(parseCron(schedule)!, budget.timeZone ?? 'UTC', now);
  return opened !== undefined && now - opened < parseDuration(duration)!;
};

const isReadable = ({ schedule, duration, timeZone = 'UTC' }: Budget): boolean =>
  schedule === undefined ||
  duration === undefined ||
  (parseCron(schedule) !== undefined && (parseDuration(duration) ?? 0) > 0 && isTimeZone(timeZone));

/**
 * Commands of other reasons than a budget names are not counted where they start with this plan, since they may have started after
 * those that it limits. Nor are those that started after what it limits did, where that only continues now: it had its place first.
 */
function overBudget(budget: Budget, clusters: readonly Counted[]): GuardFinding[] {
  const { clusterSelector, reasons, clusters: mostClusters, nodes: mostNodes } = budget;
  const own = clusters.filter(
    ({ labels }) => clusterSelector === undefined || matchesSelector(clusterSelector, labels),
  );
  const isOf = ({ reason }: NodeCommand): boolean => reasons === undefined || reasons.includes(reason);
  const starting = own.filter(({ starts }) => starts.some(isOf));
  if (starting.length === 0) return [];
  const over = (message: string): GuardFinding => ({ rule: 'FleetNodeBudgetExceeded', message });
  if (!isReadable(budget)) return [over(`${starting[0]!.name}: a fleet budget that cannot be read allows no start`)];
  const firstAt = Math.min(...starting.flatMap(({ starts, begunAt }) => starts.filter(isOf).map(begunAt)));
  const isAllBefore = starting.every(({ starts, begunAt }) =>
    starts.filter(isOf).every((one) => begunAt(one) < Infinity),
  );
  const leavingOf = ({ leavingBut, begunAt }: Counted): number =>
    leavingBut((command) => isAllBefore && !isOf(command) && begunAt(command) >= firstAt);
  const busy = own.filter((one) => leavingOf(one) > 0).length;
  const added = starting.filter((one) => leavingOf(one) === 0 && one.starts.every(isOf)).length;
  const most = mostClusters === undefined ? Infinity : scaledUp(mostClusters, own.length);
  const names = starting.map(({ name }) => name).join(', ');
  return [
    ...(added > 0 && busy + added > most
      ? [over(`commands of ${busy + added} clusters would be under way (${names}), and a fleet budget allows ${most}`)]
      : []),
    ...(mostNodes === undefined ? [] : tooManyNodes(mostNodes, own, { isOf, leavingOf }).slice(0, 1).map(over)),
  ];
}

/**
 * How many nodes a member has only it says. So a percentage holds for all members together, and for all but the largest, which
 * counts there with no more than the next one has.
 */
function tooManyNodes(
  most: string | number,
  own: readonly Counted[],
  { isOf, leavingOf }: { readonly isOf: (of: NodeCommand) => boolean; readonly leavingOf: (of: Counted) => number },
): string[] {
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
  const [largest] = String(most).endsWith('%') ? [...own].sort((a, b) => b.nodes - a.nodes) : [];
  return [undefined, ...(largest ? [largest] : [])].flatMap((besides) => {
    const members = own.filter((one) => one !== besides);
    const commands = members.flatMap(({ starts }) => starts.filter(isOf));
    const disrupted = sum(members.map(leavingOf)) + sum(commands.map(({ nodes }) => nodes.length));
    const counts = members.map(({ nodes }) => nodes);
    const limit = scaledUp(most, sum(counts) + Math.min(besides?.nodes ?? 0, Math.max(0, ...counts)));
    if (commands.length === 0 || disrupted <= limit) return [];
    const names = members.filter(({ starts }) => starts.some(isOf)).map(({ name }) => name);
    const where = `${names.join(', ')}${besides ? `; besides those of ${besides.name}` : ''}`;
    return [`${disrupted} nodes would be disrupted (${where}), and a fleet budget allows ${limit}`];
  });
}

/** Drifted nodes go once no node of a cluster in an earlier wave is drifted or leaves. Clusters in no wave come last. */
function beforeTheirWave(waves: NonNullable<NodeDisruption['waves']>, clusters: readonly Counted[]): GuardFinding[] {
  const waveOf = ({ labels }: Counted): number => {
    const at = waves.findIndex((wave) => matchesSelector(wave, labels));
    return at === -1 ? waves.length : at;
  };
  return clusters.flatMap((cluster): GuardFinding[] => {
    const command = cluster.starts.find(({ reason }) => reason === 'Drifted');
    if (command === undefined) return [];
    const earlier = clusters.find(
      (other) =>
        waveOf(other) < waveOf(cluster) && (!other.isObserved || other.leavingBut(() => false) > 0 || other.hasDrifted),
    );
    return earlier === undefined
      ? []
      : [
          {
            rule: 'NodeWaveTooEarly',
            message: `${cluster.name}: command ${command.id} would start, and ${earlier.name} of an earlier wave is not done`,
          },
        ];
  });
}
