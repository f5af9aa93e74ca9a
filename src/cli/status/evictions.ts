import type { Eviction } from '../../api/eviction.ts';
import { resolveCommit } from '../../git/resolve-commit.ts';
import { loadFleet } from '../../repo/fleet/load-fleet.ts';
import { holdsOf } from '../../report/holds-of.ts';
import { type Listing, listing, statusOf } from './listing.ts';
import type { Status, StatusReader } from './open-status.ts';
import { toldHold } from './why-late.ts';

/** An eviction, and why nothing has come of it where something holds it. */
export interface AskedEviction {
  readonly eviction: Eviction;
  readonly waits: { readonly reason: string; readonly told: string } | undefined;
}

/** KubeFleet's columns. */
export const evictions: Listing = listing<AskedEviction>({
  names: ['evictions', 'eviction'],
  clusterNames: ['clusterresourceplacementevictions', 'clusterresourceplacementeviction', 'crpe'],
  folders: ['evictions'],
  async items(status, { branches }) {
    const asked = [...status.record.evictions.values(), ...(await unrecorded(status, branches))];
    return asked.map((eviction) => ({ eviction, waits: waitOf(eviction, status) }));
  },
  describe: ({ eviction }) => ({
    name: eviction.metadata.name,
    placement: eviction.spec.placementName,
    value: eviction,
  }),
  columns: [
    { heading: 'VALID', cell: ({ eviction: { status } }) => statusOf(status?.conditions, 'Valid') },
    { heading: 'EXECUTED', cell: ({ eviction: { status } }) => statusOf(status?.conditions, 'Executed') },
    { heading: 'PLACEMENT', cell: ({ eviction: { spec } }) => spec.placementName },
    { heading: 'CLUSTER', cell: ({ eviction: { spec } }) => spec.clusterName },
    {
      heading: 'REASON',
      cell: ({ eviction: { status }, waits }) => waits?.reason ?? status?.conditions?.at(-1)?.reason,
    },
  ],
});

/**
 * Those that were not judged yet, as the commit has them: the status branch has a file of an eviction only once something came
 * of it. Nothing is read where none can be held: a large fleet takes seconds.
 */
async function unrecorded(
  { record, holds, notInForce }: Status,
  branches: StatusReader['branches'],
): Promise<Eviction[]> {
  const mayWait = notInForce.refusals.length > 0 || holds.some(({ subject }) => subject.kind === kind);
  if (!mayWait || record.commit === undefined) return [];
  const commit = await resolveCommit(branches, record.commit).catch(() => undefined);
  if (commit === undefined) return [];
  const fleet = await loadFleet(await branches.objects.files(commit));
  return fleet.evictions
    .filter(({ metadata }) => !record.evictions.has(metadata.name))
    .map(({ status: _, ...eviction }) => eviction);
}

const kind: Eviction['kind'] = 'ClusterResourcePlacementEviction';

function waitOf(
  { metadata: { name } }: Eviction,
  { record, holds, notInForce: { refusals } }: Status,
): AskedEviction['waits'] {
  const [hold] = holdsOf({ kind, name }, holds);
  if (hold) return { reason: hold.reason, told: toldHold(hold) };
  if (record.evictions.has(name) || refusals.length === 0) return undefined;
  return { reason: 'Refused', told: `the plan that would carry it out is refused: ${refusals.join('; ')}` };
}
