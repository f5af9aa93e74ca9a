import { expect, it } from 'vitest';
import { memberCluster } from '../../../src/api/member-cluster.ts';
import type { ClusterName } from '../../../src/api/meta.ts';
import { clusters } from '../../../src/cli/status/clusters.ts';
import type { Status, StatusReader } from '../../../src/cli/status/open-status.ts';
import { readRecord } from '../../../src/repo/record/read.ts';

const now = Date.parse('2026-11-20T12:00:00Z');
const healthy = { type: 'Healthy', status: 'True', reason: 'ReadyzSucceeded' } as const;
const member = memberCluster.parse({
  apiVersion: 'cluster.kubernetes-fleet.io/v1',
  kind: 'MemberCluster',
  metadata: { name: 'eu-1' },
  spec: {},
  status: { agentStatus: [{ type: 'MemberAgent', conditions: [healthy] }] },
});

it.each([
  ['that answers', undefined, 'True', undefined],
  ['that does not answer', { cause: 'refused', lastContact: '2026-11-20T11:59:30Z' }, 'Unknown', '30s'],
  ['that never answered', { cause: 'refused' }, 'Unknown', undefined],
])('get clusters says of one %s how it is and when it was seen last', async (_, silence, health, seen) => {
  const name = 'eu-1' as ClusterName;
  const status: Status = {
    tip: 'tip',
    now,
    inPlace: false,
    removals: [],
    holds: [],
    files: new Map(),
    silent: new Map(silence ? [[name, silence]] : []),
    record: { ...readRecord(new Map()).record, clusters: new Map([[name, member]]) },
  };
  const [row] = await clusters.rows(status, undefined as unknown as StatusReader);
  const cells = Object.fromEntries(row!.cells.map(({ heading, cell }) => [heading, cell]));
  expect([cells['HEALTHY'], cells['MEMBER-AGENT-LAST-SEEN']]).toEqual([health, seen]);
});
