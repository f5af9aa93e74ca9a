import type { Manifest } from '../../../api/meta.ts';
import { poolNameOf } from '../../../engine/nodes/cluster/claim.ts';
import { capacityLabel, typeLabel, zoneLabel } from '../../../engine/nodes/launch/market.ts';
import { ApiError } from '../../api-server/api-error.ts';
import type { MemberClient } from '../../api-server/client.ts';
import { type ClusterRef, core, ofCluster } from '../../upgrade/cluster-api/read.ts';
import { conditionIs, fieldAt, listAt, numberAt, textAt } from '../../upgrade/fields.ts';
import { mergePatch } from '../../upgrade/merge-patch.ts';
import type { WantedLaunch } from '../wanted-nodes.ts';
import type { Launcher } from './launcher.ts';

/** Of a MachineDeployment: launches for which it was scaled and whose Machine is not known yet. */
const launchesAnnotation = 'gitfleet.dev/node-launches';
/** Of a Machine: the launch that it came of. */
const launchAnnotation = 'gitfleet.dev/node-launch';
/** Cluster API removes a Machine with it before all others. */
const deleteMachine = 'cluster.x-k8s.io/delete-machine';
/** Labels of the nodes of a MachineDeployment, as the cluster autoscaler reads them. */
const nodeLabels = 'capacity.cluster-autoscaler.kubernetes.io/labels';

interface Seen {
  readonly deployments: readonly Manifest[];
  readonly machines: readonly Manifest[];
}

/**
 * Launches and removes nodes by scaling MachineDeployments of Cluster API (v1beta2). For what one was scaled up is part of the same
 * patch, and no patch overtakes another, so that nothing is scaled for twice.
 */
export function clusterApiLauncher(
  open: () => Promise<{ readonly client: MemberClient; readonly ref: ClusterRef }>,
): Launcher {
  async function look() {
    const { client, ref } = await open();
    const root = `${core}/namespaces/${ref.namespace}`;
    const listed = async (plural: string) => (await client.list(`${root}/${plural}`, ofCluster(ref))).items;
    const [deployments, machines] = await Promise.all([listed('machinedeployments'), listed('machines')]);
    const change = (plural: string, object: Manifest, patch: object) =>
      mergePatch(client, { path: `${root}/${plural}/${object.metadata.name}`, object, patch });
    const annotate = (plural: string, object: Manifest, annotations: object) =>
      change(plural, object, { metadata: { annotations } });
    return {
      seen: { deployments, machines } satisfies Seen,
      annotateMachine: (machine: Manifest, annotations: object) => annotate('machines', machine, annotations),
      annotateDeployment: (one: Manifest, annotations: object) => annotate('machinedeployments', one, annotations),
      async scale(deployment: Manifest, by: 1 | -1, annotations: object): Promise<void> {
        refuseRollout(deployment);
        if (isOfTopology(deployment)) {
          const path = `${root}/clusters/${ref.name}`;
          refuseReplicas(deployment, await client.object({ method: 'GET', path, tried: `read Cluster ${ref.name}` }));
        }
        const replicas = replicasOf(deployment) + by;
        await change('machinedeployments', deployment, { metadata: { annotations }, spec: { replicas } });
      },
    };
  }

  type Look = Awaited<ReturnType<typeof look>>;

  /**
   * Annotates, then scales. Only while there are as many Machines as wanted: otherwise Cluster API still has to follow a change of
   * before, perhaps of this very removal, and may take another annotated Machine first.
   */
  async function removeMachine(machine: Manifest, { seen, annotateMachine, scale }: Look): Promise<void> {
    const { name, annotations, deletionTimestamp } = machine.metadata;
    const deployment = seen.deployments.find((one) => one.metadata.name === deploymentOf(machine));
    if (!deployment) throw new Error(`Machine ${name} belongs to no MachineDeployment: remove it there`);
    if (deletionTimestamp != null) return;
    if (annotations?.[deleteMachine] === undefined) await annotateMachine(machine, { [deleteMachine]: 'gitfleet' });
    if (machinesOf(deployment, seen).length === replicasOf(deployment)) await scale(deployment, -1, {});
  }

  return {
    async observe() {
      const found = await look();
      const { seen } = found;
      for (const deployment of seen.deployments) {
        const next = nextName(deployment, seen);
        if (next?.machine) await found.annotateMachine(next.machine, { [launchAnnotation]: next.launch });
        else if (next) await found.annotateDeployment(deployment, without(deployment, next.launch));
      }
      return launchesOf(seen);
    },
    async launch(wanted) {
      const { seen, scale } = await look();
      if (launchesOf(seen).some(({ name }) => name === wanted.name)) return;
      let refused: Error | undefined;
      for (const deployment of deploymentsFor(wanted, seen.deployments)) {
        const names = [...namesIn(deployment, launchesAnnotation), wanted.name];
        try {
          return await scale(deployment, 1, { [launchesAnnotation]: names.join() });
        } catch (error) {
          if (!isRefusal(error)) throw error;
          refused ??= error;
        }
      }
      throw refused ?? noDeployment(wanted);
    },
    /** One whose Machine is not known yet is given up when it is. */
    async forget(name) {
      const found = await look();
      const machine = found.seen.machines.find((one) => launchOf(one) === name);
      if (machine && nodeOf(machine) === undefined) await removeMachine(machine, found);
    },
    async remove(node) {
      const found = await look();
      const machine = found.seen.machines.find((one) => nodeOf(one) === node);
      if (!machine) throw new Error(`node ${node} has no Machine in the management cluster: remove it there`);
      await removeMachine(machine, found);
    },
  };
}

