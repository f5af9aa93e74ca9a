import { GitError } from './git-error.ts';

/** Author and committer of what gitfleet writes. */
export interface Person {
  readonly name: string;
  readonly email: string;
}

/** The author if none is configured. */
export const defaultAuthor = 'gitfleet <gitfleet@localhost>';

/** Parses `Name <address>`, as git's own --author. Error `bad-address` for text that git cannot store in a commit. */
export function parsePerson(text: string): Person {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a line break would end the header of the commit
  const match = /^([^<>\x00-\x1f]*[^<>\s\x00-\x1f])\s*<([^<>\s\x00-\x1f]+)>$/.exec(text.trim());
  if (!match) throw new GitError('bad-address', `"${text}" names no author: write "Name <address>"`);
  return { name: match[1]!.trim(), email: match[2]! };
}
