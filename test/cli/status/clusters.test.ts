import { expect, it } from 'vitest';
import { cordonTaint } from '../../../src/api/cordon-taint.ts';
import { type MemberCluster, memberCluster } from '../../../src/api/member-cluster.ts';
import type { ClusterName } from '../../../src/api/meta.ts';
import { clusters } from '../../../src/cli/kinds/clusters/clusters.ts';
import type { Status, StatusReader } from '../../../src/cli/status/open-status.ts';
import type { UnreachableMember } from '../../../src/repo/record/daemon-memory.ts';
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
  ['that responds', undefined, 'True', 'responding'],
  ['that does not respond', { cause: 'refused', lastContact: '2026-11-20T11:59:30Z' }, 'Unknown', '30s'],
  ['that never answered', { cause: 'refused' }, 'Unknown', undefined],
])('get clusters shows the health and last contact of one %s', async (_, unreachable, health, seen) => {
  const cells = await cellsOf(member, unreachable);
  expect([cells['HEALTHY'], cells['MEMBER-AGENT-LAST-SEEN']]).toEqual([health, seen]);
});

const maintenance = { key: 'maintenance', effect: 'NoSchedule' } as const;
it.each([
  ['no taint', [], 'Enabled', undefined],
  ["somebody's taint", [maintenance], 'Enabled', 'maintenance:NoSchedule'],
  [
    'the taint of a drain',
    [maintenance, cordonTaint],
    'Disabled',
    'maintenance:NoSchedule,cordon-key=cordon-value:NoSchedule',
  ],
])('get clusters shows whether one is cordoned, and its taints: %s', async (_, taints, scheduling, told) => {
  const cells = await cellsOf({ ...member, spec: { ...member.spec, taints } });
  expect([cells['SCHEDULING'], cells['TAINTS']]).toEqual([scheduling, told]);
});

async function cellsOf(cluster: MemberCluster, unreachable?: UnreachableMember) {
  const name = cluster.metadata.name as ClusterName;
  const status: Status = {
    tip: 'tip',
    now,
    inPlace: false,
    branch: 'main',
    removals: [],
    holds: [],
    reported: [],
    notRolledOut: [],
    notInEffect: { refusals: [], notValid: [], notRead: [], errors: [] },
    files: new Map(),
    unreachable: new Map(unreachable ? [[name, unreachable]] : []),
    record: { ...readRecord(new Map()).record, clusters: new Map([[name, cluster]]) },
  };
  const [row] = await clusters.rows(status, undefined as unknown as StatusReader);
  return Object.fromEntries(row!.cells.map(({ heading, cell }) => [heading, cell]));
}
