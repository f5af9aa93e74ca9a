import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCommitSigner } from '../../../src/git/verify/commit-signer.ts';
import { keptCommit } from '../../../src/git/verify/kept-commit.ts';
import { statusSigning } from '../../../src/git/verify/status-signing.ts';
import { folder, removeFolders } from '../../support/folders.ts';
import { bare, clone, elsewhere, openStatus, sh } from '../../support/git-repository.ts';
import { gpgHome, gpgThere, keyFile, sshKey, sshThere } from '../../support/signing-keys.ts';

const ring = gpgThere ? gpgHome() : undefined;
beforeAll(() => {
  ring?.generate('Fleet <fleet@example.com>');
  ring?.generate('Eve <eve@example.com>');
  ring?.generate('Locked <locked@example.com>', 'secret');
});
afterAll(() => {
  ring?.close();
  removeFolders();
});

const files = (text: string) => new Map([['summary.yaml', text]]);

async function world(signer: Parameters<typeof statusSigning>[0]['signer'], repo: string, native?: boolean) {
  const memory = join(folder(), 'last');
  const open = () =>
    openStatus({
      repo,
      native,
      signing: statusSigning({ signer, memory: keptCommit(memory, 'fleet-status'), accepted: undefined }),
    });
  return { open };
}

describe.each([
  ['ssh', sshThere, () => [sshKey('fleet'), sshKey('eve')], ['-c', 'gpg.format=ssh']],
  [
    'openpgp',
    gpgThere,
    () => ['fleet@example.com', 'eve@example.com'].map((who) => ring!.exported(who)),
    ['-c', 'gpg.format=openpgp'],
  ],
] as const)('status commits that are signed by %s', (format, isThere, keys, settings) => {
  it.skipIf(!isThere)('verify with git, and those of others are refused', async () => {
    const [ours, theirs] = keys() as [string, string];
    const signer = await openCommitSigner({ format, key: ours });
    const eve = await openCommitSigner({ format, key: theirs });
    const repo = bare();
    try {
      const { open } = await world(signer, repo);
      const status = await open();
      const first = await status.publish(await status.read(), files('one\n'), 'One');
      expect(first.kind).toBe('published');
      const trusted =
        format === 'ssh'
          ? ['-c', `gpg.ssh.allowedSignersFile=${keyFile(`fleet ${readFileSync(`${ours}.pub`, 'utf8')}`)}`]
          : ['-c', `gpg.program=${gpgProgram()}`];
      sh(repo, ...settings, ...trusted, 'verify-commit', 'fleet-status');

      const signed = sh(repo, 'rev-parse', 'fleet-status');
      const foreign = elsewhere(repo, { 'summary.yaml': 'forged\n' }, 'fleet-status');
      const refused = await status.read();
      expect(refused).toMatchObject({
        commit: foreign,
        refused: { record: signed, count: 1, why: 'it is not signed' },
      });
      expect([...refused.files]).toEqual([]);
      expect([...refused.refused!.files]).toEqual([['summary.yaml', 'one\n']]);

      // The same files are written again, on top of the foreign commit.
      expect(await status.publish(refused, files('one\n'), 'Two')).toMatchObject({ kind: 'published' });
      expect(sh(repo, 'show', 'fleet-status:summary.yaml')).toBe('one');
      expect(sh(repo, 'rev-parse', 'fleet-status^')).toBe(foreign);
      expect((await status.read()).refused).toBeUndefined();

      // The restarted daemon of another key.
      const others = await (await world(eve, repo)).open();
      await expect(others.read()).rejects.toThrow(
        'no commit of fleet-status is signed by the key of --sign-key, so nothing is acted on',
      );
      await status.close();
      await others.close();
    } finally {
      await signer.close();
      await eve.close();
    }
  });

  it.skipIf(!isThere)('of another key are refused after a start with a clone that lacks history', async () => {
    const [ours, theirs] = keys() as [string, string];
    const signer = await openCommitSigner({ format, key: ours });
    const eve = await openCommitSigner({ format, key: theirs });
    const repo = bare();
    try {
      const url = `file://${repo}`;
      const status = await (await world(signer, url)).open();
      await status.publish(await status.read(), files('one\n'), 'One');
      const signed = sh(repo, 'rev-parse', 'fleet-status');
      const attacker = await openStatus({ repo: url, signing: () => ({ ...foreverTrusting, sign: eve.sign }) });
      await attacker.publish(await attacker.read(), files('forged\n'), 'Forged');
      await attacker.publish(await attacker.read(), files('forged again\n'), 'Forged');
      const { refused } = await (await (await world(signer, url)).open()).read();
      expect(refused).toMatchObject({
        record: signed,
        count: 2,
        why: 'its key is not among the keys of --sign-key',
      });
      await status.close();
      await attacker.close();
    } finally {
      await signer.close();
      await eve.close();
    }
  });
});

const foreverTrusting = { refused: async () => undefined, wrote: () => {} };

const gpgProgram = (): string => {
  const script = keyFile(`#!/bin/sh\nexec gpg --homedir ${ring!.home} "$@"\n`);
  chmodSync(script, 0o700);
  return script;
};

it.skipIf(!sshThere).each([
  ['no file', () => '/nowhere', '--sign-key /nowhere cannot be read: no such file or directory: '],
  ['a public key', () => `${sshKey('fleet')}.pub`, 'it is no private key for ssh without passphrase'],
  ['a passphrase', () => sshKey('fleet', 'secret'), 'it is no private key for ssh without passphrase'],
  ['anything else', () => keyFile('key'), 'make one with ssh-keygen -t ed25519 -N'],
])('a key for ssh with %s is refused', async (_what, key, why) => {
  await expect(openCommitSigner({ format: 'ssh', key: key() })).rejects.toThrow(why);
});

it.skipIf(!gpgThere).each([
  ['no file', () => '/nowhere', '--sign-key /nowhere cannot be read: no such file or directory: '],
  [
    'a public key',
    () => keyFile(ring!.gpg('--armor', '--export', 'fleet@example.com')),
    'it holds no private key for OpenPGP',
  ],
  ['a passphrase', () => ring!.exported('locked@example.com', 'secret'), 'it cannot sign'],
  [
    'a second one',
    () => keyFile(ring!.gpg('--armor', '--export-secret-keys', 'fleet@example.com', 'eve@example.com')),
    'it holds 2 private keys for OpenPGP',
  ],
])('a key for openpgp with %s is refused', async (_what, key, why) => {
  await expect(openCommitSigner({ format: 'openpgp', key: key() })).rejects.toThrow(why);
});

it('without a signer nothing is signed', async () => {
  const repo = clone();
  const status = await openStatus({ repo });
  await status.publish(await status.read(), files('one\n'), 'One');
  expect(sh(repo, 'cat-file', 'commit', 'fleet-status')).not.toContain('gpgsig');
});
