import type { ObjectRef } from '../../api/meta.ts';
import { placementKey } from '../../api/placement.ts';
import type { Problem } from '../../api/problem.ts';
import { nearest } from '../../api/syntax.ts';
import type { Fleet, FleetRecord } from '../../engine/input.ts';
import { conditionIs } from '../../engine/kernel/condition.ts';
import { onceFor } from '../../engine/kernel/once-for.ts';
import { isInitialized } from '../../engine/staged/step.ts';
import { looseEnd } from './loose-end.ts';
import { references } from './references.ts';

/**
 * Names in the repo's objects that nothing of the repo has: warnings, since what is named may come with a later commit.
 * Nothing is said of a name where a file that cannot be read may hold it, nor of what has found it once. The
 * engine waits for such names in silence; whoever mistyped one wants to know.
 */
export function danglingReferences(fleet: Fleet, { runs, evictions }: Done): Problem[] {
  if (fleet.unreadable.length > 0) return [];
  const hasFound = ({ kind, ...ref }: ObjectRef): boolean => {
    const recorded = kind.endsWith('UpdateRun') ? runs.get(placementKey(ref)) : undefined;
    if (recorded?.status) return isInitialized(recorded.status);
    const eviction = kind === 'ClusterResourcePlacementEviction' ? evictions.get(ref.name) : undefined;
    return conditionIs(eviction?.status?.conditions, 'Valid', 'True');
  };
  return dangling(fleet).flatMap(({ from, problem }) => (hasFound(from) ? [] : [problem]));
}

/** What the status branch knows of work that was asked for. */
export type Done = Pick<FleetRecord, 'runs' | 'evictions'>;

/** Looked up once for each commit. */
const dangling = onceFor((fleet: Fleet): readonly { readonly from: ObjectRef; readonly problem: Problem }[] =>
  references(fleet).flatMap(({ from, path, kind, namespace, name, among }) => {
    if (among.has(name)) return [];
    if (fleet.refused.some((ref) => ref.kind === kind && ref.namespace === namespace && ref.name === name)) return [];
    const like = nearest(name, [...among]);
    const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
    const why = `there is no ${kind} ${name}${where} in this repo`;
    const fix = like && `did you mean ${like}?`;
    return [{ from, problem: looseEnd(fleet, from, { code: 'dangling-reference', path, why, fix }) }];
  }),
);
