import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { lookAt } from '../../../src/members/upgrade/look.ts';
import type { OperationReport, UpgradeOperation } from '../../../src/members/upgrade/provider.ts';
import { namedBy, type Rule, rightsOf } from '../../support/rights.ts';
import { type ClusterApiWorld, clusterApiWorld } from './worlds/cluster-api-world.ts';
import { pass } from './worlds/world.ts';

let world: ClusterApiWorld;
afterEach(() => world.close());

const operation = (
  more: Partial<Pick<UpgradeOperation, 'type' | 'controlPlane' | 'pools'>> = {},
): UpgradeOperation => ({
  run: 'k8s',
  operationId: 'k8s.eu-1.20261120T100000Z',
  type: 'Full',
  ...more,
});
const full = operation({ controlPlane: 'v1.31.5', pools: [{ name: 'md-0', kubernetes: 'v1.31.5' }] });
const image = (name: string) => operation({ type: 'NodeImageOnly', pools: [{ name: 'md-0', image: name }] });

async function look(of: UpgradeOperation): Promise<OperationReport | 'requested'> {
  const provider = world.provider();
  const seen = await provider.observe();
  if (await provider.start(of, seen)) return 'requested';
  return provider.poll(of, seen);
}

async function looks(of: UpgradeOperation, times = 40): Promise<OperationReport | 'requested'> {
  let last = await look(of);
  for (let time = 0; time < times && (last === 'requested' || last.phase === 'Running'); time++) {
    await pass(world.clock, 10);
    last = await look(of);
  }
  return last;
}

it('a topology that its controller has not seen yet is not done, though all its conditions say so', async () => {
  world = await clusterApiWorld(true);
  world.fake.isAsleep = true;
  await look(full);
  await pass(world.clock, 60);
  expect(await look(full)).toMatchObject({ phase: 'Running' });
  expect((await world.provider().observe()).running).toBeDefined();
});

it('version and operation are written in one patch of the topology, and pools that are left are deferred', async () => {
  world = await clusterApiWorld(true);
  await look(full);
  const { metadata, spec } = world.fake.get('clusters', 'eu-1') as unknown as {
    metadata: { annotations: object };
    spec: { topology: { version: string; workers: { machineDeployments: object[] } } };
  };
  expect([world.changes().length, metadata.annotations, spec.topology.version]).toEqual([
    1,
    { 'gitfleet.dev/upgrade-operation': full.operationId },
    'v1.31.5',
  ]);
  expect(spec.topology.workers.machineDeployments).toEqual([
    { class: 'worker', name: 'md-0' },
    {
      class: 'worker',
      name: 'md-1',
      metadata: { annotations: { 'topology.cluster.x-k8s.io/defer-upgrade': 'gitfleet' } },
    },
  ]);
});

it('a pool that somebody else deferred is refused, with what to remove', async () => {
  world = await clusterApiWorld(true);
  world.fake.edit('clusters', 'eu-1', (spec) => {
    const { workers } = spec['topology'] as { workers: { machineDeployments: object[] } };
    const annotations = { 'topology.cluster.x-k8s.io/hold-upgrade-sequence': 'true' };
    Object.assign(workers.machineDeployments[0]!, { metadata: { annotations } });
  });
  await expect(look(full)).rejects.toThrow('pool md-0 is held back by an annotation of the topology');
  expect(world.changes()).toEqual([]);
});

it('node images of a topology are refused', async () => {
  world = await clusterApiWorld(true);
  await expect(look(image('workers-202601.27.0'))).rejects.toThrow('belong to its ClusterClass');
});

it('workers wait for the control plane, and change version and template at once', async () => {
  world = await clusterApiWorld(false);
  const both = operation({
    controlPlane: 'v1.31.5',
    pools: [{ name: 'md-0', kubernetes: 'v1.31.5', image: 'workers-202601.27.0' }],
  });
  expect(await looks(both)).toMatchObject({ phase: 'Succeeded' });
  expect(world.changes().map((line) => line.split(' ')[1])).toEqual([
    'clusters/eu-1',
    'kubeadmcontrolplanes/eu-1-cp',
    'machinedeployments/md-0',
  ]);
  expect(world.changes()[2]).toContain(
    '{"spec":{"template":{"spec":{"version":"v1.31.5","infrastructureRef":{"name":"workers-202601.27.0"}}}}',
  );
});

it('the node image of a pool is its machine template, once all machines have it', async () => {
  world = await clusterApiWorld(false);
  expect(await looks(image('workers-202601.27.0'))).toMatchObject({ phase: 'Succeeded' });
  const { versions } = await world.provider().observe();
  expect(versions.pools?.map(({ image: template }) => template)).toEqual([
    'workers-202601.27.0',
    'workers-202601.13.0',
  ]);
});

it('a machine template that does not exist is refused before anything changes', async () => {
  world = await clusterApiWorld(false);
  await expect(look(image('workers-202602.1.0'))).rejects.toThrow('create the machine template first');
  expect(world.changes()).toEqual([]);
});

