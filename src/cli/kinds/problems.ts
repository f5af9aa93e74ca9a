import type { Problem } from '../../api/problem.ts';
import { byPosition } from '../../repo/fleet/positions.ts';
import { namesOfKind } from './kind-words.ts';
import { type Listing, listing } from './listing.ts';

/** Problems that the last reconciliation found in files of the fleet repo, and when it delivered them to clusters. */
export const problems: Listing = listing<Problem>({
  names: namesOfKind('problems'),
  folders: [],
  ordered: true,
  nameless: true,
  none: 'No problems in the files of the fleet repo. How placements, clusters and runs are: gitfleet get all',
  items: ({ reported }) => [...reported].sort(byPosition),
  describe: (problem) => ({ name: problem.file ?? problem.code, value: problem }),
  columns: [
    { heading: 'SEVERITY', cell: ({ severity }) => severity },
    { heading: 'PLACE', cell: ({ file, line }) => file && (line === undefined ? file : `${file}:${line}`) },
    { heading: 'CODE', cell: ({ code }) => code },
    { heading: 'MESSAGE', cell: ({ message }) => message },
    { heading: 'FIX', cell: ({ fix }) => fix },
  ],
});
