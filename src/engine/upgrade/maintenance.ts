import type { MaintenanceConfiguration } from '../../api/maintenance-configuration.ts';
import type { ClusterName } from '../../api/meta.ts';
import { parseSelector } from '../../api/selector-text.ts';
import type { UpgradeType } from '../../api/upgrade-fields.ts';
import type { Instant } from '../kernel/instant.ts';
import { memoize } from '../kernel/memoize.ts';
import { type Labels, matchesSelector } from '../kernel/selector.ts';
import { allClosedAt, firstOpening, type Window } from '../window/window.ts';
import { allowedBy, blockedBy, horizonMs } from './maintenance-window.ts';

/** When upgrades of some members may start. Members with the same configurations share one value. */
export interface Maintenance {
  /** Names of the configurations. */
  readonly names: readonly string[];
  /** Open when any of these is, */
  readonly allowed: readonly Window[];
  /** unless any of these is. */
  readonly blocked: readonly Window[];
}

/** A span in which upgrades may start. */
export interface Opening {
  readonly opensMs: Instant;
  /** Undefined = it does not end within `horizonMs`. */
  readonly closesMs: Instant | undefined;
}

export interface MaintainedMember {
  readonly name: ClusterName;
  readonly labels: Labels;
}

/** The windows of a member for upgrades of a type. Undefined = no window restricts them. */
export function maintenanceOf(
  configurations: readonly MaintenanceConfiguration[],
  member: MaintainedMember,
  upgradeType: UpgradeType,
): Maintenance | undefined {
  const applicable = applicableTo(member, compiled(configurations)).filter(({ governs }) => governs(upgradeType));
  return applicable.length === 0 ? undefined : together(configurations, applicable);
}

/** The windows of one configuration, whatever others there are. */
export function ownMaintenance(configuration: MaintenanceConfiguration): Maintenance {
  const { name, allowed, blocked } = compile(configuration);
  return { names: [name], allowed: [allowed], blocked: [blocked] };
}

/** Members have the same labels from one plan to the next. */
function applicableTo(
  { name, labels }: MaintainedMember,
  { ofCluster, selecting, known }: ReturnType<typeof compiled>,
): readonly Compiled[] {
  const before = known.get(labels);
  if (before?.name === name) return before.found;
  const found = [
    ...(ofCluster.get(name) ?? []),
    ...selecting.filter(({ selector }) => matchesSelector(selector, labels)),
  ];
  known.set(labels, { name, found });
  return found;
}

/** Whether an upgrade may start at the instant. */
export const isOpen = ({ allowed, blocked }: Maintenance, atMs: Instant): boolean =>
  isAnyOpen(allowed, atMs) && !isAnyOpen(blocked, atMs);

/** When the first opening after the instant begins; where one is open, that after it. Undefined = none within `horizonMs`. */
export function nextOpening(maintenance: Maintenance, afterMs: Instant): Instant | undefined {
  const { allowed, blocked } = maintenance;
  let at = isOpen(maintenance, afterMs) ? nextClosing(maintenance, afterMs) : afterMs;
  while (at !== undefined && at <= afterMs + horizonMs) {
    if (isAnyOpen(blocked, at)) at = allClosedAt(blocked, at);
    else if (isAnyOpen(allowed, at)) return at;
    else at = firstOpening(allowed, at);
  }
  return undefined;
}

/** When the opening that contains the instant ends. Undefined = none does, or it does not end within `horizonMs`. */
export function nextClosing(maintenance: Maintenance, atMs: Instant): Instant | undefined {
  if (!isOpen(maintenance, atMs)) return undefined;
  const ends = [allClosedAt(maintenance.allowed, atMs), firstOpening(maintenance.blocked, atMs)];
  const known = ends.filter((end) => end !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

/** The next openings, at most `count`: one that contains `fromMs` first, with its begin as far as `horizonMs` back. */
export function openings(maintenance: Maintenance, fromMs: Instant, count: number): readonly Opening[] {
  const found: Opening[] = [];
  let opens = isOpen(maintenance, fromMs) ? openedAt(maintenance, fromMs) : nextOpening(maintenance, fromMs);
  while (opens !== undefined && found.length < count) {
    const closesMs = nextClosing(maintenance, opens);
    found.push({ opensMs: opens, closesMs });
    opens = closesMs === undefined ? undefined : nextOpening(maintenance, opens);
  }
  return found;
}

/** It began as far back as is looked, and does not end as far ahead. */
export const isAlwaysOpen = ({ opensMs, closesMs }: Opening, nowMs: Instant): boolean =>
  closesMs === undefined && opensMs <= nowMs - horizonMs;

const isAnyOpen = (windows: readonly Window[], at: Instant): boolean =>
  windows.some((window) => window.closesAt(at) !== undefined);

/** When the opening that contains the instant began. */
function openedAt(maintenance: Maintenance, at: Instant): Instant {
  // A window lasts a day at most: only where several follow without a gap is it further back.
  for (let back = 90_000_000; back < horizonMs; back *= 2) {
    const begins = beginsBetween(maintenance, at - back, at);
    if (begins.length > 0) return begins.at(-1)!;
  }
  return at - horizonMs;
}

function beginsBetween(maintenance: Maintenance, from: Instant, until: Instant): readonly Instant[] {
  const begins: Instant[] = [];
  for (let next = nextOpening(maintenance, from); next !== undefined && next <= until; ) {
    begins.push(next);
    next = nextOpening(maintenance, next);
  }
  return begins;
}

interface Compiled {
  readonly name: string;
  readonly governs: (upgradeType: UpgradeType) => boolean;
  readonly allowed: Window;
  readonly blocked: Window;
}

/** Thousands of members may each have a configuration of their own: those are looked up. */
const compiled = memoize((configurations: readonly MaintenanceConfiguration[]) => {
  const all = configurations.map(({ spec, ...rest }) => ({ spec, compiled: compile({ spec, ...rest }) }));
  return {
    ofCluster: new Map(
      [...Map.groupBy(all, ({ spec }) => spec.clusterName)].map(([name, of]) => [name, of.map((it) => it.compiled)]),
    ),
    selecting: all.flatMap(({ spec, compiled }) => {
      const parsed = spec.memberSelector && parseSelector(spec.memberSelector.byLabel);
      return parsed?.ok ? [{ ...compiled, selector: parsed.selector }] : [];
    }),
    known: new WeakMap<Labels, { readonly name: ClusterName; readonly found: readonly Compiled[] }>(),
  };
});

const compile = ({ metadata: { name }, spec }: MaintenanceConfiguration): Compiled => ({
  name,
  governs: (upgradeType) =>
    spec.configurationName === undefined ||
    (spec.configurationName === 'aksManagedNodeOSUpgradeSchedule') === (upgradeType === 'NodeImageOnly'),
  allowed: allowedBy(spec.maintenanceWindow),
  blocked: blockedBy(spec.maintenanceWindow),
});

/** By the configurations of a fleet, each group of them that is that of some member. */
const groups = memoize((_: readonly MaintenanceConfiguration[]) => new Map<string, Maintenance>());

/** The same value for the same configurations. */
function together(of: readonly MaintenanceConfiguration[], applicable: readonly Compiled[]): Maintenance {
  const names = applicable.map(({ name }) => name);
  const known = groups(of).get(names.join());
  if (known) return known;
  const maintenance = {
    names,
    allowed: applicable.map(({ allowed }) => allowed),
    blocked: applicable.map(({ blocked }) => blocked),
  };
  groups(of).set(names.join(), maintenance);
  return maintenance;
}
