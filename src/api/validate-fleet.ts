import { duplicates } from './duplicates.ts';
import { error, type IssueAt } from './issue.ts';
import type { FleetObject } from './kinds.ts';
import { selectedByOverride } from './override-selectors.ts';

/** Rules over several objects: names are unique, a resource has one override of a kind, at most 100 overrides. */
export function validateAcross(objects: readonly FleetObject[]): IssueAt[] {
  return [...duplicates(objects), ...overrideCollisions(objects), ...budgets(objects)];
}

function overrideCollisions(objects: readonly FleetObject[]): IssueAt[] {
  const found: IssueAt[] = [];
  const taken = new Map<string, number>();
  const counts = new Map<string, number>();
  objects.forEach((object, index) => {
    if (object.kind !== 'ClusterResourceOverride' && object.kind !== 'ResourceOverride') return;
    const { namespace = '', name } = object.metadata;
    const scope = `${object.kind}/${namespace}`;
    counts.set(scope, (counts.get(scope) ?? 0) + 1);
    if (counts.get(scope) === 101)
      found.push({
        index,
        issue: error(
          'too-many-overrides',
          [],
          `there can be at most 100 ${object.kind}s${namespace ? ` in namespace ${namespace}` : ''}`,
        ),
      });
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
