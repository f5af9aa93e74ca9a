import { CliError } from './exit.ts';

/** Clusters or objects named in one line of a terminal; the tables have them all. */
export const mostNamed = 10;

/** `placement/web` is `placement web`. Errors: CliError for a name or a kind that is an empty word. */
export function splitName(
  word: string,
  name: string | undefined,
): { readonly kind: string; readonly name: string | undefined } {
  const at = word.indexOf('/');
  const kind = at < 0 ? word : word.slice(0, at);
  if (kind === '') throw new CliError(`${JSON.stringify(word)} names no kind: write for example placement/web`);
  if (name === '' || at === word.length - 1)
    throw new CliError(`no name follows ${kind}: write for example ${kind}/web, or ${kind} without the slash`);
  if (at < 0) return { kind, name };
  if (name !== undefined)
    throw new CliError(`${word} ${name}: write the name either after the kind or after the slash`);
  return { kind, name: word.slice(at + 1) };
}
