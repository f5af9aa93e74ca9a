import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { program } from '../../../src/cli/program.ts';
import { FleetOnGit } from '../../support/fleet-on-git.ts';
import { folder, removeFolders } from '../../support/folders.ts';
import { cli } from '../../support/run-cli.ts';
import { shop } from '../../support/shop.ts';

const kubectlThere = ((): boolean => {
  try {
    execFileSync('kubectl', ['version', '--client'], { stdio: 'ignore' });
    return true;
  } catch {
    console.warn('SKIPPED: completion of kubectl gitfleet by kubectl, which is not installed here');
    return false;
  }
})();

let fleet: FleetOnGit;
beforeAll(async () => {
  fleet = await FleetOnGit.open(shop);
  await fleet.pass();
});
afterAll(removeFolders);

/** What a shell is offered at the end of a line; FLEET stands for the repo. */
async function offered(line: string, shell = 'bash'): Promise<string[]> {
  const words = line.split(' ').map((word) => word.replace('FLEET', fleet.dir));
  const ran = await cli('completion', shell, '--', ...words);
  expect(ran).toMatchObject({ code: 0, err: '' });
  return ran.out.split('\n').filter((text) => text !== '');
}

describe('completion offers', () => {
  it('every command, first of all', async () => {
    expect(await offered('')).toEqual(program().commands.map((command) => command.name()));
  });

  it.each(program().commands.map((command) => [command.name(), command] as const))(
    'every flag of %s',
    async (name, command) => {
      const flags = command.options.map(({ long }) => long);
      expect(await offered(`${name} -`)).toEqual([...flags, '--help']);
    },
  );

  it.each([
    ['ge', ['generate', 'get']],
    ['help dr', ['drain']],
    ['get place', ['placements']],
    ['get placements,ru', ['placements,runs']],
    ['get al', ['all']],
    ['describe ap', ['approval']],
    ['suspend ', ['placement', 'run', 'upgrade']],
    ['get runs -o ', ['table', 'wide', 'json', 'yaml', 'name']],
    ['get runs --output js', ['json']],
    ['render --output ', ['yaml', 'json']],
    ['render --output = js', ['json']],
    ['render --output =', ['yaml', 'json']],
    ['get --repo = FLEET rp ', ['web/settings']],
    ['get --repo https : //127.0.0.1/x.git place', ['placements']],
    ['completion ', ['bash', 'zsh', 'fish', 'kubectl']],
    ['get placements --repo FLEET ', ['pay', 'web', 'web/settings']],
    ['get rp --repo FLEET ', ['web/settings']],
    ['get --repo=FLEET runs,clusters ', ['pay-1', 'dev-1', 'eu-1', 'us-1']],
    ['describe --repo FLEET cluster/e', ['cluster/eu-1']],
    ['describe --repo FLEET run/', ['run/pay-1']],
    ['tree --repo FLEET w', ['web', 'web/settings']],
    ['explain placement --repo FLEET p', ['pay']],
    ['render --repo FLEET --cluster ', ['dev-1', 'eu-1', 'us-1']],
    ['render --repo FLEET --placement p', ['pay']],
    ['drain --repo FLEET us', ['us-1']],
    ['plan --repo FLEET --without-cluster e', ['eu-1']],
  ])('%s', async (line, expected) => {
    expect(await offered(line)).toEqual(expected);
  });

  it.each([
    ['of a word that is no command', 'fly '],
    ['where a file may stand', 'plan --observed '],
    ['behind the last argument', 'version '],
    ['of kinds on members', 'trace deployment --repo FLEET w'],
    ['of a kind that is not there', 'get nothing --repo FLEET '],
    ['of events, which have none', 'get events --repo FLEET '],
    ['where there is no status', 'get placements --repo / '],
    ['of another status branch', 'get placements --repo FLEET --status-branch other '],
    ['of a server, which would have to be asked', 'get placements --repo https://127.0.0.1:1/x.git '],
  ])('nothing %s', async (_, line) => {
    expect(await offered(line)).toEqual([]);
  });

  it.each([
    ['zsh', 'version:print the versions of gitfleet and Node, and the platform'],
    ['fish', 'version\tprint the versions of gitfleet and Node, and the platform'],
  ])('%s the description too', async (shell, expected) => {
    expect(await offered('vers', shell)).toEqual([expected]);
  });

  it.each(['zsh', 'fish'])('%s the flag with its value where they are one word', async (shell) => {
    expect(await offered('render --output=js', shell)).toEqual(['--output=json']);
    expect(await offered('render --repo=FLEET --cluster=e', shell)).toEqual(['--cluster=eu-1']);
  });
});

describe('completion scripts', () => {
  it.each(['bash', 'zsh', 'fish', 'kubectl'])('%s calls gitfleet itself', async (shell) => {
    const ran = await cli('completion', shell);
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(ran.out).toContain(`gitfleet completion ${shell} -- `);
  });

  it('bash completes with its own', async () => {
    const { out } = await cli('completion', 'bash');
    const script = join(folder(), 'completion.bash');
    const main = join(import.meta.dirname, '../../../src/main.ts');
    writeFileSync(
      script,
      `gitfleet() { "${process.execPath}" "${main}" "$@"; }\n${out}\nCOMP_WORDS=(gitfleet describe placement --repo "${fleet.dir}" w)\nCOMP_CWORD=5\n_gitfleet\nprintf '%s\\n' "\${COMPREPLY[@]}"\n`,
    );
    expect(execFileSync('bash', [script], { encoding: 'utf8' })).toBe('web\nweb/settings\n');
  });

  it('kubectl gets names with what they are, and whether files are offered too', async () => {
    expect(await offered('suspend ', 'kubectl')).toEqual(['placement', 'run', 'upgrade', ':4']);
    expect((await offered('ge', 'kubectl')).at(0)).toMatch(/^generate\tprint /);
    expect(await offered('init ', 'kubectl')).toEqual([':0']);
  });

  it.skipIf(!kubectlThere)('kubectl completes kubectl gitfleet by the program of the package', () => {
    const dir = folder();
    const program = join(import.meta.dirname, '../../../src/cli/kubectl-complete.ts');
    for (const [name, text] of [
      ['kubectl_complete-gitfleet', `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`],
      ['kubectl-gitfleet', '#!/bin/sh\n'],
    ] as const)
      writeFileSync(join(dir, name), text, { mode: 0o755 });
    const out = execFileSync('kubectl', ['__complete', 'gitfleet', 'get', '--repo', fleet.dir, 'runs', 'p'], {
      encoding: 'utf8',
      env: { ...process.env, PATH: `${dir}:${process.env['PATH']}` },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    expect(out).toBe('pay-1\n:4\n');
  });

  it('another shell is refused with those that there are', async () => {
    expect(await cli('completion', 'csh')).toEqual({
      code: 2,
      out: '',
      err: 'gitfleet: there is no completion for csh: use one of bash, zsh, fish, kubectl\n',
    });
  });
});
