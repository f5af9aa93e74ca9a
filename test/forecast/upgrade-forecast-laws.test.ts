import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseInstant } from '../../src/engine/kernel/instant.ts';
import { forecast } from '../../src/forecast/forecast.ts';
import { inGroup, run, strategy, UpgradeFleet } from '../engine/upgrade/upgrade-fleet.ts';
import { drawn } from '../support/law-runs.ts';

const assumptions = {
  readyAfterMs: 90_000,
  upgradedAfterMs: 1_800_000,
  approveAfterMs: 600_000,
  untilMs: 5 * 86_400_000,
};
const gates = fc.constantFrom<readonly object[]>(
  [],
  [{ type: 'Approval' }],
  [
    {
      type: 'ScheduledStart',
      scheduledStartConfiguration: { startDay: 'Sunday', startTime: '02:00', utcOffset: '+01:00' },
    },
  ],
);
const group = fc.record({
  members: fc.integer({ min: 1, max: 4 }),
  maxConcurrency: fc.constantFrom('1', '2', '50%'),
  beforeGates: gates,
  window: fc.constantFrom(undefined, '01:00', '10:00', '13:00', '22:00'),
});
const stage = fc.record({
  groups: fc.array(group, { minLength: 1, maxLength: 3 }),
  maxConcurrency: fc.constantFrom('1', '3', '100%'),
  beforeGates: gates,
  afterStageWaitInSeconds: fc.constantFrom(0, 7200),
});
const given = fc.record({
  stages: fc.array(stage, { minLength: 1, maxLength: 2 }),
  reserveUpcomingWindows: fc.boolean(),
  hasSecondRun: fc.boolean(),
});

type Given = typeof given extends fc.Arbitrary<infer T> ? T : never;

function fleetOf({ stages, reserveUpcomingWindows, hasSecondRun }: Given): UpgradeFleet {
  const spec = { updateStrategyId: 'test-then-prod', reserveUpcomingWindows };
  const written = stages.map(({ groups, ...rest }, s) => ({
    name: `s${s}`,
    ...rest,
    groups: groups.map(({ members: _, window: __, ...of }, g) => ({ name: `g${s}${g}`, ...of })),
  }));
  const fleet = new UpgradeFleet({ ...strategy(written), ...run(spec), ...(hasSecondRun && run(spec, 'other')) });
  for (const [s, { groups }] of stages.entries())
    for (const [g, { members, window }] of groups.entries()) {
      const name = `g${s}${g}`;
      fleet.with(
        Array.from({ length: members }, (_, m) => `${name}-${m}`),
        inGroup(name),
      );
      if (window === undefined) continue;
      fleet.files[`windows/${name}.yaml`] = JSON.stringify({
        apiVersion: 'gitfleet.dev/v1alpha1',
        kind: 'MaintenanceConfiguration',
        metadata: { name },
        spec: {
          memberSelector: { byLabel: `gitfleet.dev/update-group=${name}` },
          maintenanceWindow: { schedule: { daily: { intervalDays: 1 } }, startTime: window, durationHours: 4 },
        },
      });
    }
  return fleet;
}

/** What a fleet starts in which everything takes as long as in the forecast: `operation` of each, as they come. */
async function executed(fleet: UpgradeFleet): Promise<string[]> {
  const started: string[] = [];
  const due = new Map<string, { readonly at: number; readonly clusterName: string }>();
  const asked = new Map<string, number>();
  const end = fleet.now + assumptions.untilMs;
  for (let step = 0; step < 1000; step++) {
    const plan = await fleet.plan();
    for (const { clusterName, upgrade } of fleet.targets()) {
      const { operationId } = upgrade;
      if (due.has(operationId)) continue;
      started.push(operationId);
      due.set(operationId, { at: fleet.now + assumptions.upgradedAfterMs, clusterName });
    }
    for (const { name, status, spec } of fleet.asked())
      if (status.state === 'Pending' && spec.gateType === 'Approval' && !asked.has(name))
        asked.set(name, fleet.now + assumptions.approveAfterMs);
    const instants = [
      ...[...due.values()].map(({ at }) => at),
      ...asked.values(),
      parseInstant(plan.wakeAt ?? '') ?? Number.NaN,
    ];
    const next = Math.min(...instants.filter((at) => at > fleet.now));
    if (!Number.isFinite(next) || next > end) return started;
    fleet.later((next - fleet.now) / 1000);
    for (const { at, clusterName } of due.values()) if (at === fleet.now) fleet.succeed(clusterName);
    for (const [name, at] of asked) if (at === fleet.now) fleet.merge(name);
  }
  throw new Error('it does not end');
}

it('a forecast starts the same upgrades in the same order as the fleet then does', async () => {
  await fc.assert(
    fc.asyncProperty(given, async (drawnFleet) => {
      const fleet = fleetOf(drawnFleet);
      const found = forecast(await fleet.input(), assumptions);
      const spans = found.upgrades.flatMap(({ run: name, stages }) =>
        stages.flatMap(({ clusters }) =>
          clusters.map(({ clusterName, from }) => `${name}.${clusterName}.${from.replaceAll(/[-:]/g, '')}`),
        ),
      );
      const startOf = (operationId: string): string => operationId.split('.').at(-1)!;
      const inOrder = (all: readonly string[]) =>
        all.toSorted((a, b) => startOf(a).localeCompare(startOf(b)) || a.localeCompare(b));
      expect(inOrder(spans)).toEqual(inOrder(await executed(fleet)));
      expect(found.upgrades.map(({ run: name, status }) => [name, status.state])).toEqual(
        found.upgrades.map(({ run: name }) => [name, fleet.run(name).status.state]),
      );
    }),
    drawn(20, 20261123),
  );
});
