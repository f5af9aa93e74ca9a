import type { Argument, Command, Option } from 'commander';
import { type Offer, offerOf } from '../commands/offer.ts';

export interface Candidate {
  readonly value: string;
  readonly description?: string;
}

/** What the last word of a command line may be. */
export type CompletionTarget =
  | { readonly kind: 'words'; readonly words: readonly Candidate[] }
  | { readonly kind: 'kinds'; readonly kinds: readonly string[]; readonly word: string; readonly flags: Flags }
  /** Names of the objects of a kind on the status branch. */
  | { readonly kind: 'names'; readonly of: string; readonly word: string; readonly flags: Flags }
  /** Unknown: the shell offers files. */
  | { readonly kind: 'unknown' };

/** Values of the flags that were given before, by their names in the program. */
export type Flags = ReadonlyMap<string, string>;

/** Reads a command line as far as it is written, from the definition of the program; the last word is to be completed. */
export function completionTarget(program: Command, line: readonly string[]): CompletionTarget {
  const word = line.at(-1) ?? '';
  const flags = new Map<string, string>();
  const values: string[] = [];
  let command = program;
  let open: Option | undefined;
  for (const written of line.slice(0, -1)) {
    if (open !== undefined) {
      flags.set(open.attributeName(), written);
      open = undefined;
    } else if (written.startsWith('-')) {
      const [flag, value] = written.split(/=(.*)/s, 2) as [string, string?];
      const option = command.options.find(({ short, long }) => flag === short || flag === long);
      if (option && takesValue(option)) {
        if (value === undefined) open = option;
        else flags.set(option.attributeName(), value);
      }
    } else if (command !== program) values.push(written);
    else {
      const found = program.commands.find((one) => one.name() === written);
      if (written === 'help') return commandsOf(program, word);
      if (found === undefined) return unknown;
      command = found;
    }
  }
  if (open !== undefined) return offered(offerOf(open), { word, values, flags });
  if (word.startsWith('-')) return optionsOf(command, word);
  if (command === program) return commandsOf(program, word);
  const argument = argumentAt(command, values.length);
  return argument === undefined ? unknown : offered(offerOf(argument), { word, values, flags });
}

const unknown: CompletionTarget = { kind: 'unknown' };

const takesValue = ({ required, optional }: Option): boolean => required || optional;

const argumentAt = ({ registeredArguments: all }: Command, at: number): Argument | undefined =>
  all[at] ?? (all.at(-1)?.variadic ? all.at(-1) : undefined);

const commandsOf = (program: Command, word: string): CompletionTarget =>
  words(
    program.commands.map((command) => ({ value: command.name(), description: command.description() })),
    word,
  );

const optionsOf = (command: Command, word: string): CompletionTarget =>
  words(
    [
      ...command.options.flatMap(({ long, short, description, hidden }) =>
        hidden ? [] : [{ value: long ?? short ?? '', description }],
      ),
      { value: '--help', description: 'display help for command' },
    ],
    word,
  );

const words = (all: readonly Candidate[], word: string): CompletionTarget => ({
  kind: 'words',
  words: all.filter(({ value }) => value.startsWith(word)),
});

function offered(
  offer: Offer | undefined,
  so: { readonly word: string; readonly values: readonly string[]; readonly flags: Flags },
): CompletionTarget {
  const { word, values, flags } = so;
  switch (offer?.kind) {
    case 'words':
      return words(
        offer.words.map((value) => ({ value })),
        word,
      );
    case 'kinds':
      return { kind: 'kinds', kinds: offer.kinds, word, flags };
    case 'names':
      return { kind: 'names', of: offer.of, word, flags };
    case 'namesOfKind':
      return values[0] === undefined ? unknown : { kind: 'names', of: values[0], word, flags };
    default:
      return unknown;
  }
}
