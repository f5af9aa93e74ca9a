import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { parseAddress } from '../../src/git/address.ts';
import { GitError } from '../../src/git/git-error.ts';
import { branchRef } from '../../src/git/source.ts';

it.each([
  ['./fleet', { kind: 'local', path: resolve('fleet') }],
  ['/srv/fleet.git', { kind: 'local', path: '/srv/fleet.git' }],
  ['https://git.example.com/org/fleet.git/', { kind: 'http', url: 'https://git.example.com/org/fleet.git' }],
  ['http://127.0.0.1:3000/fleet', { kind: 'http', url: 'http://127.0.0.1:3000/fleet' }],
  ['ssh://git@example.com:2222/org/fleet', { kind: 'native', url: 'ssh://git@example.com:2222/org/fleet' }],
  ['git@example.com:org/fleet.git', { kind: 'native', url: 'git@example.com:org/fleet.git' }],
  ['file:///srv/fleet.git', { kind: 'native', url: 'file:///srv/fleet.git' }],
])('%s is opened', (repo, address) => {
  expect(parseAddress(repo)).toEqual(address);
});

it.each([
  ['', 'is empty'],
  ['ext::sh -c touch% /tmp/x', 'run commands'],
  ['EXT::sh', 'run commands'],
  ['fd::17', 'run commands'],
  ['-utouch', 'looks like an option'],
  ['--upload-pack=touch', 'looks like an option'],
  ['ssh://-oProxyCommand=touch/x', 'looks like an option'],
  ['ssh://-oProxyCommand=touch@host/x', 'looks like an option'],
  ['-oProxyCommand=touch:x', 'looks like an option'],
  ['git@-oProxyCommand=touch:x', 'looks like an option'],
  ['git://example.com/fleet', 'no integrity'],
  ['ftp://example.com/fleet', 'is not opened'],
  ['https://user:secret@example.com/fleet', 'credentials in a URL'],
  ['https://secret@example.com/fleet', 'credentials in a URL'],
  ['ssh://git:secret@example.com/fleet', 'credentials in a URL'],
  ['https://example.com/fleet?x=1', 'neither ? nor #'],
  ['https://exa mple.com/fleet', 'not a valid URL'],
  ['https://example.com/a\nb', 'control character'],
])('%j is refused', (repo, words) => {
  const error = caught(() => parseAddress(repo));
  expect(error).toBeInstanceOf(GitError);
  expect(error).toMatchObject({ code: 'bad-address', message: expect.stringContaining(words) });
  expect(error.message).not.toContain('secret');
});

it.each(['main', 'release/1.2', 'gitfleet/approve/web-2-after-canary'])('%s is a branch', (branch) => {
  expect(branchRef(branch)).toBe(`refs/heads/${branch}`);
});

it.each([
  '',
  '-d',
  '--all',
  'a..b',
  'a b',
  'a~1',
  'a^',
  'a:b',
  'a.lock',
  '.a',
  'a/.b',
  'a//b',
  '/a',
  'a/',
  '@',
  'a@{1}',
  'a\n',
])('%j is no branch', (branch) => {
  expect(() => branchRef(branch)).toThrow(expect.objectContaining({ code: 'bad-address' }));
});

function caught(action: () => unknown): Error {
  try {
    action();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}