const namesIn = ({ metadata }: Manifest, annotation: string): readonly string[] =>
  (metadata.annotations?.[annotation] ?? '').split(',').filter((name) => name !== '');

const deploymentOf = ({ metadata }: Manifest): string | undefined =>
  metadata.labels?.['cluster.x-k8s.io/deployment-name'];
const launchOf = ({ metadata }: Manifest): string | undefined => metadata.annotations?.[launchAnnotation];
const nodeOf = (machine: Manifest): string | undefined => textAt(machine, 'status', 'nodeRef', 'name');
const replicasOf = (deployment: Manifest): number => numberAt(deployment, 'spec', 'replicas') ?? 1;

/** Those that are not being deleted. */
const machinesOf = (deployment: Manifest, { machines }: Pick<Seen, 'machines'>): readonly Manifest[] =>
  machines.filter(
    (machine) => deploymentOf(machine) === deployment.metadata.name && machine.metadata.deletionTimestamp == null,
  );

/** The MachineDeployment is not scaled, so that another one may be. */
class ScaleRefused extends Error {}

/** Whether nothing was scaled for certain. After any other error it may have been. */
const isRefusal = (error: unknown): error is Error =>
  error instanceof ScaleRefused || (error instanceof ApiError && (error.status === 403 || error.status === 422));

/** Cluster API would choose between old and new machines first, whatever is annotated. */
function refuseRollout(deployment: Manifest): void {
  if (conditionIs(deployment, 'RollingOut', 'True'))
    throw new ScaleRefused(`MachineDeployment ${deployment.metadata.name} is rolling out: it is scaled afterwards`);
}

const topologyName = 'topology.cluster.x-k8s.io/deployment-name';
const isOfTopology = ({ metadata }: Manifest): boolean => metadata.labels?.[topologyName] !== undefined;

function refuseReplicas({ metadata: { name, labels } }: Manifest, cluster: Manifest): void {
  const entry = listAt(cluster, 'spec', 'topology', 'workers', 'machineDeployments').find(
    (one) => textAt(one, 'name') === labels?.[topologyName],
  );
  if (fieldAt(entry, 'replicas') !== undefined)
    throw new ScaleRefused(
      `MachineDeployment ${name}: the topology of Cluster ${cluster.metadata.name} sets its replicas: leave them out there, so that it can be scaled`,
    );
}

/**
 * What is to be written of a launch next: on the newest Machine that came of no other launch, once all Machines exist; or, with its
 * Machine known, that it no longer waits.
 */
