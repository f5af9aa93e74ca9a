import type { UpgradeType } from '../../api/upgrade-fields.ts';
import { freezeAt } from '../../engine/freeze/freeze.ts';
import type { Fleet, PlanInput } from '../../engine/input.ts';
import { formatInstant, type Instant, parseInstant } from '../../engine/kernel/instant.ts';
import { labelsOf } from '../../engine/placement/members.ts';
import { maintenanceOf, type Opening, openings } from '../../engine/upgrade/maintenance.ts';
import { unknownName } from '../terminal/unknown-name.ts';

/** The windows of a cluster for some types of upgrades. */
export interface ClusterWindows {
  readonly types: readonly UpgradeType[];
  /** Names of its maintenance configurations; none = upgrades may start at any time. */
  readonly configurations: readonly string[];
  readonly openings: readonly TimedOpening[];
}

export interface TimedOpening {
  readonly opens: string;
  /** Absent = it does not end in the next three years. */
  readonly closes?: string;
  /** What of it a freeze takes away. */
  readonly freeze?: string;
}

interface Asked {
  readonly input: PlanInput;
  readonly count: number;
}

/** Types that have the same configurations are reported together. */
export function windowsOf(
  cluster: string,
  types: readonly UpgradeType[],
  { input, count }: Asked,
): readonly ClusterWindows[] {
  const { members, maintenanceConfigurations, config } = input.fleet;
  const member = members.find(({ metadata }) => metadata.name === cluster);
  if (!member)
    throw unknownName({ what: 'cluster', name: cluster, known: members.map(({ metadata }) => metadata.name) });
  const of = { name: member.metadata.name, labels: labelsOf(member) };
  const byMaintenance = Map.groupBy(types, (type) => maintenanceOf(maintenanceConfigurations, of, type));
  return [...byMaintenance].map(([maintenance, sharing]) => ({
    types: sharing,
    configurations: maintenance?.names ?? [],
    openings: maintenance
      ? openings(maintenance, parseInstant(input.now)!, count).map((opening) => timed(opening, config))
      : [],
  }));
}

function timed({ opensMs, closesMs }: Opening, config: Fleet['config']): TimedOpening {
  const freeze = freezeIn({ opensMs, closesMs }, config);
  return {
    opens: formatInstant(opensMs),
    ...(closesMs !== undefined && { closes: formatInstant(closesMs) }),
    ...(freeze !== undefined && { freeze }),
  };
}

function freezeIn(
  { opensMs, closesMs = Number.POSITIVE_INFINITY }: Opening,
  config: Fleet['config'],
): string | undefined {
  const pause = freezeAt(config, formatInstant(opensMs));
  if (pause.kind === 'paused') return pause.until === undefined ? 'whole' : until(pause.until, closesMs);
  return pause.pausesAt !== undefined && parseInstant(pause.pausesAt)! < closesMs
    ? `from ${pause.pausesAt}`
    : undefined;
}

const until = (end: string, closesMs: Instant): string => (parseInstant(end)! >= closesMs ? 'whole' : `until ${end}`);
