import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { parse } from 'yaml';
import { simulatedFleet } from '../../src/api/simulated-fleet.ts';
import { settles } from '../support/small-fleet.ts';
import { type VirtualDaemon, VirtualFleet } from '../support/virtual-fleet.ts';

const example = 'fleet-repo-example';
const gate = 'gitfleet/approve/payments-1-after-staging';
const staging = ['staging-1', 'staging-2'];
const soakMs = 60_000;

const files: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(example, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.yaml'))
    .map((path) => [path, readFileSync(join(example, path), 'utf8')]),
);

let fleet: VirtualFleet;
afterEach(() => fleet.close());

/** Members with the Deployment of the staged placement. */
const holding = (): string[] =>
  [...fleet.members.keys()].filter((name) => fleet.stored(name, 'apps/deployments', 'payments', 'api') !== undefined);

/** Whether the run has a condition on the status branch. */
async function runSays(reason: string): Promise<boolean> {
  return (await fleet.repo.files('fleet-status'))['runs/payments-1.yaml']?.includes(`reason: ${reason}`) ?? false;
}

const runSaysText = async (): Promise<string> => (await fleet.repo.files('fleet-status'))['runs/payments-1.yaml']!;

/** The ways in which people and forges merge a branch into main. */
const merges: Readonly<Record<string, (gateFiles: Record<string, string>) => void>> = {
  'a merge commit': (merged) => {
    const parents = [fleet.repo.tip('main')!, fleet.repo.tip(gate)!];
    fleet.repo.commit('main', merged, 'Merge', parents);
  },
  'a squash': (merged) => void fleet.repo.commit('main', merged, 'Squashed'),
  'a fast-forward': () => void fleet.repo.refs.set('refs/heads/main', fleet.repo.tip(gate)!),
};

/** Staging runs it, and the branch of the gate exists. */
async function untilGate(): Promise<VirtualDaemon> {
  const { defaults, members } = simulatedFleet.parse(parse(files['simulated-fleet.yaml']!)).spec;
  fleet = await VirtualFleet.open(files, ...members.map((member) => ({ ...defaults, ...member })));
  const one = fleet.start();
  await fleet.until('staging is done', () => holding().length === staging.length && available(), 600);
  await fleet.until('the gate asks', () => fleet.repo.tip(gate) !== undefined, 60);
  return one;
}

const available = (): boolean =>
  staging.every((name) => {
    const { status } = fleet.stored(name, 'apps/deployments', 'payments', 'api') as { status?: Record<string, number> };
    return (status?.['availableReplicas'] ?? 0) > 0 && status?.['availableReplicas'] === status?.['replicas'];
  });

it.each(Object.keys(merges))(
  'the staged run of the example waits at its gate, also when killed and restarted, until its branch is merged by %s',
  async (how) => {
    const one = await untilGate();
    const tip = fleet.repo.tip(gate);
    await fleet.run(3_600);
    expect(holding()).toEqual(staging);
    one.kill();
    const two = fleet.start();
    await fleet.run(3_600);
    expect([holding(), fleet.repo.tip(gate), await runSays('UpdateRunWaiting')]).toEqual([staging, tip, true]);
    merges[how]!(await fleet.repo.files(gate));
    await settles(fleet, two, 900);
    expect(holding()).toEqual(['staging-1', 'staging-2', 'prod-eu-1', 'prod-eu-2', 'prod-us-1', 'prod-asia-1']);
    expect(await runSays('UpdateRunSucceeded')).toBe(true);
    const merged = fleet.repo.tip('main')!.slice(0, 7);
    // A fast-forward brings gitfleet's own commit: git does not record who did it.
    const approved = `approved ${how === 'a fast-forward' ? '' : 'by Ann '}in commit ${merged}`;
    expect(await runSaysText()).toContain(`approval payments-1-after-staging is on main, ${approved}`);
    expect(await fleet.repo.log('fleet-status')).toContainEqual(
      expect.stringContaining(`payments-1-after-staging: ${approved}`),
    );
    await fleet.until('nobody is asked any more', () => fleet.repo.tip(gate) === undefined);
  },
);

it('the staged run of the example soaks to the end also when its gate is merged at once', async () => {
  const one = await untilGate();
  const done = fleet.clock.now();
  merges['a merge commit']!(await fleet.repo.files(gate));
  await fleet.until('production begins', () => holding().length > staging.length, 600);
  // Both moments are seen up to a second late.
  expect(fleet.clock.now() - done).toBeGreaterThanOrEqual(soakMs - 2_000);
  expect(fleet.clock.now() - done).toBeLessThan(soakMs + 30_000);
  await settles(fleet, one, 900);
});

it('its gate stays open and listed while a commit that removes everything is refused, also after a restart', async () => {
  const one = await untilGate();
  const tip = fleet.repo.tip(gate);
  const readme = async () => (await fleet.repo.files('fleet-status'))['README.md']!;
  const request = '- **payments-1**, stage **staging**';
  fleet.commit(Object.fromEntries(Object.keys(fleet.files).map((path) => [path, undefined])));
  await fleet.run(120);
  expect([one.passes.at(-1)!.kind, fleet.repo.tip(gate)]).toEqual(['refused', tip]);
  expect(await readme()).toContain(request);
  one.kill();
  const two = fleet.start();
  await fleet.run(120);
  expect([two.passes.at(-1)!.kind, fleet.repo.tip(gate)]).toEqual(['refused', tip]);
  expect(await readme()).toContain(request);
  merges['a squash']!({ ...files, ...(await fleet.repo.files(gate)) });
  await settles(fleet, two, 900);
  expect(await runSays('UpdateRunSucceeded')).toBe(true);
  expect(await readme()).not.toContain(request);
});
