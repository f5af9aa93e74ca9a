import type { Placement } from '../../api/placement.ts';
import type { Problem } from '../../api/problem.ts';
import { describeRef } from '../../engine/selection/object-key.ts';
import { positionText } from '../../repo/fleet/positions.ts';
import type { NotInEffect } from '../../repo/record/summary.ts';
import { type HeldObject, holdsOf } from '../../report/holds-of.ts';
import type { Status } from './open-status.ts';

/**
 * Why an object, or one that a placement selects, is at its last good version: its file in the commit is not valid. Its
 * conditions are those of the earlier version. Undefined where the version of the commit is in effect.
 */
export function lastGoodReason(
  { holds, notInEffect }: Pick<Status, 'holds' | 'notInEffect'>,
  of: { readonly object?: HeldObject; readonly placement?: Placement | undefined },
): string | undefined {
  const { object, placement } = of;
  const about: readonly HeldObject[] = [
    ...(object ? [object] : []),
    ...(placement
      ? [{ kind: placement.kind, ...placement.metadata }, ...(placement.status?.selectedResources ?? [])]
      : []),
  ];
  const kept = holds.filter(({ reason }) => reason === 'LastGoodVersion');
  const [hold] = about.flatMap((one) => holdsOf(one, kept));
  if (hold) return `${describeRef(hold.subject)}: ${hold.message}`;
  if (!placement) return undefined;
  const refused = notInEffect.notValid.find((ref) => isPlacedBy(placement, ref));
  return refused && whyNotValid(refused, notInEffect.errors);
}

/** Whether a placement selects it by name, or with its namespace; a selection by labels is unknown. */
function isPlacedBy({ metadata, spec, status }: Placement, ref: HeldObject): boolean {
  const byName = spec.resourceSelectors.some(
    ({ kind, name }) => kind === ref.kind && name === ref.name && ref.namespace === metadata.namespace,
  );
  const whole = spec.resourceSelectors.some(
    ({ kind, selectionScope }) => kind === 'Namespace' && selectionScope !== 'NamespaceOnly',
  );
  return (
    byName ||
    (whole &&
      ref.namespace !== undefined &&
      (status?.selectedResources ?? []).some(({ kind, name }) => kind === 'Namespace' && name === ref.namespace))
  );
}

export const whyNotValid = (object: NotInEffect['notValid'][number], errors: readonly Problem[]): string =>
  because(
    `${describeRef(object)}: its file is not valid`,
    errors.find((problem) => problem.file !== undefined && positionText(problem) === positionText(object)),
  );

export function because(what: string, problem: Problem | undefined): string {
  if (problem === undefined) return `${what}: gitfleet get problems shows why`;
  const { message, fix } = problem;
  const place = positionText(problem);
  return `${what}: ${place && `${place}: `}${message}${fix === undefined ? '' : `: ${fix}`}`;
}
