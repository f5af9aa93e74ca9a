import { fieldsAt, textAt } from '../../../../src/engine/kernel/at.ts';
import type { ManualClock } from '../../../../src/simulator/clock.ts';
import { openMember, type SimulatedMember } from '../../../../src/simulator/member.ts';
import type { Stored } from '../../../../src/simulator/object.ts';
import type { Fields } from '../../../../src/simulator/schema/schema.ts';
import { replace, writeStatus } from '../../../../src/simulator/storage/write.ts';
import { definitionOf, fillCaches } from './custom-kinds.ts';

const core = 'cluster.x-k8s.io';
const kinds = (
  [
    ['Cluster', core],
    ['MachineDeployment', core],
    ['MachinePool', core],
    ['Machine', core],
    ['KubeadmControlPlane', `controlplane.${core}`],
    ['DockerMachineTemplate', `infrastructure.${core}`],
  ] as const
).map(([kind, group]) => ({ kind, group, version: 'v1beta2' }));

const labels = { 'cluster.x-k8s.io/cluster-name': 'eu-1' };
const template = (name: string) => ({ apiGroup: `infrastructure.${core}`, kind: 'DockerMachineTemplate', name });

function objects(isManaged: boolean): object[] {
  const meta = (name: string, more: object = {}) => ({ name, namespace: 'fleet', labels: { ...labels, ...more } });
  return [
    {
      apiVersion: `${core}/v1beta2`,
      kind: 'Cluster',
      metadata: meta('eu-1'),
      spec: {
        controlPlaneRef: { apiGroup: `controlplane.${core}`, kind: 'KubeadmControlPlane', name: 'eu-1-cp' },
        ...(isManaged && {
          topology: {
            classRef: { name: 'class' },
            version: 'v1.30.9',
            workers: {
              machineDeployments: [
                { class: 'worker', name: 'md-0' },
                { class: 'worker', name: 'md-1' },
              ],
            },
          },
        }),
      },
    },
    {
      apiVersion: `controlplane.${core}/v1beta2`,
      kind: 'KubeadmControlPlane',
      metadata: meta('eu-1-cp'),
      spec: { version: 'v1.30.9', replicas: 3, machineTemplate: { spec: { infrastructureRef: template('cp-1') } } },
    },
    ...['md-0', 'md-1'].map((name) => ({
      apiVersion: `${core}/v1beta2`,
      kind: 'MachineDeployment',
      metadata: meta(name, isManaged ? { 'topology.cluster.x-k8s.io/deployment-name': name } : {}),
      spec: {
        replicas: 2,
        template: { spec: { version: 'v1.30.9', infrastructureRef: template('workers-202601.13.0') } },
      },
    })),
    ...['workers-202601.13.0', 'workers-202601.27.0'].map((name) => ({
      apiVersion: `infrastructure.${core}/v1beta2`,
      kind: 'DockerMachineTemplate',
      metadata: meta(name),
      spec: {},
    })),
  ];
}

interface Editable {
  readonly spec: Record<string, unknown>;
  readonly metadata: Record<string, unknown>;
}

interface Machine {
  version: string;
  template: string | undefined;
}

/**
 * A management cluster: the simulator with the definitions of Cluster API, and controllers that follow its documented status. A machine
 * is replaced every 5 s. The topology controller sets the version of the control plane, then of one MachineDeployment after another.
 */
export class FakeClusterApi {
  readonly member: SimulatedMember;
  readonly #clock: ManualClock;
  readonly #machines = new Map<string, Machine[]>();
  isHanging = false;
  /** Controllers do not notice changes: status keeps its observedGeneration. */
  isAsleep = false;
  isFailing = false;

  private constructor(member: SimulatedMember, clock: ManualClock) {
    this.member = member;
    this.#clock = clock;
  }

