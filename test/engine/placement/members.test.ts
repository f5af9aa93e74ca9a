import { describe, expect, test } from 'vitest';
import { memberCluster } from '../../../src/api/member-cluster.ts';
import { clusterObservation } from '../../../src/api/observation.ts';
import { parseInstant } from '../../../src/engine/kernel/instant.ts';
import { type Member, surveyMembers } from '../../../src/engine/placement/members.ts';
import { cluster, now, survey } from './worlds.ts';

const at = (text: string): number => parseInstant(text)!;
const agent = (
  heartbeat: string | undefined,
  joined = 'True',
  healthy: string | null = 'True',
  since = '2026-11-20T08:00:00Z',
) => ({
  agentStatus: [
    { type: 'ServiceExportImportAgent', conditions: [] },
    {
      type: 'MemberAgent',
      conditions: [
        { type: 'Joined', status: joined },
        ...(healthy === null ? [] : [{ type: 'Healthy', status: healthy, lastTransitionTime: since }]),
      ],
      lastReceivedHeartbeat: heartbeat,
    },
  ],
});
const lost = 'cluster is not connected to the fleet: ';

describe('eligibility', () => {
  const fresh = '2026-11-20T09:59:00Z';
  const goesStale = at('2026-11-20T10:04:00Z') + 1;
  test.each<[rule: string, status: object, eligibility: Member['eligibility']]>([
    [
      'a healthy member is eligible until its heartbeat is stale',
      agent(fresh),
      { eligible: true, changesAt: goesStale },
    ],
    [
      'an empty agent list means not online',
      { agentStatus: [] },
      { eligible: false, reason: `${lost}member agent is not online yet` },
    ],
    [
      'other agents do not count',
      { agentStatus: [{ type: 'MultiClusterServiceAgent' }] },
      { eligible: false, reason: `${lost}member agent is not online yet` },
    ],
    [
      'five minutes without a heartbeat are still fine',
      agent('2026-11-20T09:55:00Z'),
      { eligible: true, changesAt: at(now) + 1 },
    ],
    [
      'more than five minutes are not, for good',
      agent('2026-11-20T09:54:59.999Z'),
      { eligible: false, reason: `${lost}no heartbeat since 2026-11-20T09:54:59.999Z` },
    ],
    [
      'no heartbeat at all is stale',
      agent(undefined),
      { eligible: false, reason: `${lost}no heartbeat was ever received` },
    ],
    [
      'a member not reached since the start of the daemon has no last heartbeat',
      agent('1970-01-01T00:00:00Z'),
      { eligible: false, reason: `${lost}it has not responded since gitfleet was started` },
    ],
    [
      'a stale heartbeat comes before joining',
      agent('2026-11-20T09:00:00Z', 'False'),
      { eligible: false, reason: `${lost}no heartbeat since 2026-11-20T09:00:00Z` },
    ],
    [
      'not joined, until stale',
      agent(fresh, 'False'),
      { eligible: false, reason: `${lost}member agent has not joined yet`, changesAt: goesStale },
    ],
    [
      'Joined Unknown is not joined',
      agent(fresh, 'Unknown'),
      { eligible: false, reason: `${lost}member agent has not joined yet`, changesAt: goesStale },
    ],
    [
      'absent health is unknown',
      agent(fresh, 'True', null),
      { eligible: false, reason: `${lost}health of the member agent is unknown`, changesAt: goesStale },
    ],
    [
      'unhealthy for a moment is tolerated',
      agent(fresh, 'True', 'False', '2026-11-20T09:56:00Z'),
      { eligible: true, changesAt: at('2026-11-20T10:01:00Z') + 1 },
    ],
    [
      'unhealthy for five minutes still is',
      agent(fresh, 'True', 'Unknown', '2026-11-20T09:55:00Z'),
      { eligible: true, changesAt: at(now) + 1 },
    ],
    [
      'unhealthy for longer is not',
      agent(fresh, 'True', 'False', '2026-11-20T09:54:00Z'),
      { eligible: false, reason: `${lost}member agent is unhealthy since 2026-11-20T09:54:00Z`, changesAt: goesStale },
    ],
  ])('%s', (_, status, eligibility) => {
    expect(survey([cluster('eu-1', { status })])[0]!.eligibility).toEqual(eligibility);
  });

  test('a leaving member is not, whatever its agent reports', () => {
    const member = survey([cluster('eu-1', { status: agent(fresh), leaving: true })])[0]!;
    expect(member).toMatchObject({
      leaving: true,
      eligibility: { eligible: false, reason: 'cluster is leaving the fleet' },
    });
  });
});

