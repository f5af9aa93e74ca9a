import { expect } from 'vitest';
import { aksProvider } from '../../../../src/members/upgrade/aks/aks.ts';
import { type AzureIdentity, azureClouds } from '../../../../src/members/upgrade/aks/credentials.ts';
import { resourceManager } from '../../../../src/members/upgrade/aks/resource-manager.ts';
import { manualClock } from '../../../../src/simulator/clock.ts';
import { begin } from '../../../support/member-world.ts';
import { clusterPath, FakeArm } from './fake-arm.ts';
import { faultsOf, type UpgradeWorld } from './world.ts';

export const identity: AzureIdentity = {
  tenant: '11111111-1111-1111-1111-111111111111',
  client: '22222222-2222-2222-2222-222222222222',
  proof: { kind: 'secret', secret: 'a-client-secret' },
  cloud: azureClouds[0]!,
};

export interface AksWorld extends UpgradeWorld {
  readonly arm: FakeArm;
  provider(): ReturnType<typeof aksProvider>;
}

export async function aksWorld(): Promise<AksWorld> {
  const clock = manualClock(begin);
  const arm = new FakeArm(clock);
  return {
    arm,
    clock,
    pool: 'np1',
    version: (text) => text,
    provider: () => aksProvider(resourceManager(identity, { clock, http: arm.http }), clusterPath),
    changes: () => arm.changes,
    ...faultsOf(arm),
    interfere: () => arm.upgrade('1.31.5'),
    unsupported: { type: 'NodeImageOnly', pools: [{ name: 'np1', image: 'AKSUbuntu-2204gen2containerd-202612.01.0' }] },
    // Every request was one that Azure publishes.
    close: () => expect(arm.violations).toEqual([]),
  };
}
