import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { validateFleetObject } from '../../api/validate.ts';
import { withoutNulls } from '../../api/without-nulls.ts';
import { CliError, exitCodes } from '../terminal/exit.ts';
import { unreadable } from '../terminal/file-errors.ts';
import { print } from '../terminal/output.ts';
import { unknownName } from '../terminal/unknown-name.ts';
import { writeError } from '../terminal/write.ts';
import { importAzureFleet } from './azure-fleet.ts';

/** Prints the files of objects of another system. Errors: CliError, after the files, where one of them is not valid. */
export async function importFrom(source: string, file: string): Promise<void> {
  if (source !== 'azure-fleet') throw unknownName({ what: 'source', name: source, known: ['azure-fleet'] });
  const input = file === '-' ? text(process.stdin) : readFile(file, 'utf8');
  const document = parsed(await input.catch(unreadable(file)), file);
  const all = importAzureFleet(withoutNulls(document));
  if (all.length === 0) writeError(`note: ${file} holds no objects, so there is nothing to import\n`);
  const { stringify } = await import('yaml');
  const files = all.flatMap((one) => ('refused' in one ? [] : [stringify(one.object, { lineWidth: 0 }).trimEnd()]));
  if (files.length > 0) print(files.join('\n---\n'));
  let failed = 0;
  for (const [at, one] of all.entries()) {
    if ('refused' in one) {
      failed++;
      writeError(`${file}: object ${at + 1}: ${one.refused}\n`);
      continue;
    }
    const { kind, metadata } = one.object as unknown as {
      readonly kind: string;
      readonly metadata: { readonly name: string };
    };
    for (const note of one.notes) writeError(`note: ${kind} ${metadata.name}: ${note}\n`);
    const errors = validateFleetObject(one.object).issues.filter(({ severity }) => severity === 'error');
    for (const { path, message, fix } of errors)
      writeError(`error: ${kind} ${metadata.name}: ${path.join('.')}: ${message}${fix ? `; ${fix}` : ''}\n`);
    if (errors.length > 0) failed++;
  }
  if (failed > 0) throw new CliError('', exitCodes.invalidInput, { silent: true });
}

function parsed(content: string, file: string): unknown {
  try {
    return JSON.parse(content);
  } catch (cause) {
    throw new CliError(`${file} is not JSON: write what az prints with -o json`, exitCodes.invalidInput, { cause });
  }
}
