import { simulatedProvider, upgradePath } from '../../../../src/members/upgrade/simulated.ts';
import { manualClock } from '../../../../src/simulator/clock.ts';
import { openMember } from '../../../../src/simulator/member.ts';
import { serve } from '../../../../src/simulator/serve/api-server.ts';
import { inProcessTransport } from '../../../../src/simulator/transport.ts';
import { clientOf } from '../../../support/member-client.ts';
import { begin } from '../../../support/member-world.ts';
import type { UpgradeWorld } from './world.ts';

export async function simulatedWorld(): Promise<UpgradeWorld> {
  const clock = manualClock(begin);
  const upgrades: { controlPlaneSeconds: number; nodeSeconds: number; outcome: 'Succeeds' | 'Fails' | 'Hangs' } = {
    controlPlaneSeconds: 10,
    nodeSeconds: 5,
    outcome: 'Succeeds',
  };
  const member = await openMember({ name: 'eu-1', kubernetesVersion: '1.30.9', upgrades }, clock);
  const changes: string[] = [];
  const transport = inProcessTransport(member);
  const client = clientOf({
    clock,
    transport: (request) => {
      if (request.method !== 'GET') changes.push(`${request.method} ${request.path}`);
      return transport(request);
    },
  });
  return {
    clock,
    pool: 'node',
    version: (text) => text,
    provider: () => simulatedProvider(client),
    changes: () => changes,
    hang: () => {
      upgrades.outcome = 'Hangs';
    },
    fail: () => {
      upgrades.outcome = 'Fails';
    },
    heal: () => {
      upgrades.outcome = 'Succeeds';
    },
    async interfere() {
      await serve(member.cluster, {
        method: 'PUT',
        path: upgradePath,
        query: new URLSearchParams(),
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ operationId: 'by-hand', controlPlane: 'v1.31.5' }),
      });
    },
    unsupported: { type: 'Full', controlPlane: 'v1.29.1' },
    close: () => member.close(),
  };
}
