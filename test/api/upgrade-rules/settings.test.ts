import { describe, expect, it } from 'vitest';
import { findings } from '../placement-rules/findings.ts';

type Fields = Readonly<Record<string, unknown>>;

const objectOf = (kind: string, spec: Fields) => ({
  apiVersion: 'gitfleet.dev/v1alpha1',
  kind,
  metadata: { name: 'one' },
  spec,
});

const maintenance = (window: Fields = {}, spec: Fields = {}) =>
  objectOf('MaintenanceConfiguration', {
    ...('memberSelector' in spec ? {} : { clusterName: 'eu-1' }),
    ...spec,
    maintenanceWindow: { schedule: { daily: { intervalDays: 1 } }, startTime: '01:00', ...window },
  });

const inWindow = (code: string, path: string, severity = 'error') => [
  `${severity} ${code} spec.maintenanceWindow${path === '' ? '' : `.${path}`}`,
];
const monthly = (dayOfMonth: number, intervalMonths = 1) => ({ absoluteMonthly: { intervalMonths, dayOfMonth } });

describe('a MaintenanceConfiguration', () => {
  it.each<[string, Fields, string[]]>([
    ['of one schedule', maintenance(), []],
    ['with a zone', maintenance({ timeZone: 'Europe/Berlin' }), []],
    ['with an offset', maintenance({ utcOffset: '-11:30', startDate: '2026-01-01' }), []],
    ['of one blocked day', maintenance({ notAllowedDates: [{ start: '2026-12-24', end: '2026-12-24' }] }), []],
    ['of selected members', maintenance({}, { memberSelector: { byLabel: 'env=prod,region in (a, b),!canary' } }), []],
    ['for one type of upgrade', maintenance({}, { configurationName: 'aksManagedNodeOSUpgradeSchedule' }), []],
    ['of no member', maintenance({}, { clusterName: undefined }), ['error field-required spec']],
    [
      'of members and a cluster',
      maintenance({}, { clusterName: 'eu-1', memberSelector: { byLabel: 'a' } }),
      ['error exclusive-fields spec.clusterName'],
    ],
    [
      'with a selector that cannot be read',
      maintenance({}, { memberSelector: { byLabel: 'env = prod, eu west' } }),
      ['error invalid-selector spec.memberSelector.byLabel'],
    ],
    [
      "for Azure's own releases",
      maintenance({}, { configurationName: 'default' }),
      ['error invalid-value spec.configurationName'],
    ],
    ['without a schedule', maintenance({ schedule: {} }), inWindow('field-required', 'schedule')],
    [
      'of two schedules',
      maintenance({ schedule: { daily: { intervalDays: 1 }, ...monthly(1) } }),
      inWindow('exclusive-fields', 'schedule.absoluteMonthly'),
    ],
    [
      'with an interval and no startDate',
      maintenance({ schedule: { daily: { intervalDays: 2 } } }),
      inWindow('field-required', ''),
    ],
    [
      'with an interval and a startDate',
      maintenance({ schedule: { daily: { intervalDays: 7 } }, startDate: '2026-01-01' }),
      [],
    ],
    [
      'with a longer interval than AKS has',
      maintenance({ schedule: { daily: { intervalDays: 8 } } }),
      inWindow('out-of-range', 'schedule.daily.intervalDays'),
    ],
    [
      'every five weeks',
      maintenance({ schedule: { weekly: { intervalWeeks: 5, dayOfWeek: 'Monday' } } }),
      inWindow('out-of-range', 'schedule.weekly.intervalWeeks'),
    ],
    [
      'every seven months',
      maintenance({ schedule: monthly(1, 7) }),
      inWindow('out-of-range', 'schedule.absoluteMonthly.intervalMonths'),
    ],
    ['on day 28', maintenance({ schedule: monthly(28) }), []],
    [
      'on day 31',
      maintenance({ schedule: monthly(31) }),
      inWindow('idle-window', 'schedule.absoluteMonthly.dayOfMonth', 'warning'),
    ],
    [
      'on day 32',
      maintenance({ schedule: monthly(32) }),
      inWindow('out-of-range', 'schedule.absoluteMonthly.dayOfMonth'),
    ],
    [
      'on the fifth Friday',
      maintenance({ schedule: { relativeMonthly: { intervalMonths: 1, weekIndex: 'Fifth', dayOfWeek: 'Friday' } } }),
      inWindow('invalid-value', 'schedule.relativeMonthly.weekIndex'),
    ],
    ['of three hours', maintenance({ durationHours: 3 }), inWindow('out-of-range', 'durationHours')],
    ['of 25 hours', maintenance({ durationHours: 25 }), inWindow('out-of-range', 'durationHours')],
    ['at 24:00', maintenance({ startTime: '24:00' }), inWindow('invalid-value', 'startTime')],
    ['at 1:00', maintenance({ startTime: '1:00' }), inWindow('invalid-value', 'startTime')],
    ['with the offset Z', maintenance({ utcOffset: 'Z' }), inWindow('invalid-value', 'utcOffset')],
    ['with an offset that no place has', maintenance({ utcOffset: '+15:00' }), inWindow('invalid-value', 'utcOffset')],
    [
      'with a zone that does not exist',
      maintenance({ timeZone: 'Europe/Berlyn' }),
      inWindow('invalid-value', 'timeZone'),
    ],
    [
      'with zone and offset',
      maintenance({ timeZone: 'Europe/Berlin', utcOffset: '+01:00' }),
      inWindow('exclusive-fields', 'utcOffset'),
    ],
    [
      'with dates in the wrong order',
      maintenance({ notAllowedDates: [{ start: '2026-12-24', end: '2026-12-23' }] }),
      inWindow('out-of-range', 'notAllowedDates.0.end'),
    ],
    ['with a date that does not exist', maintenance({ startDate: '2026-02-30' }), inWindow('invalid', 'startDate')],
    [
      'with the fields of the configuration default',
      maintenance({ notAllowedTime: [] }),
      inWindow('unknown-field', 'notAllowedTime'),
    ],
  ])('%s', (_, document, expected) => {
    expect(findings(document)).toEqual(expected);
  });
});

