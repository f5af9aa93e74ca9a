import type { ClusterName } from '../../api/meta.ts';
import type { NodePlan } from '../../api/nodes/node-plan.ts';
import type { ClusterObservation } from '../../api/observation.ts';
import type { Instant } from '../kernel/instant.ts';
import { sameMaps, sameValue } from '../kernel/same-value.ts';
import type { Pool } from '../node-pools/pool.ts';
import type { World } from '../world.ts';
import type { NodeMember } from './node-members.ts';
import type { ClusterPlan } from './plan-cluster.ts';

/** A member whose nodes are planned. `plan`: undefined = they are not observed. */
export interface PlannedMember {
  readonly member: NodeMember;
  readonly plan: ClusterPlan | undefined;
}

/** What was planned for nodes, and the world that it was planned in. */
export interface PlannedMembers {
  readonly world: World;
  readonly planned: readonly PlannedMember[];
}

/** The plan of a cluster's nodes from an earlier plan of the fleet, if planning it again would certainly give the same. */
export function reusedPlans(
  earlier: PlannedMembers | undefined,
  world: World,
): (member: NodeMember, now: Instant) => ClusterPlan | undefined {
  if (earlier === undefined || !sameMarkets(earlier.world, world)) return () => undefined;
  const known = new Map(earlier.planned.map((of) => [of.member.name, of]));
  const hasSameLabels = (name: ClusterName): boolean =>
    sameValue(earlier.world.members.get(name)?.labels, world.members.get(name)?.labels);
  return (member, now) => {
    const before = known.get(member.name);
    if (before?.plan === undefined || member.observation === undefined) return undefined;
    const { from, until } = before.plan.stands;
    const stands =
      now >= from &&
      now < until &&
      sameInput(before.member, member) &&
      sameNodes(before.member.observation!, member.observation) &&
      hasSameLabels(member.name);
    return stands ? before.plan : undefined;
  };
}

/** What can be launched, what it costs, and the gates: with the labels of a member its market follows from the lists. */
const sameMarkets = ({ input: { fleet: a } }: World, { input: { fleet: b } }: World): boolean =>
  sameValue(a.priceLists, b.priceLists) &&
  sameValue(a.instanceCatalogs, b.instanceCatalogs) &&
  sameValue(a.config?.spec.nodeDisruption?.featureGates, b.config?.spec.nodeDisruption?.featureGates);

const sameInput = (a: NodeMember, b: NodeMember): boolean =>
  a.mode === b.mode &&
  sameMaps(a.pools, b.pools, samePool) &&
  [...a.pools.keys()].join() === [...b.pools.keys()].join() &&
  sameValue(a.classes, b.classes) &&
  sameRecord(a.record, b.record, a.mode === 'execute');

/** A pool reads its file, and of the cluster whether it launches anything now. */
const samePool = (a: Pool, b: Pool): boolean => a.canLaunch === b.canLaunch && sameValue(a.manifest, b.manifest);

const sameRecord = (a: NodePlan | undefined, b: NodePlan | undefined, acts: boolean): boolean =>
  sameValue(a?.claims ?? [], b?.claims ?? []) &&
  (!acts || (sameValue(a?.failures ?? [], b?.failures ?? []) && sameValue(underWay(a), underWay(b))));

const underWay = (record: NodePlan | undefined) => (record?.commands ?? []).filter(({ phase }) => phase !== 'Proposed');

/** Times of observation aside. */
const sameNodes = (a: ClusterObservation, b: ClusterObservation): boolean =>
  a === b ||
  (sameValue(a.nodes, b.nodes) &&
    sameValue(a.pods, b.pods) &&
    sameValue(a.extras, b.extras) &&
    sameValue(a.objects, b.objects) &&
    sameValue(a.podEvents, b.podEvents) &&
    sameValue(a.launches, b.launches));
