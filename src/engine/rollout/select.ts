import type { RollingUpdate } from '../../api/placement.ts';
import { scale } from '../kernel/int-or-percent.ts';
import type { Classified } from './classify.ts';

export interface Selected {
  /** Bindings to bind, update or remove now. */
  readonly chosen: ReadonlySet<Classified>;
  /** Candidates that the budgets keep back. */
  readonly waiting: ReadonlySet<Classified>;
  /** How many more clusters must become ready before one that waits to be updated or removed may move. */
  readonly readyMissing: number;
  /** maxUnavailable leaves none that must be ready: only that there is none to take away keeps them back. */
  readonly noneNeeded: boolean;
}

export interface Wanted {
  /** The target number of clusters. */
  readonly total: number;
  /** PickFixed with an empty list, which KubeFleet never gets to (docs/compatibility.md): all go. */
  readonly wantsNone: boolean;
}

/**
 * Which candidates move now (KubeFleet rollout/controller.go, determineBindingsToUpdate). Both percentages round up.
 * Candidates are taken in the order given, which is that of cluster names.
 */
export function selectMoves(
  all: readonly Classified[],
  { total, wantsNone }: Wanted,
  { maxUnavailable, maxSurge }: Pick<RollingUpdate, 'maxUnavailable' | 'maxSurge'>,
): Selected {
  const of = (candidate: Classified['candidate']) => all.filter((entry) => entry.candidate === candidate);
  const ready = all.filter((entry) => entry.ready).length;
  const leaving = all.filter((entry) => entry.canBeUnavailable).length;
  const minAvailable = total - scale(maxUnavailable, total, 'up');
  const spare = ready - leaving - minAvailable;
  const removed = of('remove');
  const disrupting = [...removed, ...of('update')];
  // Where no cluster is wanted any more nothing is disrupted by letting go of those that are not ready either.
  const mayDisrupt = Math.max(spare, wantsNone ? removed.length : 0);
  const mayAdd = Math.max(total + scale(maxSurge, total, 'up') - all.filter((entry) => entry.canBeReady).length, 0);
  // One that takes the place of what leaves its cluster is counted already.
  const [replacing, adding] = [of('bind').filter(counted), of('bind').filter((entry) => !counted(entry))];
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

const counted = ({ canBeReady }: Classified): boolean => canBeReady;
