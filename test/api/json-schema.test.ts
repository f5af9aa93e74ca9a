import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { jsonSchemas } from '../../src/api/json-schema.ts';

const example = join(import.meta.dirname, '../../fleet-repo-example');
const schemas = join(example, '.schemas');

it('the schemas of the example are those of the vocabulary (npm run gitfleet -- schema --out fleet-repo-example/.schemas)', async () => {
  const written = new Map<string, unknown>();
  for (const file of (await readdir(schemas)).sort())
    written.set(file, JSON.parse(await readFile(join(schemas, file), 'utf8')));
  expect([...written.keys()]).toEqual([...jsonSchemas().keys()].sort());
  for (const [file, schema] of jsonSchemas()) expect(written.get(file), file).toEqual(schema);
});

it('every fleet file of the example has its schema for editors', async () => {
  const files = (await readdir(example, { recursive: true })).filter((file) => file.endsWith('.yaml'));
  const fleetFiles = files.filter((file) => !file.startsWith('resources/'));
  expect(fleetFiles.length).toBeGreaterThan(15);
  for (const file of fleetFiles) {
    const [first] = (await readFile(join(example, file), 'utf8')).split('\n');
    const named = /^# yaml-language-server: \$schema=(\S+)$/.exec(first!)?.[1];
    expect(named && resolve(dirname(join(example, file)), named), file).toBe(join(schemas, 'fleet.schema.json'));
  }
});
