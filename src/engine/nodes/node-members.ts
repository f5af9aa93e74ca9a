import type { ClusterName, Manifest } from '../../api/meta.ts';
import { type DisruptionMode, nodeDisruptionAnnotation } from '../../api/nodes/disruption-modes.ts';
import type { NodePlan } from '../../api/nodes/node-plan.ts';
import type { ClusterObservation } from '../../api/observation.ts';
import { memoize } from '../kernel/memoize.ts';
import { by } from '../kernel/ordering.ts';
import { readBudgets } from '../node-pools/budgets.ts';
import { isNodePool, type Pool, readPool } from '../node-pools/pool.ts';
import { fieldsAt } from '../node-pools/read-fields.ts';
import { acceptedPools, byPoolName } from '../node-pools/refused-changes.ts';
import { inFleet, type World } from '../world.ts';
import { actingMode, areNodesKnown } from './acting-mode.ts';
import { type Market, marketsOf } from './launch/market.ts';

/** A member with pools, or with the annotation. */
export interface NodeMember {
  readonly name: ClusterName;
  readonly mode: DisruptionMode;
  readonly annotations: Readonly<Record<string, string>>;
  readonly pools: ReadonlyMap<string, Pool>;
  /** NodePools that this plan delivers. */
  readonly ownPools: readonly Manifest[];
  /** NodePools that the cluster shows, by name. */
  readonly livePools: ReadonlyMap<string, Manifest>;
  /** AKSNodeClasses that this plan delivers. */
  readonly classes: readonly Manifest[];
  readonly market: Market;
  readonly record: NodePlan | undefined;
  /** Undefined = its nodes are not known. */
  readonly observation: ClusterObservation | undefined;
  /** A provider can launch its nodes now. */
  readonly launches: boolean;
}

/** `delivered`: objects of karpenter groups by cluster, as files and overrides write them; `invalid`: NodePools that are invalid so. */
export interface DeliveredNodeObjects {
  readonly delivered: ReadonlyMap<ClusterName, readonly Manifest[]>;
  readonly invalid: ReadonlyMap<ClusterName, readonly Manifest[]>;
}

/** Every member whose nodes are planned, by name. */
export function nodeMembers(world: World, { delivered, invalid }: DeliveredNodeObjects): readonly NodeMember[] {
  const { admitted, input, record } = world;
  return admitted.members
    .filter(({ metadata }) => inFleet(metadata.name, world))
    .flatMap(({ metadata: { name, annotations = {} } }): NodeMember[] => {
      const observation = world.nodesOf(name);
      const ownPools = (delivered.get(name) ?? []).filter(isNodePool);
      const livePools = observation ? shownPools(observation) : new Map<string, Manifest>();
      const pools = poolsOf(ownPools, invalid.get(name) ?? [], livePools);
      const written = annotations[nodeDisruptionAnnotation];
      if (pools.size === 0 && written === undefined) return [];
      const { market } = marketsOf(input.fleet)(world.members.get(name)!.labels);
      return [
        {
          name,
          mode: actingMode({ name, annotations }, observation, record.nodes.get(name)?.mode),
          annotations,
          pools,
          ownPools,
          livePools,
          classes: (delivered.get(name) ?? []).filter(({ kind }) => kind === 'AKSNodeClass'),
          market,
          record: record.nodes.get(name),
          observation: areNodesKnown(observation) ? observation : undefined,
          launches: observation?.launches !== undefined,
        },
      ];
    })
    .sort(by(({ name }) => name));
}

/** Most members show the same as in the plan before, and have hundreds of other objects. */
const shownPools = memoize(({ objects, extras }: ClusterObservation) => byPoolName([...objects, ...extras]));

const allowsNothing = (manifest: Manifest): boolean =>
  readBudgets(fieldsAt(manifest, 'spec', 'disruption')['budgets']) === 'invalid';

/**
 * Those that this plan delivers, as far as the cluster accepts them; else those that the cluster shows. One that is invalid counts where
 * there is no other; and in any case, unless it is delivered, where a budget in it is invalid: then it allows nothing. It says nothing
 * about nodes that it would make: no cluster gets it.
 */
function poolsOf(
  own: readonly Manifest[],
  invalid: readonly Manifest[],
  live: NodeMember['livePools'],
): ReadonlyMap<string, Pool> {
  const chosen = new Map(own.length > 0 ? acceptedPools(own, live) : live);
  const delivered = new Set(own.map(({ metadata }) => metadata.name));
  const unusable = new Map(
    invalid.flatMap((manifest) => {
      const { name } = manifest.metadata;
      return !chosen.has(name) || (!delivered.has(name) && allowsNothing(manifest)) ? [[name, manifest]] : [];
    }),
  );
  const read = (name: string, manifest: Manifest): Pool => {
    const pool = readPool(manifest, live.get(name));
    return unusable.has(name) ? { ...pool, hasTemplate: false, canLaunch: false } : pool;
  };
  return new Map(
    [...chosen, ...unusable]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, manifest]) => [name, read(name, manifest)]),
  );
}
