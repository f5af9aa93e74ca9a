import type { ObjectRef } from '../../api/meta.ts';
import type { PlacementKind, PlacementRef } from '../../api/placement.ts';
import { nearest } from '../../api/syntax.ts';
import { listUpTo } from '../../engine/kernel/short-list.ts';
import { titleOf } from '../../repo/title-of.ts';
import { CliError, exitCodes } from './exit.ts';
import { isCalled } from './one-named.ts';

/** Names listed in an error; a fleet of thousands does not fit a terminal. */
const mostListed = 12;

/** `there is no cluster eu-9: did you mean eu-1?`, or what there is when nothing comes close. Exit code 2 in every command. */
export function unknownName(of: {
  /** What the name was to be: `cluster`, `placement`. */
  readonly what: string;
  readonly name: string;
  readonly known: readonly string[];
  /** In front of the sentence: the flag that held the name. */
  readonly flag?: string;
  /** What has no such thing, where others may: `placement web`. */
  readonly owner?: string;
  /** What has the name instead: `upgrade/k8s`. */
  readonly instead?: readonly string[];
}): CliError {
  const { what, name, flag, owner } = of;
  const sentence = `${owner === undefined ? 'there is' : `${owner} has`} no ${what} ${name || '""'}`;
  return new CliError(`${flag === undefined ? '' : `${flag}: `}${sentence}: ${instead(of)}`, exitCodes.invalidInput);
}

/** A placement that no plan has: the repo may hold it in a form that is not valid. */
export function unknownPlacement(of: {
  readonly name: string;
  readonly kinds?: readonly PlacementKind[];
  readonly known: readonly Pick<PlacementRef, 'name' | 'namespace'>[];
  readonly refused: readonly ObjectRef[];
  readonly flag?: string;
}): CliError {
  const { name, kinds = ['ClusterResourcePlacement', 'ResourcePlacement'], known, refused, flag } = of;
  const broken = refused.some((ref) => kinds.some((kind) => kind === ref.kind) && isCalled(ref, name));
  return broken
    ? new CliError(
        `${flag === undefined ? '' : `${flag}: `}placement ${name} is not valid in the repo: gitfleet validate shows why`,
        exitCodes.invalidInput,
      )
    : unknownName({ what: 'placement', name, known: known.map(titleOf), ...(flag === undefined ? {} : { flag }) });
}

function instead({ what, name, known, owner, instead = [] }: Parameters<typeof unknownName>[0]): string {
  if (instead.length > 0) return `did you mean ${instead.join(' or ')}?`;
  if (known.length === 0) return owner === undefined ? 'there are none' : 'it has none';
  const like = nearest(name, known);
  if (like !== undefined) return `did you mean ${like}?`;
  const there = owner === undefined ? `there ${known.length === 1 ? 'is' : 'are'}` : 'it has';
  // A help text has no other place for all kinds, and there are few.
  return `${there} ${listUpTo(known, what === 'kind' ? known.length : mostListed)}`;
}
