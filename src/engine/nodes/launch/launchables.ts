import type { Manifest } from '../../../api/meta.ts';
import type { CapacityType } from '../../../api/nodes/instance-catalog.ts';
import { byText } from '../../kernel/ordering.ts';
import type { Labels } from '../../kernel/selector.ts';
import { type HostPort, hostPortsOf } from '../../node-pools/host-ports.ts';
import { requirementsOfTerm } from '../../node-pools/node-terms.ts';
import type { Pool } from '../../node-pools/pool.ts';
import { fieldsAt, listAt } from '../../node-pools/read-fields.ts';
import {
  allowsLabel,
  allowsValue,
  common,
  labelAt,
  onlyValue,
  type Requirement,
  type Requirements,
  requirementsOf,
  someValue,
} from '../../node-pools/requirements.ts';
import { type Amounts, requestsOf, sum } from '../../node-pools/resources.ts';
import { type Taint, tolerates } from '../../node-pools/taints.ts';
import { capacityLabel, type InstanceType, type Market, zoneLabel } from './market.ts';

/** A type in a zone with a capacity type, as a pool would launch it. */
export interface Launchable {
  readonly type: InstanceType;
  readonly zone: string;
  readonly capacityType: CapacityType;
  readonly price: number | undefined;
  readonly labels: Labels;
  /** What is left for pods other than those of DaemonSets. */
  readonly allocatable: Amounts;
  /** Which pods of DaemonSets take. */
  readonly ports: readonly HostPort[];
}

/** A pool with what it can launch now. */
export interface LaunchPool {
  readonly pool: Pool;
  readonly launchables: readonly Launchable[];
  /** Requirements on labels that no launchable has and the pool can set: a pod may narrow them. */
  readonly open: Requirements;
  /** Keys of labels that only some launchables have; for the others the pool sets them to a value which it chooses. */
  readonly undecided: ReadonlySet<string>;
  /** Keys whose requirement needs several values. */
  readonly minValues: readonly { readonly key: string; readonly least: number }[];
  /** Capacity types that its requirements allow; spot only where it is sold to the pool now. */
  readonly admits: ReadonlySet<CapacityType>;
}

/** Pools that could launch, without a catalog nothing, in the order of preference: by weight, then by name, both descending. */
export function launchPools(pools: Iterable<Pool>, market: Market, extras: readonly Manifest[]): readonly LaunchPool[] {
  const types = [...(market.types?.values() ?? [])];
  const daemons = daemonSetsOf(extras);
  return [...pools]
    .filter(({ canLaunch }) => canLaunch)
    .sort((a, b) => b.weight - a.weight || byText(b.name, a.name))
    .map((pool) => launchPool(pool, types, daemons));
}

export const daemonSetsOf = (extras: readonly Manifest[]): readonly Manifest[] =>
  extras.filter(({ kind, apiVersion }) => kind === 'DaemonSet' && apiVersion === 'apps/v1');

const capacityTypes: readonly CapacityType[] = ['reserved', 'spot', 'on-demand'];

/** What a pool could launch, whether or not it scales by itself. */
export function launchPool(pool: Pool, types: readonly InstanceType[], daemons: readonly Manifest[]): LaunchPool {
  const { requirements } = pool.template;
  const fixed = fixedLabels(pool);
  const launchables = types.flatMap((type) =>
    type.offerings.flatMap(({ zone, capacityType, available, price }): Launchable[] => {
      const labels = labelsOfNew(fixed, type, { zone, capacityType });
      if (!available || !fits(requirements, labels)) return [];
      const own = daemonsOn(daemons, labels, pool.template.taints, requirements);
      const overhead = sum(own.map(requestsOfDaemon));
      const allocatable = new Map(
        [...type.allocatable].map(([name, amount]) => [name, amount - (overhead.get(name) ?? 0)]),
      );
      const ports = own.flatMap((daemon) => hostPortsOf(fieldsAt(daemon, 'spec', 'template')));
      return [{ type, zone, capacityType, price, labels, allocatable, ports }];
    }),
  );
  const ofCapacity = requirements.get(capacityLabel);
  const admitsType = (type: CapacityType): boolean =>
    type === 'spot'
      ? launchables.some(({ capacityType }) => capacityType === type)
      : ofCapacity === undefined || allowsValue(ofCapacity, type);
  const known = new Set(launchables.flatMap(({ labels }) => Object.keys(labels)));
  const isMixed = (key: string): boolean =>
    known.has(key) && launchables.some(({ labels }) => labels[key] === undefined);
  return {
    pool,
    launchables,
    open: new Map([...requirements].filter(([key]) => !known.has(key) && !isOfType(key))),
    undecided: new Set([...requirements].flatMap(([key, { absentOk }]) => (!absentOk && isMixed(key) ? key : []))),
    minValues: [...requirements].flatMap(([key, { minValues }]) =>
      minValues === undefined ? [] : [{ key, least: minValues }],
    ),
    admits: new Set(capacityTypes.filter((type) => admitsType(type))),
  };
}

