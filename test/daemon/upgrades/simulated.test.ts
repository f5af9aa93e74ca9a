import { afterEach, expect, it } from 'vitest';
import type { Transport } from '../../../src/members/api-server/transport.ts';
import { upgradeRun, upgradeStrategy } from '../../support/cluster-upgrades.ts';
import { VirtualFleet } from '../../support/virtual-fleet.ts';
import {
  gate,
  names,
  requested,
  runStatus,
  simulatedMember,
  stagedFiles,
  states,
  versionsOf,
} from './upgrade-stages.ts';

let fleet: VirtualFleet;
afterEach(() => fleet.close());

const old = 'v1.30.9 v1.30.9';
const upgraded = 'v1.31.5 v1.31.5';

const open = async (more: Readonly<Record<string, object>> = {}): Promise<VirtualFleet> => {
  fleet = await VirtualFleet.open(stagedFiles, ...names.map((name) => simulatedMember(name, more[name])));
  return fleet;
};

const approve = async (): Promise<void> => void fleet.commit(await fleet.repo.files(gate));

it('a run upgrades simulated clusters stage by stage, and the second stage after its approval', async () => {
  await open();
  fleet.start();
  await fleet.until('the gate asks', () => fleet.repo.tip(gate) !== undefined, 300);
  expect(versionsOf(fleet)).toEqual({ 'test-1': upgraded, 'test-2': upgraded, 'prod-1': old, 'prod-2': old });
  await fleet.run(3_600);
  expect([versionsOf(fleet)['prod-1'], requested(fleet)]).toEqual([old, ['test-1', 'test-2']]);
  await approve();
  await fleet.until('the run is over', async () => (await states(fleet))['run'] === 'Completed', 300);
  expect(versionsOf(fleet)).toEqual(Object.fromEntries(names.map((name) => [name, upgraded])));
  expect(requested(fleet).toSorted()).toEqual(names.toSorted());
});

it('a member whose clients use an API that the upgrade removes is not upgraded, and no member is asked before its turn', async () => {
  const api = { group: 'example.k8s.io', version: 'v1beta1', resource: 'things', removedRelease: '1.31' };
  await open({ 'test-1': { requestedApis: [api] } });
  fleet.start();
  await fleet.until('the gate asks', async () => (await states(fleet))['test-2'] === 'Completed', 300);
  await fleet.run(300);
  expect(await states(fleet)).toEqual({
    run: 'Pending',
    'test-1': 'Pending PreflightBlocked',
    'test-2': 'Completed',
    'prod-1': 'NotStarted',
    'prod-2': 'NotStarted',
  });
  const asked = fleet.requests.filter((line) => line.includes('GET /metrics')).map((line) => line.split(' ')[0]);
  expect([...new Set(asked)].toSorted()).toEqual(['test-1', 'test-2']);
  fleet.commit({ ...stagedFiles, ...upgradeRun({ updateStrategyId: 'test-then-prod', onBlocked: 'Ignore' }) });
  await fleet.until('the gate asks', () => fleet.repo.tip(gate) !== undefined, 300);
  expect((await states(fleet))['test-1']).toBe('Completed');
});

it('a member that starts just after another change was published is started once', async () => {
  fleet = await VirtualFleet.open(
    {
      ...stagedFiles,
      ...upgradeStrategy([
        { name: 'test', groups: [{ name: 'test', maxConcurrency: '2' }], afterStageWaitInSeconds: 20 },
        { name: 'prod', groups: [{ name: 'prod', maxConcurrency: '2' }] },
      ]),
    },
    ...names.map((name) => simulatedMember(name)),
  );
  const { passes } = fleet.start();
  await fleet.until('the run is over', async () => (await states(fleet))['run'] === 'Completed', 300);
  const operations = passes.flatMap((pass) =>
    pass.kind === 'published' ? pass.plan.targets.flatMap((it) => ('upgrade' in it ? it.upgrade.operationId : [])) : [],
  );
  expect([...new Set(operations)].map((id) => id.split('.')[1]).toSorted()).toEqual(names.toSorted());
});

it('a member whose upgrade fails ends the run, and no other member starts', async () => {
  await open({ 'test-1': { upgrades: { controlPlaneSeconds: 10, nodeSeconds: 5, outcome: 'Fails' } } });
  fleet.start();
  await fleet.until('the run failed', async () => (await states(fleet))['run'] === 'Failed', 300);
  await fleet.run(600);
  expect(await states(fleet)).toEqual({
    run: 'Failed',
    'test-1': 'Failed UpgradeFailed',
    'test-2': 'NotStarted',
    'prod-1': 'NotStarted',
    'prod-2': 'NotStarted',
  });
  expect(requested(fleet)).toEqual(['test-1']);
});

it('an upgrade without progress fails at the deadline, also over restarts', async () => {
  await open({ 'test-1': { upgrades: { controlPlaneSeconds: 10, nodeSeconds: 5, outcome: 'Hangs' } } });
  let daemon = fleet.start();
  await fleet.run(3 * 3_600);
  expect((await states(fleet))['test-1']).toBe('Running');
  daemon.kill();
  daemon = fleet.start();
  await fleet.run(3_600);
  expect((await states(fleet))['test-1']).toBe('Running');
  await fleet.run(3.2 * 3_600);
  expect((await states(fleet))['test-1']).toBe('Failed ProgressDeadlineExceeded');
  expect(requested(fleet)).toEqual(['test-1']);
});

/** Number of different operations that were requested of a member; each is carried out once. */
const operations = (name: string): number => fleet.members.get(name)!.cluster.upgradesBegun;

/** Passes requests on until the `last` one to the provider; then the daemon is killed before or after it is carried out. */
const dying = (last: number, isCarriedOut: boolean, kill: () => void) => {
  let calls = 0;
  return (transport: Transport): Transport =>
    async (request) => {
      if (!request.path.startsWith('/simulator/') || ++calls < last) return transport(request);
      if (isCarriedOut) await transport(request);
      kill();
      return new Promise(() => {});
    };
};

it.each([false, true])(
  'a daemon that is killed at any call of the provider (carried out: %s) upgrades everything once',
  async (isCarriedOut) => {
    await open();
    for (let last = 1; last <= 14; last++) {
      let isDead = false;
      const through = dying(last, isCarriedOut, () => {
        isDead = true;
        daemon.kill();
      });
      const daemon = fleet.start({ through });
      await fleet.until('it dies', () => isDead, 60);
    }
    fleet.start();
    await fleet.until('the gate asks', () => fleet.repo.tip(gate) !== undefined, 300);
    expect(await states(fleet)).toMatchObject({ 'test-1': 'Completed', 'test-2': 'Completed' });
    expect([operations('test-1'), operations('test-2')]).toEqual([1, 1]);
  },
);

it('a member whose provider does not respond waits with the reason, and is not started', async () => {
  await open();
  const withoutProvider =
    (transport: Transport): Transport =>
    async (request) => {
      if (request.path.startsWith('/simulator/')) throw new Error('connect ECONNREFUSED');
      return transport(request);
    };
  fleet.start({ through: withoutProvider });
  await fleet.run(120);
  const status = await runStatus(fleet);
  expect(status?.stages[0]?.groups[0]?.members[0]?.status.error).toEqual({
    code: 'NoProvider',
    message:
      'the upgrade provider simulated reports no versions: read /simulator/upgrade on test-1: connect ECONNREFUSED',
  });
});
