import { describe, expect, test } from 'vitest';
import { cluster } from '../worlds.ts';
import { reasonsOf, selected } from './setting.ts';

describe('taints', () => {
  const tainted = (...taints: { key: string; value?: string }[]) => [cluster('a', { taints })];
  test.each<[rule: string, toleration: object | undefined, taint: { key: string; value?: string }, tolerated: boolean]>(
    [
      ['nothing tolerates nothing', undefined, { key: 'x' }, false],
      ['Equal needs key and value', { key: 'x', value: '1' }, { key: 'x', value: '1' }, true],
      ['another value is another taint', { key: 'x', value: '2' }, { key: 'x', value: '1' }, false],
      ['no value equals no value', { key: 'x' }, { key: 'x' }, true],
      ['Exists takes any value', { key: 'x', operator: 'Exists' }, { key: 'x', value: '1' }, true],
      ['Exists without a key takes all', { operator: 'Exists' }, { key: 'y' }, true],
      ['Exists of another key does not', { key: 'y', operator: 'Exists' }, { key: 'x' }, false],
      ['the effect may be named', { key: 'x', effect: 'NoSchedule' }, { key: 'x' }, true],
    ],
  )('%s', (_, toleration, taint, tolerated) => {
    expect(selected({ policy: { tolerations: toleration && [toleration] }, fleet: tainted(taint) })).toEqual(
      tolerated ? ['a'] : [],
    );
  });
  test('the reason names the first taint that is not tolerated', () => {
    const policy = { tolerations: [{ key: 'x', operator: 'Exists' }] };
    expect(reasonsOf({ policy, fleet: tainted({ key: 'x' }, { key: 'y', value: '1' }, { key: 'z' }) })).toEqual({
      a: 'ClusterUnschedulable, taint y=1:NoSchedule is not tolerated',
    });
  });
});

describe('namespace affinity', () => {
  const collects = (namespaces?: object) => ({
    status: { conditions: [{ type: 'NamespaceCollectionSucceeded', status: 'False' }], namespaces },
  });
  const fleet = [
    cluster('has', collects({ shop: '' })),
    cluster('lacks', collects({ other: '' })),
    cluster('nil', collects()),
    cluster('unknown'),
  ];
  test('a ResourcePlacement needs a cluster with its namespace, or without collected namespaces', () => {
    expect(selected({ policy: {}, fleet, namespace: 'shop' })).toEqual(['has', 'unknown']);
    expect(reasonsOf({ policy: {}, fleet, namespace: 'shop' })['lacks']).toBe(
      'ClusterUnschedulable, namespace "shop" does not exist on the cluster',
    );
  });
  test('does not apply to a ClusterResourcePlacement', () => {
    expect(selected({ policy: {}, fleet })).toEqual(['has', 'lacks', 'nil', 'unknown']);
  });
});
