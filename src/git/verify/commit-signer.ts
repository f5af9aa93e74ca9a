import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { fileErrorText } from '../../api/file-error-text.ts';
import { messageOf } from '../../api/message-of.ts';
import { GitError } from '../git-error.ts';
import { type NewObject, newObject } from '../objects/new-objects.ts';
import {
  type CommitVerifier,
  lastLine,
  openCommitVerifier,
  requirePrograms,
  type SignatureFormat,
} from './commit-verifier.ts';

/** Signs commits as git does, and knows its own signatures. */
export interface CommitSigner extends CommitVerifier {
  /** The public key, on one line. */
  readonly key: string;
  /** The commit with a signature. Errors: GitError `failed`. */
  sign(commit: NewObject): Promise<NewObject>;
}

const flags = { format: '--sign-status', keys: '--sign-key' };

/** Longest time that a program may take to sign, milliseconds: its questions get no answer. */
const longestMs = 60_000;

/**
 * Opens a private key without passphrase: for ssh the file of `ssh-keygen`, for openpgp one key of `gpg --export-secret-keys`, which gets
 * a keyring of its own. Errors: GitError `no-git-binary`, or `bad-address` for a key that cannot sign; a sentence that names `--sign-key`.
 */
export async function openCommitSigner({
  format,
  key,
}: {
  readonly format: SignatureFormat;
  /** Path of the file with the private key. */
  readonly key: string;
}): Promise<CommitSigner> {
  await requirePrograms(format, flags);
  const path = resolve(key);
  await readFile(path).catch((error: unknown) => {
    const file = format === 'ssh' ? 'as ssh-keygen writes it' : 'as gpg --export-secret-keys writes it';
    throw new GitError(
      'not-found',
      `--sign-key ${key} cannot be read: ${fileErrorText(error)}: name the file of a private key, ${file}`,
    );
  });
  const dir = await mkdtemp(join(tmpdir(), 'gitfleet-sign-'));
  const closeSigner = async (): Promise<void> => {
    if (format === 'openpgp') await run('gpgconf', ['--homedir', dir, '--kill', 'all']).catch(() => {});
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    await chmod(dir, 0o700);
    const opened = format === 'ssh' ? await sshKey(path, key) : await openpgpKey(path, key, dir);
    const keys = join(dir, 'public-keys');
    await writeFile(keys, opened.accepted);
    const signature = (text: Buffer) => answer(...opened.command, text);
    await signature(Buffer.from('gitfleet\n')).catch((error: unknown) => {
      throw unusable(key, `it cannot sign (${reasonOf(error)}): use a key without passphrase that has not expired`);
    });
    const verifier = await openCommitVerifier({ format, keys, flags });
    return {
      key: opened.id,
      verify: verifier.verify,
      async sign(commit) {
        const signed = await signature(commit.content).catch((error: unknown) => {
          throw new GitError('failed', `sign a status commit with --sign-key ${key}: ${reasonOf(error)}`, error);
        });
        return withSignature(commit, signed);
      },
      async close() {
        await verifier.close();
        await closeSigner();
      },
    };
  } catch (error) {
    await closeSigner();
    throw error;
  }
}

interface OpenedKey {
  readonly id: string;
  /** The public key, as a file of keys that a verifier reads. */
  readonly accepted: string;
  /** Writes the signature of its input to its output. */
  readonly command: readonly [program: string, args: readonly string[]];
}

async function sshKey(path: string, key: string): Promise<OpenedKey> {
  const text = await answer('ssh-keygen', ['-y', '-P', '', '-f', path]).catch((error: unknown) => {
    throw unusable(
      key,
      `it is no private key for ssh without passphrase (${reasonOf(error)}): make one with ssh-keygen -t ed25519 -N ''`,
    );
  });
  const id = text.trim().split(' ').slice(0, 2).join(' ');
  return {
    id,
    accepted: `gitfleet namespaces="git" ${id}\n`,
    command: ['ssh-keygen', ['-Y', 'sign', '-n', 'git', '-f', path]],
  };
}

async function openpgpKey(path: string, key: string, home: string): Promise<OpenedKey> {
  const batch = ['--homedir', home, '--batch', '--no-tty', '--pinentry-mode', 'loopback', '--passphrase', ''];
  const failed = await answer('gpg', [...batch, '--import', path]).then(() => undefined, reasonOf);
  const listed = await answer('gpg', [...batch, '--with-colons', '--list-secret-keys']).catch(() => '');
  const ids = [...listed.matchAll(/^sec:.*\n(?:grp:.*\n)*fpr:(?:[^:]*:){8}([0-9A-F]+):/gm)].map(([, id]) => id!);
  if (ids.length !== 1)
    throw unusable(
      key,
      `it holds ${ids.length === 0 ? 'no private key' : `${ids.length} private keys`} for OpenPGP${failed ? ` (${failed})` : ''}: export one with gpg --armor --export-secret-keys`,
    );
  return {
    id: ids[0]!,
    accepted: await answer('gpg', [...batch, '--armor', '--export', ids[0]!]),
    command: ['gpg', [...batch, '--local-user', ids[0]!, '--armor', '--detach-sign']],
  };
}

/** The signature is a header of the commit, its last one; further lines of a header begin with a space (git's signature-format). */
function withSignature({ content }: NewObject, signature: string): NewObject {
  const end = content.indexOf('\n\n');
  const header = `\ngpgsig ${signature.trimEnd().replaceAll('\n', '\n ')}`;
  return newObject('commit', Buffer.concat([content.subarray(0, end), Buffer.from(header), content.subarray(end)]));
}

const run = promisify(execFile);

async function answer(program: string, args: readonly string[], input?: Buffer): Promise<string> {
  const env = { ...process.env, LC_ALL: 'C', SSH_ASKPASS_REQUIRE: 'never' };
  const running = run(program, args, { env, timeout: longestMs });
  // A program may end before it has read all of its input; its exit code decides.
  running.child.stdin!.on('error', () => {});
  running.child.stdin!.end(input);
  return (await running).stdout;
}

const reasonOf = (error: unknown): string => lastLine((error as { stderr?: string }).stderr) ?? messageOf(error);

const unusable = (key: string, why: string): GitError => new GitError('bad-address', `--sign-key ${key}: ${why}`);
