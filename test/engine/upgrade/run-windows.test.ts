import { describe, expect, it } from 'vitest';
import { formatInstant, parseInstant } from '../../../src/engine/kernel/instant.ts';
import { inGroup, run, strategy, UpgradeFleet } from './upgrade-fleet.ts';

/** A window for four hours of every day. */
const window = (name: string, startTime: string): Record<string, string> => ({
  [`windows/${name}.yaml`]: JSON.stringify({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'MaintenanceConfiguration',
    metadata: { name },
    spec: {
      clusterName: name,
      maintenanceWindow: { schedule: { daily: { intervalDays: 1 } }, startTime, durationHours: 4 },
    },
  }),
});

const freeze = (schedule: string, duration: string): Record<string, string> => ({
  'fleet.yaml': JSON.stringify({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'FleetConfig',
    spec: { freeze: [{ name: 'holidays', schedule, duration }] },
  }),
});

const fleetWith = (spec: object, windows: Record<string, string>, names = ['closed', 'none', 'open', 'soon']) =>
  new UpgradeFleet({ ...windows, ...run(spec) }).with(names, inGroup('g'));

const windows = { ...window('closed', '20:00'), ...window('open', '09:00'), ...window('soon', '12:00') };

describe('maintenance windows', () => {
  it('members are chosen by their windows: open, soon, none, closed; one that is closed is Pending and the next starts', async () => {
    const fleet = fleetWith({ strategy: { stages: [{ name: 's', groups: [{ name: 'g' }] }] } }, windows);
    await fleet.plan();
    expect(fleet.inFlight()).toEqual(['open']);
    expect(fleet.states()[1]).toContain('[closed NotStarted, none NotStarted, open Running, soon NotStarted]');
    fleet.succeed().later(60);
    const plan = await fleet.plan();
    expect(fleet.inFlight()).toEqual(['none']);
    expect(fleet.states()[1]).toContain('[closed NotStarted, none Running, open Completed, soon Pending/WindowClosed]');
    expect(fleet.holds()).toEqual(['soon WindowClosed 2026-11-20T12:00:00Z']);
    expect(plan.wakeAt).toBe('2026-11-20T12:00:00Z');
    fleet.succeed().later(60);
    await fleet.plan();
    expect(fleet.states()[0]).toBe('Pending');
    fleet.now = Date.parse('2026-11-20T12:00:00Z');
    await fleet.plan();
    expect(fleet.inFlight()).toEqual(['soon']);
  });

  it('Pending names the next opening', async () => {
    const fleet = fleetWith({}, windows, ['closed']);
    await fleet.plan();
    expect(fleet.run().stages[0]!.groups[0]!.members[0]!.status).toEqual({
      state: 'Pending',
      startTime: '2026-11-20T10:00:00Z',
      error: { code: 'WindowClosed', message: 'next window opens at 2026-11-20T20:00:00Z' },
    });
  });

  it('a slot is kept free for a window that opens soon, where the run says so', async () => {
    const fleet = fleetWith({ reserveUpcomingWindows: true }, windows, ['none', 'soon']);
    const plan = await fleet.plan();
    expect(fleet.inFlight()).toEqual([]);
    expect(fleet.holds()).toEqual(['default ReservedForWindow', 'soon WindowClosed 2026-11-20T12:00:00Z']);
    expect(plan.wakeAt).toBe('2026-11-20T12:00:00Z');
    fleet.now = Date.parse('2026-11-20T12:00:00Z');
    await fleet.plan();
    expect(fleet.inFlight()).toEqual(['soon']);
  });
});

it('a slot that would be reserved is none in a freeze: the next look is at its end', async () => {
  const fleet = fleetWith({ reserveUpcomingWindows: true }, freeze('0 9 * * *', '10h'), ['a']);
  expect((await fleet.plan()).wakeAt).toBe('2026-11-20T19:00:00Z');
});

it('nothing starts in a freeze, what is in flight continues', async () => {
  const fleet = fleetWith(
    { strategy: { stages: [{ name: 's', groups: [{ name: 'g', maxConcurrency: '50%' }] }] } },
    freeze('0 11 * * *', '2h'),
    ['a', 'b'],
  );
  await fleet.plan();
  expect(fleet.inFlight()).toEqual(['a']);
  fleet.later(4000);
  await fleet.plan();
  expect(fleet.inFlight()).toEqual(['a']);
  fleet.succeed().later(60);
  await fleet.plan();
  expect(fleet.inFlight()).toEqual([]);
  expect(fleet.holds()).toEqual(['b Freeze 2026-11-20T13:00:00Z']);
  // A window may be closed by then.
  expect(fleet.last!.holds[0]!.message).toBe(
    'b waits: no upgrade starts until freeze holidays ends at 2026-11-20T13:00:00Z',
  );
  fleet.now = Date.parse('2026-11-20T13:00:00Z');
  await fleet.plan();
  expect(fleet.inFlight()).toEqual(['b']);
});

/** When each member starts, if an operation takes 90 minutes and plans are made only when something ends or at `wakeAt`. */
async function carriedOut(fleet: UpgradeFleet): Promise<string[]> {
  const ends = new Map<string, number>();
  const starts: string[] = [];
  for (;;) {
    const plan = await fleet.plan();
    for (const name of fleet.inFlight())
      if (!ends.has(name)) {
        ends.set(name, fleet.now + 90 * 60_000);
        starts.push(`${name} ${formatInstant(fleet.now).slice(5, 16)}`);
      }
    const wake = plan.wakeAt === undefined ? [] : [parseInstant(plan.wakeAt)!];
    const next = Math.min(...wake, ...[...ends.values()].filter((end) => end > fleet.now));
    if (!Number.isFinite(next)) return starts;
    fleet.now = next;
    for (const [name, end] of ends) if (end === next) fleet.succeed(name);
  }
}

it('a run of two weeks goes from window to window, over a wait and a freeze', async () => {
  const saturdays = {
    'windows/eu.yaml': JSON.stringify({
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'MaintenanceConfiguration',
      metadata: { name: 'eu' },
      spec: {
        memberSelector: { byLabel: 'gitfleet.dev/update-group=eu' },
        maintenanceWindow: {
          schedule: { weekly: { intervalWeeks: 1, dayOfWeek: 'Saturday' } },
          startTime: '01:00',
          durationHours: 6,
          timeZone: 'Europe/Berlin',
        },
      },
    }),
  };
  const fleet = new UpgradeFleet({
    ...saturdays,
    ...window('a2', '22:00'),
    ...freeze('0 3 28 11 *', '1h'),
    ...strategy([
      { name: 'test', groups: [{ name: 'canary' }], afterStageWaitInSeconds: 86_400 },
      { name: 'prod', groups: [{ name: 'eu' }, { name: 'apac' }] },
    ]),
    ...run({ updateStrategyId: 'test-then-prod' }),
  })
    .with(['c1'], inGroup('canary'))
    .with(['e1', 'e2', 'e3', 'e4', 'e5'], inGroup('eu'))
    .with(['a1', 'a2'], inGroup('apac'));
  expect(await carriedOut(fleet)).toEqual([
    'c1 11-20T10:00',
    // The wait ends on Saturday, after the window of that day.
    'a1 11-21T11:30',
    'a2 11-21T22:00',
    'e1 11-28T00:00',
    'e2 11-28T01:30',
    'e3 11-28T04:00',
    'e4 11-28T05:30',
    // The window has closed as e4 ends.
    'e5 12-05T00:00',
  ]);
  expect(fleet.run().status).toMatchObject({ state: 'Completed', completedTime: '2026-12-05T01:30:00Z' });
});
