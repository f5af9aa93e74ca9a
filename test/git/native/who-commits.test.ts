import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { whoCommits } from '../../../src/git/native/who-commits.ts';
import { folder, removeFolders } from '../../support/folders.ts';
import { gitThere, sh } from '../../support/git-repository.ts';

afterEach(() => vi.unstubAllEnvs());
afterAll(removeFolders);

it.skipIf(!gitThere).each([
  ['no author, so the configuration does', {}, { name: 'Cfg', email: 'cfg@example.com' }],
  [
    'an author',
    { GIT_AUTHOR_NAME: 'Bot', GIT_AUTHOR_EMAIL: 'bot@example.com' },
    { name: 'Bot', email: 'bot@example.com' },
  ],
  ['an address alone', { GIT_AUTHOR_EMAIL: 'bot@example.com' }, { name: 'Cfg', email: 'bot@example.com' }],
])('who commits is whom git would name: the environment names %s', async (_, env, person) => {
  for (const name of ['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL']) vi.stubEnv(name, (env as Record<string, string>)[name]);
  const dir = folder();
  sh(dir, 'init', '-q');
  sh(dir, 'config', 'user.name', 'Cfg');
  sh(dir, 'config', 'user.email', 'cfg@example.com');
  expect(await whoCommits(`${dir}/.git`)).toEqual(person);
});

it.skipIf(!gitThere)('without an author in the configuration of git, it is no one', async () => {
  const nowhere = {
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: '',
    GIT_AUTHOR_EMAIL: '',
  };
  for (const [name, value] of Object.entries(nowhere)) vi.stubEnv(name, value);
  const dir = folder();
  sh(dir, 'init', '-q');
  expect(await whoCommits(`${dir}/.git`)).toBeUndefined();
});
