import type { CapacityType } from '../../../api/nodes/instance-catalog.ts';
import { type HostPort, portsCollide } from '../../node-pools/host-ports.ts';
import {
  allowsLabel,
  allowsValue,
  common,
  type Requirement,
  type Requirements,
} from '../../node-pools/requirements.ts';
import { type Amounts, sum } from '../../node-pools/resources.ts';
import { tolerates } from '../../node-pools/taints.ts';
import type { Pod } from '../cluster/pod.ts';
import type { Launchable, LaunchPool } from '../launch/launchables.ts';
import { capacityLabel, hostnameLabel } from '../launch/market.ts';
import type { ClusterState } from './cluster-state.ts';
import type { PodClass } from './pod-class.ts';
import type { ClassTopology, TopologyGroup } from './topology.ts';

/** A node that a simulation launches: what it may still be narrows with every pod that is put there. */
export interface NewNode {
  readonly hostname: string;
  readonly from: LaunchPool;
  readonly options: readonly Launchable[];
  readonly open: Requirements;
  /** What the requirements of the pool and its pods still allow, offered or not. */
  readonly admits: ReadonlySet<CapacityType>;
  readonly used: Amounts;
  readonly ports: readonly HostPort[];
  readonly pods: readonly Pod[];
}

export const emptyNode = (from: LaunchPool, hostname: string, room: Amounts | undefined): NewNode => ({
  hostname,
  from,
  options:
    room === undefined ? from.launchables : from.launchables.filter(({ type }) => fitsLimits(type.capacity, room)),
  open: from.open,
  admits: from.admits,
  used: new Map(),
  ports: [],
  pods: [],
});

/** Whether a node with this capacity stays within what is left of the limits of its pool; `nodes` counts as one. */
function fitsLimits(capacity: Amounts, room: Amounts): boolean {
  for (const [name, left] of room) if ((name === 'nodes' ? 1 : (capacity.get(name) ?? 0)) > left) return false;
  return true;
}

/** The node with a further pod; undefined if it cannot have that one. */
export function withPod(node: NewNode, pod: Pod, cls: PodClass, state: ClusterState): NewNode | undefined {
  if (!toleratesAll(cls, node.from)) return undefined;
  if (cls.hostPorts.some((port) => node.ports.some((other) => portsCollide(port, other)))) return undefined;
  const used = sum([node.used, pod.requests]);
  const narrowed = narrowedBy(cls, {
    options: node.options.filter((option) => holds(option.allocatable, used) && hasFreePorts(option, cls)),
    open: node.open,
    admits: node.admits,
  });
  if (narrowed === undefined) return undefined;
  const options = inTopology(node, decided(narrowed.options, node.from, state.topologyOf(cls)), cls, state);
  if (options.length === 0 || !hasMinValues(node.from, options)) return undefined;
  const ports = cls.hostPorts.length === 0 ? node.ports : [...node.ports, ...cls.hostPorts];
  return { ...node, options, open: narrowed.open, admits: narrowed.admits, used, ports, pods: [...node.pods, pod] };
}

/** What a pool could launch that a spread constraint counts. */
export const suited = (from: LaunchPool, nodesOf: TopologyGroup['nodesOf']): readonly Launchable[] => {
  if (nodesOf === undefined) return from.launchables;
  const { cls, affinity, taints } = nodesOf;
  if (taints && !toleratesAll(cls, from)) return [];
  return affinity ? from.launchables.filter((one) => narrowedBy(cls, { ...from, options: [one] })) : from.launchables;
};

const toleratesAll = ({ tolerations }: PodClass, { pool }: LaunchPool): boolean =>
  pool.template.taints.every((taint) => taint.effect === 'PreferNoSchedule' || tolerates(tolerations, taint));

const hasFreePorts = ({ ports }: Launchable, { hostPorts }: PodClass): boolean =>
  !hostPorts.some((port) => ports.some((other) => portsCollide(port, other)));

function holds(allocatable: Amounts, used: Amounts): boolean {
  for (const [name, amount] of used)
    if (amount > 0 && amount > (allocatable.get(name) ?? (name === 'pods' ? Number.POSITIVE_INFINITY : 0)))
      return false;
  return true;
}

type Narrowed = Pick<NewNode, 'options' | 'open' | 'admits'>;

