import type { Eviction } from '../../api/eviction.ts';
import { findCondition } from '../../engine/kernel/condition.ts';
import { markdownText } from '../../repo/markdown-text.ts';
import type { InForce } from '../in-force.ts';
import { isBeingRemoved } from '../tally.ts';
import { mostRows } from './rows.ts';

/** Evictions that a budget did not let happen, as long as somebody asks for them and the placement is where it was. */
export function notEvicted(
  { evictions, placements }: Pick<InForce, 'evictions' | 'placements'>,
  asked: readonly Eviction[],
): readonly string[] {
  const files = new Set(asked.map(({ metadata }) => metadata.name));
  const rows = evictions.flatMap(({ name, placementName, clusterName, status: { conditions } }) => {
    const executed = findCondition(conditions, 'Executed');
    if (executed?.status !== 'False' || !files.has(name)) return [];
    const placement = placements.find((it) => it.namespace === undefined && it.name === placementName);
    const stays = placement?.bindings.some((it) => it.clusterName === clusterName && !isBeingRemoved(it));
    return stays
      ? [
          `- **${markdownText(name)}**: ${markdownText(placementName)} stays on ${markdownText(clusterName)}, since ${executed.lastTransitionTime}: ${markdownText(executed.message ?? '')}`,
        ]
      : [];
  });
  if (rows.length === 0) return [];
  const more = rows.length > mostRows ? [`- … and ${rows.length - mostRows} more`] : [];
  return ['To try again, commit one of another name.', '', ...rows.slice(0, mostRows), ...more];
}
