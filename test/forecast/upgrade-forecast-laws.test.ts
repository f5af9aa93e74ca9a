import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseInstant } from '../../src/engine/kernel/instant.ts';
import { forecast } from '../../src/forecast/forecast.ts';
import { at, inGroup, run, strategy, UpgradeFleet } from '../engine/upgrade/upgrade-fleet.ts';
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
  version: fc.constantFrom('v1.29.9', 'v1.30.9', 'v1.31.5'),
  region: fc.constantFrom('north', 'south', 'nowhere'),
  image: fc.constantFrom(13, 20, 27),
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
  upgrade: fc.constantFrom(
    { type: 'Full', kubernetesVersion: '1.31.5' },
    { type: 'Full', kubernetesVersion: '1.32' },
    { type: 'ControlPlaneOnly', kubernetesVersion: '1.32' },
    { type: 'NodeImageOnly' },
  ),
  images: fc.constantFrom('Latest', 'Consistent'),
});

const imageOf = (day: number): string => `AKSUbuntu-2204-202601.${day}.0`;

/** In the south the newest version and image are not there yet. */
const catalog = {
  'catalog.yaml': JSON.stringify({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'VersionCatalog',
    metadata: { name: 'all' },
    spec: {
      regions: [
        { name: 'north', versions: ['1.30.9', '1.31.5', '1.32.1'], days: [13, 20, 27] },
        { name: 'south', versions: ['1.30.9', '1.31.5'], days: [13, 20] },
      ].map(({ name, versions, days }) => ({
        name,
        kubernetesVersions: versions.map((version) => ({ version })),
        nodeImageVersions: days.map((day) => ({ version: imageOf(day) })),
      })),
    },
  }),
};

type Given = typeof given extends fc.Arbitrary<infer T> ? T : never;

function fleetOf({ stages, reserveUpcomingWindows, hasSecondRun, upgrade, images: type }: Given): UpgradeFleet {
  const managedClusterUpdate = { upgrade, nodeImageSelection: { type } };
  const own = { updateStrategyId: 'test-then-prod', reserveUpcomingWindows, chainMinors: true };
  const spec = { ...own, managedClusterUpdate };
  const written = stages.map(({ groups, ...rest }, s) => ({
    name: `s${s}`,
    ...rest,
    groups: groups.map(({ maxConcurrency, beforeGates }, g) => ({ name: `g${s}${g}`, maxConcurrency, beforeGates })),
  }));
  const runs = { ...run(spec), ...(hasSecondRun && run(own, 'other')) };
  const fleet = new UpgradeFleet({ ...catalog, ...strategy(written), ...runs });
  for (const [s, { groups }] of stages.entries())
    for (const [g, { members, window, version, region, image }] of groups.entries()) {
      const name = `g${s}${g}`;
      fleet.with(
        Array.from({ length: members }, (_, m) => `${name}-${m}`),
        {
          labels: { ...inGroup(name).labels, 'topology.kubernetes.io/region': region },
          versions: at(version, imageOf(image)),
        },
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
      // A plan at the very instant of a wake names it again, and hides later ones until time has passed.
      Math.max(parseInstant(plan.wakeAt ?? '') ?? Number.NaN, fleet.now + 1_000),
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
