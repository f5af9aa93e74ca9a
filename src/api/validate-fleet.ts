import { duplicates } from './duplicates.ts';
import { error, type IssueAt } from './issue.ts';
import type { FleetObject } from './kinds.ts';
import { isOverride } from './override.ts';
import { mostOverrides, overrideScope, selectedByOverride } from './override-selectors.ts';

/** Rules over several objects: names are unique, a resource has one override of a kind, at most 100 overrides. */
export function validateAcross(objects: readonly FleetObject[]): IssueAt[] {
  return [...duplicates(objects), ...overrideCollisions(objects), ...tooManyOverrides(objects), ...budgets(objects)];
}

/** Which of them are not in force is told by what is recorded (engine/admission); here it is enough that there are too many. */
function tooManyOverrides(objects: readonly FleetObject[]): IssueAt[] {
  const scopes = Map.groupBy(
    objects.flatMap((object, index) => (isOverride(object) ? [{ object, index }] : [])),
    ({ object }) => overrideScope(object),
  );
  return [...scopes.values()].flatMap((all): IssueAt[] => {
    if (all.length <= mostOverrides) return [];
    const last = all.reduce((a, b) => (a.object.metadata.name > b.object.metadata.name ? a : b));
    const { kind, metadata } = last.object;
    const where = metadata.namespace ? ` in namespace ${metadata.namespace}` : '';
    const message = `there are ${all.length} ${kind}s${where} and can be at most ${mostOverrides}: those in force stay so, of the others the first by name come into force`;
    return [
      { index: last.index, issue: error('too-many-overrides', [], message, 'remove some, or put several into one') },
    ];
  });
}

function overrideCollisions(objects: readonly FleetObject[]): IssueAt[] {
  const found: IssueAt[] = [];
  const taken = new Map<string, number>();
  objects.forEach((object, index) => {
    if (!isOverride(object)) return;
    const { name } = object.metadata;
    for (const { key, kind, name: selected, path } of selectedByOverride(object)) {
      const other = taken.get(key);
      if (other !== undefined && other !== index) {
        const by = objects[other]?.metadata?.name;
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
  });
  return found;
}

/** KubeFleet refuses budgets that have no meaning for the policy of their placement. */
function budgets(objects: readonly FleetObject[]): IssueAt[] {
  return objects.flatMap((object, index): IssueAt[] => {
    if (object.kind !== 'ClusterResourcePlacementDisruptionBudget') return [];
    const placement = objects.find(
      (other) => other.kind === 'ClusterResourcePlacement' && other.metadata.name === object.metadata.name,
    );
    if (placement?.kind !== 'ClusterResourcePlacement' || placement.spec.policy.placementType !== 'PickAll') return [];
    const { maxUnavailable, minAvailable } = object.spec;
    if (maxUnavailable !== undefined)
      return [
        {
          index,
          issue: error(
            'invalid-budget',
            ['spec', 'maxUnavailable'],
            'maxUnavailable has no meaning for a PickAll placement',
            'use minAvailable with a number',
          ),
        },
      ];
    return String(minAvailable ?? '').endsWith('%')
      ? [
          {
            index,
            issue: error(
              'invalid-budget',
              ['spec', 'minAvailable'],
              'a percentage has no meaning for a PickAll placement',
              'use a number',
            ),
          },
        ]
      : [];
  });
}