function nextName(
  deployment: Manifest,
  { machines }: Seen,
): { readonly launch: string; readonly machine?: Manifest } | undefined {
  const names = namesIn(deployment, launchesAnnotation);
  const known = new Set(machines.flatMap((machine) => launchOf(machine) ?? []));
  const done = names.find((name) => known.has(name));
  if (done !== undefined) return { launch: done };
  const own = machinesOf(deployment, { machines }).filter(
    ({ metadata }) => metadata.annotations?.[deleteMachine] === undefined,
  );
  const [machine] = own.filter((one) => launchOf(one) === undefined).sort(newestFirst);
  const [launch] = names;
  return launch === undefined || machine === undefined || own.length < replicasOf(deployment)
    ? undefined
    : { launch, machine };
}

const newestFirst = ({ metadata: a }: Manifest, { metadata: b }: Manifest): number => {
  const [left, right] = [a.creationTimestamp ?? '', b.creationTimestamp ?? ''];
  return left === right ? (a.name < b.name ? -1 : 1) : left > right ? -1 : 1;
};

function without(deployment: Manifest, launch: string): object {
  const left = namesIn(deployment, launchesAnnotation).filter((name) => name !== launch);
  return { [launchesAnnotation]: left.length === 0 ? null : left.join() };
}

function launchesOf({ deployments, machines }: Seen): Awaited<ReturnType<Launcher['observe']>> {
  const typeOf = (machine: Manifest): string | undefined => {
    const deployment = deployments.find(({ metadata }) => metadata.name === deploymentOf(machine));
    return deployment && labelsOfNodes(deployment)[typeLabel];
  };
  const known = machines.flatMap((machine) => {
    const name = launchOf(machine);
    if (name === undefined || machine.metadata.deletionTimestamp != null) return [];
    const node = nodeOf(machine);
    const isFailed = textAt(machine, 'status', 'phase') === 'Failed';
    const since = machine.metadata.creationTimestamp;
    const instanceType = typeOf(machine);
    const phase = node !== undefined ? ('Launched' as const) : isFailed ? ('Failed' as const) : ('Launching' as const);
    return [
      {
        name,
        phase,
        ...(node !== undefined && { node }),
        ...(instanceType !== undefined && { instanceType }),
        ...(phase === 'Failed' && { message: `Machine ${machine.metadata.name} is Failed` }),
        ...(since != null && { since }),
      },
    ];
  });
  const names = new Set(known.map(({ name }) => name));
  const waiting = deployments.flatMap((deployment) => namesIn(deployment, launchesAnnotation));
  return [
    ...known,
    ...waiting.filter((name) => !names.has(name)).map((name) => ({ name, phase: 'Launching' as const })),
  ];
}

/**
 * The MachineDeployments whose nodes are as wanted, by what is written for the cluster autoscaler: those of the type itself by name, then
 * those of its alternatives.
 */
function deploymentsFor(
  { instanceType, zone, capacityType, labels, alternatives = [] }: WantedLaunch,
  deployments: readonly Manifest[],
): readonly Manifest[] {
  const pool = poolNameOf(labels);
  const launches = (deployment: Manifest, type: string): boolean => {
    const own = labelsOfNodes(deployment);
    return (
      own[typeLabel] === type &&
      own[zoneLabel] === zone &&
      (own[capacityLabel] ?? 'on-demand') === capacityType &&
      (poolNameOf(own) ?? pool) === pool
    );
  };
  const sorted = [...deployments].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  return [instanceType, ...alternatives.map((one) => one.instanceType)].flatMap((type) =>
    sorted.filter((deployment) => launches(deployment, type)),
  );
}

const noDeployment = ({ instanceType, zone, capacityType, labels }: WantedLaunch): Error =>
  new Error(
    `no MachineDeployment launches ${instanceType} ${capacityType} in ${zone} for NodePool ${poolNameOf(labels)}: name these labels in its annotation ${nodeLabels}`,
  );

function labelsOfNodes(deployment: Manifest): Readonly<Record<string, string>> {
  const written = deployment.metadata.annotations?.[nodeLabels] ?? '';
  const zone = textAt(deployment, 'spec', 'template', 'spec', 'failureDomain');
  const labels = written.split(',').map((label) => label.trim().split('=') as [string, string?]);
  return {
    ...(zone !== undefined && { [zoneLabel]: zone }),
    ...Object.fromEntries(labels.map(([key, value = '']) => [key, value])),
  };
}
