import { CliError } from './exit.ts';
import { writeOut } from './write.ts';

export type OutputFormat = 'table' | 'json' | 'yaml' | 'markdown' | 'wide' | 'name' | 'ics' | 'github' | 'sarif';

/** The requested format. Error: CliError with the formats of the command. */
export function outputFormat(text: string, allowed: readonly OutputFormat[]): OutputFormat {
  const found = allowed.find((format) => format === text);
  if (found) return found;
  throw new CliError(`-o ${text} is not known here: use one of ${allowed.join(', ')}`);
}

/** Data goes to stdout, whole, also into a pipe that is slow. */
export const print = (text: string): void => {
  writeOut(text.endsWith('\n') ? text : `${text}\n`);
};

/** Indented by two columns a level. */
export const printJson = (value: unknown): void => print(JSON.stringify(value, undefined, 2));

/** Without line breaks of its own and without anchors, so that it can be applied as it is. */
export async function printYaml(value: unknown): Promise<void> {
  const { stringify } = await import('yaml');
  print(stringify(value, { lineWidth: 0, aliasDuplicateObjects: false }));
}
