import { CliError } from './exit.ts';

/** How a namespaced thing is called at a terminal: `name` or `namespace/name`. */
export const titleOf = (subject: { readonly name: string; readonly namespace?: string | undefined }): string =>
  subject.namespace === undefined ? subject.name : `${subject.namespace}/${subject.name}`;

/** Clusters or objects named in one line of a terminal; the tables have them all. */
export const mostNamed = 10;

/** `placement/web` is `placement web`. */
export function splitName(
  word: string,
  name: string | undefined,
): { readonly kind: string; readonly name: string | undefined } {
  const at = word.indexOf('/');
  if (at < 0) return { kind: word, name };
  if (name !== undefined) throw new CliError(`${word} ${name}: a name stands either after the kind or after the slash`);
  return { kind: word.slice(0, at), name: word.slice(at + 1) };
}
