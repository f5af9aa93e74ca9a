import { positionText, quotedValue } from '../../repo/fleet/positions.ts';
import { list, type SectionSource } from './section.ts';

/** What is wrong with the repo or with what clusters are given: how bad, where, what, and what to write instead. */
export const problems: SectionSource = ({ plan }) =>
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
  );
