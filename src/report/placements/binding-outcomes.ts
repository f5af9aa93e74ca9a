import type { FailedPlacement, Placement } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import { applyStrategyOf } from '../../engine/bindings/apply-strategy.ts';
import { isInProgress } from '../../engine/bindings/health.ts';
import { conditionIs, findCondition, isFulfilled } from '../../engine/kernel/condition.ts';
import { sameValue } from '../../engine/kernel/same-value.ts';
import { causeOf } from '../cause.ts';
import { isOpen, type ListedObject, newDifferences } from './new-differences.ts';
import type { BindingOutcome } from './placement-event.ts';

/** A binding as one record has it. */
export interface BindingVersion {
  readonly placement: Placement | undefined;
  readonly binding: Binding | undefined;
}

/** What became of a binding that stays, the most important first. */
export function outcomesOf(before: BindingVersion, after: Required<BindingVersion>): BindingOutcome[] {
  const { binding: was } = before;
  const is = after.binding!;
  const differences = [
    listed('drifted', newDifferences(was?.driftedPlacements, is.driftedPlacements)),
    listed('differs', newDifferences(was?.diffedPlacements, is.diffedPlacements)),
  ].flat();
  return [
    ...differences,
    ...failureOf(was, is),
    ...deliveryOf(was, is),
    ...endsOf(before, after),
    ...appliedOf(was, is),
  ];
}

const listed = (kind: 'drifted' | 'differs', objects: ReturnType<typeof newDifferences>): BindingOutcome[] =>
  objects.length > 0 ? [{ kind, objects }] : [];

function failureOf(was: Binding | undefined, is: Binding): BindingOutcome[] {
  const objects = newDifferences(was && notApplied(was), notApplied(is)).map(({ object }) => object);
  const found = whatFails(is);
  const cause = found !== undefined && found !== (was && whatFails(was)) ? found : undefined;
  return objects.length > 0 || cause !== undefined ? [{ kind: 'failed', objects, cause }] : [];
}

/** Those that are listed beside them, since they are not available, have not failed. */
const notApplied = ({ conditions, failedPlacements = [] }: Binding): readonly FailedPlacement[] =>
  conditionIs(conditions, 'Applied', 'False')
    ? failedPlacements.filter(({ condition }) => condition.type === 'Applied')
    : [];

/** Why a cluster cannot be given what it is to have: reason and cause. */
function whatFails({ conditions }: Binding): string | undefined {
  for (const type of ['Overridden', 'WorkSynchronized', 'Applied']) {
    const found = findCondition(conditions, type);
    if (found?.status === 'False' && !isInProgress(found)) return causeOf(found);
  }
  return undefined;
}

/** A comparison (ReportDiff) counts as fulfilled too. */
function deliveryOf(was: Binding | undefined, is: Binding): BindingOutcome[] {
  const snapshot = is.resourceSnapshotIndex;
  const isNew = !isFulfilled(was?.conditions) || snapshot !== was?.resourceSnapshotIndex;
  if (isFulfilled(is.conditions) && isNew)
    return [{ kind: conditionIs(is.conditions, 'DiffReported', 'True') ? 'compared' : 'available', snapshot }];
  const fails = conditionIs(was?.conditions, 'Available', 'True') && !conditionIs(is.conditions, 'Available', 'True');
  const known = new Set(was && waitCauses(was));
  const cause = waitCauses(is).find((each) => !known.has(each));
  return fails || cause !== undefined ? [{ kind: 'not-available', cause }] : [];
}

/** Why objects are not available, where more is known than that they are not: `ImagePullBackOff nginx:1.27`, of the end of a message. */
const waitCauses = ({ failedPlacements = [] }: Binding): string[] =>
  failedPlacements.flatMap(({ condition: { type, message = '' } }) =>
    type === 'Available' && message.includes(': ') ? (/: ([A-Z].*)$/.exec(message)?.[1] ?? message) : [],
  );

/** An empty list means the end only under the same strategy and after an observation of the present snapshot. */
function endsOf(before: BindingVersion, after: BindingVersion): BindingOutcome[] {
  const [was, is] = [before.binding, after.binding!];
  const isOver = (type: string, old: readonly ListedObject[] = [], now: readonly ListedObject[] = []): boolean =>
    old.some(isOpen) && !now.some(isOpen) && conditionIs(is.conditions, type, 'True');
  const ends: BindingOutcome[] = [
    ...(isOver('Applied', was?.driftedPlacements, is.driftedPlacements) ? [{ kind: 'drift-over' as const }] : []),
    ...(isOver('DiffReported', was?.diffedPlacements, is.diffedPlacements)
      ? [{ kind: 'difference-over' as const }]
      : []),
  ];
  return ends.length > 0 && sameValue(strategyOf(before), strategyOf(after)) ? ends : [];
}

const strategyOf = ({ placement, binding }: BindingVersion) => placement && applyStrategyOf(placement, binding);

const appliedOf = (was: Binding | undefined, is: Binding): BindingOutcome[] =>
  conditionIs(is.conditions, 'Applied', 'True') && !conditionIs(was?.conditions, 'Applied', 'True')
    ? [{ kind: 'applied', snapshot: is.resourceSnapshotIndex }]
    : [];
