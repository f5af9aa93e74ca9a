import type { Manifest } from '../../../api/meta.ts';
import type { ClusterObservation } from '../../../api/observation.ts';
import { type Instant, parseInstant } from '../../../engine/kernel/instant.ts';
import { listAt, textAt } from '../../../engine/node-pools/read-fields.ts';
import { launchNameAnnotation } from '../../../engine/nodes/cluster/claim.ts';
import { uidOf } from '../../../engine/nodes/cluster/cluster-nodes.ts';
import { type Pod, readPod } from '../../../engine/nodes/cluster/pod.ts';
import type { WantedLaunch, WantedNode, WantedNodes } from '../wanted-nodes.ts';
import { drainOf } from './drain.ts';
import { hasOurTaint, isMarkedFor } from './marks.ts';

/** One request to a member or to its launch provider. All can be repeated. */
export type NodeStep =
  | { readonly kind: 'taint'; readonly node: string; readonly uid: string; readonly command: string }
  | { readonly kind: 'untaint'; readonly node: string; readonly uid: string }
  | { readonly kind: 'launch'; readonly launch: WantedLaunch }
  | { readonly kind: 'forget'; readonly name: string }
  | { readonly kind: 'adopt'; readonly node: string; readonly uid: string; readonly launch: WantedLaunch }
  | { readonly kind: 'evict'; readonly node: string; readonly pod: Pod }
  | { readonly kind: 'deletePod'; readonly node: string; readonly pod: Pod; readonly graceSeconds: number }
  | { readonly kind: 'deleteClaim'; readonly node: string; readonly name: string; readonly uid: string }
  | { readonly kind: 'deleteNode'; readonly node: string; readonly uid: string };

/** What an actor remembers between two steps. A new one starts with nothing: it repeats requests, which do no harm. */
export interface NodeWorkState {
  /** When the drain of each node began, by uid. */
  readonly draining: ReadonlyMap<string, Instant>;
  /** When a step may be repeated, by `keyOf`. */
  readonly steps: ReadonlyMap<
    string,
    { readonly failures: number; readonly notBefore: Instant; readonly fault?: string }
  >;
}

export const firstWorkState: NodeWorkState = { draining: new Map(), steps: new Map() };

export interface SeenNodes {
  readonly nodes: readonly Manifest[];
  readonly pods: readonly Manifest[];
  readonly extras: readonly Manifest[];
  /** Of the provider; undefined = there is none, or it was not read yet. */
  readonly launches: NonNullable<ClusterObservation['launches']> | undefined;
}

export interface NodeWork {
  readonly state: NodeWorkState;
  readonly steps: readonly NodeStep[];
  /** Something is still to be done, now or later. */
  readonly isBusy: boolean;
  /** What does not go by itself, one sentence for each pod. */
  readonly held: readonly string[];
}

/** A drain lasts at least so long, so that a pod that was bound at the last moment is seen. Karpenter's minDrainTime, milliseconds. */
const shortestDrainMs = 5_000;

/** What is to be done now to get from what is seen to what is wanted. */
export function nextWork(
  state: NodeWorkState,
  { wanted, seen, now }: { readonly wanted: WantedNodes; readonly seen: SeenNodes; readonly now: Instant },
): NodeWork {
  const podsOf = Map.groupBy(seen.pods, (pod) => textAt(pod, 'spec', 'nodeName'));
  const byName = new Map(wanted.nodes.map((node) => [node.name, node]));
  const draining = new Map<string, Instant>();
  const steps: NodeStep[] = [];
  const held: string[] = [];
  let isBusy = wanted.launches.length > 0;
  for (const node of seen.nodes) {
    const { name } = node.metadata;
    const want = byName.get(name);
    const claim = claimOf(name, seen.extras);
    if (want === undefined) {
      if (hasOurTaint(node)) steps.push({ kind: 'untaint', node: name, uid: uidOf(node) });
      continue;
    }
    // Another node has the name now.
    if (want.uid !== undefined && want.uid !== uidOf(claim ?? node)) continue;
    isBusy = true;
    if (!isMarkedFor(node, want.command)) {
      steps.push({ kind: 'taint', node: name, uid: uidOf(node), command: want.command });
      continue;
    }
    if (want.want !== 'Gone') continue;
    const since = state.draining.get(uidOf(node)) ?? now;
    draining.set(uidOf(node), since);
    const removal = removalOf({ node, claim, pods: (podsOf.get(name) ?? []).map(readPod), want, since }, { seen, now });
    steps.push(...removal.steps);
    held.push(...removal.held);
  }
  steps.push(...launchSteps(wanted.launches, seen));
  const known = new Map([...state.steps].filter(([key]) => steps.some((step) => keyOf(step) === key)));
  const isDue = (step: NodeStep): boolean => now >= (known.get(keyOf(step))?.notBefore ?? now);
  return {
    state: { draining, steps: known },
    steps: steps.filter(isDue),
    isBusy: isBusy || steps.length > 0,
    held: [...held, ...[...known.values()].flatMap(({ fault }) => fault ?? [])],
  };
}

const claimOf = (node: string, extras: readonly Manifest[]): Manifest | undefined =>
  extras.find((object) => object.kind === 'NodeClaim' && textAt(object, 'status', 'nodeName') === node);

