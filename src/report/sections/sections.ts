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

/** What needs action, what is not as desired, what is under way, then the state of everything. */
const sources: SectionRows<SectionSource> = {
  refused,
  approvals,
  problems,
  waitingForUser,
  shortages,
  notRolledOut,
  notResponding,
  notHealthy,
  notAvailable,
  differing,
  evictions: notEvicted,
  runs,
  upgrades: clusterUpgrades,
  nodes: nodeDisruptions,
  beingRemoved,
  held,
  placements,
  clusters,
};

/** All sections about the fleet as a plan leaves it. */
export const sectionsOf = (input: SectionInput): readonly Section[] =>
  Object.values(sources)
    .map((source) => source(input))
    .filter((section) => section.title === 'Clusters' || sizeOf(section) > 0);
