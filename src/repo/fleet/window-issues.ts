import type { FleetConfig } from '../../api/gitfleet.ts';
import { error, type Issue, warning } from '../../api/issue.ts';
import type { FleetObject } from '../../api/kinds.ts';
import { parseWindow } from '../../engine/window/parse-window.ts';

const hints = {
  schedule: 'write five fields, minute hour day-of-month month day-of-week: `0 18 * * 5`, or @daily and the like',
  duration: 'write hours, minutes or seconds above 0: `62h`, `30m`',
  timeZone: 'write an IANA name: `Europe/Berlin`, or leave it out for UTC',
} as const;

/** Any instant serves: a schedule without a match in the eight years after it has none. */
const someInstant = 1_700_000_000_000;

/**
 * Issues with the windows of a FleetConfig. An invalid freeze freezes the fleet, an invalid budget of nodes allows nothing; neither
 * invalidates the rest of the file.
 */
export function windowIssues(object: FleetObject): Issue[] {
  if (object.kind !== 'FleetConfig') return [];
  return [...ofFreezes(object), ...ofNodeBudgets(object)];
}

const ofNodeBudgets = ({ spec }: FleetConfig): Issue[] =>
  (spec.nodeDisruption?.budgets ?? []).flatMap(({ schedule, duration, timeZone }, index): Issue[] => {
    if (schedule === undefined || duration === undefined) return [];
    const parsed = parseWindow({ schedule, duration, timeZone });
    const at = (field: string): Issue['path'] => ['spec', 'nodeDisruption', 'budgets', index, field];
    if (parsed.ok)
      return parsed.window.opensAfter(someInstant) === undefined
        ? [
            warning(
              'no-use',
              at('schedule'),
              'this budget is never active: its schedule matches no date',
              'write a schedule that matches a date, or remove schedule and duration',
            ),
          ]
        : [];
    return parsed.faults.map(({ field, fault }) =>
      error('invalid-budget', at(field), `${fault}: this budget allows nothing until it is fixed`, hints[field]),
    );
  });

function ofFreezes(object: FleetConfig): Issue[] {
  return (object.spec.freeze ?? []).flatMap((entry, index): Issue[] => {
    const parsed = parseWindow(entry);
    const at = (field: string): Issue['path'] => ['spec', 'freeze', index, field];
    if (!parsed.ok)
      return parsed.faults.map(({ field, fault }) =>
        error('invalid-freeze', at(field), `${fault}: the fleet is frozen until it is fixed`, hints[field]),
      );
    return parsed.window.opensAfter(someInstant) === undefined
      ? [warning('idle-freeze', at('schedule'), `freeze ${entry.name} never starts: its schedule matches no date`)]
      : [];
  });
}
