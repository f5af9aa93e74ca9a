import type { Manifest } from '../../../api/meta.ts';
import type { UpdateRunStatus } from '../../../api/staged.ts';
import { type Fleet, sourceKey } from '../../input.ts';
import { memoize } from '../../kernel/memoize.ts';
import { shortList } from '../../kernel/short-list.ts';
import type { Hold } from '../../plan-document.ts';
import { describeRef } from '../../selection/object-key.ts';

type LastGoodVersions = NonNullable<UpdateRunStatus['lastGoodVersions']>;

/** Objects of a new snapshot that are held at their last good version, with the file that is not valid or cannot be read. */
export function lastGoodVersionsIn(
  manifests: readonly Manifest[],
  { holds, fleet }: { readonly holds: readonly Hold[]; readonly fleet: Pick<Fleet, 'whyRefused' | 'unreadable'> },
): LastGoodVersions {
  const held = atLastGood(holds);
  if (held.size === 0) return [];
  return manifests.flatMap(({ kind, metadata: { name, namespace } }) => {
    const key = sourceKey(kind, { name, namespace });
    if (!held.has(key)) return [];
    // Which of several files that cannot be read has it is unknown.
    const file = fleet.whyRefused.get(key)?.file ?? (fleet.unreadable.length === 1 ? fleet.unreadable[0] : undefined);
    return { kind, name, ...(namespace !== undefined && { namespace }), ...(file !== undefined && { file }) };
  });
}

const atLastGood = memoize(
  (holds: readonly Hold[]): ReadonlySet<string> =>
    new Set(
      holds.flatMap(({ reason, subject }) => (reason === 'LastGoodVersion' ? sourceKey(subject.kind, subject) : [])),
    ),
);

/** One sentence for each file: its change is not in the run, although it may have come in the same commit. */
export const lastGoodTexts = ({ lastGoodVersions = [] }: Pick<UpdateRunStatus, 'lastGoodVersions'>): string[] =>
  [...Map.groupBy(lastGoodVersions, ({ file }) => file)].map(
    ([file, of]) =>
      `${file ?? 'a file'} was not valid when the run was initialized: the run brings the last good version of ${shortList(of.map(describeRef))}`,
  );
