import { at, listAt, textAt } from '../../engine/kernel/at.ts';
import type { Cluster } from '../cluster.ts';
import type { Stored } from '../object.ts';
import type { Fields } from '../schema/schema.ts';

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
}

/** The conditions of `object` with `condition` set; the transition time changes only with the status. */
export function withCondition(
  cluster: Cluster,
  object: Stored,
  condition: Condition,
  more: Fields = {},
): readonly unknown[] {
  const present = listAt(object, 'status', 'conditions');
  const old = present.find((item) => textAt(item, 'type') === condition.type);
  const now = cluster.timestamp();
  const same = old !== undefined && textAt(old, 'status') === condition.status;
  const next = { ...more, ...condition, lastTransitionTime: same ? at(old, 'lastTransitionTime') : now };
  return old ? present.map((item) => (item === old ? next : item)) : [...present, next];
}

export const isTrue = (object: unknown, type: string): boolean =>
  listAt(object, 'status', 'conditions').some(
    (item) => textAt(item, 'type') === type && textAt(item, 'status') === 'True',
  );
