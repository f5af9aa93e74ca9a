import { describe, expect, it } from 'vitest';
import { memberCluster } from '../../../src/api/member-cluster.ts';
import type { Condition } from '../../../src/api/meta.ts';
import { clusterPage } from '../../../src/cli/kinds/clusters/page.ts';
import type { Status } from '../../../src/cli/status/open-status.ts';
import type { UnreachableMember } from '../../../src/repo/record/daemon-memory.ts';
import { at, is, statusWith } from './world.ts';

describe('describe cluster', () => {
  const member = (metadata: object, spec: object, agent: Condition[]) =>
    memberCluster.parse({
      apiVersion: 'cluster.kubernetes-fleet.io/v1',
      kind: 'MemberCluster',
      metadata: { name: 'eu-1', ...metadata },
      spec,
      status: { agentStatus: [{ type: 'MemberAgent', conditions: agent }] },
    });
  const well = [is('Joined', 'True', 0), is('Healthy', 'True', 1)];
  const head = (cluster: ReturnType<typeof member>, unreachable: Readonly<Record<string, UnreachableMember>> = {}) =>
    clusterPage(cluster, statusWith([], unreachable))[0]!.split('\n');

  it.each<[string, object, object, Condition[], Readonly<Record<string, UnreachableMember>>, string[]]>([
    ['one that responds', {}, {}, well, {}, ['Eligible:   yes', 'Heartbeat:  every 60s, responding']],
    [
      'one that is unreachable for a short time',
      {},
      {},
      well,
      { 'eu-1': { cause: 'refused', lastContact: at(58) } },
      ['Eligible:   yes', `Heartbeat:  does not respond since ${at(58)}: refused`],
    ],
    [
      'one that is unreachable for long',
      {},
      {},
      well,
      { 'eu-1': { cause: 'refused', lastContact: at(0) } },
      [`Eligible:   no, cluster is not connected to the fleet: no heartbeat since ${at(0)}`],
    ],
    [
      'one that never responded',
      {},
      {},
      well,
      { 'eu-1': { cause: 'refused' } },
      [
        'Eligible:   no, cluster is not connected to the fleet: it has not responded since gitfleet was started',
        'Heartbeat:  does not respond: refused',
      ],
    ],
    [
      'one that leaves',
      { deletionTimestamp: at(3) },
      {},
      well,
      {},
      ['Leaving:    for 57m', 'Eligible:   no, cluster is leaving the fleet'],
    ],
    [
      'one that is ill',
      {},
      {},
      [well[0]!, is('Healthy', 'False', 1)],
      {},
      [
        `Eligible:   no, cluster is not connected to the fleet: member agent is unhealthy since ${at(1)}`,
        'Healthy:    False for 59m, HealthyReason',
      ],
    ],
    [
      'taints and labels',
      { labels: { env: 'prod', zone: 'a' } },
      { taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }] },
      well,
      {},
      ['Labels:     env=prod, zone=a', 'Taints:     gpu=yes:NoSchedule'],
    ],
  ])('%s', (_, metadata, spec, agent, unreachable, expected) => {
    expect(head(member(metadata, spec, agent), unreachable)).toEqual(expect.arrayContaining(expected));
  });

  it('names what fails once, and a cause of not responding once', () => {
    const cause = 'the quota is used up';
    const condition = { ...is('Applied', 'False', 3, cause), reason: 'ApplyFailed' };
    const object = { group: 'apps', version: 'v1', kind: 'Deployment', namespace: 'web', name: 'web', condition };
    const binding = { targetCluster: 'eu-1', state: 'Bound', resourceSnapshotIndex: 1, conditions: [condition] };
    const bindings = [{ ...binding, failedPlacements: [object] }];
    const state = { metadata: { name: 'web' }, policySnapshots: [], resourceSnapshots: [{ index: 1 }], bindings };
    const page = (unreachable: Readonly<Record<string, UnreachableMember>>) => {
      const status = statusWith([], unreachable);
      const placements = new Map([['web', { state }]]) as unknown as Status['record']['placements'];
      return clusterPage(member({}, {}, well), { ...status, record: { ...status.record, placements } }).join('\n');
    };
    const failing = page({});
    expect(failing.split(cause)).toHaveLength(2);
    expect(failing).toMatch(/web .* 1 object that fails, below\n/);
    const lost = page({ 'eu-1': { cause: 'connection refused', lastContact: at(58) } });
    expect(lost.split('connection refused')).toHaveLength(2);
    expect(lost).toMatch(/web .* the cluster to respond\n/);
  });

  it('with a null deletionTimestamp does not leave', () => {
    expect(head(member({ deletionTimestamp: null }, {}, well))).toEqual(head(member({}, {}, well)));
  });
});
