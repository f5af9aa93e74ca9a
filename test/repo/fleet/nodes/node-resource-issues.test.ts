import { describe, expect, it } from 'vitest';
import { nodeResourceIssues } from '../../../../src/repo/fleet/nodes/node-resource-issues.ts';
import { nodePool } from '../../../support/node-world.ts';

const found = (manifest: object): string[] =>
  nodeResourceIssues(manifest).map(({ severity, code, path }) => `${severity} ${code} ${path.join('.')}`);
const pool = (of: Parameters<typeof nodePool>[1]) => nodePool('default', of);
const budget = (one: object) => pool({ disruption: { budgets: [one] } });
const needs = (...requirements: readonly object[]) => pool({ requirements });
const requirement = (operator: string, values?: readonly string[], more: object = {}) => ({
  key: 'example.com/size',
  operator,
  ...(values ? { values } : {}),
  ...more,
});
const own = 'spec.template.spec';
const disruption = 'spec.disruption';

// Karpenter's pkg/apis/v1/nodepool.go: what its admission refuses, and the cron that it lets through.
describe('a NodePool', () => {
  it.each<[string, object, string[]]>([
    ['of defaults', pool({}), []],
    [
      'budgets of every form',
      budget({ nodes: '100%', schedule: '0 9 * * 1-5', duration: '10h5m', reasons: ['Empty'] }),
      [],
    ],
    ['a number of nodes', budget({ nodes: 5 }), [`error wrong-type ${disruption}.budgets.0.nodes`]],
    ['101 %', budget({ nodes: '101%' }), [`error invalid-int-or-percent ${disruption}.budgets.0.nodes`]],
    ['a negative number', budget({ nodes: '-1' }), [`error invalid-int-or-percent ${disruption}.budgets.0.nodes`]],
    ['a schedule alone', budget({ nodes: '1', schedule: '@daily' }), [`error field-required ${disruption}.budgets.0`]],
    ['a duration alone', budget({ nodes: '1', duration: '1h' }), [`error field-required ${disruption}.budgets.0`]],
    [
      'seconds',
      budget({ nodes: '1', schedule: '@daily', duration: '30s' }),
      [`error invalid-duration ${disruption}.budgets.0.duration`],
    ],
    [
      '@dailyX',
      budget({ nodes: '1', schedule: '@dailyX', duration: '1h' }),
      [`error invalid-value ${disruption}.budgets.0.schedule`],
    ],
    [
      'TZ=',
      budget({ nodes: '1', schedule: 'TZ=UTC 0 9 * * *', duration: '1h' }),
      [`error invalid-value ${disruption}.budgets.0.schedule`],
    ],
    [
      'Expired as a reason',
      budget({ nodes: '1', reasons: ['Expired'] }),
      [`error invalid-value ${disruption}.budgets.0.reasons.0`],
    ],
    [
      'a reason twice',
      budget({ nodes: '1', reasons: ['Empty', 'Empty'] }),
      [`error duplicate ${disruption}.budgets.0.reasons`],
    ],
    [
      '51 budgets',
      pool({ disruption: { budgets: Array.from({ length: 51 }, () => ({ nodes: '1' })) } }),
      [`error out-of-range ${disruption}.budgets`],
    ],
    [
      'a policy in small letters',
      pool({ disruption: { consolidationPolicy: 'whenEmpty' } }),
      [`error invalid-value ${disruption}.consolidationPolicy`],
    ],
    [
      'an empty policy',
      pool({ disruption: { consolidationPolicy: '' } }),
      [`error invalid-value ${disruption}.consolidationPolicy`],
    ],
    [
      'the policy of v1beta1',
      pool({ disruption: { consolidationPolicy: 'WhenUnderutilized', consolidateAfter: '30s' } }),
      [`warning v1beta1-field ${disruption}.consolidationPolicy`],
    ],
    ['Balanced, and Never', pool({ disruption: { consolidationPolicy: 'Balanced', consolidateAfter: 'Never' } }), []],
    ['days', pool({ template: { expireAfter: '30d' } }), [`error invalid-duration ${own}.expireAfter`]],
    [
      'a drain that never ends by force',
      pool({ template: { terminationGracePeriod: 'Never' } }),
      [`error invalid-duration ${own}.terminationGracePeriod`],
    ],
    ['a drain of 0s', pool({ template: { terminationGracePeriod: '0s' } }), []],
    [
      'equal expiry in both places',
      pool({ template: { expireAfter: '24h' }, disruption: { expireAfter: '1440m' } }),
      [`warning v1beta1-field ${disruption}.expireAfter`],
    ],
    [
      'different expiry in both places',
      pool({ template: { expireAfter: '24h' }, disruption: { expireAfter: '48h' } }),
      [`error exclusive-fields ${disruption}.expireAfter`],
    ],
    ['kubelet', pool({ template: { kubelet: { maxPods: 30 } } }), [`error v1beta1-field ${own}.kubelet`]],
    [
      'a class as in v1beta1',
      pool({ template: { nodeClassRef: { apiVersion: 'g/v1', kind: 'K', name: 'n' } } }),
      [`warning v1beta1-field ${own}.nodeClassRef.apiVersion`],
    ],
    [
      'a group with a version',
      pool({ template: { nodeClassRef: { group: 'g/v1', kind: 'K', name: 'n' } } }),
      [`error invalid-value ${own}.nodeClassRef.group`],
    ],
    [
      'the version before v1',
      { ...pool({}), apiVersion: 'karpenter.sh/v1beta1' },
      ['warning v1beta1-field apiVersion'],
    ],
    [
      'the version before v1, with its own fields',
      {
        ...pool({
          template: { nodeClassRef: { apiVersion: 'g/v1', kind: 'K', name: 'n' } },
          disruption: { consolidationPolicy: 'WhenUnderutilized' },
        }),
        apiVersion: 'karpenter.sh/v1beta1',
      },
      ['warning v1beta1-field apiVersion'],
    ],
    [
      'values that Exists does not read',
      pool({ template: { requirements: [{ key: 'a', operator: 'Exists', values: ['b'] }] } }),
      [`warning no-use ${own}.requirements.0.values`],
    ],
    [
      'a mistyped annotation',
      {
        ...pool({}),
        metadata: { name: 'p', annotations: { 'gitfleet.dev/allow-window': '[]', 'example.com/a': 'b' } },
      },
      ['warning unknown-annotation metadata.annotations.gitfleet.dev/allow-window'],
    ],
    [
      'annotations of a member, and one that is nearly its own',
      {
        ...pool({}),
        metadata: {
          name: 'p',
          annotations: { 'gitfleet.dev/node-disruption': 'plan', 'gitfleet.dev/expire': 'graceful' },
        },
      },
      [
        'warning unknown-annotation metadata.annotations.gitfleet.dev/node-disruption',
        'warning unknown-annotation metadata.annotations.gitfleet.dev/expire',
      ],
    ],
    ['weight 0', pool({ more: { weight: 0 } }), ['error out-of-range spec.weight']],
    ['weight and replicas', pool({ more: { weight: 1, replicas: 3 } }), ['error exclusive-fields spec.weight']],
    [
      'replicas with limits of cpu',
      pool({ more: { replicas: 3, limits: { cpu: '8', nodes: '4' } } }),
      ['error field-not-allowed spec.limits.cpu'],
    ],
    ['no amount', pool({ more: { limits: { cpu: 'many' } } }), ['error invalid-quantity spec.limits.cpu']],
    [
      'an unknown field',
      pool({ disruption: { consolidationPolicyy: 'WhenEmpty' } }),
      [`error unknown-field ${disruption}.consolidationPolicyy`],
    ],
    [
      'a taint twice, in both lists',
      pool({
        template: {
          taints: [{ key: 'a', effect: 'NoSchedule' }],
          startupTaints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }],
        },
      }),
      [`error duplicate ${own}.startupTaints.0`],
    ],
    ['In without values', needs(requirement('In', [])), [`error invalid-selector ${own}.requirements.0.values`]],
    ['Gt of two values', needs(requirement('Gt', ['1', '2'])), [`error invalid-selector ${own}.requirements.0.values`]],
    [
      'Gt of a negative number',
      needs(requirement('Gt', ['-1'])),
      [`error invalid-selector ${own}.requirements.0.values`, `error invalid-label ${own}.requirements.0.values.0`],
    ],
    ['Gte of 0', needs(requirement('Gte', ['0'])), []],
    [
      'more minValues than values',
      needs(requirement('In', ['a'], { minValues: 2 })),
      [`error invalid-selector ${own}.requirements.0.minValues`],
    ],
    [
      '51 minValues',
      needs(requirement('Exists', undefined, { minValues: 51 })),
      [`error out-of-range ${own}.requirements.0.minValues`],
    ],
    [
      'its own label',
      needs({ key: 'karpenter.sh/nodepool', operator: 'Exists' }),
      [`error invalid-selector ${own}.requirements.0.key`],
    ],
    [
      'one unknown capacity type',
      needs({ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot', 'x'] }),
      [`warning invalid-value ${own}.requirements.0.values`],
    ],
    [
      'only unknown capacity types',
      needs({ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['x'] }),
      [`error invalid-value ${own}.requirements.0.values`],
    ],
    [
      'labels that Karpenter sets itself',
      {
        ...pool({}),
        spec: {
          template: {
            metadata: {
              labels: { 'karpenter.sh/x': 'a', 'kubernetes.io/hostname': 'b', 'karpenter.sh/capacity-type': 'spot' },
            },
            spec: pool({}).spec.template.spec,
          },
        },
      },
      [
        'error invalid-label spec.template.metadata.labels.karpenter.sh/x',
        'error invalid-label spec.template.metadata.labels.kubernetes.io/hostname',
      ],
    ],
    ['no template', { ...pool({}), spec: { disruption: { budgets: [] } } }, ['error field-required spec.template']],
  ])('with %s', (_, manifest, issues) => {
    expect(found(manifest)).toEqual(issues);
  });
});

