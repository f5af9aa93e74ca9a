import { fieldsAt, textAt } from '../../../../src/engine/kernel/at.ts';
import type { Transport } from '../../../../src/members/api-server/transport.ts';
import { managementClusters } from '../../../../src/members/upgrade/management.ts';
import type { ManualClock } from '../../../../src/simulator/clock.ts';
import { openMember, type SimulatedMember } from '../../../../src/simulator/member.ts';
import { launchedNode } from '../../../../src/simulator/nodes.ts';
import type { Stored } from '../../../../src/simulator/object.ts';
import type { Fields } from '../../../../src/simulator/schema/schema.ts';
import { remove } from '../../../../src/simulator/storage/remove.ts';
import { create, writeStatus } from '../../../../src/simulator/storage/write.ts';
import { inProcessTransport } from '../../../../src/simulator/transport.ts';
import { definitionOf, fillCaches } from '../../upgrade/worlds/custom-kinds.ts';

const group = 'cluster.x-k8s.io';
const kinds = ['Cluster', 'MachineDeployment', 'Machine'].map((kind) => ({ kind, group, version: 'v1beta2' }));
const labels = { [`${group}/cluster-name`]: 'eu-1' };

/**
 * A management cluster: the simulator with the definitions of Cluster API, and a controller that scales MachineDeployments: it removes
 * Machines with the annotation delete-machine first, and then the oldest ones, which is the worst that can happen.
 */
export class FakeMachines {
  readonly member: SimulatedMember;
  readonly #clock: ManualClock;
  readonly #cluster: () => SimulatedMember | undefined;
  #made = 0;
  /** New Machines get no node, and fail or not. */
  outcome: 'Succeeds' | 'Hangs' | 'Fails' = 'Succeeds';

  private constructor(member: SimulatedMember, clock: ManualClock, cluster: () => SimulatedMember | undefined) {
    this.member = member;
    this.#clock = clock;
    this.#cluster = cluster;
  }

  /** `cluster`: where its nodes join. */
  static async open(clock: ManualClock, cluster: () => SimulatedMember | undefined): Promise<FakeMachines> {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'fleet' } };
    const objects = [...kinds.map(definitionOf), namespace] as never;
    const member = await openMember(
      { name: 'management', objects, readySeconds: { CustomResourceDefinition: 0 } },
      clock,
    );
    const fake = new FakeMachines(member, clock, cluster);
    clock.advance(3_000);
    const machineDeployments = [{ class: 'worker', name: 'md-0', replicas: 2 }];
    fake.#create('Cluster', 'eu-1', { spec: { topology: { workers: { machineDeployments } } } });
    await fillCaches(member, clock, kinds);
    fake.#tick();
    return fake;
  }

  /** A MachineDeployment whose nodes have this type, and Machines for these nodes of the cluster. */
  deployment(name: string, type: string, nodes: readonly string[], more: object = {}): void {
    const annotation = `node.kubernetes.io/instance-type=${type},karpenter.sh/nodepool=default`;
    const annotations = { 'capacity.cluster-autoscaler.kubernetes.io/labels': annotation };
    const spec = { replicas: nodes.length, template: { spec: { failureDomain: 'eu-1a' } } };
    this.#create('MachineDeployment', name, { annotations, spec, ...more });
    for (const node of nodes) this.#status(this.#machine(name, `machine-${node}`), node);
  }

  /** As its controller reports it. */
  rollingOut(name: string): void {
    const deployment = this.#list('MachineDeployment').find(({ metadata }) => metadata.name === name)!;
    const status = { conditions: [{ type: 'RollingOut', status: 'True' }] };
    writeStatus(this.member.cluster, this.#kind('MachineDeployment'), deployment, status);
  }

  /** `name replicas` of MachineDeployments. */
  replicas = (): string[] => this.#list('MachineDeployment').map((one) => `${one.metadata.name} ${replicasOf(one)}`);
  machines = (): string[] => this.#list('Machine').map(({ metadata }) => metadata.name);

  management(through: (transport: Transport) => Transport) {
    const transport = through(inProcessTransport(this.member));
    return managementClusters({ names: ['management'], open: async () => transport });
  }

  #kind = (kind: string) => this.member.cluster.registry.stored(`${group}/${kind.toLowerCase()}s`)!;
  #list = (kind: string): readonly Stored[] => this.member.cluster.store.list(`${group}/${kind.toLowerCase()}s`);

  #create(kind: string, name: string, more: { readonly spec?: object; readonly [field: string]: unknown }): Stored {
    const { spec = {}, ...meta } = more;
    const metadata = { name, namespace: 'fleet', labels, ...meta };
    const object = { apiVersion: `${group}/v1beta2`, kind, metadata, spec } as Fields;
    return create(this.member.cluster, this.#kind(kind), object, {});
  }

  #machine(deployment: string, name: string): Stored {
    return this.#create('Machine', name, { labels: { ...labels, [`${group}/deployment-name`]: deployment } });
  }

  #status(machine: Stored, node: string | undefined): void {
    const status = node === undefined ? { phase: 'Failed' } : { phase: 'Running', nodeRef: { name: node } };
    writeStatus(this.member.cluster, this.#kind('Machine'), machine, status as Fields);
  }

  #tick(): void {
    this.#clock.after(3_000, () => {
      for (const deployment of this.#list('MachineDeployment')) this.#scale(deployment);
      for (const machine of this.#list('Machine')) if (!machine['status']) this.#start(machine);
      this.#tick();
    });
  }

  #scale(deployment: Stored): void {
    const { name } = deployment.metadata;
    const own = this.#list('Machine').filter(({ metadata }) => metadata.labels?.[`${group}/deployment-name`] === name);
    const isMarked = ({ metadata }: Stored): boolean => metadata.annotations?.[`${group}/delete-machine`] !== undefined;
    for (const machine of own.toSorted((a, b) => Number(isMarked(b)) - Number(isMarked(a)))) {
      if (own.length <= replicasOf(deployment)) break;
      own.splice(own.indexOf(machine), 1);
      remove(this.member.cluster, this.#kind('Machine'), machine, {});
      const node = textAt(machine, 'status', 'nodeRef', 'name');
      const cluster = this.#cluster()?.cluster;
      const joined = cluster?.store.get('/nodes', { name: node });
      if (cluster && joined) remove(cluster, cluster.registry.stored('/nodes')!, joined, {});
    }
    for (let at = own.length; at < replicasOf(deployment); at++) this.#machine(name, `${name}-${++this.#made}`);
  }

  /** Its node has another name, and only labels of the kubelet. */
  #start(machine: Stored): void {
    if (this.outcome === 'Hangs') return;
    if (this.outcome === 'Fails') {
      this.#status(machine, undefined);
      return;
    }
    const name = `host-${machine.metadata.name}`;
    const cluster = this.#cluster()?.cluster;
    if (cluster) {
      const amounts = { cpu: '2', memory: '8Gi', pods: '110' };
      const wanted = { name, labels: {}, annotations: {}, taints: [], capacity: amounts, allocatable: amounts };
      const about = { version: 'v1.32.4', region: undefined, timestamp: cluster.timestamp() };
      create(cluster, cluster.registry.stored('/nodes')!, launchedNode(wanted, about), {});
    }
    this.#status(machine, name);
  }
}

const replicasOf = (deployment: Stored): number => Number(fieldsAt(deployment, 'spec')['replicas']);
