import { describe, expect, it } from 'vitest';
import { folder } from '../support/folders.ts';
import { nodeMember, nodePool, poolPlacement, smallMarket } from '../support/node-world.ts';
import { cli } from '../support/run-cli.ts';

const { 'nodes/catalog.yaml': catalog, 'nodes/prices.yaml': prices } = smallMarket;
const typed = (...values: readonly string[]) =>
  nodePool('default', { requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values }] });

/** Rules, messages and fixes of the warnings about nodes. */
async function warned(files: Readonly<Record<string, string | undefined>>, pool: object = typed('D2')) {
  const all = {
    'eu-1.yaml': nodeMember('eu-1', 'plan', { region: 'eu' }),
    'placement.yaml': poolPlacement,
    'resources/pool.yaml': JSON.stringify(pool),
    'catalog.yaml': catalog,
    'prices.yaml': prices,
    ...files,
  };
  const { out } = await cli(
    'validate',
    folder(Object.fromEntries(Object.entries(all).flatMap(([name, text]) => (text ? [[name, text]] : [])))),
    '-o',
    'json',
  );
  const { items } = JSON.parse(out) as {
    items: { rule?: string; file: string; line?: number; message: string; fix: string }[];
  };
  return items
    .filter(({ rule }) => rule !== undefined)
    .map(({ rule, file, message, fix }) => ({ rule, file, message, fix }));
}

describe('instance types that a NodePool asks for', () => {
  it('are in a catalog of one of its clusters', async () => {
    const of = (name: string, region: string, type: string): string => {
      const { spec, ...rest } = JSON.parse(catalog!) as { spec: { instanceTypes: { name: string }[] } };
      const instanceTypes = spec.instanceTypes
        .filter((one) => one.name === 'D8')
        .map((one) => ({ ...one, name: type }));
      const clusterSelector = { matchLabels: { region } };
      return JSON.stringify({ ...rest, metadata: { name }, spec: { clusterSelector, instanceTypes } });
    };
    const files = {
      'us-1.yaml': nodeMember('us-1', 'plan', { region: 'us' }),
      'catalog.yaml': of('eu', 'eu', 'D8'),
      'us.yaml': of('us', 'us', 'M8'),
    };
    const found = await warned(files, typed('D8', 'M8', 'X1'));
    expect(found.filter(({ rule }) => rule === 'UnlistedInstanceType').map(({ message }) => message)).toEqual([
      expect.stringContaining('lists the type X1'),
    ]);
  });
  it('are in a catalog of its clusters', async () => {
    expect(await warned({}, typed('D2', 'D8'))).toEqual([]);
    expect(await warned({}, typed('D2', 'D8x', 'standard'))).toEqual([
      {
        rule: 'UnlistedInstanceType',
        file: 'resources/pool.yaml',
        message:
          'NodePool default: no InstanceCatalog of its clusters lists the type D8x: plans launch none, and nodes of it count as drifted',
        fix: 'did you mean D8?',
      },
      {
        rule: 'UnlistedInstanceType',
        file: 'resources/pool.yaml',
        message:
          'NodePool default: no InstanceCatalog of its clusters lists the type standard: plans launch none, and nodes of it count as drifted',
        fix: 'add the type to an InstanceCatalog, or remove it here',
      },
    ]);
  });

  it.each<[string, Readonly<Record<string, string | undefined>>]>([
    ['no catalog applies', { 'catalog.yaml': undefined }],
    [
      'a catalog of other clusters has no part',
      { 'catalog.yaml': catalog!.replace('"spec":{', '"spec":{"clusterSelector":{"matchLabels":{"region":"us"}},') },
    ],
    [
      'an invalid catalog may have them',
      { 'other.yaml': catalog!.replace('"all"', '"other"').replace('"4"', '"many"') },
    ],
  ])('are not looked up where %s', async (_, files) => {
    expect(await warned(files, typed('unknown'))).toEqual([]);
  });
});

describe('a NodePool that consolidates by price', () => {
  const withoutPrices = {
    rule: 'ConsolidationWithoutPrices',
    file: 'resources/pool.yaml',
    message:
      'NodePool default: it consolidates by price (WhenEmptyOrUnderutilized), and no PriceList applies to a cluster of it that has an InstanceCatalog: no node is replaced by a cheaper one there',
    fix: 'add a PriceList for its clusters, or write consolidationPolicy: WhenEmpty',
  };

  it('has prices where it has a catalog', async () => {
    expect(await warned({ 'prices.yaml': undefined })).toEqual([withoutPrices]);
    const ofOthers = prices!.replace('"spec":{', '"spec":{"clusterSelector":{"matchLabels":{"region":"us"}},');
    expect(await warned({ 'prices.yaml': ofOthers })).toEqual([withoutPrices]);
    expect(await warned({ 'prices.yaml': undefined, 'catalog.yaml': undefined })).toEqual([]);
  });

  it.each([
    [{ disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: '0s' } }],
    [{ disruption: { consolidateAfter: 'Never' } }],
    [{ more: { replicas: 2 } }],
  ])('is no pool with %j', async (of) => {
    expect(await warned({ 'prices.yaml': undefined }, nodePool('default', of))).toEqual([]);
  });
});

describe('a member in mode execute', () => {
  const member = (mode: string, provider?: string) => ({
    'eu-1.yaml': nodeMember('eu-1', mode, {}, provider ? { 'gitfleet.dev/upgrade-provider': provider } : {}),
  });
  const finding = (who: string) => [
    {
      rule: 'NoLauncher',
      file: 'eu-1.yaml',
      message: `MemberCluster eu-1: nothing launches the types of its InstanceCatalog (${who}): nodes that need a replacement wait (NoLauncher), and only others go`,
      fix: 'write gitfleet.dev/upgrade-provider: cluster-api, or mode plan, or delegate where Karpenter runs',
    },
  ];

  it('has a provider that launches what its catalog lists', async () => {
    expect(await warned(member('execute'))).toEqual(finding('no gitfleet.dev/upgrade-provider says who does'));
    expect(await warned(member('execute', 'aks'))).toEqual(finding('the provider aks does not'));
    for (const provider of ['cluster-api', 'simulated']) expect(await warned(member('execute', provider))).toEqual([]);
    expect(await warned(member('plan'))).toEqual([]);
    expect(await warned({ ...member('execute'), 'catalog.yaml': undefined })).toEqual([]);
  });
});
