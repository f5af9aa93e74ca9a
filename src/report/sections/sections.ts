import { placementKey } from '../../api/placement.ts';
import { titleOf } from '../../repo/title-of.ts';
import { notEvicted } from '../evictions.ts';
import { approvals, refused } from './approvals.ts';
import { notHealthy, notReached } from './failing-clusters.ts';
import { differing, notAvailable } from './failing-objects.ts';
import { held, waitingForUser } from './holds.ts';
import { problems } from './problems.ts';
import { beingRemoved } from './removals.ts';
import { list, type Section, type SectionInput, type SectionSource } from './section.ts';
import { clusters, placements, runs } from './tables.ts';

/** What needs action first, then how everything is, then what is not as desired. */
const sources: readonly SectionSource[] = [
  refused,
  approvals,
  problems,
  waitingForUser,
  runs,
  notRolledOut,
  placements,
  clusters,
  notAvailable,
  differing,
  notEvicted,
  beingRemoved,
  notReached,
  notHealthy,
  held,
];

/** Everything there is to say of the fleet as a plan leaves it. */
export const sectionsOf = (input: SectionInput): readonly Section[] =>
  sources.map((source) => source(input)).filter(({ title, rows }) => alwaysShown.has(title) || sizeOf(rows) > 0);

const alwaysShown: ReadonlySet<string> = new Set(['Placements', 'Clusters']);

const sizeOf = (rows: Section['rows']): number => (rows.kind === 'list' ? rows.items : rows.cells).length;

/** A placement that is not in effect yet is listed once it is. */
function notRolledOut({ notRolledOut: all, inForce }: SectionInput): Section {
  const known = new Set(inForce.placements.map(placementKey));
  const items = all
    .filter(({ placement }) => known.has(placementKey(placement)))
    .map(({ placement, why }) => ({ line: [{ bold: titleOf(placement) }, `: ${why}`] }));
  return list('Not rolled out', items, {
    intro: 'These placements are External: start a staged update run to roll out what is missing.',
  });
}
