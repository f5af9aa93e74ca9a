import type { Eviction } from '../../api/eviction.ts';
import { findCondition } from '../../engine/kernel/condition.ts';
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

function resultOf(conditions: Parameters<typeof findCondition>[0]): string {
  const [valid, executed] = [findCondition(conditions, 'Valid'), findCondition(conditions, 'Executed')];
  if (valid?.status === 'False') return `refused: ${valid.message}; ${again}`;
  if (executed?.status === 'False') return `not executed: ${executed.message}; ${again}`;
  return executed?.status === 'True' ? 'executed; the file may go' : 'none yet';
}

/** An eviction is done once: its result stands. */
const again = 'to try again, commit one of another name';
