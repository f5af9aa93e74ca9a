import type { ObjectRef } from '../../api/meta.ts';
import type { ObjectOutcome } from '../../api/observation.ts';
import type { PatchDetail } from '../../api/placement.ts';
import { wholeObject } from '../../engine/delivery/patch-details.ts';
import { describeRef } from '../../engine/selection/object-key.ts';
import type { Clock } from '../clock.ts';
import { repairs } from './repairs.ts';

/** Who undid what was applied of one placement, how often it was put right, and how that is told. */
export interface PutRight {
  /** Who changed an object last, as its managedFields told; undefined when they do not. */
  blame(key: string, manager: string | undefined): void;
  /** An object was put right: counts it, and says it. */
  tell(key: string, object: ObjectRef, details: readonly PatchDetail[]): void;
  /** Counts one more repair of the same, without a word. */
  again(key: string): void;
  /** Milliseconds until the object should be put right again; 0 the first time. */
  pauseMs(key: string): number;
  /** Drifts name who made them, where the member told. */
  withCulprit(key: string, outcome: ObjectOutcome): ObjectOutcome;
  /** What was put right of late is reported of an object that is as it should be now. */
  withRepair(key: string, outcome: ObjectOutcome): ObjectOutcome;
  /** Other objects are wanted now, or the same on another cluster. */
  forget(): void;
  /** Nothing is reported any more. */
  stop(): void;
}

/** `faded` is called when a repair is not reported any more. */
export function putRight(clock: Clock, { say, faded }: { say(message: string): void; faded(): void }): PutRight {
  const culprits = new Map<string, string>();
  const repaired = repairs(clock, faded);

  return {
    blame(key, manager) {
      if (manager === undefined) culprits.delete(key);
      else culprits.set(key, manager);
    },
    tell(key, object, details) {
      const who = culprits.get(key);
      repaired.done(key, withManager(details, who));
      say(sentence({ object, details, who, disputed: repaired.disputed(key) }));
    },
    again: (key) => repaired.done(key, repaired.recent(key) ?? []),
    pauseMs: (key) => repaired.pauseMs(key),
    withCulprit: (key, outcome) =>
      outcome.result.startsWith('FoundDrifts') && outcome.details
        ? { ...outcome, details: [...withManager(outcome.details, culprits.get(key))] }
        : outcome,
    withRepair(key, outcome) {
      const recent = repaired.recent(key);
      return outcome.result !== 'Applied' || outcome.details || !recent?.length
        ? outcome
        : { ...outcome, details: [...recent] };
    },
    forget() {
      culprits.clear();
      repaired.forget();
    },
    stop: () => repaired.forget(),
  };
}

function sentence(of: {
  readonly object: ObjectRef;
  readonly details: readonly PatchDetail[];
  readonly who: string | undefined;
  readonly disputed: boolean;
}): string {
  const gone = of.details[0] === wholeObject;
  // Whoever changed an object last need not be the one who deleted it, and nothing on the member tells who that was.
  const by = gone || of.who === undefined ? '' : ` by ${of.who}`;
  const what = `${describeRef(of.object)} ${of.disputed ? 'is' : 'was'} ${gone ? 'deleted' : 'changed'}${by}`;
  if (of.disputed) return `${what} again and again: it is put right less often each time, in the end every 5 minutes`;
  if (gone) return `${what} and has been put back`;
  const paths = of.details.map(({ path }) => path).join(', ') || 'labels or annotations';
  return `${what} and has been put right: ${paths}`;
}

const withManager = (details: readonly PatchDetail[], manager: string | undefined): readonly PatchDetail[] =>
  manager === undefined ? details : details.map((detail) => (detail === wholeObject ? detail : { ...detail, manager }));