it.each<[string, object, string[]]>([
  ['every field in its range', { osDiskSizeGB: 2048, imageFamily: 'AzureLinux', maxPods: 10, fipsMode: 'FIPS' }, []],
  ['a small disk', { osDiskSizeGB: 29 }, ['error out-of-range spec.osDiskSizeGB']],
  ['many pods', { maxPods: 251 }, ['error out-of-range spec.maxPods']],
  ['an unknown family', { imageFamily: 'Windows' }, ['error invalid-value spec.imageFamily']],
  ['a subnet that is none', { vnetSubnetID: 'subnet-1' }, ['error invalid-value spec.vnetSubnetID']],
  ['an unknown field', { disk: 3 }, ['error unknown-field spec.disk']],
])('an AKSNodeClass with %s', (_, spec, issues) => {
  expect(
    found({ apiVersion: 'karpenter.azure.com/v1beta1', kind: 'AKSNodeClass', metadata: { name: 'c' }, spec }),
  ).toEqual(issues);
});

it.each<[string, object, string[]]>([
  ['is of no use', {}, []],
  ['has requests', { resources: { requests: { cpu: '1' } } }, []],
  ['has an unknown field', { budgets: [] }, ['error unknown-field spec.budgets']],
  ['never expires in days', { expireAfter: '30d' }, ['error invalid-duration spec.expireAfter']],
  [
    'has a taint twice',
    {
      taints: [
        { key: 'a', effect: 'NoSchedule' },
        { key: 'a', effect: 'NoSchedule' },
      ],
    },
    ['error duplicate spec.taints.1'],
  ],
])('a NodeClaim in a fleet %s', (_, more, issues) => {
  const spec = { requirements: [], nodeClassRef: { group: 'g', kind: 'K', name: 'n' }, ...more };
  const manifest = { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', metadata: { name: 'c' }, spec };
  expect(found(manifest)).toEqual(['warning no-use kind', ...issues]);
});

it.each([
  [{ disruption: { budgets: [{ nodes: '0', schedule: '@daily', duration: 24 }] } }, 'write 24m or 24h'],
  [{ disruption: { budgets: [{ nodes: '0', schedule: '@daily', duration: '24' }] } }, 'write 24m or 24h'],
  [{ disruption: { consolidateAfter: 30 } }, 'write 30s or 30m or 30h'],
  [{ template: { terminationGracePeriod: 60 } }, 'write 60s or 60m or 60h'],
  [{ template: { expireAfter: 720 } }, 'write 720s or 720m or 720h'],
  [{ disruption: { budgets: [{ nodes: 5 }] } }, 'write "5"'],
])('a duration without a unit is reported with units: %j', (of, fix) => {
  expect(nodeResourceIssues(pool(of)).map((issue) => issue.fix)).toEqual([fix]);
});

it.each([
  [budget({ nodes: '1', reasons: ['Drift'] }), 'did you mean Drifted?'],
  [budget({ nodes: '1', reasons: ['Underutilised'] }), 'did you mean Underutilized?'],
  [pool({ disruption: { consolidationPolicy: 'When' } }), 'write one of them'],
])('a word that an enumeration does not have is reported with the one that is meant: %j', (of, fix) => {
  expect(nodeResourceIssues(of).map((issue) => issue.fix)).toEqual([fix]);
});