/** Its pods go first, then its volumes, then itself. */
function removalOf(
  {
    node,
    claim,
    pods,
    want,
    since,
  }: {
    readonly node: Manifest;
    readonly claim: Manifest | undefined;
    readonly pods: readonly Pod[];
    readonly want: WantedNode;
    readonly since: Instant;
  },
  { seen, now }: { readonly seen: SeenNodes; readonly now: Instant },
): Pick<NodeWork, 'held'> & { readonly steps: readonly NodeStep[] } {
  const { name } = node.metadata;
  const deadline = want.deadline === undefined ? undefined : parseInstant(want.deadline);
  const drain = drainOf(pods, { deadline, now });
  const held = drain.kept.map((pod) => `node ${name} waits for pod ${pod.key}, which has karpenter.sh/do-not-disrupt`);
  const steps: NodeStep[] = [
    ...drain.remove.map((one) => ({ kind: 'deletePod' as const, node: name, ...one })),
    ...drain.evict.map((pod) => ({ kind: 'evict' as const, node: name, pod })),
  ];
  if (drain.waiting.length > 0 || now - since < shortestDrainMs) return { steps, held };
  const isOver = deadline !== undefined && now >= deadline;
  if (!isOver && hasVolumes(name, { pods, extras: seen.extras })) return { steps, held };
  if ((claim ?? node).metadata.deletionTimestamp != null) return { steps, held };
  const removed: NodeStep = claim
    ? { kind: 'deleteClaim', node: name, name: claim.metadata.name, uid: uidOf(claim) }
    : { kind: 'deleteNode', node: name, uid: uidOf(node) };
  return { steps: [...steps, removed], held };
}

/** Whether volumes are attached to the node other than those of pods that stay there. */
function hasVolumes(
  node: string,
  { pods, extras }: { readonly pods: readonly Pod[]; readonly extras: readonly Manifest[] },
): boolean {
  const attached = extras.filter(
    (object) => object.kind === 'VolumeAttachment' && textAt(object, 'spec', 'nodeName') === node,
  );
  if (attached.length === 0) return false;
  const claims = new Set(
    pods
      .filter(({ isTerminal }) => !isTerminal)
      .flatMap((pod) =>
        listAt(pod.manifest, 'spec', 'volumes').map(
          (volume) => `${pod.namespace}/${textAt(volume, 'persistentVolumeClaim', 'claimName')}`,
        ),
      ),
  );
  const staying = new Set(
    extras.flatMap((object) =>
      object.kind === 'PersistentVolumeClaim' && claims.has(`${object.metadata.namespace}/${object.metadata.name}`)
        ? [textAt(object, 'spec', 'volumeName')]
        : [],
    ),
  );
  return attached.some((object) => !staying.has(textAt(object, 'spec', 'source', 'persistentVolumeName')));
}

/** Launches what is not there yet, and forgets what failed or is no longer wanted. */
function launchSteps(wanted: readonly WantedLaunch[], { nodes, extras, launches }: SeenNodes): NodeStep[] {
  if (launches === undefined) return [];
  const there = new Set([
    ...launches.map(({ name }) => name),
    ...[...nodes, ...extras.filter(({ kind }) => kind === 'NodeClaim')].map(({ metadata }) => metadata.name),
  ]);
  const names = new Set(wanted.map(({ name }) => name));
  return [
    ...wanted.filter(({ name }) => !there.has(name)).map((launch) => ({ kind: 'launch' as const, launch })),
    ...wanted.flatMap((launch) => adoptions(launch, launches, nodes)),
    ...launches
      .filter(({ name, phase }) => phase !== 'Launched' && !names.has(name))
      .map(({ name }) => ({ kind: 'forget' as const, name })),
  ];
}

/** The node of a launch, if it has another name and does not say yet what it was launched as. */
function adoptions(
  launch: WantedLaunch,
  launches: NonNullable<SeenNodes['launches']>,
  nodes: readonly Manifest[],
): NodeStep[] {
  const launched = launches.find(({ name }) => name === launch.name);
  const other = launch.alternatives?.find(({ instanceType }) => instanceType === launched?.instanceType);
  return nodes
    .filter(({ metadata: { name, annotations } }) => name === launched?.node && !annotations?.[launchNameAnnotation])
    .map((node) => ({ kind: 'adopt', node: node.metadata.name, uid: uidOf(node), launch: { ...launch, ...other } }));
}

/** Identifies what a step is about. */
export function keyOf(step: NodeStep): string {
  switch (step.kind) {
    case 'launch':
      return `launch ${step.launch.name}`;
    case 'forget':
      return `forget ${step.name}`;
    case 'evict':
    case 'deletePod':
      return `${step.kind} ${step.pod.uid}`;
    default:
      return `${step.kind} ${step.uid}`;
  }
}

/** A step that succeeded is repeated after this time, if its effect is not seen. Milliseconds. */
const repeatMs = 10_000;
/** Karpenter's back-off of evictions, milliseconds. */
const [firstRetryMs, longestRetryMs] = [100, 10_000];

/** How a step ended. `fault`: for users. */
export type StepOutcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly fault: string; readonly retryAfterMs?: number | undefined };

export function afterStep(
  state: NodeWorkState,
  { step, outcome, now }: { readonly step: NodeStep; readonly outcome: StepOutcome; readonly now: Instant },
): NodeWorkState {
  const key = keyOf(step);
  const failures = outcome.ok ? 0 : (state.steps.get(key)?.failures ?? 0) + 1;
  const pauseMs = outcome.ok
    ? repeatMs
    : Math.max(outcome.retryAfterMs ?? 0, Math.min(longestRetryMs, firstRetryMs * 2 ** (failures - 1)));
  const entry = { failures, notBefore: now + pauseMs, ...(outcome.ok ? {} : { fault: outcome.fault }) };
  return { ...state, steps: new Map(state.steps).set(key, entry) };
}
