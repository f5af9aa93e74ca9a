import type { ObjectRef } from '../../api/meta.ts';
import type { ObjectOutcome } from '../../api/observation.ts';
import type { PatchDetail } from '../../api/placement.ts';
import { wholeObject } from '../../engine/bindings/conditions/patch-details.ts';
import { formatInstant } from '../../engine/kernel/instant.ts';
import { shortList } from '../../engine/kernel/short-list.ts';
import { describeRef } from '../../engine/selection/object-key.ts';
import type { Clock } from '../clock.ts';
import { type FieldManager, foreignManager } from './field-managers.ts';
import { type Action, repairs, withAction } from './repairs.ts';

/** Who changed objects of one placement, how often they were repaired, and how that is reported. */
export interface RepairReports {
  /** An object was changed: its managedFields, and its differences. */
  blame(key: string, managers: readonly FieldManager[], differences: readonly PatchDetail[]): void;
  /** An object was repaired: counts and reports it. */
  reportRepair(key: string, object: ObjectRef, details: readonly PatchDetail[]): void;
  /** Counts one more repair of the same object without a report. */
  again(key: string): void;
  /** A repaired object was changed again and waits for its repair; no details = it matches its manifest. */
  undone(key: string, details: readonly PatchDetail[]): void;
  /** Milliseconds until the object may be repaired again; 0 the first time. */
  pauseMs(key: string): number;
  /** Adds the last writer to drifts and diffs, if the member shows it. */
  withCulprit(key: string, outcome: ObjectOutcome): ObjectOutcome;
  /** For an applied object: recent repairs, changes that wait for repair, and who keeps changing it. */
  withRepair(key: string, outcome: ObjectOutcome): ObjectOutcome;
  /** The assigned objects changed, or the member is another cluster. */
  forget(): void;
  /** Ends all reports. */
  stop(): void;
}

/** `reportChanged` is called when the report changes without an attempt: by time, or by a change that waits for repair. */
export function repairReports(
  clock: Clock,
  { notify, reportChanged }: { notify(message: string): void; reportChanged(): void },
): RepairReports {
  const culprits = new Map<string, Culprits>();
  const undone = new Map<string, readonly PatchDetail[]>();
  const repaired = repairs(clock, reportChanged);

  function named(key: string, details: readonly PatchDetail[]): PatchDetail[] {
    const managers = culprits.get(key)?.managers ?? [];
    return details.map((detail) =>
      detail.manager || detail === wholeObject ? detail : withManager(detail, foreignManager(managers, [detail])),
    );
  }

  return {
    blame(key, managers, differences) {
      const who = foreignManager(managers, differences);
      if (who === undefined) culprits.delete(key);
      else culprits.set(key, { who, managers });
    },
    reportRepair(key, object, details) {
      undone.delete(key);
      const who = culprits.get(key)?.who;
      repaired.done(key, named(key, details), who);
      const fight = repaired.fight(key);
      notify(fight ? fighting(object, fight) : once({ object, details, who }));
    },
    again: (key) => repaired.done(key, repaired.recent(key)?.details ?? [], culprits.get(key)?.who),
    undone(key, details) {
      if (details.length > 0) undone.set(key, named(key, details));
      else if (!undone.delete(key)) return;
      reportChanged();
    },
    pauseMs: (key) => repaired.pauseMs(key),
    withCulprit: (key, outcome) =>
      outcome.result === 'Applied' || !outcome.details ? outcome : { ...outcome, details: named(key, outcome.details) },
    withRepair(key, outcome) {
      const recent = repaired.recent(key);
      if (outcome.result !== 'Applied' || recent === undefined) return outcome;
      const left = [...(undone.get(key) ?? []), ...(outcome.details ?? [])];
      const reported = new Map(
        [...left, ...recent.details.map(asRepaired)].reverse().map((detail) => [detail.path, detail]),
      );
      const details = [...reported.values()].reverse();
      const known = repaired.fight(key);
      const fight = known && left.length > 0 ? withAction(known, left, culprits.get(key)?.who) : known;
      return {
        ...outcome,
        ...(details.length > 0 ? { details } : {}),
        ...(details.some((detail) => detail.repaired) ? { repairedAt: formatInstant(recent.at) } : {}),
        ...(fight ? { message: fighting(outcome.object, fight) } : {}),
      };
    },
    forget() {
      culprits.clear();
      undone.clear();
      repaired.forget();
    },
    stop: () => repaired.forget(),
  };
}

function once(of: {
  readonly object: ObjectRef;
  readonly details: readonly PatchDetail[];
  readonly who: string | undefined;
}): string {
  const gone = of.details[0] === wholeObject;
  // The member does not show who deleted an object, and the last writer need not be the one.
  const by = gone || of.who === undefined ? '' : ` by ${of.who}`;
  const what = `${describeRef(of.object)} was ${gone ? 'deleted' : 'changed'}${by}`;
  if (gone) return `${what} and was created again`;
  return `${what} and was repaired: ${of.details.map(({ path }) => path).join(', ')}`;
}

/** Names the actions that were repeated; if none was, all of them. */
function fighting(object: ObjectRef, actions: readonly Action[]): string {
  const repeated = actions.filter(({ times }) => times > 1);
  const reported = repeated.length > 0 ? repeated : actions;
  const what = [...new Set(reported.map((action) => action.what))].sort().join(' or ');
  const by = reported.flatMap(({ who }) => who ?? []);
  const who = by.length === 0 || reported.some((action) => action.what === 'deleted') ? '' : ` by ${shortList(by)}`;
  return `${describeRef(object)} is ${what}${who} again and again: gitfleet repairs it less often each time, at last every 5 minutes`;
}

const asRepaired = (detail: PatchDetail): PatchDetail => ({ ...detail, repaired: true });

const withManager = (detail: PatchDetail, manager: string | undefined): PatchDetail =>
  manager === undefined ? detail : { ...detail, manager };

interface Culprits {
  /** The last writer of the object. */
  readonly who: string;
  readonly managers: readonly FieldManager[];
}
