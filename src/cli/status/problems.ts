import { parse } from 'yaml';
import type { Problem } from '../../api/problem.ts';
import { type Listing, listing } from './listing.ts';

/** What the last pass found wrong with files of the fleet repo. */
export const problems: Listing = listing<Problem>({
  names: ['problems', 'problem'],
  folders: [],
  ordered: true,
  nameless: true,
  items: ({ files }) => (parse(files.get('summary.yaml') ?? '') as { problems?: Problem[] } | null)?.problems ?? [],
  describe: (problem) => ({ name: problem.file ?? problem.code, value: problem }),
  columns: [
    { heading: 'SEVERITY', cell: ({ severity }) => severity },
    { heading: 'PLACE', cell: ({ file, line }) => file && (line === undefined ? file : `${file}:${line}`) },
    { heading: 'CODE', cell: ({ code }) => code },
    { heading: 'MESSAGE', cell: ({ message }) => message },
  ],
});
