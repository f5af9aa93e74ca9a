import type { Eviction } from '../../api/eviction.ts';
import type { StagedUpdateRun } from '../../api/staged.ts';
import { isTerminal } from '../../engine/evict/evict.ts';
import { isOver } from '../../engine/update-run.ts';
import type { Row } from '../status/listing.ts';

/** Whether the conditions of an object are what they will ever be: evictions and runs are carried out once, for good or ill. */
export function isOverForGood(plural: string, row: Row): boolean {
  if (plural === 'evictions') return isTerminal(row.value as Eviction);
  return plural === 'runs' && isOver((row.value as StagedUpdateRun).status ?? {});
}
