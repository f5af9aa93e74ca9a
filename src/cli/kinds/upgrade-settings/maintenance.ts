import type { MaintenanceConfiguration, MaintenanceWindow } from '../../../api/maintenance-configuration.ts';
import { upgradeType } from '../../../api/upgrade-fields.ts';
import { formatInstant } from '../../../engine/kernel/instant.ts';
import { listUpTo } from '../../../engine/kernel/short-list.ts';
import { labelsOf } from '../../../engine/placement/members.ts';
import { isAlwaysOpen, maintenanceOf, openings } from '../../../engine/upgrade/maintenance.ts';
import { allowedBy, blockedBy } from '../../../engine/upgrade/maintenance-window.ts';
import { fleetAsPlanned } from '../../status/fleet-as-planned.ts';
import { mostNamed } from '../../terminal/names.ts';
import { table } from '../../terminal/table.ts';
import { namesOfKind } from '../kind-words.ts';
import { type Listing, listing } from '../listing.ts';
import { fields, titled } from '../page-text.ts';

/** Windows that a page lists. */
const mostOpenings = 5;

interface Configured {
  readonly configuration: MaintenanceConfiguration;
  /** Names of the members that it is for. */
  readonly clusters: readonly string[];
}

/** MaintenanceConfigurations of the commit that was planned from, with the members that they are for and the next windows. */
export const maintenance: Listing = listing<Configured>({
  names: namesOfKind('maintenance'),
  folders: [],
  async items(status, reader) {
    const { maintenanceConfigurations = [], members = [] } = (await fleetAsPlanned(status, reader)) ?? {};
    return maintenanceConfigurations.map((configuration) => ({
      configuration,
      clusters: members
        .filter((member) => {
          const of = { name: member.metadata.name, labels: labelsOf(member) };
          return upgradeType.options.some((type) => maintenanceOf([configuration], of, type) !== undefined);
        })
        .map(({ metadata }) => metadata.name),
    }));
  },
  describe: ({ configuration }) => ({ name: configuration.metadata.name, value: configuration }),
  page: maintenancePage,
  columns: [
    { heading: 'CLUSTERS', cell: ({ clusters }) => clusters.length },
    { heading: 'UPGRADES', cell: ({ configuration }) => governed(configuration) },
    { heading: 'OPENS', cell: ({ configuration }) => scheduleText(configuration.spec.maintenanceWindow) },
    { heading: 'NEXT', cell: ({ configuration }, now) => nextOf(configuration, now)[0]?.[0] },
  ],
});

function maintenancePage({ configuration, clusters }: Configured, { now }: { readonly now: number }): string[] {
  const { kind, metadata, spec } = configuration;
  const { maintenanceWindow: window } = spec;
  const blocked = (window.notAllowedDates ?? []).map(({ start, end }) =>
    start === end ? start : `${start} to ${end}`,
  );
  const head = fields([
    ['Name', metadata.name],
    ['Kind', kind],
    [
      'For',
      spec.clusterName === undefined ? `clusters with ${spec.memberSelector?.byLabel}` : `cluster ${spec.clusterName}`,
    ],
    ['Clusters', listUpTo(clusters, mostNamed)],
    ['Upgrades', governed(configuration)],
    ['Opens', scheduleText(window)],
    ['Lasts', `${window.durationHours} hours`],
    window.startDate === undefined ? undefined : ['Since', window.startDate],
    ['Not on', blocked.join(', ')],
  ]);
  const next = nextOf(configuration, now);
  return [head, titled('Next windows', next.length === 0 ? '<none>' : table(['OPENS', 'CLOSES'], next))];
}

const governed = ({ spec: { configurationName: name } }: MaintenanceConfiguration): string =>
  name === undefined ? 'all' : name === 'aksManagedNodeOSUpgradeSchedule' ? 'node images' : 'Kubernetes versions';

/** `Saturday every 2 weeks at 01:00 Europe/Berlin` */
function scheduleText({ schedule, startTime, timeZone, utcOffset }: MaintenanceWindow): string {
  const { daily, weekly, absoluteMonthly, relativeMonthly } = schedule;
  const every = (count: number, unit: string): string => (count === 1 ? `every ${unit}` : `every ${count} ${unit}s`);
  const days = daily
    ? every(daily.intervalDays, 'day')
    : weekly
      ? `${weekly.dayOfWeek} ${every(weekly.intervalWeeks, 'week')}`
      : absoluteMonthly
        ? `day ${absoluteMonthly.dayOfMonth} ${every(absoluteMonthly.intervalMonths, 'month')}`
        : `${relativeMonthly?.weekIndex} ${relativeMonthly?.dayOfWeek} ${every(relativeMonthly?.intervalMonths ?? 1, 'month')}`;
  const zone = timeZone ?? (utcOffset === undefined || utcOffset === '+00:00' ? 'UTC' : `UTC${utcOffset}`);
  return `${days} at ${startTime} ${zone}`;
}

/** Of this configuration alone; one that is open first. */
function nextOf({ metadata, spec: { maintenanceWindow: window } }: MaintenanceConfiguration, now: number): string[][] {
  const alone = { names: [metadata.name], allowed: [allowedBy(window)], blocked: [blockedBy(window)] };
  return openings(alone, now, mostOpenings).map((opening) => {
    if (isAlwaysOpen(opening, now)) return ['always open', 'never'];
    const { opensMs, closesMs } = opening;
    return [formatInstant(opensMs), closesMs === undefined ? 'never' : formatInstant(closesMs)];
  });
}
