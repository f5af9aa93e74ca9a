import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { folder, removeFolders } from '../../support/folders.ts';
import { commit, gitThere, sh } from '../../support/git-repository.ts';
import { cli } from '../../support/run-cli.ts';
import { keyFile, sshKey, sshThere } from '../../support/signing-keys.ts';

afterAll(removeFolders);

it.each([
  [['--verify-commits', 'ssh'], 2, '--verify-commits and --verify-keys go together'],
  [['--verify-keys', 'keys'], 2, '--verify-commits and --verify-keys go together'],
  [
    ['--verify-commits', 'x509', '--verify-keys', 'keys'],
    2,
    '--verify-commits x509 is not known: use one of openpgp, ssh',
  ],
  [
    ['--verify-commits', 'ssh', '--verify-keys', '/nowhere'],
    3,
    'gitfleet: --verify-keys /nowhere cannot be read: no such file or directory: name a file of allowed signers, as ssh-keygen has them',
  ],
  [['--sign-status', 'ssh'], 2, '--sign-status and --sign-key go together'],
  [['--sign-key', 'key'], 2, '--sign-status and --sign-key go together'],
  [['--accept-status', '1234567'], 2, '--accept-status needs --sign-status'],
  [['--sign-status', 'x509', '--sign-key', 'key'], 2, '--sign-status x509 is not known: use one of openpgp, ssh'],
  [
    ['--sign-status', 'ssh', '--sign-key', 'key', '--accept-status', '1234567'],
    2,
    '--accept-status 1234567 is not a commit: write all 40 digits of its id',
  ],
  [
    ['--sign-status', 'ssh', '--sign-key', '/nowhere'],
    3,
    'gitfleet: --sign-key /nowhere cannot be read: no such file or directory: name the file of a private key, as ssh-keygen writes it',
  ],
])('run %j is refused at the start', async (args, code, message) => {
  if (!gitThere) return;
  const dir = folder();
  sh(dir, 'init', '-q');
  commit(dir, { 'fleet.yaml': '' });
  const where = [
    '--repo',
    dir,
    '--cache-dir',
    folder(),
    '--members',
    folder(),
    '--listen',
    'off',
    '--log-level',
    'silent',
  ];
  expect(await cli('run', ...where, '--once', ...args)).toMatchObject({ code, err: expect.stringContaining(message) });
});

it.skipIf(!sshThere)(
  'run --sign-status signs what it publishes, and takes over an unsigned record only if told',
  async () => {
    const dir = folder();
    sh(dir, 'init', '-q');
    commit(dir, { 'fleet.yaml': '' });
    const where = ['--repo', dir, '--cache-dir', folder(), '--members', folder(), '--log-level', 'silent', '--once'];
    await cli('run', ...where);
    const unsigned = sh(dir, 'rev-parse', 'fleet-status');
    const key = sshKey('fleet');
    const signed = ['--sign-status', 'ssh', '--sign-key', key];
    expect(await cli('run', ...where, ...signed)).toMatchObject({
      code: 3,
      err: expect.stringContaining(`start once with --accept-status ${unsigned};`),
    });
    expect(sh(dir, 'rev-parse', 'fleet-status')).toBe(unsigned);
    expect(await cli('run', ...where, ...signed, '--accept-status', unsigned)).toMatchObject({ code: 0 });
    const signers = keyFile(`fleet ${readFileSync(`${key}.pub`, 'utf8')}`);
    sh(dir, '-c', `gpg.ssh.allowedSignersFile=${signers}`, 'verify-commit', 'fleet-status');
    expect(sh(dir, 'rev-parse', 'fleet-status^')).toBe(unsigned);
    const first = sh(dir, 'rev-parse', 'fleet-status');
    expect(await cli('run', ...where, ...signed)).toMatchObject({ code: 0 });
    expect(sh(dir, 'rev-parse', 'fleet-status')).toBe(first);
  },
);

it.skipIf(!sshThere)('run --verify-commits starts with a cache directory that is not there yet', async () => {
  const dir = folder();
  const key = sshKey('fleet');
  sh(dir, 'init', '-q');
  sh(dir, 'config', 'gpg.format', 'ssh');
  sh(dir, 'config', 'user.signingkey', key);
  sh(dir, 'config', 'commit.gpgsign', 'true');
  commit(dir, { 'fleet.yaml': '' });
  const signers = keyFile(`fleet ${readFileSync(`${key}.pub`, 'utf8')}`);
  const cache = join(folder(), 'new', 'cache');
  const where = ['--repo', dir, '--cache-dir', cache, '--members', folder(), '--log-level', 'silent', '--once'];
  const flags = ['--verify-commits', 'ssh', '--verify-keys', signers];
  expect(await cli('run', ...where, ...flags)).toMatchObject({ code: 0 });
  expect(readFileSync(join(cache, 'verified-commit'), 'utf8')).toContain(sh(dir, 'rev-parse', 'HEAD'));
});
