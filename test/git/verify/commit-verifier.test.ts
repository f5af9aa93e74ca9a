import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openObjects } from '../../../src/git/objects/open-objects.ts';
import { openCommitVerifier, type SignatureFormat } from '../../../src/git/verify/commit-verifier.ts';
import { folder, removeFolders } from '../../support/folders.ts';
import { sh } from '../../support/git-repository.ts';
import { gpgHome, gpgThere, keyFile, sshKey, sshThere } from '../../support/signing-keys.ts';

afterAll(removeFolders);

/** A repository with commits that were signed by different keys. */
function repository() {
  const dir = folder();
  sh(dir, 'init', '-q');
  const commit = (...options: string[]) => {
    sh(dir, ...options, 'commit', '-q', '--allow-empty', '-m', 'Change');
    return sh(dir, 'rev-parse', 'HEAD');
  };
  return { dir, commit, objects: openObjects(join(dir, '.git'), true) };
}

/** `by` of commits that verify, else why not. */
async function verdicts(
  format: SignatureFormat,
  keys: string,
  of: ReturnType<typeof repository>,
  commits: readonly string[],
) {
  const verifier = await openCommitVerifier({ format, keys });
  try {
    const found: string[] = [];
    for (const commit of commits) {
      const verdict = await verifier.verify(of.objects, commit);
      found.push(verdict.isVerified ? `by ${verdict.by}` : verdict.why);
    }
    return found;
  } finally {
    await verifier.close();
  }
}

describe.skipIf(!sshThere)('--verify-commits ssh', () => {
  const signed = (path: string): string[] => [
    '-c',
    'gpg.format=ssh',
    '-c',
    `user.signingkey=${path}`,
    '-c',
    'commit.gpgsign=true',
  ];

  it('takes commits that were signed by one of the keys, and says why it takes no other', async () => {
    const [ann, eve] = [sshKey('ann'), sshKey('eve')];
    const repo = repository();
    const good = repo.commit(...signed(ann));
    const commits = [good, repo.commit(...signed(eve)), repo.commit(), changed(repo, good)];
    const keys = keyFile(`# who may merge\nann@example.com namespaces="git" ${readFileSync(`${ann}.pub`, 'utf8')}`);
    expect(await verdicts('ssh', keys, repo, commits)).toEqual([
      'by ann@example.com',
      'its key is not among the keys of --verify-keys',
      'it is not signed',
      expect.stringContaining('its signature does not hold'),
    ]);
    expect(
      await verdicts(
        'ssh',
        keyFile(`ann@example.com valid-before="20200101" ${readFileSync(`${ann}.pub`, 'utf8')}`),
        repo,
        [good],
      ),
    ).not.toEqual(['by ann@example.com']);
  });

  it('runs no program that the repository configures', async () => {
    const ann = sshKey('ann');
    const repo = repository();
    const good = repo.commit(...signed(ann));
    const mark = join(folder(), 'mark');
    const script = keyFile(`#!/bin/sh\ntouch ${mark}\necho 'Good "git" signature for eve with x'\n`);
    execFileSync('chmod', ['+x', script]);
    for (const setting of ['gpg.ssh.program', 'gpg.program', 'gpg.openpgp.program'])
      sh(repo.dir, 'config', setting, script);
    const eve = keyFile(`eve ${readFileSync(`${sshKey('eve')}.pub`, 'utf8')}`);
    expect(await verdicts('ssh', eve, repo, [good])).toEqual(['its key is not among the keys of --verify-keys']);
    expect(() => readFileSync(mark)).toThrow('ENOENT');
  });

  it.each([
    ['', 'it names no signer: write one on each line'],
    ['# nobody\n', 'it names no signer'],
    ['ssh-ed25519 AAAAC3 ann\n', 'names no signer: write it as ann@example.com ssh-ed25519'],
  ])('a file of keys with %j is refused', async (text, why) => {
    await expect(openCommitVerifier({ format: 'ssh', keys: keyFile(text) })).rejects.toThrow(why);
  });

  it('a file of keys that is not there is refused', async () => {
    await expect(openCommitVerifier({ format: 'ssh', keys: '/nowhere' })).rejects.toThrow(
      '--verify-keys /nowhere cannot be read: no such file or directory: ',
    );
  });
});

/** A commit with the signature of another one. */
function changed({ dir }: ReturnType<typeof repository>, commit: string): string {
  const text = sh(dir, 'cat-file', 'commit', commit).replace('\n\nChange', '\n\nAnother');
  return execFileSync('git', ['-C', dir, 'hash-object', '-t', 'commit', '-w', '--stdin'], { input: `${text}\n` })
    .toString()
    .trim();
}

describe.skipIf(!gpgThere)('--verify-commits openpgp', () => {
  const { home, gpg, generate, close } = gpgHome();
  const signed = (who: string): string[] => [
    '-c',
    'gpg.format=openpgp',
    '-c',
    `user.signingkey=${who}`,
    '-c',
    'commit.gpgsign=true',
    '-c',
    `gpg.program=${script}`,
  ];
  let script = '';
  beforeAll(() => {
    for (const who of ['Ann <ann@example.com>', 'Eve <eve@example.com>']) generate(who);
    script = keyFile(
      `#!/bin/sh\nexec gpg --homedir ${home} --batch --no-tty --pinentry-mode loopback --passphrase '' "$@"\n`,
    );
    execFileSync('chmod', ['+x', script]);
  });
  afterAll(close);

  it('takes commits that were signed by one of the keys, and says why it takes no other', async () => {
    const repo = repository();
    const good = repo.commit(...signed('ann@example.com'));
    const commits = [good, repo.commit(...signed('eve@example.com')), repo.commit(), changed(repo, good)];
    expect(await verdicts('openpgp', keyFile(gpg('--armor', '--export', 'ann@example.com')), repo, commits)).toEqual([
      'by Ann <ann@example.com>',
      'its key is not among the keys of --verify-keys',
      'it is not signed',
      'its signature does not hold',
    ]);
  });

  it('does not take signatures of the other kind', async () => {
    const repo = repository();
    const good = repo.commit(...signed('ann@example.com'));
    const signers = keyFile(
      'ann@example.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl\n',
    );
    expect(await verdicts('ssh', signers, repo, [good])).toEqual(['its signature is not of the kind ssh']);
  });

  it('a file without a public key, and one with a private key, are refused', async () => {
    await expect(openCommitVerifier({ format: 'openpgp', keys: keyFile('nothing') })).rejects.toThrow(
      'it holds no public key',
    );
    const secret = keyFile(gpg('--armor', '--export-secret-keys', 'eve@example.com'));
    await expect(openCommitVerifier({ format: 'openpgp', keys: secret })).rejects.toThrow('it holds a private key');
  });
});
