import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jsonSchemas } from '../api/json-schema.ts';
import { makeDirectory } from '../repo/make-directory.ts';
import { print } from './terminal/output.ts';

/** One JSON Schema per kind and one for all of them, for the `yaml-language-server` line of an editor. */
export async function schema(options: { readonly out: string }): Promise<void> {
  await makeDirectory(options.out);
  const schemas = jsonSchemas();
  for (const [file, value] of schemas)
    await writeFile(join(options.out, file), `${JSON.stringify(value, undefined, 2)}\n`);
  print(
    `${schemas.size} schemas written to ${options.out}. First line for your editor:\n# yaml-language-server: $schema=${join(options.out, 'fleet.schema.json')}`,
  );
}
