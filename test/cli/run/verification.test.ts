import { afterAll, expect, it } from 'vitest';
import { folder, removeFolders } from '../../support/folders.ts';
import { commit, gitThere, sh } from '../../support/git-repository.ts';
import { cli } from '../../support/run-cli.ts';

afterAll(removeFolders);

it.each([
  [['--verify-commits', 'ssh'], 2, '--verify-commits and --verify-keys go together'],
  [['--verify-keys', 'keys'], 2, '--verify-commits and --verify-keys go together'],
  [
    ['--verify-commits', 'x509', '--verify-keys', 'keys'],
    2,
    '--verify-commits x509 is not known: use one of openpgp, ssh',
  ],
  [['--verify-commits', 'ssh', '--verify-keys', '/nowhere'], 3, '--verify-keys /nowhere: ENOENT'],
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
