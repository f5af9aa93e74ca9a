import { error, type IssueAt } from '../issue.ts';
import type { AnyFleetObject, At } from '../kinds/kind.ts';
import type { Override } from '../override.ts';
import { mostOverrides, overrideScope, selectedByOverride } from '../override-selectors.ts';

/** Rules over the overrides of one kind: a resource has at most one, and there are at most 100. */
export const overridesTogether = (own: readonly At<Override>[], all: readonly AnyFleetObject[]): IssueAt[] => [
  ...collisions(own, all),
  ...tooMany(own),
];

/** Reports that there are too many. Which of them are in effect depends on the record (engine/admission). */
function tooMany(own: readonly At<Override>[]): IssueAt[] {
  const scopes = Map.groupBy(own, ({ object }) => overrideScope(object));
  return [...scopes.values()].flatMap((all): IssueAt[] => {
    if (all.length <= mostOverrides) return [];
    const last = all.reduce((a, b) => (a.object.metadata.name > b.object.metadata.name ? a : b));
    const { kind, metadata } = last.object;
    const where = metadata.namespace ? ` in namespace ${metadata.namespace}` : '';
    const message = `there are ${all.length} ${kind}s${where} but at most ${mostOverrides} are allowed: those in effect stay, and the first of the others by name follow`;
    return [
      { index: last.index, issue: error('too-many-overrides', [], message, 'remove some, or put several into one') },
    ];
  });
}

function collisions(own: readonly At<Override>[], all: readonly AnyFleetObject[]): IssueAt[] {
  const found: IssueAt[] = [];
  const taken = new Map<string, number>();
  for (const { object, index } of own) {
    const { name } = object.metadata;
    for (const { key, kind, name: selected, path } of selectedByOverride(object)) {
      const other = taken.get(key);
      if (other !== undefined && other !== index) {
        const by = all[other]?.metadata?.name;
        found.push({
          index,
          other,
          issue: error(
            'override-collision',
            path,
            `${kind} ${selected} is already selected by override ${by}`,
            `put the rules of ${name} into that override`,
          ),
        });
      } else taken.set(key, index);
    }
  }
  return found;
}
