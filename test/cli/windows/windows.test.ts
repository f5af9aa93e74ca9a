import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folder, put, removeFolders } from '../../support/folders.ts';
import { member } from '../../support/plan-command.ts';
import { cli, type Ran } from '../../support/run-cli.ts';

const maintenance = (name: string, spec: string) =>
  `apiVersion: gitfleet.dev/v1alpha1\nkind: MaintenanceConfiguration\nmetadata: {name: ${name}}\nspec: ${spec}\n`;

let repo: string;
beforeAll(() => {
  repo = folder();
  put(repo, {
    'clusters/eu-1.yaml': member('eu-1', { labels: { env: 'prod' } }),
    'clusters/eu-2.yaml': member('eu-2', { labels: { env: 'dev' } }),
    'clusters/eu-3.yaml': member('eu-3', { labels: { env: 'never' } }),
    'fleet.yaml':
      'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec:\n  freeze:\n  - {name: friday, schedule: 0 18 27 11 *, duration: 7h}\n',
    'windows.yaml': [
      maintenance(
        'weekends',
        '{memberSelector: {byLabel: env=prod}, maintenanceWindow: {schedule: {weekly: {intervalWeeks: 1, dayOfWeek: Saturday}}, startTime: "01:00", durationHours: 6, timeZone: Europe/Berlin}}',
      ),
      maintenance(
        'images',
        '{clusterName: eu-1, configurationName: aksManagedNodeOSUpgradeSchedule, maintenanceWindow: {schedule: {daily: {intervalDays: 1}}, startTime: "20:00", durationHours: 4}}',
      ),
      maintenance(
        'never',
        '{clusterName: eu-3, maintenanceWindow: {schedule: {daily: {intervalDays: 1}}, startTime: "20:00", notAllowedDates: [{start: 2020-01-01, end: 2040-01-01}]}}',
      ),
      maintenance(
        'always',
        '{clusterName: always-1, maintenanceWindow: {schedule: {daily: {intervalDays: 1}}, startTime: "00:00"}}',
      ),
    ].join('---\n'),
    'clusters/always-1.yaml': member('always-1', {}),
  });
});
afterAll(removeFolders);

const windows = (...args: readonly string[]): Promise<Ran> =>
  cli('windows', ...args, '--repo', repo, '--now', '2026-11-20T10:00:00Z');

describe('windows', () => {
  it('lists the next openings of a cluster, by types that differ, and what freezes take away', async () => {
    expect(await windows('eu-1', '--next', '3')).toEqual({
      code: 0,
      err: '',
      out: `Full and ControlPlaneOnly: weekends
OPENS                  CLOSES                 FROZEN
2026-11-21T00:00:00Z   2026-11-21T06:00:00Z   <none>
2026-11-28T00:00:00Z   2026-11-28T06:00:00Z   until 2026-11-28T01:00:00Z
2026-12-05T00:00:00Z   2026-12-05T06:00:00Z   <none>

NodeImageOnly: images, weekends
OPENS                  CLOSES                 FROZEN
2026-11-20T20:00:00Z   2026-11-21T06:00:00Z   <none>
2026-11-21T20:00:00Z   2026-11-22T00:00:00Z   <none>
2026-11-22T20:00:00Z   2026-11-23T00:00:00Z   <none>
`,
    });
  });

  it('shows one that never closes as always open', async () => {
    expect((await windows('always-1')).out).toMatch(/^OPENS +CLOSES +FROZEN\nalways open +never /);
  });

  it('lists those of one type', async () => {
    const { out } = await windows('eu-1', '--next', '1', '--type', 'full');
    expect(out).toBe(
      'OPENS                  CLOSES                 FROZEN\n2026-11-21T00:00:00Z   2026-11-21T06:00:00Z   <none>\n',
    );
  });

  it('says that nothing restricts a cluster, or that nothing opens', async () => {
    expect((await windows('eu-2')).out).toBe(
      'no maintenance configuration is for eu-2: upgrades may start at any time\n',
    );
    expect((await windows('eu-3')).out).toBe('no window of never opens in the next three years\n');
  });

  it('as JSON', async () => {
    const { out } = await windows('eu-1', '--next', '1', '--type', 'NodeImageOnly', '-o', 'json');
    expect(JSON.parse(out)).toEqual({
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'MaintenanceWindows',
      clusterName: 'eu-1',
      windows: [
        {
          types: ['NodeImageOnly'],
          configurations: ['images', 'weekends'],
          openings: [{ opens: '2026-11-20T20:00:00Z', closes: '2026-11-21T06:00:00Z' }],
        },
      ],
    });
  });

  it('as a calendar, in lines of at most 75 octets', async () => {
    const { out } = await windows('eu-1', '--next', '2', '--type', 'Full', '-o', 'ics');
    expect(out.split('\r\n')).toEqual([
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:-//gitfleet//maintenance windows//EN',
      'CALSCALE:GREGORIAN',
      'X-WR-CALNAME:Maintenance windows of eu-1',
      'BEGIN:VEVENT',
      'UID:20261121T000000Z-full-eu-1@gitfleet.dev',
      'DTSTAMP:20261120T100000Z',
      'DTSTART:20261121T000000Z',
      'DTEND:20261121T060000Z',
      'SUMMARY:eu-1: upgrades may start',
      'DESCRIPTION:Types of upgrades: Full. MaintenanceConfiguration: weekends',
      'TRANSP:TRANSPARENT',
      'END:VEVENT',
      'BEGIN:VEVENT',
      'UID:20261128T000000Z-full-eu-1@gitfleet.dev',
      'DTSTAMP:20261120T100000Z',
      'DTSTART:20261128T000000Z',
      'DTEND:20261128T060000Z',
      'SUMMARY:eu-1: upgrades may start (frozen until 2026-11-28T01:00:00Z)',
      'DESCRIPTION:Types of upgrades: Full. MaintenanceConfiguration: weekends',
      'TRANSP:TRANSPARENT',
      'END:VEVENT',
      'END:VCALENDAR',
      '',
    ]);
  });

  it.each([
    [['eu-4'], /cluster eu-4/],
    [['eu-1', '--next', '0'], /--next 0 is not a number from 1 to 1000/],
    [['eu-1', '--type', 'Ful'], /Ful/],
    [['eu-1', '-o', 'yaml'], /-o yaml is not known here/],
  ])('refuses %j', async (args, message) => {
    const { code, err } = await windows(...args);
    expect(code).toBe(2);
    expect(err).toMatch(message);
  });

  it('says that windows are unknown while a file is not valid', async () => {
    put(repo, {
      'broken.yaml': maintenance(
        'broken',
        '{clusterName: eu-2, maintenanceWindow: {schedule: {}, startTime: "20:00"}}',
      ),
    });
    expect(await windows('eu-2')).toMatchObject({
      code: 0,
      out: expect.stringContaining(
        'no valid maintenance configuration is for eu-2: no upgrade starts until all are valid',
      ),
      err: 'note: maintenance windows are unknown until MaintenanceConfiguration broken is valid\n',
    });
  });
});
