import { expect, it } from 'vitest';
import { simulatedProvider } from '../../../src/members/upgrade/simulated.ts';
import { openWorld } from '../../support/member-world.ts';

it('the version of a member is that of the upgrade as soon as the provider reports it, not a heartbeat later', async () => {
  const world = await openWorld(
    { kubernetesVersion: '1.30.9', upgrades: { controlPlaneSeconds: 3, nodeSeconds: 1, outcome: 'Succeeds' } },
    { providers: async (_, { client }) => simulatedProvider(client) },
  );
  const version = () => world.observation().memberStatus?.properties?.['k8s.io/k8s-version']?.value;
  world.member.upgradeBy({ provider: 'simulated', ref: undefined });
  const operation = { run: 'run', operationId: 'run-1', type: 'ControlPlaneOnly' as const, controlPlane: 'v1.31.5' };
  world.member.assign([]);
  await world.pass(2);
  expect(version()).toBe('v1.30.9');
  world.member.assign([{ kind: 'upgrade', key: 'upgrade', operation, adopted: false }]);
  // Heartbeats are a minute apart.
  await world.pass(20);
  expect(world.observation().versions?.controlPlane).toBe('v1.31.5');
  expect(version()).toBe('v1.31.5');
});
