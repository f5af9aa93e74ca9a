import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseInstant } from '../../src/engine/kernel/instant.ts';
import { objectEvents } from '../../src/report/object-events.ts';
import { inGroup, run, strategy, UpgradeFleet } from '../engine/upgrade/upgrade-fleet.ts';

/** The events of the run since the record `before`, as lines. */
async function eventsOf(fleet: UpgradeFleet): Promise<string[]> {
  const of = (): object | undefined => parse(fleet.record.get('upgrades/k8s.yaml') ?? 'null') ?? undefined;
  const before = of();
  await fleet.plan();
  return objectEvents(before, of() ?? {}, fleet.now).map(
    ({ type, reason, message, at }) => `${type} ${reason} ${(at - start) / 1000}: ${message}`,
  );
}

const start = parseInstant('2026-11-20T10:00:00Z')!;

it('a cluster update run has an event for each step of its stages, gates and members, and why', async () => {
  const runAs = (spec: object) => run({ updateStrategyId: 'test-then-prod', ...spec });
  const fleet = new UpgradeFleet({
    ...strategy([
      { name: 'dev', groups: [{ name: 'dev', maxConcurrency: '2', maxAllowedFailures: '1' }], maxAllowedFailures: '1' },
      { name: 'prod', beforeGates: [{ type: 'Approval' }], groups: [{ name: 'eu' }] },
    ]),
    ...runAs({ skip: [{ type: 'Member', name: 'd' }] }),
  })
    .with(['a', 'b'], inGroup('dev'))
    .with(['c', 'd'], inGroup('eu'));
  const steps = [await eventsOf(fleet)];
  fleet.later(60).succeed('a').fail('b');
  steps.push(await eventsOf(fleet));
  fleet.merge('k8s-before-prod').later(60);
  steps.push(await eventsOf(fleet));
  Object.assign(fleet.files, runAs({ skip: [{ type: 'Member', name: 'd' }], state: 'Stopped' }));
  fleet.later(60);
  steps.push(await eventsOf(fleet));
  fleet.later(60).fail('c');
  steps.push(await eventsOf(fleet));
  Object.assign(fleet.files, runAs({ skip: [{ type: 'Member', name: 'd' }], attempt: 2 }));
  fleet.later(60);
  steps.push(await eventsOf(fleet));
  fleet.later(60).succeed();
  steps.push(await eventsOf(fleet), await eventsOf(fleet));
  expect(steps).toMatchInlineSnapshot(`
    [
      [
        "Normal RunStarted 0: the run started",
        "Normal StageStarted 0: stage dev started",
        "Normal UpgradeStarted 0: a: upgrading (v1.30.9 → v1.31.5)",
        "Normal UpgradeStarted 0: b: upgrading (v1.30.9 → v1.31.5)",
        "Normal UpgradeSkipped 0: d skipped: skipped by the file of run k8s",
      ],
      [
        "Normal UpgradeCompleted 60: a: upgraded (v1.30.9 → v1.31.5)",
        "Warning UpgradeFailed 60: b failed: disk full",
        "Normal StageCompleted 60: stage dev: completed",
        "Normal StageStarted 60: stage prod started",
        "Normal GatePending 60: stage prod waits for approval k8s-before-prod",
      ],
      [
        "Normal GateCompleted 120: stage prod: gate k8s-before-prod is open",
        "Normal UpgradeStarted 120: c: upgrading (v1.30.9 → v1.31.5)",
      ],
      [
        "Normal StageStopping 180: stage prod: stopping",
        "Normal RunStopping 180: nothing new starts, upgrades in progress end first",
      ],
      [
        "Warning UpgradeFailed 240: c failed: disk full",
        "Warning StageFailed 240: stage prod: failed: 1 member failed: c",
        "Warning RunFailed 240: the run failed: 1 member failed: c",
      ],
      [
        "Normal RunContinued 300: the run continues, it was Failed",
        "Normal UpgradeStarted 300: b: upgrading (v1.30.9 → v1.31.5)",
      ],
      [
        "Normal UpgradeCompleted 360: b: upgraded (v1.30.9 → v1.31.5)",
        "Normal StageCompleted 360: stage dev: completed",
        "Normal UpgradeStarted 360: c: upgrading (v1.30.9 → v1.31.5)",
      ],
      [],
    ]
  `);
});

it('what the API server of a member is asked before it starts is no event, what stands against the start is one', async () => {
  const fleet = new UpgradeFleet(run({})).with(['a', 'b']);
  for (const member of fleet.members.values()) member.preflight = { done: false };
  expect(await eventsOf(fleet)).toEqual([
    'Normal RunStarted 0: the run started',
    'Normal StageStarted 0: stage default started',
  ]);
  const api = { group: 'example.k8s.io', version: 'v1beta1', resource: 'things', removedRelease: '1.31' };
  fleet.later(1).members.get('a')!.preflight = { requestedApis: [api] };
  expect(await eventsOf(fleet)).toEqual([
    'Normal UpgradePending 1: a waits: it is not ready for an upgrade: ApiBreakingChange (clients request example.k8s.io/v1beta1 things (removed in 1.31): the upgrade to v1.31.5 ends that)',
  ]);
  fleet.later(1).members.get('a')!.preflight = { done: true };
  expect(await eventsOf(fleet)).toEqual(['Normal UpgradeStarted 2: a: upgrading (v1.30.9 → v1.31.5)']);
});

it('a member that waits for something else than before has an event', async () => {
  const fleet = new UpgradeFleet(run({})).with(['a']);
  fleet.members.get('a')!.versions = { controlPlane: 'v1.30.9', powerState: 'Stopped' };
  expect((await eventsOf(fleet)).at(-1)).toBe('Normal UpgradePending 0: a waits: it is stopped');
  const member = fleet.later(60).members.get('a')!;
  member.versions = { controlPlane: 'v1.30.9', powerState: 'Running' };
  member.upgrade = { phase: 'Running' };
  expect(await eventsOf(fleet)).toEqual([
    'Normal UpgradePending 60: a waits: an operation that gitfleet did not start is running; run k8s waits for its end',
  ]);
});
