import type { Condition } from '../../api/meta.ts';
import { findCondition } from '../kernel/condition.ts';

/** The final result of an eviction, and a text of it; undefined while it has none. */
export function evictionResult(
  conditions: readonly Condition[] | undefined,
): { readonly executed: boolean; readonly text: string } | undefined {
  const [valid, executed] = [findCondition(conditions, 'Valid'), findCondition(conditions, 'Executed')];
  if (valid?.status === 'False') return { executed: false, text: `refused: ${valid.message}` };
  if (executed?.status === 'False') return { executed: false, text: `not executed: ${executed.message}` };
  return executed?.status === 'True' ? { executed: true, text: 'executed' } : undefined;
}