describe('status', () => {
  const memberObservation = (rest: object) =>
    new Map([
      [
        'eu-1',
        clusterObservation.parse({
          apiVersion: 'gitfleet.dev/v1alpha1',
          kind: 'ClusterObservation',
          metadata: { name: 'eu-1' },
          observedAt: '2026-11-20T09:58:00Z',
          ...rest,
        }),
      ],
    ]);
  const recorded = (status: object) =>
    new Map([
      [
        'eu-1',
        memberCluster.parse({
          apiVersion: 'cluster.kubernetes-fleet.io/v1',
          kind: 'MemberCluster',
          metadata: { name: 'eu-1' },
          status,
        }),
      ],
    ]);
  const one = (input: { observations?: ReturnType<typeof memberObservation>; status?: object; recorded?: object }) =>
    surveyMembers({
      now,
      observations: input.observations,
      fleet: { members: [cluster('eu-1', input.status ? { status: input.status } : {})] },
      record: { clusters: input.recorded ? recorded(input.recorded) : new Map() },
    })[0]!;
  const eligibleUntil = (text: string) => ({ eligible: true, changesAt: at(text) + 1 });

  test('without observations every member is reachable and never goes stale', () => {
    expect(one({}).eligibility).toEqual({ eligible: true });
  });
  test('without observations a written agentStatus counts', () => {
    expect(one({ status: agent('2026-11-20T09:00:00Z') }).eligibility.eligible).toBe(false);
  });
  test('a reachable member has its heartbeat at observedAt', () => {
    expect(one({ observations: memberObservation({}) }).eligibility).toEqual(eligibleUntil('2026-11-20T10:03:00Z'));
  });
  test('with observations the repo’s status is ignored', () => {
    expect(
      one({ observations: memberObservation({}), status: { agentStatus: [], properties: { cost: { value: '1' } } } }),
    ).toMatchObject({ properties: {}, eligibility: { eligible: true } });
  });
  test('a present agentStatus wins over being reachable', () => {
    expect(one({ observations: memberObservation({ memberStatus: { agentStatus: [] } }) }).eligibility.eligible).toBe(
      false,
    );
  });
  test('a present agentStatus wins over being unreachable', () => {
    const observations = memberObservation({ reachable: false, memberStatus: agent('2026-11-20T09:57:00Z') });
    expect(one({ observations }).eligibility).toEqual(eligibleUntil('2026-11-20T10:02:00Z'));
  });
  test('an unreachable member shows the recorded status and heartbeat', () => {
    const status = { ...agent('2026-11-20T09:56:00Z'), properties: { cost: { value: '2' } } };
    expect(one({ observations: memberObservation({ reachable: false }), recorded: status })).toMatchObject({
      properties: { cost: '2' },
      eligibility: eligibleUntil('2026-11-20T10:01:00Z'),
    });
  });
  test('an unreachable member without a recorded heartbeat has that of the last contact', () => {
    expect(one({ observations: memberObservation({ reachable: false }) }).eligibility).toEqual(
      eligibleUntil('2026-11-20T10:03:00Z'),
    );
    expect(
      one({ observations: memberObservation({ reachable: false }), recorded: agent(undefined) }).eligibility,
    ).toEqual(eligibleUntil('2026-11-20T10:03:00Z'));
  });
  test('a member that never responded has a heartbeat at 1970-01-01: whether it joined is unknown', () => {
    const never = one({ observations: memberObservation({ reachable: false, observedAt: '1970-01-01T00:00:00Z' }) });
    expect([never.status, never.eligibility]).toEqual([
      { agentStatus: [{ type: 'MemberAgent', lastReceivedHeartbeat: '1970-01-01T00:00:00Z' }] },
      { eligible: false, reason: `${lost}it has not responded since gitfleet was started` },
    ]);
  });
  test('a member without a document is unreachable: recorded heartbeat, or none', () => {
    expect(one({ observations: new Map(), recorded: agent('2026-11-20T09:56:00Z') }).eligibility).toEqual(
      eligibleUntil('2026-11-20T10:01:00Z'),
    );
    expect(one({ observations: new Map() }).eligibility).toEqual({
      eligible: false,
      reason: `${lost}member agent is not online yet`,
    });
  });
});

describe('labels, properties and namespaces', () => {
  test('the label with the own name is implied and cannot be changed', () => {
    expect(
      survey([cluster('eu-1', { labels: { 'kubernetes-fleet.io/member-name': 'other', env: 'prod' } })])[0]!.labels,
    ).toEqual({
      env: 'prod',
      'kubernetes-fleet.io/member-name': 'eu-1',
    });
  });
  test('usage, reported properties and annotations are one list of properties', () => {
    const member = cluster('eu-1', {
      annotations: { 'property.gitfleet.dev/latency': '12', 'property.gitfleet.dev/available-cpu': '0', other: '1' },
      properties: { 'kubernetes.azure.com/node-count': '3', latency: '99' },
      status: {
        properties: { 'kubernetes.azure.com/node-count': { value: '3' }, latency: { value: '99' } },
        resourceUsage: {
          capacity: { cpu: 8 },
          allocatable: { memory: '16Gi' },
          available: { cpu: '1500m', 'ephemeral-storage': '1Ti' },
        },
      },
    });
    expect({ ...survey([member])[0]!.properties }).toEqual({
      'kubernetes-fleet.io/node-count': '3',
      latency: '12',
      'available-cpu': '0',
      'resources.kubernetes-fleet.io/total-cpu': '8',
      'resources.kubernetes-fleet.io/allocatable-memory': '16Gi',
      'resources.kubernetes-fleet.io/available-cpu': '0',
      'resources.kubernetes-fleet.io/available-ephemeral-storage': '1Ti',
    });
  });
  test('the node count under both spellings is that of the current one', () => {
    const properties = { 'kubernetes.azure.com/node-count': '3', 'kubernetes-fleet.io/node-count': '4' };
    expect({ ...survey([cluster('eu-1', { properties })])[0]!.properties }).toEqual({
      'kubernetes-fleet.io/node-count': '4',
    });
  });
  test('namespaces are known only where they are collected, whatever the outcome', () => {
    const collected = (status: string, namespaces?: object) =>
      survey([
        cluster('eu-1', { status: { conditions: [{ type: 'NamespaceCollectionSucceeded', status }], namespaces } }),
      ])[0]!.namespaces;
    expect(survey([cluster('eu-1', { status: { namespaces: { shop: '' } } })])[0]!.namespaces).toBeUndefined();
    expect(collected('True', { shop: '' })).toEqual(new Set(['shop']));
    expect(collected('False')).toEqual(new Set());
  });
  test('members come by name', () => {
    expect(survey([cluster('b'), cluster('a')]).map(({ name }) => name)).toEqual(['a', 'b']);
  });
});
