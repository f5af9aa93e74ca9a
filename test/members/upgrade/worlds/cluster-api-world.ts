import type { TransportRequest, TransportResponse } from '../../../../src/members/api-server/transport.ts';
import { clusterApiProvider } from '../../../../src/members/upgrade/cluster-api/cluster-api.ts';
import { manualClock } from '../../../../src/simulator/clock.ts';
import { inProcessTransport } from '../../../../src/simulator/transport.ts';
import { clientOf } from '../../../support/member-client.ts';
import { begin } from '../../../support/member-world.ts';
import { FakeClusterApi } from './fake-cluster-api.ts';
import { faultsOf, type UpgradeWorld } from './world.ts';

export interface ClusterApiWorld extends UpgradeWorld {
  readonly fake: FakeClusterApi;
  /** All requests to the management cluster, in their order. */
  readonly requests: readonly TransportRequest[];
  /** How changes are answered in place of the management cluster. */
  refuse: { readonly status: number; readonly message: string } | undefined;
}

type Refusal = NonNullable<ClusterApiWorld['refuse']>;

async function refusal({ status, message }: Refusal): Promise<TransportResponse> {
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'Status', status: 'Failure', message, code: status });
  async function* body() {
    yield new TextEncoder().encode(text);
  }
  return { status, headers: { 'content-type': 'application/json' }, body: body() };
}

export async function clusterApiWorld(isManaged: boolean): Promise<ClusterApiWorld> {
  const clock = manualClock(begin);
  const fake = await FakeClusterApi.open(clock, isManaged);
  const changes: string[] = [];
  const requests: TransportRequest[] = [];
  const transport = inProcessTransport(fake.member);
  const client = clientOf({
    name: 'management',
    clock,
    transport: (request) => {
      requests.push(request);
      if (request.method !== 'GET' && world.refuse) return refusal(world.refuse);
      if (request.method !== 'GET')
        changes.push(`${request.method} ${request.path.split('/').slice(-2).join('/').split('?')[0]} ${request.body}`);
      return transport(request);
    },
  });
  const world: ClusterApiWorld = {
    fake,
    requests,
    refuse: undefined,
    clock,
    pool: 'md-0',
    version: (text) => text,
    provider: () => clusterApiProvider(client, { namespace: 'fleet', name: 'eu-1' }),
    changes: () => changes,
    ...faultsOf(fake),
    interfere() {
      if (isManaged)
        fake.edit('clusters', 'eu-1', (spec) => {
          (spec['topology'] as { version: string }).version = 'v1.31.5';
        });
      else
        fake.edit('kubeadmcontrolplanes', 'eu-1-cp', (spec) => {
          spec['version'] = 'v1.31.5';
        });
    },
    unsupported: { type: 'Full', controlPlane: 'v1.31' },
    close: () => fake.member.close(),
  };
  return world;
}