/** Undefined = nothing is left to launch. */
function narrowedBy({ constraints, nodeNames }: PodClass, given: Narrowed): Narrowed | undefined {
  if (nodeNames !== undefined) return undefined;
  let narrowed = given;
  for (const alternatives of constraints) {
    const next = firstFitting(alternatives, narrowed);
    if (next === undefined) return undefined;
    narrowed = next;
  }
  return narrowed;
}

/** The first alternative that leaves something to launch. */
function firstFitting(
  alternatives: readonly Requirements[],
  { options, open, admits }: Narrowed,
): Narrowed | undefined {
  for (const requirements of alternatives) {
    const narrower = new Map(open);
    let isPossible = true;
    const onLabels: [string, Requirement][] = [];
    for (const [key, requirement] of requirements) {
      const own = open.get(key);
      if (own === undefined) onLabels.push([key, requirement]);
      else {
        const both = common(own, requirement);
        isPossible &&= both !== undefined;
        if (both) narrower.set(key, both);
      }
    }
    if (!isPossible) continue;
    const left = options.filter(({ labels }) =>
      onLabels.every(([key, requirement]) => allowsLabel(requirement, labels[key])),
    );
    if (left.length > 0) return { options: left, open: narrower, admits: admittedBy(requirements, admits) };
  }
  return undefined;
}

function admittedBy(requirements: Requirements, admits: Narrowed['admits']): Narrowed['admits'] {
  const requirement = requirements.get(capacityLabel);
  return requirement === undefined ? admits : new Set([...admits].filter((type) => allowsValue(requirement, type)));
}

export function hasMinValues({ minValues }: LaunchPool, options: readonly Launchable[]): boolean {
  return minValues.every(({ key, least }) => new Set(options.flatMap(({ labels }) => labels[key] ?? [])).size >= least);
}

/** Without those whose label is still to be chosen, where it matters to the pod, or to others that it does, which value that is. */
function decided(
  options: readonly Launchable[],
  { undecided }: LaunchPool,
  { counted, spread, affinity, closed }: ClassTopology,
): readonly Launchable[] {
  if (undecided.size === 0) return options;
  const groups = [...counted, ...closed, ...[...spread, ...affinity].map(({ group }) => group)];
  const keys = groups.flatMap(({ topologyKey }) => (undecided.has(topologyKey) ? topologyKey : []));
  return options.filter(({ labels }) => keys.every((key) => labels[key] !== undefined));
}

/** Options in domains that the pod's constraints allow. Where they differ among the options, one domain is decided on. */
function inTopology(
  node: NewNode,
  options: readonly Launchable[],
  cls: PodClass,
  state: ClusterState,
): readonly Launchable[] {
  const topology = state.topologyOf(cls);
  if (topology.isFree) return options;
  const groups = [
    ...topology.closed,
    ...topology.affinity.map(({ group }) => group),
    ...topology.spread.map(({ group }) => group),
  ];
  const keys = [...new Set(groups.map(({ topologyKey }) => topologyKey))];
  const domains = Map.groupBy(options, ({ labels }) =>
    JSON.stringify(keys.map((key) => (key === hostnameLabel ? node.hostname : (labels[key] ?? null)))),
  );
  const allowed = [...domains.values()].filter((same) =>
    state.mayRunIn(cls, (key) => (key === hostnameLabel ? node.hostname : same[0]!.labels[key])),
  );
  if (allowed.length <= 1) return allowed[0] ?? [];
  const crowd = (same: readonly Launchable[]): number =>
    topology.spread.reduce((total, { group }) => {
      const domain = same[0]!.labels[group.topologyKey];
      return total + (domain === undefined ? 0 : (group.counts.get(domain) ?? 0));
    }, 0);
  return allowed.sort((a, b) => crowd(a) - crowd(b) || cheapestOf(a) - cheapestOf(b) || byZone(a[0]!, b[0]!))[0]!;
}

const cheapestOf = (options: readonly Launchable[]): number =>
  Math.min(...options.map(({ price }) => price ?? Number.POSITIVE_INFINITY));

const byZone = (a: Launchable, b: Launchable): number => (a.zone < b.zone ? -1 : a.zone > b.zone ? 1 : 0);

/** The domain of a new node, as far as it is decided. */
export function domainOfNew({ options, hostname }: NewNode, topologyKey: string): string | undefined {
  if (topologyKey === hostnameLabel) return hostname;
  const values = new Set(options.map(({ labels }) => labels[topologyKey]));
  return values.size === 1 ? [...values][0] : undefined;
}
