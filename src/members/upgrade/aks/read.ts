import { parseVersion, reaches } from '../../../api/kubernetes-version.ts';
import { parseNodeImage, reachesImage } from '../../../api/node-image.ts';
import { fieldAt, listAt, numberAt, textAt } from '../fields.ts';
import type { SeenCluster } from '../provider.ts';
import { errorText, type ResourceManager } from './resource-manager.ts';

/** A tag of the managed cluster: the operation that changed it last. Names of tags have no slash. */
export const operationTag = 'gitfleet-upgrade-operation';

export interface SeenPool {
  readonly name: string;
  /** As Azure sent it. */
  readonly object: object;
  /** That it is to run, and that its nodes run. */
  readonly wanted: string | undefined;
  readonly runs: string | undefined;
  readonly image: string | undefined;
  readonly state: string;
  readonly error: string | undefined;
}

export interface SeenAks extends SeenCluster {
  readonly cluster: Readonly<Record<string, unknown>>;
  readonly eTag: string | undefined;
  readonly wanted: string | undefined;
  readonly runs: string | undefined;
  readonly state: string;
  readonly error: string | undefined;
  readonly pools: readonly SeenPool[];
}

export async function readAks(arm: ResourceManager, path: string): Promise<SeenAks> {
  const { body: cluster } = await arm.send({ method: 'GET', path, tried: `read the managed cluster ${nameOf(path)}` });
  const properties = fieldAt(cluster, 'properties');
  const pools = listAt(properties, 'agentPoolProfiles').flatMap((object) => poolOf(object) ?? []);
  const lastOperation = textAt(cluster, 'tags', operationTag);
  const state = textAt(properties, 'provisioningState') ?? 'Succeeded';
  const [runs, region] = [textAt(properties, 'currentKubernetesVersion'), textAt(cluster, 'location')];
  const busy = [{ name: 'cluster', state }, ...pools].filter((of) => !isResting(of.state));
  const powerState = textAt(properties, 'powerState', 'code');
  const plan = textAt(properties, 'supportPlan');
  return {
    cluster,
    eTag: textAt(cluster, 'eTag'),
    lastOperation,
    wanted: textAt(properties, 'kubernetesVersion'),
    runs,
    state,
    error: errorText(fieldAt(properties, 'status', 'provisioningError')),
    pools,
    versions: {
      ...(runs !== undefined && { controlPlane: `v${runs}` }),
      ...(region !== undefined && { region }),
      ...(powerState !== undefined && { powerState }),
      ...(plan !== undefined && { lts: plan === 'AKSLongTermSupport' }),
      pools: pools.map((pool) => {
        const count = numberAt(pool.object, 'count');
        return {
          name: pool.name,
          ...(pool.runs !== undefined && { kubernetes: `v${pool.runs}` }),
          ...(pool.image !== undefined && { image: pool.image }),
          ...(count !== undefined && { count }),
          ...(textAt(pool.object, 'creationData', 'sourceResourceId') !== undefined && { snapshot: true }),
        };
      }),
    },
    running:
      busy.length === 0
        ? undefined
        : { operationId: lastOperation, message: busy.map((of) => `${of.name}: ${of.state}`).join(', ') },
  };
}

export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** All other provisioning states pass by themselves. */
const restingStates = ['Succeeded', 'Failed', 'Canceled'];
const isResting = (state: string): boolean => restingStates.includes(state);
export const hasFailed = ({ state }: { readonly state: string }): boolean => state === 'Failed' || state === 'Canceled';

function poolOf(object: unknown): SeenPool | undefined {
  const name = textAt(object, 'name');
  if (name === undefined) return undefined;
  return {
    name,
    object: object as object,
    wanted: textAt(object, 'orchestratorVersion'),
    runs: textAt(object, 'currentOrchestratorVersion'),
    image: textAt(object, 'nodeImageVersion'),
    state: textAt(object, 'provisioningState') ?? 'Succeeded',
    error: errorText(fieldAt(object, 'status', 'provisioningError')),
  };
}

export function isAt(text: string | undefined, wanted: string | undefined): boolean {
  const [version, to] = [parseVersion(text ?? ''), parseVersion(wanted ?? '')];
  return version !== undefined && to !== undefined && reaches(version, to);
}

export function isAtImage(text: string | undefined, wanted: string): boolean {
  const [image, to] = [parseNodeImage(text ?? ''), parseNodeImage(wanted)];
  return image !== undefined && to !== undefined ? reachesImage(image, to) : text === wanted;
}
