import type { ClusterName } from '../../api/meta.ts';
import type { Placement } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import type { StagedUpdateRun } from '../../api/staged.ts';
import { conditionIs, isFulfilled } from '../../engine/kernel/condition.ts';
import type { UnreachableMember } from '../../repo/record/daemon-memory.ts';
import type { Held } from '../../repo/record/summary.ts';
import { causeOf, failureText } from '../cause.ts';
import { meaningOf } from '../hold-reasons.ts';
import { holdText } from '../hold-text.ts';
import { type HeldObject, holdsOf } from '../holds-of.ts';
import { unreachableText } from '../unreachable-text.ts';

/** What the status branch lists in addition to its objects: members that do not respond, and holds. */
export interface Listed {
  readonly unreachable: ReadonlyMap<ClusterName, UnreachableMember>;
  readonly holds: readonly Held[];
}

interface Bound {
  readonly placement: HeldObject & { readonly object?: Placement | undefined };
  readonly binding: Binding;
}

/**
 * Why one cluster is not up to date: it does not respond, something holds it, an object of it fails, or what its conditions
 * say. Undefined: it is up to date.
 */
export function whyLate({ placement, binding }: Bound, { unreachable, holds }: Listed): string | undefined {
  const seen = seenOf({ placement, binding }, unreachable);
  const hold =
    seen === undefined || unreachable.has(binding.targetCluster) ? undefined : holdOf(binding, placement, holds);
  return hold ? holdText(hold) : seen;
}

/** The same; for a cluster that is up to date, why something stays there that is to be removed. */
export function whyNotSettled(bound: Bound, known: Listed): string | undefined {
  const { placement, binding } = bound;
  const late = whyLate(bound, known);
  if (late !== undefined || known.unreachable.has(binding.targetCluster)) return late;
  const hold = holdsOn(binding.targetCluster, holdsOf(placement, known.holds)).find(
    (each) => meaningOf(each).ofRemoval,
  );
  return hold && holdText(hold);
}

/** What holds one cluster of an update run; for one that does not respond, that comes first. */
export function heldInRun(
  { kind, metadata }: StagedUpdateRun,
  cluster: ClusterName,
  { unreachable, holds }: Listed,
): string | undefined {
  if (unreachable.has(cluster)) return undefined;
  const hold = holdsOn(cluster, holdsOf({ kind, ...metadata }, holds))[0];
  return hold && holdText(hold);
}

const holdsOn = (cluster: ClusterName, holds: readonly Held[]): Held[] =>
  holds.filter(({ subject, clusters }) => subject.clusterName === cluster || clusters?.includes(cluster));

/** What holds one cluster of a placement. Of many that wait for the same, the summary names only the first. */
function holdOf(binding: Binding, placement: HeldObject, holds: readonly Held[]): Held | undefined {
  const mine = holdsOf(placement, holds);
  const [named] = holdsOn(binding.targetCluster, mine);
  if (named !== undefined || !isHeldBack(binding)) return named;
  const cut = mine.filter(({ clusters = [], count = 0 }) => count > clusters.length);
  return cut.length === 1 ? cut[0] : undefined;
}

const isHeldBack = ({ conditions, state, deleting }: Binding): boolean =>
  conditionIs(conditions, 'RolloutStarted', 'False') || (state === 'Unscheduled' && !deleting);

function seenOf(
  { placement, binding }: Bound,
  unreachable: ReadonlyMap<ClusterName, UnreachableMember>,
): string | undefined {
  const isHeld = conditionIs(binding.conditions, 'RolloutStarted', 'False');
  const stays = binding.state !== 'Unscheduled' && !binding.deleting;
  if (stays && !isHeld && isFulfilled(binding.conditions)) return undefined;
  const member = unreachable.get(binding.targetCluster);
  if (member) return unreachableText(member);
  const failed = failedObjects(binding);
  if (failed !== undefined) return failed;
  if (!binding.deleting && !stays && placement.object?.spec.strategy.type === 'External')
    return 'is no longer selected, which a staged update run carries out';
  if (!stays) return 'is being removed';
  const unmet = binding.conditions?.find(({ status }) => status !== 'True');
  if (unmet) return causeOf(unmet);
  return binding.state === 'Scheduled' ? 'nothing has started there yet' : 'is being applied';
}

/** `Deployment shop/web: ApplyFailed: the quota is used up (and 2 more)`; undefined: no object of the cluster fails. */
export function failedObjects({ failedPlacements = [] }: Binding): string | undefined {
  // What cannot be applied does not become available by waiting.
  const failed = failedPlacements.find(({ condition }) => condition.type === 'Applied') ?? failedPlacements[0];
  if (failed === undefined) return undefined;
  const more = failedPlacements.length - 1;
  return `${failureText(failed)}${more > 0 ? ` (and ${more} more)` : ''}`;
}
