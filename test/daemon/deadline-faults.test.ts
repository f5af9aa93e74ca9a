import { afterEach, describe, expect, it } from 'vitest';
import { upgradeMember, upgradeRun } from '../support/cluster-upgrades.ts';
import { devThenProd } from '../support/dev-then-prod.ts';
import { member, placement } from '../support/paper-fleet.ts';
import { VirtualFleet } from '../support/virtual-fleet.ts';
import { run, web } from './requests/forge-fleet.ts';
import { simulatedMember, states } from './upgrades/upgrade-stages.ts';

let fleet: VirtualFleet;
afterEach(() => fleet.close());

const recorded = async (): Promise<string> => (await fleet.repo.files('fleet-status'))['runs/web-1.yaml'] ?? '';

const faults = [
  ['responds slowly', { type: 'Latency', seconds: 5 }],
  ['is down for 30 s', { type: 'Unreachable', untilSeconds: 30 }],
] as const;

/**
 * A cluster has become available, or not within `readySeconds`, while no daemon was there; five minutes and perhaps its deadline have
 * passed meanwhile.
 */
async function untilUnseen(readySeconds = 60, deadline = '2m'): Promise<void> {
  fleet = await VirtualFleet.open(
    {
      'clusters/a.yaml': member('a', { env: 'dev' }),
      'web.yaml': placement('web', '{placementType: PickAll}', '{type: External}'),
      'resources/web.yaml': web('web:1'),
      'strategy.yaml': devThenProd('1m'),
      'runs/web-1.yaml': run('web-1').replace(
        'web-1}',
        `web-1, annotations: {gitfleet.dev/progress-deadline: ${deadline}}}`,
      ),
    },
    { name: 'a', readySeconds: { Deployment: readySeconds } },
  );
  const one = fleet.start();
  await fleet.until('a gets it', () => fleet.stored('a', 'apps/deployments', 'web', 'web') !== undefined, 300);
  await fleet.run(20);
  one.kill();
  await fleet.run(600);
}

/** A cluster is upgraded while no daemon is there, and the deadline of four hours passes. */
async function untilUpgradeUnseen(): Promise<void> {
  fleet = await VirtualFleet.open({ ...upgradeMember('a'), ...upgradeRun({}) }, simulatedMember('a'));
  const one = fleet.start();
  await fleet.until('it begins', async () => (await states(fleet))['a'] === 'Running', 300);
  one.kill();
  await fleet.run(5 * 3_600);
}

describe('the deadline of a run that passed while no daemon was there', () => {
  it.each(faults)('does not fail a cluster that has become available, and %s', async (_, fault) => {
    await untilUnseen();
    fleet.fault('a', fault);
    fleet.start();
    await fleet.until('it succeeds', async () => (await recorded()).includes('ClusterUpdatingSucceeded'), 120);
    expect(await recorded()).not.toContain('ClusterUpdatingFailed');
  });

  it('fails a cluster that does not respond for five minutes', async () => {
    await untilUnseen();
    fleet.fault('a', { type: 'Unreachable' });
    fleet.start();
    await fleet.run(290);
    expect(await recorded()).not.toContain('ClusterUpdatingFailed');
    await fleet.run(20);
    expect(await recorded()).toContain('cluster a in stage dev was not available within 2m0s');
  });

  it('fails a cluster that is read and is not available, at once', async () => {
    await untilUnseen(900);
    fleet.start();
    await fleet.run(30);
    expect(await recorded()).toContain('cluster a in stage dev was not available within 2m0s');
  });
});

it.each(faults)('a run is not stuck by time in which no daemon was there: a cluster %s', async (_, fault) => {
  await untilUnseen();
  fleet.fault('a', fault);
  fleet.start();
  const seen = new Set<string>();
  await fleet.until(
    'it succeeds',
    async () => seen.add(await recorded()) && [...seen].some((text) => text.includes('ClusterUpdatingSucceeded')),
    120,
  );
  expect([...seen].filter((text) => text.includes('UpdateRunStuck'))).toEqual([]);
});

it('a run that was stuck stays so while its cluster is not seen again', async () => {
  await untilUnseen(3_000, '60m');
  const one = fleet.start();
  await fleet.run(30);
  expect(await recorded()).toContain('UpdateRunStuck');
  one.kill();
  fleet.fault('a', { type: 'Unreachable' });
  fleet.start();
  await fleet.run(60);
  expect(await recorded()).toContain('UpdateRunStuck');
});

describe('the deadline of an upgrade that passed while no daemon was there', () => {
  it.each(faults)('does not fail a cluster that was upgraded, and %s', async (_, fault) => {
    await untilUpgradeUnseen();
    fleet.fault('a', fault);
    fleet.start();
    await fleet.until('it is over', async () => (await states(fleet))['a'] !== 'Running', 300);
    expect(await states(fleet)).toEqual({ run: 'Completed', a: 'Completed' });
  });

  it('counts from the start of the daemon for a cluster that does not respond', async () => {
    await untilUpgradeUnseen();
    fleet.fault('a', { type: 'Unreachable' });
    fleet.start();
    await fleet.run(3.9 * 3_600);
    expect((await states(fleet))['a']).toBe('Running');
    await fleet.run(0.2 * 3_600);
    expect((await states(fleet))['a']).toBe('Failed ProgressDeadlineExceeded');
  });
});
