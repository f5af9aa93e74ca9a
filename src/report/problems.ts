import type { Problem } from '../api/problem.ts';
import { isOfDelivery } from '../engine/delivery/delivery-problems.ts';
import { newProblems } from '../repo/fleet/positions.ts';
import type { EventSource } from './event-source.ts';

/** Something is wrong with a file of the repo. */
interface ProblemFound {
  readonly kind: 'problem-found';
  readonly problem: Problem;
}

/** What clusters refuse is an event of its placement; the rest is reported where it stands in the repo. */
export const problems: EventSource<ProblemFound> = {
  events: ({ plan, earlier }) =>
    newProblems(earlier?.problems ?? [], plan.problems)
      .filter(({ code }) => !isOfDelivery(code))
      .map((problem) => ({ kind: 'problem-found', problem })),
  entries: ({ problem: { severity, file, line, message, fix } }) => [
    {
      tone: severity === 'error' ? 'bad' : 'waiting',
      subject: file === undefined ? 'repo' : `${file}${line === undefined ? '' : `:${line}`}`,
      text: fix === undefined ? message : `${message}: ${fix}`,
    },
  ],
  alsoWhenRefused: true,
};
