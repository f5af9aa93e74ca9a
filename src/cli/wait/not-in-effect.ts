import { fleetKinds } from '../../api/kinds.ts';
import type { Problem } from '../../api/problem.ts';
import type { Fleet } from '../../engine/input.ts';
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
  const kinds = kindsOf(listing);
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

/**
 * Whether a commit certainly has no file of an object, which may be new in it. That is not known of kinds that no file has, and of
 * approvals, which gitfleet requests.
 */
export function isInNoFile(
  { sources = new Map(), refused, unreadable }: Pick<Fleet, 'sources' | 'refused' | 'unreadable'>,
  { listing }: Pick<KindMeant, 'listing'>,
  wanted: string,
): boolean {
  const kinds = kindsOf(listing);
  const isOfFiles = fleetKinds.some(
    ({ kind, answeredBy }) => answeredBy === undefined && kinds.includes(kind.toLowerCase()),
  );
  const isNamed = (kind: string, of: Parameters<typeof isCalled>[0]): boolean =>
    kinds.includes(kind.toLowerCase()) && isCalled(of, wanted);
  const inFiles = [...sources.keys()].some((key) => {
    const [kind, namespace, name] = key.split('/');
    return isNamed(kind!, { name: name!, ...(namespace !== '' && { namespace: namespace! }) });
  });
  return isOfFiles && unreadable.length === 0 && !inFiles && !refused.some((ref) => isNamed(ref.kind, ref));
}

const kindsOf = ({ names, clusterNames = [], namespacedNames = [] }: Listing): readonly string[] => [
  ...names,
  ...clusterNames,
  ...namespacedNames,
];

const whyNotRead = (file: string, errors: readonly Problem[]): string =>
  because(
    `${file} cannot be read`,
    errors.find((problem) => problem.file === file),
  );
