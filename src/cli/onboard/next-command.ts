import { shellWord } from '../terminal/shell-word.ts';

const defaults: Readonly<Record<string, string>> = { repo: '.', branch: 'main', path: '' };

/** A command to copy, with the flags whose value is not their default. */
export const nextCommand = (
  command: string,
  {
    repo,
    path,
    branch,
    members,
  }: Readonly<Partial<Record<'repo' | 'path' | 'branch' | 'members', string | undefined>>>,
): string =>
  [
    `gitfleet ${command}`,
    ...Object.entries({ repo, path: path?.replace(/\/$/, ''), branch, members }).flatMap(([flag, value]) =>
      value === undefined || value === defaults[flag] ? [] : [`--${flag} ${shellWord(value)}`],
    ),
  ].join(' ');
