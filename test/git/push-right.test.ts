import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { parseAddress } from '../../src/git/address.ts';
import { checkPushRight } from '../../src/git/push-right.ts';
import { folder, removeFolders } from '../support/folders.ts';
import { bare, clone, gitThere, nobody, sh } from '../support/git-repository.ts';
import { startGitServer } from '../support/http-backend-server.ts';

afterAll(removeFolders);

const outcome = (repo: string, credentials = nobody): Promise<string> =>
  checkPushRight(parseAddress(repo), credentials).then(
    () => 'may be pushed',
    ({ code }) => code,
  );

describe.skipIf(!gitThere)('the right to push', () => {
  it('is asked of a server over HTTP, which is not changed', async () => {
    const repo = bare();
    const server = await startGitServer(dirname(repo), 'secret');
    const url = server.url('fleet.git');
    const token = async () => ({ username: 'x', password: 'secret' });
    expect([await outcome(url), await outcome(url, token)]).toEqual(['unauthorized', 'may be pushed']);
    sh(repo, 'config', 'http.receivepack', 'false');
    expect(await outcome(url, token)).toBe('unauthorized');
    expect(server.requests.every((request) => request.startsWith('GET '))).toBe(true);
    await server.close();
  });

  it.each<[string, () => string, string]>([
    ['a file URL', () => pathToFileURL(bare()).href, 'may be pushed'],
    ['a file URL of nothing', () => pathToFileURL(folder()).href, 'unauthorized'],
    ['a clone', clone, 'may be pushed'],
    ['a folder without a repository', () => folder(), 'unauthorized'],
  ])('%s', async (_, repo, expected) => {
    expect(await outcome(repo())).toBe(expected);
  });
});
