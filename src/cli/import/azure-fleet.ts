import { providerAnnotation, referenceAnnotation } from '../../engine/upgrade/member-annotations.ts';
import { groupLabel } from '../../engine/upgrade/select-members.ts';

/** An object of AKS Fleet or AKS as the Azure CLI or the REST API prints it. */
type Json = Readonly<Record<string, unknown>>;

export interface Imported {
  /** A file of a fleet repo. */
  readonly object: Json & { readonly metadata: { readonly name: string } };
  /** What was changed or left out, and why. */
  readonly notes: readonly string[];
}

/** Why an object has no file, a sentence that begins with "it". */
export interface Refused {
  readonly refused: string;
}

/** Kinds by the last part of their ARM type. */
const kinds: Readonly<Record<string, (of: Resource) => Imported | Refused>> = {
  updatestrategies: ({ name, properties: { strategy } }) => imported('UpdateStrategy', name, { strategy }),
  updateruns: updateRun,
  autoupgradeprofiles: autoUpgradeProfile,
  maintenanceconfigurations: maintenanceConfiguration,
  members: memberCluster,
};

interface Resource {
  readonly id: string;
  readonly name: string;
  /** The writable properties; the Azure CLI prints them next to the name. */
  readonly properties: Json;
}

/**
 * The files that say what these objects of Azure say: one object, a list, or a list as the REST API answers. Null members must have
 * been removed.
 */
export function importAzureFleet(document: unknown): readonly (Imported | Refused)[] {
  const { value } = (document ?? {}) as Json;
  const all: readonly unknown[] = Array.isArray(document) ? document : Array.isArray(value) ? value : [document];
  return all.map((of) => {
    const { id = '', name, type, properties, ...rest } = (of ?? {}) as Json;
    const kind = kinds[lastOf(typeof type === 'string' ? type : typeOfId(String(id))).toLowerCase()];
    if (kind === undefined || typeof name !== 'string') return ofNoKind;
    return kind({ id: String(id), name, properties: (properties ?? rest) as Json });
  });
}

const ofNoKind: Refused = {
  refused: 'it is no update strategy, update run, auto-upgrade profile, maintenance configuration or member of a fleet',
};

/** Its group is a label, and its cluster is upgraded through Azure. */
function memberCluster({ name, properties: { group, labels, clusterResourceId } }: Resource): Imported {
  const isAks = typeof clusterResourceId === 'string' && /\/managedClusters\//i.test(clusterResourceId);
  const hasGroup = typeof group === 'string' && group !== '';
  const all = { ...(labels as Json | undefined), ...(hasGroup && { [groupLabel]: group }) };
  const metadata = {
    name,
    ...(Object.keys(all).length > 0 && { labels: all }),
    ...(isAks && { annotations: { [providerAnnotation]: 'aks', [referenceAnnotation]: clusterResourceId } }),
  };
  return {
    object: { apiVersion: 'cluster.kubernetes-fleet.io/v1', kind: 'MemberCluster', metadata },
    notes: [
      `name its context or kubeconfig file ${name}`,
      ...(isAks ? [] : ['it is no AKS cluster: annotate it with its upgrade provider']),
    ],
  };
}

const imported = (kind: string, name: string, spec: Json, notes: readonly string[] = []): Imported => ({
  object: { apiVersion: 'gitfleet.dev/v1alpha1', kind, metadata: { name }, spec: given(spec) },
  notes,
});

/** Committing a run starts it, so an imported one is stopped. */
function updateRun({ name, properties }: Resource): Imported {
  const { updateStrategyId, strategy, managedClusterUpdate, autoUpgradeProfileId } = properties;
  const { upgrade, nodeImageSelection } = (managedClusterUpdate ?? {}) as Readonly<Record<string, Json | undefined>>;
  const { customNodeImageVersions: images, ...selection } = nodeImageSelection ?? {};
  const hasBoth = updateStrategyId !== undefined && strategy !== undefined;
  return imported(
    'UpdateRun',
    name,
    {
      ...(hasBoth ? { strategy } : { updateStrategyId: nameOf(updateStrategyId), strategy }),
      managedClusterUpdate: {
        upgrade,
        ...(nodeImageSelection && {
          nodeImageSelection: {
            ...selection,
            ...(Array.isArray(images) && images.length > 0 && { customNodeImageVersions: images }),
          },
        }),
      },
      autoUpgradeProfileId: nameOf(autoUpgradeProfileId),
      state: 'Stopped',
    },
    [
      'it is Stopped: remove state to start it',
      ...(hasBoth ? [`it has the strategy that was copied from ${nameOf(updateStrategyId)}, not its name`] : []),
    ],
  );
}

function autoUpgradeProfile({ name, properties }: Resource): Imported {
  const { channel, nodeImageSelection, disabled, targetKubernetesVersion, longTermSupport } = properties;
  return imported('AutoUpgradeProfile', name, {
    updateStrategyId: nameOf(properties['updateStrategyId']),
    channel,
    nodeImageSelection,
    targetKubernetesVersion,
    longTermSupport,
    disabled,
  });
}

/** Several clusters have configurations of one name, so the cluster is part of it. */
function maintenanceConfiguration({ id, name, properties }: Resource): Imported | Refused {
  const cluster = /\/managedClusters\/([^/]+)/i.exec(id)?.[1];
  const { maintenanceWindow, timeInWeek } = properties;
  if (maintenanceWindow === undefined && timeInWeek !== undefined)
    return {
      refused: `it is the maintenance configuration ${name}${cluster === undefined ? '' : ` of ${cluster}`} with timeInWeek only, which governs Azure's own weekly releases and no update run; give aksManagedAutoUpgradeSchedule or aksManagedNodeOSUpgradeSchedule a maintenanceWindow`,
    };
  return imported(
    'MaintenanceConfiguration',
    [cluster, name]
      .filter((part) => part !== undefined)
      .join('-')
      .toLowerCase(),
    { clusterName: cluster, configurationName: name, maintenanceWindow },
    cluster === undefined ? ['its id names no cluster: add clusterName or memberSelector'] : [],
  );
}

/** `…/fleets/f/updateRuns/r`: `updateRuns`. */
const typeOfId = (id: string): string => id.split('/').at(-2) ?? '';

const lastOf = (path: string): string => path.split('/').at(-1) ?? '';

/** The name in an ARM id. */
const nameOf = (id: unknown): string | undefined => (typeof id === 'string' && id !== '' ? lastOf(id) : undefined);

const given = (spec: Json): Json => Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined));
