import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseVersion, reaches } from '../../../src/api/kubernetes-version.ts';
import { type OperationReport, RefusedUpgrade, type UpgradeOperation } from '../../../src/members/upgrade/provider.ts';
import { aksWorld } from './worlds/aks-world.ts';
import { clusterApiWorld } from './worlds/cluster-api-world.ts';
import { simulatedWorld } from './worlds/simulated-world.ts';
import { systemUpgradeWorld } from './worlds/system-upgrade-world.ts';
import { pass, type UpgradeWorld } from './worlds/world.ts';

const worlds: Readonly<Record<string, () => Promise<UpgradeWorld>>> = {
  simulated: simulatedWorld,
  'system-upgrade-controller': systemUpgradeWorld,
  AKS: aksWorld,
  'Cluster API with a topology': () => clusterApiWorld(true),
  'Cluster API without a topology': () => clusterApiWorld(false),
};

describe.each(Object.entries(worlds))('the upgrade provider of %s', (_, open) => {
  let world: UpgradeWorld;
  beforeEach(async () => {
    world = await open();
  });
  afterEach(() => world.close());

  const full = (operationId = 'k8s.eu-1.20261120T100000Z'): UpgradeOperation => ({
    run: 'k8s',
    operationId,
    type: 'Full',
    controlPlane: world.version('v1.31.5'),
    pools: [{ name: world.pool, kubernetes: world.version('v1.31.5') }],
  });

  /** Looks at the provider every ten seconds, each time as a daemon that has just started, until it is over. */
  async function carryOut(operation: UpgradeOperation, looks = 60): Promise<OperationReport> {
    let report: OperationReport = { phase: 'Unknown' };
    for (let look = 0; look < looks; look++) {
      const provider = world.provider();
      const seen = await provider.observe();
      if (!(await provider.start(operation, seen))) {
        report = await provider.poll(operation, seen);
        if (report.phase === 'Succeeded' || report.phase === 'Failed') return report;
      }
      await pass(world.clock, 10);
    }
    return report;
  }

  const versions = async () => {
    const { versions } = await world.provider().observe();
    return [versions.controlPlane, versions.pools?.find(({ name }) => name === world.pool)?.kubernetes];
  };

  it('reports what runs, and that nothing is in progress', async () => {
    const seen = await world.provider().observe();
    expect([await versions(), seen.running]).toEqual([[world.version('v1.30.9'), world.version('v1.30.9')], undefined]);
    expect(await world.provider().preflight(seen)).toEqual([]);
  });

  it('upgrades control plane and pools, and has succeeded when they run it', async () => {
    expect(await carryOut(full())).toMatchObject({ phase: 'Succeeded' });
    expect(await versions()).toEqual([world.version('v1.31.5'), world.version('v1.31.5')]);
    const seen = await world.provider().observe();
    expect([seen.running, seen.lastOperation]).toEqual([undefined, full().operationId]);
  });

  const controlPlaneOnly = (): UpgradeOperation => ({
    run: 'k8s',
    operationId: full().operationId,
    type: 'ControlPlaneOnly',
    controlPlane: world.version('v1.31.5'),
  });

  it('upgrades the control plane alone', async () => {
    expect(await carryOut(controlPlaneOnly())).toMatchObject({ phase: 'Succeeded' });
    await pass(world.clock, 120);
    expect(await versions()).toEqual([world.version('v1.31.5'), world.version('v1.30.9')]);
    expect((await world.provider().observe()).running).toBeUndefined();
  });

  it('upgrades pools to the version of the control plane later', async () => {
    await carryOut(controlPlaneOnly());
    const pools = [{ name: world.pool, kubernetes: world.version('v1.31.5') }];
    const later: UpgradeOperation = { run: 'k8s', operationId: 'k8s.eu-1.20261120T110000Z', type: 'Full', pools };
    expect(await carryOut(later)).toMatchObject({ phase: 'Succeeded' });
    expect(await versions()).toEqual([world.version('v1.31.5'), world.version('v1.31.5')]);
  });

  it('requests nothing twice, also of an operation that is over', async () => {
    await carryOut(full());
    const before = [...world.changes()];
    expect(await carryOut(full())).toMatchObject({ phase: 'Succeeded' });
    expect(world.changes()).toEqual(before);
    expect(new Set(before).size).toBe(before.length);
  });

  it('is in progress while it runs, under its operationId', async () => {
    await carryOut(full(), 2);
    expect((await world.provider().observe()).running).toMatchObject({ operationId: full().operationId });
  });

  it('has not succeeded before everything runs the version', async () => {
    for (let look = 0; look < 40; look++) {
      const report = await carryOut(full(), 1);
      const isThere = (await versions()).every((text) => reaches(parseVersion(text!)!, parseVersion('v1.31.5')!));
      expect([report.phase === 'Succeeded', isThere]).not.toEqual([true, false]);
    }
  });

  it('does not know an operation that was never requested', async () => {
    const provider = world.provider();
    expect(await provider.poll(full(), await provider.observe())).toMatchObject({ phase: 'NotRequested' });
  });

  it('an upgrade of somebody else is in progress, and is not its own', async () => {
    await world.interfere();
    await pass(world.clock, 6);
    const { running } = await world.provider().observe();
    expect(running).toBeDefined();
    expect(running?.operationId).not.toBe(full().operationId);
  });

  it('an upgrade that hangs is never over', async () => {
    world.hang();
    expect(await carryOut(full())).toMatchObject({ phase: 'Running' });
  });

  it('a failure is reported, and another operation tries again', async () => {
    world.fail();
    expect(await carryOut(full())).toMatchObject({ phase: 'Failed' });
    world.heal();
    expect(await carryOut(full('k8s.eu-1.20261120T120000Z'))).toMatchObject({ phase: 'Succeeded' });
  });

  it('refuses what it cannot carry out, and changes nothing', async () => {
    const operation = { run: 'k8s', operationId: 'k8s.eu-1.x', ...world.unsupported };
    const provider = world.provider();
    const seen = await provider.observe();
    await expect(provider.start(operation, seen)).rejects.toThrow(RefusedUpgrade);
    expect(world.changes()).toEqual([]);
    expect(await versions()).toEqual([world.version('v1.30.9'), world.version('v1.30.9')]);
  });
});
