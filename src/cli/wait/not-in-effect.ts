import type { Placement } from '../../api/placement.ts';
import type { Problem } from '../../api/problem.ts';
import { describeRef } from '../../engine/selection/object-key.ts';
import { positionText } from '../../repo/fleet/positions.ts';
import type { NotInEffect } from '../../repo/record/summary.ts';
import { titleOf } from '../../repo/title-of.ts';
import { type HeldObject, holdsOf } from '../../report/holds-of.ts';
import type { KindMeant } from '../kinds/kinds.ts';
import type { Listing, Row } from '../kinds/listing.ts';
import type { Status } from '../status/open-status.ts';
import { isCalled } from '../terminal/one-named.ts';

/**
 * Why the status cannot be that of the commit: the plan is refused, which an approval may change, or a file cannot be read,
 * which may hold any object. One line for each reason; empty where the commit is in effect.
 */
export function whyUnknown(
  { notInEffect: { refusals, notRead, errors } }: Status,
  { isPlaced = false }: Listing,
  name: string | undefined,
): { readonly line: string; readonly willNotCome: boolean }[] {
  if (refusals.length > 0)
    return refusals.map((why) => ({
      line: `the plan is refused, so nothing changes: ${why}`,
      willNotCome: false,
    }));
  return isPlaced || name === undefined
    ? notRead.map((file) => ({ line: whyNotRead(file, errors), willNotCome: true }))
    : [];
}

/**
 * Why an object, or one that a placement selects, is at its last good version: its file in the commit is not valid. Its
 * conditions are those of the earlier version. Undefined where the version of the commit is in effect.
 */
export function lastGoodReason({ holds, notInEffect }: Status, row: Row): string | undefined {
  const { kind } = row.value as { readonly kind?: string };
  const placement = row.placed?.placement;
  const about: readonly HeldObject[] = [
    ...(kind === undefined ? [] : [{ kind, name: row.name, namespace: row.namespace }]),
    ...(placement
      ? [{ kind: placement.kind, ...placement.metadata }, ...(placement.status?.selectedResources ?? [])]
      : []),
  ];
  const kept = holds.filter(({ reason }) => reason === 'LastGoodVersion');
  const [hold] = about.flatMap((object) => holdsOf(object, kept));
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

/** Objects that a commit adds and that do not exist, since their file is not valid or cannot be read; one line each. */
export function notCreated(
  { notInEffect: { notValid, notRead, errors } }: Status,
  { listing, isMeant }: KindMeant,
  of: { readonly name: string | undefined; readonly namespace: string | undefined; readonly there: readonly Row[] },
): string[] {
  const { name, namespace, there } = of;
  const singular = listing.names[1];
  const kinds: readonly string[] = [
    ...listing.names,
    ...(listing.clusterNames ?? []),
    ...(listing.namespacedNames ?? []),
  ];
  const absent = notValid.filter(
    (ref) =>
      kinds.includes(ref.kind.toLowerCase()) &&
      isMeant({ name: ref.name, namespace: ref.namespace } as Row) &&
      (namespace === undefined || ref.namespace === namespace) &&
      (name === undefined || isCalled(ref, name)) &&
      !there.some((row) => row.name === ref.name && row.namespace === ref.namespace),
  );
  const unread = name === undefined || there.length > 0 ? [] : notRead;
  return [
    ...absent.map((ref) => `${singular}/${titleOf(ref)}: ${whyNotValid(ref, errors)}`),
    ...unread.map((file) => `${singular}/${name}: ${whyNotRead(file, errors)}`),
  ];
}

const whyNotValid = (object: NotInEffect['notValid'][number], errors: readonly Problem[]): string =>
  because(
    `${describeRef(object)}: its file is not valid`,
    errors.find((problem) => problem.file !== undefined && positionText(problem) === positionText(object)),
  );

const whyNotRead = (file: string, errors: readonly Problem[]): string =>
  because(
    `${file} cannot be read`,
    errors.find((problem) => problem.file === file),
  );

function because(what: string, problem: Problem | undefined): string {
  if (problem === undefined) return `${what}: gitfleet get problems shows why`;
  const { message, fix } = problem;
  const place = positionText(problem);
  return `${what}: ${place && `${place}: `}${message}${fix === undefined ? '' : `: ${fix}`}`;
}
