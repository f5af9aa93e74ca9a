import { isFields } from '../../../engine/kernel/fields.ts';
import type { MemberClient } from '../../api-server/client.ts';
import { conditionOf, fieldAt, listAt, numberAt, textAt } from '../fields.ts';
import { mergePatch, operationAnnotation } from '../merge-patch.ts';
import { RefusedUpgrade, type UpgradeOperation } from '../provider.ts';
import { deferredPools, isAt, type SeenClusterApi } from './read.ts';

const defer = 'topology.cluster.x-k8s.io/defer-upgrade';
/** Value of that annotation where gitfleet set it: others stay. */
const ours = 'gitfleet';

/**
 * Sets the version of the topology, once for each operation, with the annotation that names the operation in the same patch. Pools
 * that the operation leaves are deferred, and those that it upgrades no longer.
 */
export async function changeTopology(
  client: MemberClient,
  { operation, seen }: { readonly operation: UpgradeOperation; readonly seen: SeenClusterApi },
): Promise<boolean> {
  if (seen.lastOperation === operation.operationId) return false;
  const { cluster, path } = seen;
  const version = textAt(cluster, 'spec', 'topology', 'version');
  const wanted = operation.controlPlane ?? version;
  const others = operation.pools?.find(({ kubernetes }) => kubernetes !== undefined && !isAt(wanted, kubernetes));
  if (others)
    throw new RefusedUpgrade(
      `pool ${others.name}: in a topology pools get the version of the control plane, not ${others.kubernetes}`,
    );
  const upgraded = new Set(operation.pools?.map(({ name }) => name));
  const workers = Object.fromEntries(
    ['machineDeployments', 'machinePools'].flatMap((list) => {
      const entries = listAt(cluster, 'spec', 'topology', 'workers', list);
      return entries.length === 0 ? [] : [[list, entries.map((entry) => deferred(entry, upgraded))]];
    }),
  );
  const held = [...deferredPools({ ...cluster, spec: { topology: { workers } } } as never)].find((name) =>
    upgraded.has(name),
  );
  if (held)
    throw new RefusedUpgrade(
      `pool ${held} is held back by an annotation of the topology that gitfleet did not set: remove ${defer} or hold-upgrade-sequence`,
    );
  const topology = {
    ...(!isAt(version, wanted) && { version: wanted }),
    ...(Object.keys(workers).length > 0 && { workers }),
  };
  await mergePatch(client, {
    path,
    object: cluster,
    patch: { metadata: { annotations: { [operationAnnotation]: operation.operationId } }, spec: { topology } },
  });
  return true;
}

function deferred(entry: unknown, upgraded: ReadonlySet<string>): unknown {
  if (!isFields(entry)) return entry;
  const { [defer]: known, ...annotations } = (fieldAt(entry, 'metadata', 'annotations') ?? {}) as Record<
    string,
    string
  >;
  const isLeft = !upgraded.has(textAt(entry, 'name') ?? '');
  const kept = isLeft ? (known ?? ours) : known === ours ? undefined : known;
  if (kept === known) return entry;
  const metadata = fieldAt(entry, 'metadata') ?? {};
  return {
    ...entry,
    metadata: { ...metadata, annotations: { ...annotations, ...(kept !== undefined && { [defer]: kept }) } },
  };
}

/** The topology controller has seen the last change, and has no change left that is not deferred. */
export function isWholeTopology({ cluster, running }: SeenClusterApi): boolean {
  const { generation } = cluster.metadata as { readonly generation?: number };
  const reconciled = conditionOf(cluster, 'TopologyReconciled');
  const observed = numberAt(reconciled, 'observedGeneration') ?? numberAt(cluster, 'status', 'observedGeneration');
  const isSeen = generation === undefined || observed === undefined || observed >= generation;
  const isDone = textAt(reconciled, 'status') === 'True' || deferredPools(cluster).size > 0;
  return isSeen && isDone && running === undefined;
}
