import type { RollingUpdate } from '../../api/placement.ts';
import { scale } from '../kernel/int-or-percent.ts';
import type { Classified } from './classify.ts';

export interface Selected {
  /** Bindings to bind, update or remove now. */
  readonly chosen: ReadonlySet<Classified>;
  /** Candidates that a budget holds. */
  readonly waiting: ReadonlySet<Classified>;
  /** How many more clusters must become ready before one that waits to be updated or removed may move. */
  readonly readyMissing: number;
  /** maxUnavailable does not require any cluster to be ready: the candidates wait because no ready cluster may be moved. */
  readonly noneNeeded: boolean;
}

export interface DesiredClusters {
  /** The target number of clusters. */
  readonly total: number;
  /** PickFixed with an empty list: all bindings are removed. KubeFleet ignores such a policy (docs/compatibility.md). */
  readonly wantsNone: boolean;
}

/**
 * Which candidates move now (KubeFleet rollout/controller.go, determineBindingsToUpdate). Both percentages round up.
 * Candidates are selected in the given order, by cluster name.
 */
export function selectMoves(
  all: readonly Classified[],
  { total, wantsNone }: DesiredClusters,
  { maxUnavailable, maxSurge }: Pick<RollingUpdate, 'maxUnavailable' | 'maxSurge'>,
): Selected {
  const of = (candidate: Classified['candidate']) => all.filter((entry) => entry.candidate === candidate);
  const ready = all.filter((entry) => entry.ready).length;
  const leaving = all.filter((entry) => entry.canBeUnavailable).length;
  const minAvailable = total - scale(maxUnavailable, total, 'up');
  const spare = ready - leaving - minAvailable;
  const removed = of('remove');
  const disrupting = [...removed, ...of('update')];
  // Without any desired cluster no removal disrupts anything, ready or not.
  const mayDisrupt = Math.max(spare, wantsNone ? removed.length : 0);
  const mayAdd = Math.max(total + scale(maxSurge, total, 'up') - all.filter((entry) => entry.canBeReady).length, 0);
  // A binding that replaces one being removed is already counted.
  const [replacing, adding] = [of('bind').filter(isCounted), of('bind').filter((entry) => !isCounted(entry))];
  return {
    chosen: new Set([
      ...of('updateFailed'),
      ...disrupting.slice(0, mayDisrupt),
      ...replacing,
      ...adding.slice(0, mayAdd),
    ]),
    waiting: new Set([...disrupting.slice(mayDisrupt), ...adding.slice(mayAdd)]),
    readyMissing: 1 - spare,
    noneNeeded: minAvailable <= 0,
  };
}

const isCounted = ({ canBeReady }: Classified): boolean => canBeReady;
