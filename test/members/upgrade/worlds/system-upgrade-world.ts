import { systemUpgradeProvider } from '../../../../src/members/upgrade/system-upgrade/system-upgrade.ts';
import { manualClock } from '../../../../src/simulator/clock.ts';
import { openMember } from '../../../../src/simulator/member.ts';
import { inProcessTransport } from '../../../../src/simulator/transport.ts';
import { clientOf } from '../../../support/member-client.ts';
import { begin } from '../../../support/member-world.ts';
import { fillCaches } from './custom-kinds.ts';
import { FakeSystemUpgrade, k3sNodes, planKind, systemUpgradeObjects } from './fake-system-upgrade.ts';
import { faultsOf, type UpgradeWorld } from './world.ts';

export interface SystemUpgradeWorld extends UpgradeWorld {
  provider(): ReturnType<typeof systemUpgradeProvider>;
  readonly fake: FakeSystemUpgrade;
}

export async function systemUpgradeWorld(): Promise<SystemUpgradeWorld> {
  const clock = manualClock(begin);
  const member = await openMember(
    {
      name: 'eu-1',
      kubernetesVersion: '1.30.9+k3s1',
      nodes: k3sNodes,
      objects: systemUpgradeObjects as never,
      readySeconds: { CustomResourceDefinition: 0 },
    },
    clock,
  );
  clock.advance(3_000);
  await fillCaches(member, clock, [planKind]);
  const fake = new FakeSystemUpgrade(member, clock);
  const changes: string[] = [];
  const transport = inProcessTransport(member);
  const client = clientOf({
    clock,
    transport: (request) => {
      if (request.method !== 'GET')
        changes.push(`${request.method} ${request.path.split('/').slice(6).join('/').split('?')[0]} ${request.body}`);
      return transport(request);
    },
  });
  return {
    fake,
    clock,
    pool: 'agents',
    version: (text) => `${text}+k3s1`,
    provider: () => systemUpgradeProvider(client, 'system-upgrade'),
    changes: () => changes,
    ...faultsOf(fake),
    interfere: () =>
      fake.createPlan('server-plan', {
        concurrency: 1,
        version: 'v1.31.5+k3s1',
        nodeSelector: { matchExpressions: [{ key: 'node-role.kubernetes.io/control-plane', operator: 'Exists' }] },
      }),
    unsupported: { type: 'Full', controlPlane: 'v1.31.5' },
    close: () => member.close(),
  };
}
