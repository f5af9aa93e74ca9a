import type { ObjectRef } from '../../api/meta.ts';
import type { PlacementKind, PlacementRef } from '../../api/placement.ts';
import { nearest } from '../../api/syntax.ts';
import { someOf } from '../../engine/kernel/some-of.ts';
import { CliError, exitCodes } from './exit.ts';
import { titleOf } from './names.ts';

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
}): CliError {
  const { what, name, known, flag } = of;
  return new CliError(
    `${flag === undefined ? '' : `${flag}: `}there is no ${what} ${name}: ${instead(what, name, known)}`,
    exitCodes.invalidInput,
  );
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
  const broken = refused.some(
    (ref) => kinds.some((kind) => kind === ref.kind) && (ref.name === name || titleOf(ref) === name),
  );
  return broken
    ? new CliError(
        `${flag === undefined ? '' : `${flag}: `}placement ${name} is not valid as the repo has it: gitfleet validate says why`,
        exitCodes.invalidInput,
      )
    : unknownName({ what: 'placement', name, known: known.map(titleOf), ...(flag === undefined ? {} : { flag }) });
}

function instead(what: string, name: string, known: readonly string[]): string {
  if (known.length === 0) return `there is no ${what} at all`;
  const like = nearest(name, known);
  if (like !== undefined) return `did you mean ${like}?`;
  return `there ${known.length === 1 ? 'is' : 'are'} ${someOf(known, mostListed)}`;
}
