import type { Removal } from '../../kernel/removal-digest.ts';
import type { ReviewedRemoval } from '../../plan-document.ts';
import type { Removals } from './removed-objects.ts';

/**
 * What an approver reviews: removals first, clusters that lose the same objects of a placement together; then what the approval would
 * allow, too, where it is not now.
 */
export function reviewedRemovals({
  approvable,
  released,
  absent,
}: Pick<Removals, 'approvable' | 'released' | 'absent'>): ReviewedRemoval[] {
  const stays = new Set(released);
  const removed = approvable.filter((removal) => !stays.has(removal));
  return [
    ...grouped(
      'remove',
      removed.filter((removal) => !absent.has(removal)),
    ),
    ...grouped('release', released),
    ...grouped('remove', [...absent]).map((of) => ({ ...of, isAbsent: true as const })),
  ];
}

function grouped(action: ReviewedRemoval['action'], removals: readonly Removal[]): ReviewedRemoval[] {
  const losses = Map.groupBy(removals, ({ placement, clusterName }) => `${placement} ${clusterName}`);
  const alike = Map.groupBy(
    [...losses.values()].map((of) => ({ ...of[0]!, objects: [...new Set(of.map(({ object }) => object))].sort() })),
    ({ placement, objects }) => [placement, ...objects].join('\n'),
  );
  return [...alike]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, of]) => {
      const { placement, objects } = of[0]!;
      return { action, placement, objects, clusters: of.map(({ clusterName }) => clusterName).sort() };
    });
}
