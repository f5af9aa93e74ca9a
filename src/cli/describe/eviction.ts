import { evictionResult } from '../../engine/evict/result.ts';
import type { AskedEviction } from '../status/evictions.ts';
import { titled } from './object.ts';
import { conditionTable, fields } from './parts.ts';

/** What was to be evicted from where, and what came of it, or why nothing has yet. */
export function evictionText({ eviction, waits }: AskedEviction): string[] {
  const { kind, metadata, spec, status } = eviction;
  return [
    fields([
      ['Name', metadata.name],
      ['Kind', kind],
      ['Placement', spec.placementName],
      ['Cluster', spec.clusterName],
      ['Result', resultOf(status?.conditions)],
      waits && ['Waits for', waits.told],
    ]),
    titled('Conditions', conditionTable(status?.conditions)),
  ];
}

function resultOf(conditions: Parameters<typeof evictionResult>[0]): string {
  const result = evictionResult(conditions);
  if (result === undefined) return 'none yet';
  return result.executed ? 'executed; the file may go' : `${result.text}; ${again}`;
}

/** An eviction is done once: its result stands. */
const again = 'to try again, commit one of another name';
