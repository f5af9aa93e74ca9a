import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { program } from '../../src/cli/program.ts';
import { cli } from '../support/run-cli.ts';
import { reference } from './reference.ts';

const root = resolve(import.meta.dirname, '../..');
const commands = program().commands.filter((command) => command.name() !== 'help');

describe('docs/cli.md', () => {
  it('equals the help of the commands (vitest -u updates it)', async () => {
    await expect(reference()).toMatchFileSnapshot(join(root, 'docs/cli.md'));
  });

  it.each(commands.map((command) => [command.name(), command] as const))(
    'names %s, every flag and argument of it',
    (name, command) => {
      const text = readFileSync(join(root, 'docs/cli.md'), 'utf8');
      const chapter = text.split(/^### /m).find((part) => part.startsWith(`${name}\n`)) ?? '';
      for (const option of command.options) expect(chapter).toContain(option.flags);
      for (const argument of command.registeredArguments) expect(chapter).toContain(`${argument.name()} `);
    },
  );

  it('is named in the README', () => {
    expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain('](docs/cli.md)');
  });
});

describe('--help', () => {
  it.each(commands.map((command) => command.name()))('of %s has examples whose flags exist', async (name) => {
    const { code, out, err } = await cli(name, '--help');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const examples = out.split('\nExamples:\n')[1]?.trim().split('\n') ?? [];
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) {
      expect(example.trim()).toMatch(new RegExp(`^gitfleet ${name}( |$)`));
      const flags = example
        .split(' && ')[0]!
        .split(/\s+/)
        .filter((word) => /^--?[a-z]/.test(word));
      const known = commands
        .find((command) => command.name() === name)!
        .options.flatMap(({ short, long }) => [short, long]);
      for (const flag of flags) expect(known).toContain(flag.split('=')[0]);
    }
  });

  it('loads nothing but the parser of the command line', () => {
    const seen = new Set<string>();
    const packages = new Set<string>();
    const visit = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      const text = readFileSync(file, 'utf8');
      for (const [, typeOnly, from] of text.matchAll(/^import (type )?[^;]*?'([^']+)';$/gms)) {
        if (typeOnly) continue;
        if (from!.startsWith('.')) visit(resolve(dirname(file), from!));
        else packages.add(from!);
      }
    };
    // main.ts loads the command line only once it knows that this Node can.
    for (const file of ['src/main.ts', 'src/cli/command-line.ts']) visit(join(root, file));
    expect([...packages].sort()).toEqual(['commander', 'node:fs']);
    expect(
      [...seen]
        .map((file) => relative(root, file))
        .filter((file) => !file.startsWith('src/cli/'))
        .sort(),
    ).toEqual([
      'src/api/file-error-text.ts',
      'src/api/message-of.ts',
      'src/api/printable.ts',
      'src/daemon/package-version.ts',
      'src/git/fleet-folder.ts',
      'src/git/git-error.ts',
      'src/git/person.ts',
      'src/main.ts',
    ]);
  });
});

describe('a command line that is not understood', () => {
  it.each([
    [['plam'], "unknown command 'plam'\n(Did you mean plan?)"],
    [['help', 'plam'], "unknown command 'plam'\n(Did you mean plan?)"],
    [['plcement'], '(did you mean gitfleet get placements?)'],
    [['clusters'], '(did you mean gitfleet get clusters?)'],
    [['get'], "missing required argument 'kind'"],
    [['plan', '--taintt', 'x'], "unknown option '--taintt'\n(Did you mean --taint?)"],
    [['wait', 'placement/web'], "required option '--for <condition>' not specified"],
    [['get', 'crp', 'web', 'more'], 'too many arguments for'],
    [['render', '--cluster'], "option '--cluster <name>' argument missing"],
  ])('%j ends with 2 and shows the correct form', async (args, message) => {
    const ran = await cli(...args);
    expect({ ...ran, err: ran.err.includes(message) ? message : ran.err }).toEqual({ code: 2, out: '', err: message });
  });
});
