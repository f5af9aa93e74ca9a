import type { Problem } from '../../api/problem.ts';
import { titleOf } from '../../repo/title-of.ts';
import type { KindMeant } from '../kinds/kinds.ts';
import type { Listing, Row } from '../kinds/listing.ts';
import { because, whyNotValid } from '../status/last-good.ts';
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

const whyNotRead = (file: string, errors: readonly Problem[]): string =>
  because(
    `${file} cannot be read`,
    errors.find((problem) => problem.file === file),
  );
