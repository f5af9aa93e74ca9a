import type { Command } from 'commander';
import { titleOf } from '../../repo/title-of.ts';
import { kindsMeant } from '../kinds/kinds.ts';
import { withStatus } from '../status/open-status.ts';
import { defaultHistory } from '../status/read-events.ts';
import { CliError } from '../terminal/exit.ts';
import { print } from '../terminal/output.ts';
import { bashWords } from './bash-words.ts';
import { type Candidate, completionTarget, type Flags } from './completion-target.ts';
import { scripts } from './scripts.ts';
import { type Shell, shells } from './shells.ts';

/**
 * Prints the completion script of a shell or, called by that script with a command line, the completions of its last word.
 */
export async function completion(text: string, line: readonly string[], program: Command): Promise<void> {
  const shell = shells.find((known) => known === text);
  if (shell === undefined) throw new CliError(`there is no completion for ${text}: use one of ${shells.join(', ')}`);
  if (line.length === 0) return print(scripts[shell]);
  const { words, before } = shell === 'bash' ? bashWords(line) : { words: line, before: '' };
  const found = (await candidates(program, words)).map((one) => ({ ...one, value: one.value.slice(before.length) }));
  const lines = found.map(shown[shell]);
  if (shell === 'kubectl') lines.push(found.length > 0 ? onlyThese : orFiles);
  if (lines.length > 0) print(lines.join('\n'));
}

/** A candidate in the form that a shell's script reads. */
const shown: Readonly<Record<Shell, (candidate: Candidate) => string>> = {
  bash: ({ value }) => value,
  zsh: ({ value, description }) =>
    `${value.replaceAll(':', '\\:')}${description === undefined ? '' : `:${oneLine(description)}`}`,
  fish: withTab,
  kubectl: withTab,
};

function withTab({ value, description }: Candidate): string {
  return `${value}${description === undefined ? '' : `\t${oneLine(description)}`}`;
}

/** The last line for kubectl: a directive of cobra, ShellCompDirectiveNoFileComp or ShellCompDirectiveDefault. */
const [onlyThese, orFiles] = [':4', ':0'];

const oneLine = (text: string): string => text.replace(/\s+/g, ' ');

async function candidates(program: Command, line: readonly string[]): Promise<readonly Candidate[]> {
  const [, flag, value] = /^(--[^=]+)=(.*)$/s.exec(line.at(-1) ?? '') ?? [];
  if (flag !== undefined) {
    const values = await candidates(program, [...line.slice(0, -1), flag, value!]);
    return values.map((one) => ({ ...one, value: `${flag}=${one.value}` }));
  }
  const about = completionTarget(program, line);
  switch (about.kind) {
    case 'words':
      return about.words;
    case 'kinds': {
      const { word, kinds, flags } = about;
      const slash = word.indexOf('/');
      if (slash >= 0) return namesOf(word.slice(0, slash), flags, word.slice(0, slash + 1), word);
      const before = word.slice(0, word.lastIndexOf(',') + 1);
      return kinds.map((kind) => ({ value: before + kind })).filter(({ value }) => value.startsWith(word));
    }
    case 'names':
      return namesOf(about.of, about.flags, '', about.word);
    case 'unknown':
      return [];
  }
}

/** Names on the local copy of the status branch: completion must not wait for a server. None where there is no status. */
async function namesOf(kind: string, flags: Flags, before: string, word: string): Promise<Candidate[]> {
  const repo = flags.get('repo') ?? '.';
  const statusBranch = flags.get('statusBranch') ?? 'fleet-status';
  try {
    const meant = kindsMeant(kind, defaultHistory).filter(({ listing }) => !listing.nameless);
    return await withStatus({ repo, statusBranch, offline: true }, async (reader) => {
      const status = await reader.read([...new Set(meant.flatMap(({ listing }) => listing.folders))]);
      const names = [];
      for (const { listing, isMeant } of meant)
        names.push(...(await listing.rows(status, reader)).filter(isMeant).map(titleOf));
      return [...new Set(names)]
        .map((name) => ({ value: before + name }))
        .filter(({ value }) => value.startsWith(word));
    });
  } catch (error) {
    if (error instanceof CliError) return [];
    throw error;
  }
}
