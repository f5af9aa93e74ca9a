import type { Problem } from '../../api/problem.ts';
import { isOfDelivery } from '../../engine/delivery/delivery-problems.ts';
import { positionText, quotedValue } from '../../repo/fleet/positions.ts';
import { list, type Section, type SectionInput } from './section.ts';

/** What a cluster refuses is refused again with each retry, though the file may be right for others. */
const needsUser = ({ severity, code }: Problem): boolean => severity === 'error' || isOfDelivery(code);

/** What is wrong with the repo, or with what clusters get from it: severity, place, message, and what to write instead. */
export const problems = ({ plan }: Pick<SectionInput, 'plan'>): Section =>
  list(
    'Problems',
    plan.problems
      .filter(({ severity }) => severity !== 'info')
      .map((problem) => {
        const { severity, message, value, fix } = problem;
        const place = positionText(problem);
        const end = `${fix ? `. Fix: ${fix}` : ''}${fix?.endsWith('?') ? '' : '.'}`;
        return {
          line: [
            `${severity}: `,
            ...(place ? [{ code: place }, ' '] : []),
            `${message}${quotedValue({ value, message })}${end}`,
          ],
        };
      }),
    { attention: plan.problems.filter(needsUser).length },
  );
