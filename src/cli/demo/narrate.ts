import type { Problem } from '../../api/problem.ts';
import { isOfDelivery } from '../../engine/delivery/delivery-problems.ts';
import type { Plan } from '../../engine/plan-document.ts';
import { newProblems } from '../../repo/fleet/positions.ts';
import { aboutDepartures } from './departures.ts';
import { aboutDifferences } from './differences.ts';
import { aboutEvictions } from './evictions.ts';
import { aboutHolds } from './holds.ts';
import { aboutPlacements } from './placements.ts';
import { aboutRuns } from './runs.ts';
import { aboutStandstill } from './standstill.ts';
import { aboutSuspensions } from './suspended.ts';
import type { Told } from './told.ts';

/** What is new in `next` compared with `before`: decisions, moves, clusters that became available, waits, troubles. */
export function narrate(before: Plan | undefined, next: Plan): Told[] {
  return [
    ...aboutEvictions(before, next),
    ...aboutPlacements(before, next),
    ...aboutDepartures(before, next),
    ...aboutRuns(before, next),
    ...aboutSuspensions(before, next),
    ...aboutDifferences(before, next),
    ...aboutStandstill(before, next),
    ...aboutHolds(before, next),
    ...next.guard
      .filter((finding) => !before?.guard.some((old) => old.message === finding.message))
      .map((finding): Told => ({ tone: 'bad', subject: 'guard', text: finding.message })),
    ...liftedRefusal(before, next),
    ...newProblems(before?.problems ?? [], next.problems).flatMap(aboutProblem),
  ];
}

/** What was refused goes its way now, or is not asked for any more. */
const liftedRefusal = (before: Plan | undefined, next: Plan): Told[] =>
  before !== undefined && before.guard.length > 0 && next.guard.length === 0
    ? [{ tone: 'good', subject: 'guard', text: 'the plan is not refused any more' }]
    : [];

/** What clusters refuse their own lines tell, cluster by cluster; the rest is told where it stands in the repo. */
function aboutProblem({ severity, code, file, line, message, fix }: Problem): Told[] {
  if (isOfDelivery(code)) return [];
  const subject = file === undefined ? 'repo' : `${file}${line === undefined ? '' : `:${line}`}`;
  const text = fix === undefined ? message : `${message}: ${fix}`;
  return [{ tone: severity === 'error' ? 'bad' : 'waiting', subject, text }];
}