/** Labels of a node that a pool launches; its hostname comes on top. */
export const labelsOfNew = (
  fixed: Labels,
  type: InstanceType,
  { zone, capacityType }: { readonly zone: string; readonly capacityType: CapacityType },
): Labels => ({ ...fixed, ...type.labels, [zoneLabel]: zone, [capacityLabel]: capacityType });

/** Labels that every node of the pool has. */
export function fixedLabels({ name, template }: Pool): Labels {
  const only = [...template.requirements].flatMap(([key, requirement]): [string, string][] => {
    const value = onlyValue(requirement);
    return value === undefined ? [] : [[key, value]];
  });
  return { ...Object.fromEntries(only), ...template.labels, 'karpenter.sh/nodepool': name };
}

/** A requirement on a label that a type does not have leaves it open: the pool sets the label itself. */
function fits(requirements: Requirements, labels: Labels): boolean {
  for (const [key, requirement] of requirements) {
    const value = labels[key];
    if (value === undefined ? !canBeSet(key, requirement) : !allowsValue(requirement, value)) return false;
  }
  return true;
}

/** Labels that follow from the type cannot be chosen: where a type lacks one, only a requirement that accepts that fits. */
const canBeSet = (key: string, { absentOk, absent }: Requirement): boolean => absentOk || (!absent && !isOfType(key));

const isOfType = (key: string): boolean => /^(node\.)?kubernetes\.io\/|^karpenter\.|^beta\.kubernetes\.io\//.test(key);

/** What a new node needs beside the labels of its type: a value where the pool, or pods that narrow it, leave a choice. */
export function chosenLabels(requirements: Requirements, labels: Labels): Labels {
  const chosen = [...requirements].flatMap(([key, requirement]): [string, string][] => {
    if (requirement.absentOk || Object.hasOwn(labels, key)) return [];
    const value = someValue(requirement);
    return value === undefined ? [] : [[key, value]];
  });
  return Object.fromEntries(chosen);
}

/** What DaemonSets take of a node with these labels and taints. */
export const daemonOverhead = (...of: Parameters<typeof daemonsOn>): Amounts =>
  sum(daemonsOn(...of).map(requestsOfDaemon));

/** `open`: what other labels may be set to; DaemonSets that run with any of these values count (core `getDaemonOverhead`). */
const daemonsOn = (
  daemons: readonly Manifest[],
  labels: Labels,
  taints: readonly Taint[],
  open: Requirements = new Map(),
): readonly Manifest[] => daemons.filter((daemon) => runsOn(daemon, { labels, taints, open }));

function runsOn(
  daemon: Manifest,
  { labels, taints, open }: { readonly labels: Labels; readonly taints: readonly Taint[]; readonly open: Requirements },
): boolean {
  const spec = fieldsAt(daemon, 'spec', 'template', 'spec');
  const tolerations = listAt(spec, 'tolerations');
  const isKept = (taint: Taint): boolean => taint.effect !== 'PreferNoSchedule' && !tolerates(tolerations, taint);
  if (taints.some(isKept)) return false;
  const mayFulfil = (requirements: Requirements): boolean =>
    [...requirements].every(([key, requirement]) => {
      const value = labelAt(labels, key);
      const choice = value === undefined && !isOfType(key) ? open.get(key) : undefined;
      return choice ? common(choice, requirement) !== undefined : allowsLabel(requirement, value);
    });
  const selector = Object.entries(fieldsAt(spec, 'nodeSelector'));
  if (!mayFulfil(requirementsOf(selector.map(([key, value]) => ({ key, operator: 'In', values: [String(value)] })))))
    return false;
  const terms = listAt(
    spec,
    'affinity',
    'nodeAffinity',
    'requiredDuringSchedulingIgnoredDuringExecution',
    'nodeSelectorTerms',
  );
  return terms.length === 0 || terms.some((term) => mayFulfil(requirementsOfTerm(term)));
}

/** Of the pod that a DaemonSet would run on a new node. */
const requestsOfDaemon = (daemon: Manifest): Amounts => requestsOf(fieldsAt(daemon, 'spec', 'template'));