describe('a VersionCatalog', () => {
  const catalog = (region: Fields) => objectOf('VersionCatalog', { regions: [{ name: 'westeurope', ...region }] });
  it.each<[string, Fields, string[]]>([
    ['of a region alone', catalog({}), []],
    [
      'of versions and images',
      catalog({
        kubernetesVersions: [
          { version: '1.31.5', released: '2026-11-03', lts: true, endOfSupport: '2028-01-31' },
          { version: 'v1.31.5+k3s1', preview: true },
        ],
        nodeImageVersions: [{ version: 'AKSUbuntu-2204gen2containerd-202601.27.0', released: '2026-11-03T10:00:00Z' }],
      }),
      [],
    ],
    [
      'of a version that is none',
      catalog({ kubernetesVersions: [{ version: 'latest' }] }),
      ['error invalid-value spec.regions.0.kubernetesVersions.0.version'],
    ],
    [
      'of a minor',
      catalog({ kubernetesVersions: [{ version: '1.31' }] }),
      ['error invalid-value spec.regions.0.kubernetesVersions.0.version'],
    ],
    [
      'of an image that cannot be compared',
      catalog({ nodeImageVersions: [{ version: 'ami-0abc' }] }),
      ['warning no-use spec.regions.0.nodeImageVersions.0.version'],
    ],
    [
      'for a provider that does not exist',
      objectOf('VersionCatalog', { provider: 'azure', regions: [] }),
      ['warning no-use spec.provider'],
    ],
    [
      'of a day that is none',
      catalog({ nodeImageVersions: [{ version: 'AKSUbuntu-2204-202601.27.0', released: 'yesterday' }] }),
      ['error invalid spec.regions.0.nodeImageVersions.0.released'],
    ],
  ])('%s', (_, document, expected) => {
    expect(findings(document)).toEqual(expected);
  });
});

describe('an AutoUpgradeProfile', () => {
  const profile = (spec: Fields) => objectOf('AutoUpgradeProfile', spec);
  it.each<[string, Fields, string[]]>([
    ['of a channel', profile({ channel: 'Stable' }), []],
    [
      'of a strategy, with images',
      profile({
        channel: 'Rapid',
        updateStrategyId: 'all',
        nodeImageSelection: { type: 'Consistent' },
        disabled: true,
      }),
      [],
    ],
    ['of a minor', profile({ channel: 'TargetKubernetesVersion', targetKubernetesVersion: '1.31' }), []],
    ['of no channel', profile({}), ['error field-required spec.channel']],
    ['of a channel that only Azure has', profile({ channel: 'SecurityPatch' }), ['error invalid-value spec.channel']],
    ['of a minor that is not named', profile({ channel: 'TargetKubernetesVersion' }), ['error field-required spec']],
    [
      'of a patch',
      profile({ channel: 'TargetKubernetesVersion', targetKubernetesVersion: '1.31.5' }),
      ['error invalid-value spec.targetKubernetesVersion'],
    ],
    [
      'of a minor beside another channel',
      profile({ channel: 'Stable', targetKubernetesVersion: '1.31' }),
      ['error field-not-allowed spec.targetKubernetesVersion'],
    ],
    [
      'of long-term support beside another channel',
      profile({ channel: 'Stable', longTermSupport: true }),
      ['error field-not-allowed spec.longTermSupport'],
    ],
    [
      'of images that are listed',
      profile({ channel: 'NodeImage', nodeImageSelection: { type: 'Custom' } }),
      ['error invalid-value spec.nodeImageSelection.type'],
    ],
    [
      'of a strategy by its ARM id',
      profile({ channel: 'Stable', updateStrategyId: '/subscriptions/s/fleets/f/updateStrategies/all' }),
      ['info old-spelling spec.updateStrategyId'],
    ],
    [
      'of a name that AKS Fleet refuses',
      { ...profile({ channel: 'Stable' }), metadata: { name: 'a'.repeat(51) } },
      ['error invalid-name metadata.name'],
    ],
  ])('%s', (_, document, expected) => {
    expect(findings(document)).toEqual(expected);
  });
});
