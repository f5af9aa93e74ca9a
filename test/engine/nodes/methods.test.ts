import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../../src/api/meta.ts';
import { readPool } from '../../../src/engine/node-pools/pool.ts';
import { marketOf } from '../../../src/engine/nodes/launch/market.ts';
import { replacementNode } from '../../../src/engine/nodes/launch/replacement-node.ts';
import { claim, node, nodePool, pod } from '../../support/node-world.ts';
import { line, planned, unlimited, type World } from '../../support/planned-nodes.ts';

/** The commands for these nodes, which the guard has nothing against. */
async function lines(world: World): Promise<string[]> {
  const { nodes, plan } = await planned(world);
  expect(plan.guard).toEqual([]);
  return nodes.commands.map(line);
}

const kept = { disruption: { ...unlimited, consolidateAfter: 'Never' } };
const old = { spec: { expireAfter: '1h' } };
const silent = { spec: { expireAfter: undefined } };
const marked = node('n1', { taints: [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }] });
const young = { ...kept.disruption, expireAfter: '1h' };

describe('expiry', () => {
  it.each<[string, World, readonly string[]]>([
    ['takes a marked node', { nodes: [marked], claims: [claim(marked, old)] }, ['Expiration Proposed n1']],
    [
      'leaves a marked node where it is graceful',
      {
        nodes: [marked],
        claims: [claim(marked, old)],
        pool: nodePool('default', { disruption: young, template: { expireAfter: undefined } }),
      },
      [],
    ],
    [
      'takes a node of a pool that is not known',
      { nodes: [node('n1', { pool: 'gone' })], claims: [claim(node('n1', { pool: 'gone' }), old)] },
      ['Expiration Proposed n1'],
    ],
    [
      'is of the NodeClaim: one that says nothing stays',
      {
        nodes: [node('n1')],
        claims: [claim(node('n1'), silent)],
        pool: nodePool('default', { ...kept, template: { expireAfter: '1h' } }),
      },
      [],
    ],
    [
      'is behaviour of a pool that writes it in the old place',
      {
        nodes: [node('n1')],
        claims: [claim(node('n1'), silent)],
        pool: nodePool('default', { disruption: young, template: { expireAfter: undefined } }),
      },
      ['Expiration Proposed n1'],
    ],
  ])('%s', async (_, world, expected) => {
    expect(await lines({ pool: nodePool('default', kept), ...world })).toEqual(expected);
  });

  it.each<[string, object, readonly string[]]>([
    [
      'one for one from its own pool',
      { replicas: 2 },
      ['Expiration Proposed n1 -> D8', 'Expiration Proposed n2 -> D2'],
    ],
    ['as far as its limits leave room', { replicas: 2, limits: { nodes: '3' } }, ['Expiration Proposed n1 -> D8']],
    ['once it has no more than its replicas', { replicas: 1 }, []],
  ])('replaces gracefully nodes of a static pool %s', async (_, more, expected) => {
    const pool = nodePool('default', { disruption: young, template: { expireAfter: undefined }, more });
    const nodes = [node('n1'), node('n2')];
    const other = nodePool('other', { disruption: unlimited });
    const pods = [pod('a', 'n1', { cpu: '7' }), pod('b', 'n2', { cpu: '1' })];
    const claims = nodes.map((of) => claim(of, old));
    const made = await planned({ nodes, claims, pool, pods, extras: [other] });
    expect(made.plan.guard).toEqual([]);
    expect(made.nodes.commands.map(line)).toEqual(expected);
    expect(made.nodes.commands.flatMap(({ replacements }) => replacements.map(({ pool: of }) => of))).toEqual(
      expected.map(() => 'default'),
    );
  });

  it('of a node that its budget does not count uses up nothing of it', async () => {
    const nodes = [node('n1', { initialized: false }), node('n2')];
    const one = nodePool('default', { disruption: { budgets: [{ nodes: '1' }] } });
    expect(await lines({ nodes, claims: [claim(nodes[0]!, old), claim(nodes[1]!)], pool: one })).toEqual([
      'Expiration Proposed n1',
      'Emptiness Proposed n2',
    ]);
  });
});

it.each([
  ['exceeds', '20', []],
  ['keeps to', '24', ['SingleNodeConsolidation Proposed n1 -> D4']],
])('a pool that %s its limits: what it launches with %s cores', async (_, cpu, expected) => {
  const nodes = ['n1', 'n2', 'n3'].map((name) => node(name));
  const pods = [pod('a', 'n1', { cpu: '3' }), pod('b', 'n2', { cpu: '7' }), pod('c', 'n3', { cpu: '7' })];
  const pool = nodePool('default', { disruption: unlimited, more: { limits: { cpu } } });
  expect(await lines({ nodes, pods, pool })).toEqual(expected);
});

describe('a replacement from a pool that leaves the value of a label open', () => {
  const key = 'team';
  const oneOf = { key, operator: 'In', values: ['b', 'a'] };
  it.each<[string, object, string | undefined, object | undefined]>([
    ['the first value of a list', oneOf, undefined, { team: 'a' }],
    ['the value that its pods need', oneOf, 'b', { team: 'b' }],
    ['no value that is not in the list', oneOf, 'c', undefined],
    ['a number where any value will do', { key, operator: 'Exists' }, undefined, { team: '0' }],
    ['a number within bounds', { key, operator: 'Gt', values: ['7'] }, undefined, { team: '8' }],
    ['none where it may be absent', { key, operator: 'NotIn', values: ['c'] }, undefined, {}],
    ['that of its pods where it may be absent', { key, operator: 'NotIn', values: ['c'] }, 'a', { team: 'a' }],
    ['not what is excluded', { key, operator: 'NotIn', values: ['c'] }, 'c', undefined],
  ])('has %s', async (_, requirement, needed, expected) => {
    const old = node('n1', { labels: { old: 'yes', ...(needed === undefined ? {} : { team: needed }) } });
    const spec = needed === undefined ? {} : { nodeSelector: { team: needed } };
    const pool = nodePool('default', {
      ...kept,
      requirements: [requirement, { key: 'old', operator: 'DoesNotExist' }],
    });
    const { nodes, plan } = await planned({
      nodes: [old],
      claims: [],
      pool,
      pods: [pod('a', 'n1', { cpu: '3', spec })],
    });
    expect(plan.guard).toEqual([]);
    const [replacement] = nodes.commands.flatMap(({ replacements }) => replacements);
    expect(replacement && (replacement.labels ?? {})).toEqual(expected);
    if (replacement === undefined) return;
    const type = { name: 'D4', labels: {}, capacity: new Map(), allocatable: new Map(), offerings: [] };
    const made = replacementNode(replacement, readPool(pool as Manifest, undefined), {
      ...marketOf({}, [], []).market,
      types: new Map([['D4', type]]),
    });
    expect(made!.labels).toMatchObject({ ...expected, 'karpenter.sh/nodepool': 'default' });
  });
});
