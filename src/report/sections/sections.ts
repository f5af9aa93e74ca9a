import type { SectionRows } from '../../engine/plan-document.ts';
import { notEvicted } from '../evictions.ts';
import { nodeDisruptions } from '../nodes.ts';
import { clusterUpgrades } from '../upgrades/section.ts';
import { approvals, refused } from './approvals.ts';
import { notHealthy, notResponding } from './failing-clusters.ts';
import { differing, notAvailable } from './failing-objects.ts';
import { held, waitingForUser } from './holds.ts';
import { notRolledOut } from './not-rolled-out.ts';
import { problems } from './problems.ts';
import { beingRemoved } from './removals.ts';
import { type Section, type SectionInput, type SectionSource, sizeOf } from './section.ts';
import { shortages } from './shortages.ts';
import { clusters, placements, runs } from './tables.ts';

/** What needs action, then the state of everything, then what is not as desired. */
const sources: SectionRows<SectionSource> = {
  refused,
  approvals,
  problems,
  waitingForUser,
  shortages,
  runs,
  upgrades: clusterUpgrades,
  nodes: nodeDisruptions,
  notRolledOut,
  placements,
  clusters,
  notAvailable,
  differing,
  evictions: notEvicted,
  beingRemoved,
  notResponding,
  notHealthy,
  held,
};

/** All sections about the fleet as a plan leaves it. */
export const sectionsOf = (input: SectionInput): readonly Section[] =>
  Object.values(sources)
    .map((source) => source(input))
    .filter((section) => alwaysShown.has(section.title) || sizeOf(section) > 0);

const alwaysShown: ReadonlySet<string> = new Set(['Placements', 'Clusters']);
