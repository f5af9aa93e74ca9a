import { nearest } from '../api/syntax.ts';
import { CliError, exitCodes } from './exit.ts';

/** Names listed in an error; a fleet of thousands does not fit a terminal. */
const mostListed = 12;

/** `there is no cluster eu-9: did you mean eu-1?`, or what there is when nothing comes close. */
export function unknownName(of: {
  /** What the name was to be: `cluster`, `placement`. */
  readonly what: string;
  readonly name: string;
  readonly known: readonly string[];
  /** In front of the sentence: the flag that held the name. */
  readonly flag?: string;
  readonly exitCode?: number;
}): CliError {
  const { what, name, known, flag } = of;
  return new CliError(
    `${flag === undefined ? '' : `${flag}: `}there is no ${what} ${name}: ${instead(what, name, known)}`,
    of.exitCode ?? exitCodes.invalidInput,
  );
}

function instead(what: string, name: string, known: readonly string[]): string {
  if (known.length === 0) return `there is no ${what} at all`;
  const like = nearest(name, known);
  if (like !== undefined) return `did you mean ${like}?`;
  const rest = known.length - mostListed;
  return `there ${known.length === 1 ? 'is' : 'are'} ${known.slice(0, mostListed).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