it('a change by somebody else in between is a conflict, which passes', async () => {
  world = await clusterApiWorld(true);
  const provider = world.provider();
  const seen = await provider.observe();
  world.fake.edit('clusters', 'eu-1', (spec) => {
    spec['paused'] = false;
  });
  await expect(provider.start(full, seen)).rejects.toMatchObject({ status: 409 });
  expect(await looks(full)).toMatchObject({ phase: 'Succeeded' });
});

type Edit = (object: { spec: Record<string, unknown>; metadata: Record<string, unknown> }) => void;
const pause: Edit = ({ spec }) => {
  spec['paused'] = true;
};
const pauseByAnnotation: Edit = ({ metadata }) => {
  metadata['annotations'] = { 'cluster.x-k8s.io/paused': 'true' };
};
const onDelete: Edit = ({ spec }) => {
  spec['rollout'] = { strategy: { type: 'OnDelete' } };
};

it.each<[string, string, Edit, string]>([
  ['clusters', 'eu-1', pause, 'Blocking Paused: Cluster eu-1 is paused'],
  ['clusters', 'eu-1', pauseByAnnotation, 'Blocking Paused: Cluster eu-1 is paused'],
  ['kubeadmcontrolplanes', 'eu-1-cp', pauseByAnnotation, 'Blocking Paused: control plane eu-1-cp is paused'],
  ['machinedeployments', 'md-0', pause, 'Blocking Paused: pool md-0 is paused'],
  ['machinedeployments', 'md-0', pauseByAnnotation, 'Blocking Paused: pool md-0 is paused'],
  [
    'machinedeployments',
    'md-0',
    onDelete,
    'Warning OnDelete: machines of pool md-0 are replaced only once someone deletes them',
  ],
])('%s/%s that does not roll by itself has a finding: %s %s', async (plural, name, change, expected) => {
  world = await clusterApiWorld(false);
  world.fake.isAsleep = true;
  world.fake.editObject(plural, name, change);
  const provider = world.provider();
  const findings = await provider.preflight(await provider.observe());
  expect(findings.map(({ reason, severity, message }) => `${severity} ${reason}: ${message}`)).toEqual([expected]);
});

it('what is paused while it is upgraded is reported', async () => {
  world = await clusterApiWorld(false);
  await looks(full, 2);
  world.fake.isAsleep = true;
  world.fake.editObject('machinedeployments', 'md-0', pause);
  expect(await look(full)).toMatchObject({ phase: 'Running', message: expect.stringContaining('pool md-0 is paused') });
});

it.each([
  [
    403,
    'admission webhook "validation.cluster.cluster.x-k8s.io" denied the request: version can only be increased by 1',
    'Failed',
  ],
  [422, 'Cluster.cluster.x-k8s.io "eu-1" is invalid: spec.topology.version: Invalid value', 'Failed'],
  [403, 'clusters.cluster.x-k8s.io "eu-1" is forbidden: User "gitfleet" cannot patch resource "clusters"', 'Unknown'],
  [500, 'Internal error occurred: failed calling webhook "validation.cluster.cluster.x-k8s.io"', 'Unknown'],
])('a change that is answered %s, %s: %s', async (status, message, phase) => {
  world = await clusterApiWorld(true);
  world.refuse = { status, message };
  const { report } = await lookAt(world.provider(), () => ({ operation: full, adopted: false }));
  expect(report).toMatchObject({ phase, message: expect.stringContaining(message) });
  world.refuse = undefined;
  expect(await looks(full)).toMatchObject({ phase: 'Succeeded' });
});

it('the Role of deploy/management-cluster.yaml has the rights that upgrades need, and no more', async () => {
  const file = join(import.meta.dirname, '../../../deploy/management-cluster.yaml');
  const documents = parseAllDocuments(await readFile(file, 'utf8')).map((document) => document.toJS());
  const rules: Rule[] = documents.flatMap(({ kind, rules }) => (kind === 'Role' ? rules : []));
  const needed: string[] = [];
  for (const [isManaged, of] of [
    [true, full],
    [false, full],
    [false, image('workers-202601.27.0')],
  ] as const) {
    world = await clusterApiWorld(isManaged);
    expect(await looks(of)).toMatchObject({ phase: 'Succeeded' });
    needed.push(...world.requests.flatMap(rightsOf));
    world.close();
  }
  // Every account may discover. The Role does not name the kinds of providers, and both kinds of pools are read and changed alike.
  const used = needed
    .filter((right) => !right.startsWith('get url:/apis/'))
    .map((right) => right.replace(/((?:controlplane|infrastructure)[^/]+)\/.+$/, '$1/*'))
    .flatMap((right) => [right, right.replace('machinedeployments', 'machinepools')]);
  const granted = rules.flatMap((rule) => namedBy(rule).flatMap((on) => rule.verbs.map((verb) => `${verb} ${on}`)));
  expect([...new Set(used)].sort()).toEqual(granted.sort());
});
