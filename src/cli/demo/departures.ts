import type { ClusterName, PlacementKey } from '../../api/meta.ts';
import { placementKey } from '../../api/placement.ts';
import type { Plan } from '../../engine/plan-document.ts';
import { titleOf } from '../../repo/title-of.ts';
import type { Told } from './told.ts';

/** Placements that are deleted, clusters that they are being removed from, and what came of that. */
export function aboutDepartures(before: Plan | undefined, next: Plan): Told[] {
  if (before === undefined) return [];
  const [was, is] = [presenceOf(before), presenceOf(next)];
  return [...was].flatMap(([key, { subject, clusters, exists }]): Told[] => {
    const now = is.get(key);
    const deleted = exists && !now?.exists;
    const told: Told[] = deleted ? [{ tone: 'decided', subject, text: 'deleted' }] : [];
    for (const [cluster, removing] of clusters) {
      const state = now?.clusters.get(cluster);
      if (state === undefined) told.push(removing ? gone(subject, cluster) : leftAlone(subject, cluster));
      // Removals of placements that stay are told as their moves.
      else if (state && !removing && !now?.exists)
        told.push({ tone: 'moving', subject, text: `→ ${cluster}: removing` });
    }
    return told;
  });
}

const gone = (subject: string, cluster: string): Told => ({ tone: 'good', subject, text: `✓ ${cluster}: removed` });

/** The cluster left the fleet, or the placement is deleted and leaves what it holds. */
const leftAlone = (subject: string, cluster: string): Told => ({
  tone: 'decided',
  subject,
  text: `${cluster}: let go of, what is there stays`,
});

interface Presence {
  readonly subject: string;
  /** Its file is there. */
  readonly exists: boolean;
  /** Where it is, and whether it is being removed there. */
  readonly clusters: Map<ClusterName, boolean>;
}

/** Of placements whose file is gone the plan only says what their clusters should hold. */
function presenceOf({ placements, targets }: Plan): Map<PlacementKey, Presence> {
  const present = new Map<PlacementKey, Presence>();
  for (const placement of placements)
    present.set(placementKey(placement), { subject: titleOf(placement), exists: true, clusters: new Map() });
  for (const { placement, clusterName, remove } of targets) {
    const key = placementKey(placement);
    const found = present.get(key) ?? { subject: titleOf(placement), exists: false, clusters: new Map() };
    present.set(key, found);
    // One binding may leave while another comes: then what is there is not removed altogether.
    found.clusters.set(clusterName, remove && found.clusters.get(clusterName) !== false);
  }
  return present;
}
