import type { Eviction } from '../../api/eviction.ts';
import { evictionResult } from '../../engine/evict/result.ts';
import { titled } from './object.ts';
import { conditionTable, fields } from './parts.ts';

/** What was to be evicted from where, and what came of it. */
export function evictionText({ kind, metadata, spec, status }: Eviction): string[] {
  return [
    fields([
      ['Name', metadata.name],
      ['Kind', kind],
      ['Placement', spec.placementName],
      ['Cluster', spec.clusterName],
      ['Result', resultOf(status?.conditions)],
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
