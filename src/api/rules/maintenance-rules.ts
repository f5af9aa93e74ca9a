import { error, type Issue, warning } from '../issue.ts';
import type { MaintenanceConfiguration, MaintenanceWindow } from '../maintenance-configuration.ts';
import { isTimeZone } from '../syntax.ts';
import { memberSelectorIssues } from './upgrade-rules.ts';

type Path = Issue['path'];
const windowPath: Path = ['spec', 'maintenanceWindow'];

/** What AKS refuses of a maintenance configuration, and what cannot be meant. */
export function maintenanceIssues({ spec }: MaintenanceConfiguration): Issue[] {
  const { maintenanceWindow, configurationName } = spec;
  return [
    ...membersIssues(spec),
    ...(configurationName === 'default' ? [refusedName] : []),
    ...scheduleIssues(maintenanceWindow),
    ...clockIssues(maintenanceWindow),
    ...(maintenanceWindow.notAllowedDates ?? []).flatMap(({ start, end }, at) =>
      start <= end ? [] : [endsBeforeItStarts(start, end, at)],
    ),
  ];
}

const refusedName = error(
  'invalid-value',
  ['spec', 'configurationName'],
  "default governs Azure's own weekly releases, which no update run starts",
  'write aksManagedAutoUpgradeSchedule or aksManagedNodeOSUpgradeSchedule, or remove it for both',
);

function membersIssues({ clusterName, memberSelector }: MaintenanceConfiguration['spec']): Issue[] {
  if (memberSelector === undefined)
    return clusterName === undefined
      ? [error('field-required', ['spec'], 'it names no member', 'add clusterName or memberSelector')]
      : [];
  return [
    ...(clusterName === undefined
      ? []
      : [
          error(
            'exclusive-fields',
            ['spec', 'clusterName'],
            'it has clusterName and memberSelector',
            'remove one of them',
          ),
        ]),
    ...memberSelectorIssues(memberSelector, ['spec', 'memberSelector']),
  ];
}

const schedules = ['daily', 'weekly', 'absoluteMonthly', 'relativeMonthly'] as const;

function scheduleIssues({ schedule, startDate }: MaintenanceWindow): Issue[] {
  const path = [...windowPath, 'schedule'];
  const [first, second] = schedules.filter((kind) => schedule[kind] !== undefined);
  if (first === undefined)
    return [error('field-required', path, 'a window needs a schedule', `add one of ${schedules.join(', ')}`)];
  if (second !== undefined)
    return [
      error(
        'exclusive-fields',
        [...path, second],
        `a window has one schedule: ${first} and ${second} are two`,
        'remove one of them',
      ),
    ];
  const { daily, weekly, absoluteMonthly, relativeMonthly } = schedule;
  const interval =
    daily?.intervalDays ?? weekly?.intervalWeeks ?? absoluteMonthly?.intervalMonths ?? relativeMonthly?.intervalMonths;
  const day = absoluteMonthly?.dayOfMonth ?? 0;
  return [
    ...((interval ?? 1) > 1 && startDate === undefined
      ? [error('field-required', windowPath, 'an interval above 1 counts from startDate', 'add startDate: 2026-01-01')]
      : []),
    ...(day > 28
      ? [
          warning(
            'idle-window',
            [...path, 'absoluteMonthly', 'dayOfMonth'],
            `the window does not open in months without a day ${day}`,
            'write at most 28, or use relativeMonthly with weekIndex: Last',
          ),
        ]
      : []),
  ];
}

function clockIssues({ startTime, utcOffset, timeZone }: MaintenanceWindow): Issue[] {
  const at = (field: string): Path => [...windowPath, field];
  return [
    ...(/^([01]\d|2[0-3]):[0-5]\d$/.test(startTime)
      ? []
      : [error('invalid-value', at('startTime'), `"${startTime}" is not a time of day`, 'write for example "02:00"')]),
    ...(utcOffset === undefined || /^[-+](0\d|1[0-4]):[0-5]\d$/.test(utcOffset)
      ? []
      : [
          error(
            'invalid-value',
            at('utcOffset'),
            `"${utcOffset}" is not an offset from UTC`,
            'write for example "+02:00"',
          ),
        ]),
    ...(timeZone === undefined || isTimeZone(timeZone)
      ? []
      : [
          error(
            'invalid-value',
            at('timeZone'),
            `"${timeZone}" is not a time zone`,
            'write an IANA name: Europe/Berlin',
          ),
        ]),
    ...(utcOffset !== undefined && timeZone !== undefined
      ? [error('exclusive-fields', at('utcOffset'), 'it has utcOffset and timeZone', 'remove one of them')]
      : []),
  ];
}

const endsBeforeItStarts = (start: string, end: string, at: number): Issue =>
  error(
    'out-of-range',
    [...windowPath, 'notAllowedDates', at, 'end'],
    `${end} is before ${start}`,
    'write the last day as end',
  );
