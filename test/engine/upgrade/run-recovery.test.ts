import { expect, it } from 'vitest';
import { guard } from '../../../src/engine/guard/guard.ts';
import { planFleet } from '../../../src/engine/plan.ts';
import { run, UpgradeFleet } from './upgrade-fleet.ts';

const lose = (fleet: UpgradeFleet, text: string) => {
  fleet.record = new Map([...fleet.record].map(([path, was]) => [path, path === 'upgrades/k8s.yaml' ? text : was]));
};

it('a run whose record cannot be read starts nothing until its file changes', async () => {
  const fleet = new UpgradeFleet(run({})).with(['a', 'b']);
  await fleet.plan();
  lose(fleet, 'status: [');
  const input = await fleet.input(true);
  const { plan } = planFleet(input);
  expect(plan.holds.map(({ reason, subject }) => `${subject.name} ${reason}`)).toEqual(['k8s RecordLost']);
  expect(plan.targets).toEqual([]);
  expect(guard({ input, recovered: { record: input.record, lost: false }, plan }).findings).toEqual([]);
  fleet.publish(plan);
  fleet.later(60);
  await fleet.plan();
  expect(fleet.holds()).toEqual(['k8s RecordLost']);
  const [[file, text]] = Object.entries(run({})) as [[string, string]];
  fleet.files[file] = `# nothing changes\n${JSON.stringify(JSON.parse(text), undefined, 2)}`;
  await fleet.plan();
  expect(fleet.holds()).toEqual(['k8s RecordLost']);
  Object.assign(fleet.files, run({ progressDeadline: '2h' }));
  await fleet.plan();
  expect(fleet.inFlight()).toEqual(['a']);
});

it('a daemon that forgot everything but the record goes on where it was, with the same operations', async () => {
  const fleet = new UpgradeFleet(run({})).with(['a', 'b']);
  await fleet.plan();
  const before = fleet.targets();
  const other = new UpgradeFleet(fleet.files, '2026-11-20T10:30:00Z').with(['a', 'b']);
  other.record = fleet.record;
  await other.plan();
  expect(other.targets()).toEqual(before);
});

it('an invalid file of windows closes those of all members', async () => {
  const fleet = new UpgradeFleet({
    ...run({}),
    'window.yaml': JSON.stringify({
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'MaintenanceConfiguration',
      metadata: { name: 'nights' },
      spec: { clusterName: 'z', maintenanceWindow: { schedule: {}, startTime: '26:00' } },
    }),
  }).with(['a']);
  await fleet.plan();
  expect(fleet.holds()).toEqual(['a WindowClosed']);
  expect(fleet.last!.holds[0]!.message).toContain('unknown until MaintenanceConfiguration nights is valid');
});

it('an unknown field is an error, and a run that was never valid is left out', async () => {
  const fleet = new UpgradeFleet(run({ reserve: true })).with(['a']);
  const plan = await fleet.plan();
  expect(plan.upgrades).toEqual([]);
  expect(plan.problems.map(({ severity, code }) => `${severity} ${code}`)).toEqual(['error unknown-field']);
});

it.each<[string, Record<string, string>]>([
  ['is removed', {}],
  ['is broken', { 'upgrades/k8s.yaml': 'kind: [' }],
])('a run that has not started starts nothing once its file %s', async (_, files) => {
  const fleet = new UpgradeFleet(run({ state: 'Stopped' })).with(['a']);
  await fleet.plan();
  // What a status branch claims that others can push to.
  lose(fleet, fleet.record.get('upgrades/k8s.yaml')!.replace('Stopped', 'Started'));
  delete fleet.files['upgrades/k8s.yaml'];
  Object.assign(fleet.files, files);
  const { plan } = planFleet(await fleet.input());
  expect(plan.guard).toEqual([]);
  expect(plan.targets).toEqual([]);
  expect(plan.upgrades).toEqual([]);
});
