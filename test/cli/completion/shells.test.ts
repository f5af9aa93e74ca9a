import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scripts } from '../../../src/cli/completion/scripts.ts';
import { shells } from '../../../src/cli/completion/shells.ts';
import { FleetOnGit } from '../../support/fleet-on-git.ts';
import { folder, removeFolders } from '../../support/folders.ts';
import { shop } from '../../support/shop.ts';

let fleet: FleetOnGit;
beforeAll(async () => {
  fleet = await FleetOnGit.open(shop);
  await fleet.pass();
});
afterAll(removeFolders);

const main = join(import.meta.dirname, '../../../src/main.ts');
const gitfleet = `"${process.execPath}" "${main}"`;

// kubectl is tried in completion.test.ts.
const missing = new Set(shells.filter((shell) => shell !== 'kubectl' && spawnSync(shell, ['--version']).status !== 0));
for (const shell of missing) console.warn(`${shell} is not installed: that its completion works is not tested`);

function written(shell: (typeof shells)[number]): string {
  const file = join(folder(), `completion.${shell}`);
  writeFileSync(file, scripts[shell]);
  return file;
}

const lines = [
  ['tree pa', 'tree pay'],
  ['describe clus', 'describe cluster'],
  ['describe cluster d', 'describe cluster dev-1'],
  ['get runs --no-h', 'get runs --no-headers'],
  ['get runs --output=js', 'get runs --output=json'],
  ['tree web/', 'tree web/settings'],
] as const;

describe.skipIf(missing.has('zsh'))('zsh', () => {
  /** Types a line, a tab and Enter into an interactive zsh, and tells what it ran then. */
  function ran(line: string): string {
    const inner = [
      'stty cols 300',
      `cd ${fleet.dir}`,
      `gitfleet() { if [[ $1 = completion ]]; then ${gitfleet} "$@"; else print -r -- "ran:" "$@" "."; fi }`,
      'autoload -Uz compinit; compinit -u -D',
      `source ${written('zsh')}`,
      'print rea""dy',
    ].join('\n');
    const outer = `zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "$INNER"
zpty -r z out $'*\\nready*'
zpty -w -n z "gitfleet $LINE"$'\\t\\n'
zpty -r z out $'*\\nran: * .*'
print -r -- "$out"`;
    const env = { ...process.env, TERM: 'dumb', INNER: inner, LINE: line };
    const out = execFileSync('zsh', ['-f', '-c', outer], { encoding: 'utf8', env, timeout: 60_000 });
    return /\nran: (.*) \./.exec(out)![1]!;
  }

  it.each(lines)('%s becomes %s', (line, expected) => {
    expect(ran(line)).toBe(expected);
  });
});

describe.skipIf(missing.has('fish'))('fish', () => {
  it.each(lines)('%s becomes %s', (line, expected) => {
    const script = `function gitfleet; ${gitfleet} $argv; end; source ${written('fish')}; complete -C "gitfleet ${line}"`;
    const out = execFileSync('fish', ['--no-config', '-c', script], { encoding: 'utf8', cwd: fleet.dir });
    const offered = out
      .trim()
      .split('\n')
      .map((text) => text.split('\t')[0]);
    expect(offered).toEqual([expected.split(' ').at(-1)]);
  });
});

describe.skipIf(missing.has('bash'))('bash', () => {
  /** As bash splits a line: a = stands for itself. */
  const split = (line: string) => line.split(/ |(=)/).filter((word) => word !== undefined);

  it.each(lines)('%s becomes %s', (line, expected) => {
    const words = ['gitfleet', ...split(line)];
    const script = `gitfleet() { ${gitfleet} "$@"; }\nsource ${written('bash')}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
_gitfleet; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const out = execFileSync('bash', ['-c', script], { encoding: 'utf8', cwd: fleet.dir });
    expect(out.trim().split('\n')).toEqual([split(expected).at(-1)]);
  });
});
