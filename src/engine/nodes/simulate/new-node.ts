import type { CapacityType } from '../../../api/nodes/instance-catalog.ts';
import { type HostPort, portsCollide } from '../../node-pools/host-ports.ts';
import {
  allowsLabel,
  allowsValue,
  common,
  listedValues,
  onlyValue,
  type Requirement,
  type Requirements,
  requirementsOf,
  someValue,
} from '../../node-pools/requirements.ts';
import { type Amounts, sum } from '../../node-pools/resources.ts';
import { tolerates } from '../../node-pools/taints.ts';
import type { Pod } from '../cluster/pod.ts';
import type { Launchable, LaunchPool } from '../launch/launchables.ts';
import { capacityLabel, hostnameLabel } from '../launch/market.ts';
import type { ClusterState } from './cluster-state.ts';
import type { PodClass } from './pod-class.ts';
import { type ClassTopology, conflictIn, type TopologyGroup } from './topology.ts';

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
  const grown = withRoomFor(node, pod, cls);
  const open = grown && settled(grown.open, cls, state);
  if (open === undefined) return undefined;
  const options = inTopology({ ...grown!, options: decided(grown!, state.topologyOf(cls)), open }, cls, state);
  return options.length === 0 || !hasMinValues(node.from, options) ? undefined : { ...grown!, options, open };
}

/** The same wherever other pods run. */
export function withRoomFor(node: NewNode, pod: Pod, cls: PodClass): NewNode | undefined {
  if (!toleratesAll(cls, node.from)) return undefined;
  if (cls.hostPorts.some((port) => node.ports.some((other) => portsCollide(port, other)))) return undefined;
  const used = sum([node.used, pod.requests]);
  const narrowed = narrowedBy(cls, {
    options: node.options.filter((option) => holds(option.allocatable, used) && hasFreePorts(option, cls)),
    open: node.open,
    admits: node.admits,
  });
  if (narrowed === undefined || !hasMinValues(node.from, narrowed.options)) return undefined;
  const ports = cls.hostPorts.length === 0 ? node.ports : [...node.ports, ...cls.hostPorts];
  return { ...node, ...narrowed, used, ports, pods: [...node.pods, pod] };
}

/** Domains of what a pool could launch that a spread constraint counts. */
export function domainsOfNew(from: LaunchPool, { topologyKey, nodesOf }: TopologyGroup): readonly string[] {
  if (nodesOf?.taints && !toleratesAll(nodesOf.cls, from)) return [];
  return from.launchables.flatMap((one) => {
    const given = { ...from, options: [one] };
    const narrowed = nodesOf?.affinity ? narrowedBy(nodesOf.cls, given) : given;
    if (narrowed === undefined) return [];
    const choice = narrowed.open.get(topologyKey);
    return one.labels[topologyKey] ?? (choice && listedValues(choice)) ?? [];
  });
}

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

/**
 * With one value for each label that is still to be set, where it matters to the pod, or to others that it does, which that is: the least
 * crowded that its constraints allow. Undefined = they allow none.
 */
function settled(open: Requirements, cls: PodClass, state: ClusterState): Requirements | undefined {
  if (open.size === 0) return open;
  const topology = state.topologyOf(cls);
  const groups = [...topology.counted, ...constraining(topology)];
  const chosen = new Map(open);
  for (const key of new Set(groups.map(({ topologyKey }) => topologyKey))) {
    const own = open.get(key);
    // A node is accepted without that label, and gets none.
    if (own === undefined || own.absentOk) continue;
    const spread = topology.spread.filter(({ group }) => group.topologyKey === key);
    const ofKey = {
      closed: topology.closed.filter(({ topologyKey }) => topologyKey === key),
      affinity: topology.affinity.filter(({ group }) => group.topologyKey === key),
      spread,
    };
    const crowd = (value: string): number => spread.reduce((sum, { group }) => sum + (group.counts.get(value) ?? 0), 0);
    const known = (): readonly string[] => [
      ...groups.flatMap(({ topologyKey, counts }) => (topologyKey === key ? [...counts.keys()] : [])),
      ...spread.flatMap((one) => [...(state.domainsOf(one) ?? [])]),
    ];
    const [value] = (listedValues(own) ?? valuesAmong(own, known()))
      .filter((one) => conflictIn(ofKey, () => one, state.domainsOf) === undefined)
      .sort((a, b) => crowd(a) - crowd(b));
    if (value === undefined) return undefined;
    chosen.set(key, { ...own, values: new Set([value]), complement: false });
  }
  return chosen;
}

/** Of a label with any value: those that are known, before them the one that it gets by itself, after them one that is new. */
function valuesAmong(own: Requirement, known: readonly string[]): readonly string[] {
  const others = requirementsOf([{ key: '', operator: 'NotIn', values: known }]).get('')!;
  const fresh = common(own, others);
  const all = [someValue(own), ...known.toSorted(), fresh && someValue(fresh)];
  return [...new Set(all.flatMap((value) => (value !== undefined && allowsValue(own, value) ? value : [])))];
}

const constraining = ({ closed, affinity, spread }: ClassTopology): readonly TopologyGroup[] => [
  ...closed,
  ...[...affinity, ...spread].map(({ group }) => group),
];

/** Without those whose label is still to be chosen, where it matters to the pod, or to others that it does, which value that is. */
function decided({ options, from: { undecided } }: NewNode, topology: ClassTopology): readonly Launchable[] {
  if (undecided.size === 0) return options;
  const groups = [...topology.counted, ...constraining(topology)];
  const keys = groups.flatMap(({ topologyKey }) => (undecided.has(topologyKey) ? topologyKey : []));
  return options.filter(({ labels }) => keys.every((key) => labels[key] !== undefined));
}

/**
 * Options in domains that the pod's constraints allow. Where they differ among the options, one domain is decided on, which has as many
 * values as the pool requires.
 */
function inTopology(node: NewNode, cls: PodClass, state: ClusterState): readonly Launchable[] {
  const topology = state.topologyOf(cls);
  if (topology.isFree) return node.options;
  const keys = [...new Set(constraining(topology).map(({ topologyKey }) => topologyKey))];
  const domains = Map.groupBy(node.options, (one) =>
    JSON.stringify(keys.map((key) => domainOf(one, key, node) ?? null)),
  );
  const allowed = [...domains.values()].filter(
    (same) => hasMinValues(node.from, same) && state.mayRunIn(cls, (key) => domainOf(same[0]!, key, node)),
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
export function domainOfNew(node: NewNode, topologyKey: string): string | undefined {
  const values = new Set(node.options.map((one) => domainOf(one, topologyKey, node)));
  return values.size === 1 ? [...values][0] : undefined;
}

function domainOf({ labels }: Launchable, key: string, { hostname, open }: NewNode): string | undefined {
  if (key === hostnameLabel) return hostname;
  const choice = open.get(key);
  return choice ? onlyValue(choice) : labels[key];
}
