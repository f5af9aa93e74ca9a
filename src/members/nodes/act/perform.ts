import { assertNever } from '../../../engine/kernel/assert.ts';
import { listAt, textAt } from '../../../engine/node-pools/read-fields.ts';
import { taintsAt } from '../../../engine/node-pools/taints.ts';
import { launchNameAnnotation } from '../../../engine/nodes/cluster/claim.ts';
import { uidOf } from '../../../engine/nodes/cluster/cluster-nodes.ts';
import type { Pod } from '../../../engine/nodes/cluster/pod.ts';
import { ApiError } from '../../api-server/api-error.ts';
import type { MemberClient } from '../../api-server/client.ts';
import { mergePatch } from '../../upgrade/merge-patch.ts';
import type { Launcher } from '../launch/launcher.ts';
import { commandAnnotation, disruptedTaint } from './marks.ts';
import type { NodeStep, StepOutcome } from './node-work.ts';

export interface StepPorts {
  readonly client: MemberClient;
  readonly launcher: Launcher | undefined;
  /** False when the step is no longer wanted: then it is not sent. */
  readonly isWanted: () => boolean;
}

/** Sends the request of a step. Rejects only for errors of this program. */
export async function perform(step: NodeStep, ports: StepPorts): Promise<StepOutcome> {
  try {
    await send(step, ports);
    return { ok: true };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // It is gone, or another object has its name.
    if (error instanceof ApiError && isRemoval(step) && (error.status === 404 || error.status === 409))
      return { ok: true };
    const retryAfterMs = error instanceof ApiError ? error.retryAfterMs : undefined;
    return { ok: false, fault: faultOf(step, error), retryAfterMs };
  }
}

const isRemoval = ({ kind }: NodeStep): boolean =>
  kind === 'evict' || kind === 'deletePod' || kind === 'deleteClaim' || kind === 'deleteNode' || kind === 'untaint';

function faultOf(step: NodeStep, error: Error): string {
  const isRefused =
    step.kind === 'evict' &&
    error instanceof ApiError &&
    error.causes.some(({ reason }) => reason === 'DisruptionBudget');
  // The message of the server counts pods, and would change all the time.
  return isRefused
    ? `node ${step.node} waits for pod ${step.pod.key}, which its PodDisruptionBudget keeps`
    : error.message;
}

function send(step: NodeStep, ports: StepPorts): Promise<void> {
  const { launcher } = ports;
  switch (step.kind) {
    case 'taint':
      return changeTaint(step, step.command, ports);
    case 'untaint':
      return changeTaint(step, undefined, ports);
    case 'launch':
      return launcher!.launch(step.launch);
    case 'forget':
      return launcher!.forget(step.name);
    case 'adopt':
      return adopt(step, ports);
    case 'evict':
      return evict(step.pod, ports);
    case 'deletePod':
      return remove(podPath(step.pod), { ...step, uid: step.pod.uid, tried: `delete pod ${step.pod.key}` }, ports);
    case 'deleteClaim':
      return remove(
        `/apis/karpenter.sh/v1/nodeclaims/${encodeURIComponent(step.name)}`,
        { uid: step.uid, tried: `delete NodeClaim ${step.name}` },
        ports,
      );
    case 'deleteNode':
      if (launcher?.remove) return launcher.remove(step.node);
      return remove(nodePath(step.node), { uid: step.uid, tried: `delete node ${step.node}` }, ports);
    default:
      return assertNever(step);
  }
}

const nodePath = (name: string): string => `/api/v1/nodes/${encodeURIComponent(name)}`;
const podPath = ({ namespace, name }: Pod): string =>
  `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`;

/** Reads the node first, since a patch replaces the whole list of taints. `command`: undefined removes the taint. */
async function changeTaint(
  { node, uid }: { readonly node: string; readonly uid: string },
  command: string | undefined,
  { client }: StepPorts,
): Promise<void> {
  const path = nodePath(node);
  const live = await client.object({ method: 'GET', path, tried: `read node ${node}` });
  if (uidOf(live) !== uid) return;
  const others = taintsAt(live, 'spec', 'taints').filter(({ key }) => key !== disruptedTaint.key);
  const taints = [...others, ...(command === undefined ? [] : [disruptedTaint])].map(({ value, ...taint }) => ({
    ...taint,
    ...(value === '' ? {} : { value }),
  }));
  const patch = { metadata: { annotations: { [commandAnnotation]: command ?? null } }, spec: { taints } };
  await mergePatch(client, { path, object: live, patch });
}

/** Writes on a node what it was launched as: its name, and labels, annotations and taints of its pool that it lacks. */
async function adopt(
  { node, uid, launch }: Extract<NodeStep, { kind: 'adopt' }>,
  { client }: StepPorts,
): Promise<void> {
  const path = nodePath(node);
  const live = await client.object({ method: 'GET', path, tried: `read node ${node}` });
  if (uidOf(live) !== uid) return;
  const { labels, annotations } = live.metadata;
  const own = listAt(live, 'spec', 'taints');
  const taints = launch.taints.filter(
    ({ key, effect }) => !own.some((taint) => textAt(taint, 'key') === key && textAt(taint, 'effect') === effect),
  );
  const patch = {
    metadata: {
      labels: { ...launch.labels, ...labels },
      annotations: { ...launch.annotations, ...annotations, [launchNameAnnotation]: launch.name },
    },
    ...(taints.length > 0 && { spec: { taints: [...own, ...taints] } }),
  };
  await mergePatch(client, { path, object: live, patch });
}

/** One attempt, since the budget of a pod may refuse it for long: the next one is the actor's decision. */
function evict(pod: Pod, { client, isWanted }: StepPorts): Promise<void> {
  const { namespace, name, uid } = pod;
  return client.send({
    method: 'POST',
    path: `${podPath(pod)}/eviction`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { namespace, name },
      deleteOptions: { preconditions: { uid } },
    }),
    tried: `evict pod ${pod.key}`,
    isWanted,
    urgent: true,
  });
}

const remove = (
  path: string,
  { uid, tried, graceSeconds }: { readonly uid: string; readonly tried: string; readonly graceSeconds?: number },
  { client, isWanted }: StepPorts,
): Promise<void> =>
  client.send({
    method: 'DELETE',
    path,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: { uid },
      ...(graceSeconds === undefined ? {} : { gracePeriodSeconds: graceSeconds }),
    }),
    tried,
    isWanted,
  });
