import type { Eviction } from '../../api/eviction.ts';
import { isTerminal } from '../../engine/evict/evict.ts';
import { evictionResult } from '../../engine/evict/result.ts';
import { holdText } from '../../report/hold-text.ts';
import { holdsOf } from '../../report/holds-of.ts';
import { fleetAsPlanned } from '../status/fleet-as-planned.ts';
import type { Status, StatusReader } from '../status/open-status.ts';
import { namesOfKind } from './kind-words.ts';
import { type Listing, listing, statusOf } from './listing.ts';
import { conditionTable, fields, titled } from './page-text.ts';

/** An eviction, and why it is not carried out, if something holds it. */
interface AskedEviction {
  readonly eviction: Eviction;
  readonly waits: { readonly reason: string; readonly text: string } | undefined;
}

/** KubeFleet's columns. */
export const evictions: Listing = listing<AskedEviction>({
  names: namesOfKind('evictions'),
  clusterNames: ['clusterresourceplacementevictions', 'clusterresourceplacementeviction', 'crpe'],
  folders: ['evictions'],
  conditionTypes: ['Valid', 'Executed'],
  async items(status, reader) {
    const asked = [...status.record.evictions.values(), ...(await unrecorded(status, reader))];
    return asked.map((eviction) => ({ eviction, waits: waitOf(eviction, status) }));
  },
  describe: ({ eviction }) => ({
    name: eviction.metadata.name,
    placement: eviction.spec.placementName,
    value: eviction,
  }),
  page: evictionPage,
  waits: ({ waits }) => (waits ? [waits.text] : []),
  isOver: ({ eviction }) => isTerminal(eviction),
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
 * Evictions of the commit that have no record yet: the status branch has a file of an eviction only once it has a result. The
 * commit is read only if one of them may be held, since a large fleet takes seconds to read.
 */
async function unrecorded(status: Status, reader: StatusReader): Promise<Eviction[]> {
  const { record, holds, notInEffect } = status;
  const mayWait = notInEffect.refusals.length > 0 || holds.some(({ subject }) => subject.kind === kind);
  const fleet = mayWait ? await fleetAsPlanned(status, reader) : undefined;
  return (fleet?.evictions ?? [])
    .filter(({ metadata }) => !record.evictions.has(metadata.name))
    .map(({ status: _, ...eviction }) => eviction);
}

const kind: Eviction['kind'] = 'ClusterResourcePlacementEviction';

function waitOf(
  { metadata: { name } }: Eviction,
  { record, holds, notInEffect: { refusals } }: Status,
): AskedEviction['waits'] {
  const [hold] = holdsOf({ kind, name }, holds);
  if (hold) return { reason: hold.reason, text: holdText(hold) };
  if (record.evictions.has(name) || refusals.length === 0) return undefined;
  return { reason: 'Refused', text: `the plan that would carry it out is refused: ${refusals.join('; ')}` };
}

/** What is to be evicted from where, and the result, or why there is none yet. */
export function evictionPage({ eviction, waits }: AskedEviction): string[] {
  const { kind, metadata, spec, status } = eviction;
  return [
    fields([
      ['Name', metadata.name],
      ['Kind', kind],
      ['Placement', spec.placementName],
      ['Cluster', spec.clusterName],
      ['Result', resultOf(status?.conditions)],
      waits && ['Waits for', waits.text],
    ]),
    titled('Conditions', conditionTable(status?.conditions)),
  ];
}

function resultOf(conditions: Parameters<typeof evictionResult>[0]): string {
  const result = evictionResult(conditions);
  if (result === undefined) return 'none yet';
  return result.executed ? 'executed; the file can be removed' : `${result.text}; ${again}`;
}

/** An eviction is carried out once: its result is final. */
const again = 'to retry, commit an eviction with another name';
