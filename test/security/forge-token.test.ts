import { describe, expect, it } from 'vitest';
import type { ForgeError } from '../../src/forge/forge.ts';
import { openForge } from '../../src/forge/open-forge.ts';

const now = () => Date.parse('2026-11-20T10:00:00Z');
const fetch = () => Promise.reject(new Error('not asked'));

describe('the server that gets the token', () => {
  const open = (baseURL: string, repo: string, more: NodeJS.ProcessEnv = {}) =>
    openForge({
      named: { kind: 'gitea', repository: 'acme/fleet', baseURL },
      repo,
      env: { GITFLEET_FORGE_TOKEN: 'right-token', ...more },
      fetch,
      now,
    });

  it.each([
    ['https://git.example.com', 'https://git.example.com/acme/fleet.git'],
    ['https://git.example.com', 'git@ssh.git.example.com:acme/fleet.git'],
    ['https://git.example.com', 'ssh://git@git.example.com:2222/acme/fleet.git'],
    ['https://git.example.com:8443', 'https://git.example.com:8443/acme/fleet.git'],
    ['http://127.0.0.1:3000', 'http://localhost:3000/fleet.git'],
  ])('may be %s for the repo %s', (baseURL, repo) => {
    expect(open(baseURL, repo).forge?.kind).toBe('gitea');
  });

  it.each([
    ['https://evil.example', 'https://git.example.com/acme/fleet.git', 'GITFLEET_FORGE_HOST=evil.example'],
    ['https://evilexample.com', 'git@example.com:acme/fleet.git', 'the token is not sent'],
    ['https://git.example.com', '/srv/fleet.git', 'the repo is a path'],
    [
      'https://git.example.com:8443',
      'https://git.example.com/acme/fleet.git',
      'GITFLEET_FORGE_HOST=git.example.com:8443',
    ],
    ['https://git.example.com', 'https://git.example.com:8443/acme/fleet.git', 'on git.example.com:8443'],
    ['https://git.example.com:8443', 'git@git.example.com:acme/fleet.git', 'the token is not sent'],
    ['http://127.0.0.1:3001', 'http://localhost:3000/fleet.git', 'the token is not sent'],
    ['http://git.example.com', 'https://git.example.com/acme/fleet.git', 'write https://'],
  ])('may not be %s for the repo %s', (baseURL, repo, why) => {
    expect(open(baseURL, repo).forge).toBeUndefined();
    expect(open(baseURL, repo).missing).toContain(why);
  });

  it.each([
    ['https://api.example.net', 'https://git.example.com/acme/fleet.git', 'api.example.net'],
    ['https://git.example.com:8443', '/srv/fleet.git', 'git.example.com:8443'],
  ])('may be %s for the repo %s if the operator names it', (baseURL, repo, allowed) => {
    expect(open(baseURL, repo, { GITFLEET_FORGE_HOST: allowed }).forge).toBeDefined();
    expect(open(baseURL, repo, { GITFLEET_FORGE_HOST: `${allowed}1` }).forge).toBeUndefined();
  });

  it.each([
    ['github', undefined, true],
    ['gitlab', 'https://gitlab.com', true],
    ['gitlab', 'https://gitlab.com:8443', false],
    ['github', 'https://gitlab.com', false],
  ] as const)('is the usual one of %s for a repo that is a path: %s', (kind, baseURL, isOpened) => {
    const named = { kind, repository: 'acme/fleet', ...(baseURL && { baseURL }) };
    const { forge } = openForge({ named, repo: '/srv/fleet.git', env: { GITFLEET_FORGE_TOKEN: 't' }, fetch, now });
    expect(forge !== undefined).toBe(isOpened);
  });
});

describe.each(['github', 'gitlab', 'gitea'] as const)('an answer of %s', (kind) => {
  const answers = (text: string) =>
    openForge({
      named: { kind, repository: 'acme/fleet', baseURL: 'https://git.example.com' },
      repo: 'https://git.example.com/acme/fleet.git',
      env: { GITFLEET_FORGE_TOKEN: 'right-token' },
      fetch: async () => ({
        status: 200,
        headers: new Headers(),
        body: (async function* () {
          yield Buffer.from(text);
        })(),
      }),
      now,
    }).forge!;

  it.each(['[null]', '[1, null]', 'null', '{}'])('that is %s is an error in a sentence', async (text) => {
    const forge = answers(text);
    for (const work of [forge.listOpen('main'), forge.open({ head: 'a', base: 'main', title: 't', body: 'b' })]) {
      const error = (await work.catch((thrown: unknown) => thrown)) as ForgeError;
      expect(error.name).toBe('ForgeError');
      expect(error.message).not.toMatch(/TypeError|undefined|of null/);
    }
  });

  it('with a pull request without branches does not hide the others', async () => {
    if (kind === 'gitlab') return;
    const repo = { id: 1 };
    const pull = { number: 2, html_url: 'https://git.example.com/2', state: 'open', title: 't', body: null };
    const others = [
      { ...pull, head: null, base: { ref: 'main', repo } },
      { ...pull, head: { ref: 'a', sha: 'b', repo }, base: null },
    ];
    const own = { ...pull, head: { ref: 'a', sha: 'b', repo }, base: { ref: 'main', repo } };
    expect(await answers(JSON.stringify([...others, own])).listOpen('main')).toMatchObject([{ number: 2, head: 'a' }]);
  });
});