  static async open(clock: ManualClock, isManaged: boolean): Promise<FakeClusterApi> {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'fleet' } };
    const member = await openMember(
      {
        name: 'management',
        objects: [...kinds.map(definitionOf), namespace] as never,
        readySeconds: { CustomResourceDefinition: 0 },
      },
      clock,
    );
    const fake = new FakeClusterApi(member, clock);
    clock.advance(3_000);
    for (const object of objects(isManaged)) await fake.create(object);
    await fillCaches(member, clock, kinds);
    fake.#step();
    fake.#step();
    fake.#tick();
    return fake;
  }

  async create(object: object): Promise<void> {
    const { apiVersion, kind } = object as { apiVersion: string; kind: string };
    const { status, body } = await this.member.request({
      method: 'POST',
      path: `/${apiVersion === 'v1' ? 'api' : 'apis'}/${apiVersion}/namespaces/fleet/${kind.toLowerCase()}s`,
      query: new URLSearchParams(),
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(object),
    });
    if (status !== 201) throw new Error(`${kind}: ${status} ${String(body)}`);
  }

  get(plural: string, name: string): Stored {
    return this.member.cluster.store.get(this.#key(plural), { namespace: 'fleet', name })!;
  }

  /** As a user does who changes the spec. */
  edit(plural: string, name: string, change: (spec: Record<string, unknown>) => void): void {
    this.editObject(plural, name, ({ spec }) => change(spec));
  }

  editObject(plural: string, name: string, change: (object: Editable) => void): void {
    const live = this.get(plural, name);
    const next = structuredClone(live) as unknown as Editable;
    change(next);
    replace(this.member.cluster, this.#kind(plural), live, next as unknown as Fields, { manager: 'kubectl' });
  }

  #key(plural: string): string {
    if (plural === 'kubeadmcontrolplanes') return `controlplane.${core}/${plural}`;
    return `${core}/${plural}`;
  }

  #kind(plural: string) {
    return this.member.cluster.registry.stored(this.#key(plural))!;
  }

  /** As a controller reports; those of the fake report again every 5 s unless they are asleep. */
  report(plural: string, name: string, status: object): void {
    writeStatus(this.member.cluster, this.#kind(plural), this.get(plural, name), status as Fields);
  }

  #tick(): void {
    this.#clock.after(5_000, () => {
      if (!this.isAsleep) this.#step();
      this.#tick();
    });
  }

  #step(): void {
    const controlPlaneDone = this.#roll('kubeadmcontrolplanes', 'eu-1-cp');
    const done = ['md-0', 'md-1'].map((name) => this.#roll('machinedeployments', name));
    this.#topology(controlPlaneDone && done.every(Boolean));
  }

  /** Replaces one machine that is not as the object says; true when all are. */
  #roll(plural: string, name: string): boolean {
    const object = this.get(plural, name);
    const isControlPlane = plural === 'kubeadmcontrolplanes';
    const spec = isControlPlane ? fieldsAt(object, 'spec') : fieldsAt(object, 'spec', 'template', 'spec');
    const wanted: Machine = { version: textAt(spec, 'version'), template: textAt(spec, 'infrastructureRef', 'name') };
    const replicas = fieldsAt(object, 'spec')['replicas'] as number;
    const machines = this.#machines.get(name) ?? Array.from({ length: replicas }, () => ({ ...wanted }));
    this.#machines.set(name, machines);
    const isOld = (it: Machine): boolean => it.version !== wanted.version || it.template !== wanted.template;
    const old = machines.find(isOld);
    if (old && !this.isHanging && (isControlPlane || !this.isFailing)) Object.assign(old, wanted);
    const upToDate = machines.filter((it) => !isOld(it)).length;
    const versions = [...new Set(machines.map(({ version }) => version))].sort().map((version) => ({ version }));
    this.report(plural, name, {
      observedGeneration: object.metadata.generation,
      replicas,
      upToDateReplicas: upToDate,
      readyReplicas: replicas,
      availableReplicas: replicas,
      versions,
      ...(!isControlPlane && { phase: this.isFailing && upToDate < replicas ? 'Failed' : 'Running' }),
      conditions: [{ type: 'RollingOut', status: upToDate < replicas ? 'True' : 'False', reason: 'RollingOut' }],
    });
    return upToDate === replicas;
  }

  #topology(isRested: boolean): void {
    const cluster = this.get('clusters', 'eu-1');
    const topology = fieldsAt(cluster, 'spec', 'topology');
    const version = textAt(topology, 'version');
    if (version === '') return;
    const isDeferred = (name: string): boolean => {
      const entries = (fieldsAt(topology, 'workers')['machineDeployments'] ?? []) as Fields[];
      const entry = entries.find((it) => textAt(it, 'name') === name);
      return Object.keys(fieldsAt(entry, 'metadata', 'annotations')).some((key) => key.endsWith('/defer-upgrade'));
    };
    const versionOf = (name: string): string =>
      textAt(this.get('machinedeployments', name), 'spec', 'template', 'spec', 'version');
    const behind = ['md-0', 'md-1'].filter((name) => versionOf(name) !== version);
    const next = behind.find((name) => !isDeferred(name));
    if (isRested && !this.isHanging) {
      if (textAt(this.get('kubeadmcontrolplanes', 'eu-1-cp'), 'spec', 'version') !== version)
        this.edit('kubeadmcontrolplanes', 'eu-1-cp', (spec) => {
          spec['version'] = version;
        });
      else if (next)
        this.edit('machinedeployments', next, (spec) => {
          (spec['template'] as { spec: { version: string } }).spec.version = version;
        });
    }
    const isWhole =
      isRested &&
      behind.length === 0 &&
      textAt(this.get('kubeadmcontrolplanes', 'eu-1-cp'), 'spec', 'version') === version;
    this.report('clusters', 'eu-1', {
      conditions: [
        {
          type: 'TopologyReconciled',
          status: isWhole ? 'True' : 'False',
          reason: isWhole ? 'ReconcileSucceeded' : 'ClusterUpgrading',
          observedGeneration: cluster.metadata.generation,
        },
      ],
    });
  }
}
