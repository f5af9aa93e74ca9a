import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileErrorText } from '../../api/file-error-text.ts';
import { messageOf } from '../../api/message-of.ts';
import { GitError } from '../git-error.ts';
import { git, gitOrThrow, hasGit, hasGitSince } from '../native/run-git.ts';
import type { Objects } from '../objects/objects.ts';

export const signatureFormats = ['openpgp', 'ssh'] as const;
export type SignatureFormat = (typeof signatureFormats)[number];

/** Verdict on the signature of a commit. */
export type SignatureVerdict =
  /** `by`: whose key it is, as the keys file names them. */
  { readonly isVerified: true; readonly by: string } | { readonly isVerified: false; readonly why: string };

export interface CommitVerifier {
  verify(objects: Pick<Objects, 'read'>, commit: string): Promise<SignatureVerdict>;
  close(): Promise<void>;
}

/** The options that name the kind of signature and the keys, for messages. */
export interface VerifierFlags {
  readonly format: string;
  readonly keys: string;
}

const verifyFlags: VerifierFlags = { format: '--verify-commits', keys: '--verify-keys' };

/** Verdicts that are kept: a branch is verified from its last verified commit on. */
const mostKept = 2_000;

/**
 * Verifies commits by `git verify-commit`, in a repository of its own: the configuration of a followed clone names no program here, and
 * the keyring has only the keys of the file, as they are now. Errors: GitError `no-git-binary`, or `bad-address` for a file of keys that
 * cannot be used; a sentence that names `--verify-keys`.
 */
export async function openCommitVerifier({
  format,
  keys,
  flags = verifyFlags,
}: {
  readonly format: SignatureFormat;
  /** Path of the file with the public keys. */
  readonly keys: string;
  readonly flags?: VerifierFlags;
}): Promise<CommitVerifier> {
  await requirePrograms(format, flags);
  const text = await readFile(keys).catch((error: unknown) => {
    const file =
      format === 'ssh' ? 'allowed signers, as ssh-keygen has them' : 'public keys, as gpg --export writes it';
    throw new GitError(
      'not-found',
      `${flags.keys} ${keys} cannot be read: ${fileErrorText(error)}: name a file of ${file}`,
    );
  });
  const dir = await mkdtemp(join(tmpdir(), 'gitfleet-keys-'));
  const close = () => rm(dir, { recursive: true, force: true });
  try {
    await chmod(dir, 0o700);
    const gitdir = join(dir, 'repo.git');
    await gitOrThrow(['init', '--quiet', '--bare', '--template=', gitdir]);
    const settings = format === 'ssh' ? await sshSettings(dir, text, keys) : await openpgpSettings(dir, text, keys);
    const verdicts = new Map<string, SignatureVerdict>();
    return {
      close,
      async verify(objects, commit) {
        const known = verdicts.get(commit);
        if (known) return known;
        const { content } = (await objects.read([commit])).get(commit)!;
        const verdict = await verdictOn({ commit, content, gitdir, dir, settings, format, flags });
        verdicts.set(commit, verdict);
        if (verdicts.size > mostKept) verdicts.delete(verdicts.keys().next().value!);
        return verdict;
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Errors: GitError `no-git-binary`. */
export async function requirePrograms(format: SignatureFormat, flags: VerifierFlags): Promise<void> {
  const flag = `${flags.format} ${format}`;
  if (!(await hasGit()))
    throw new GitError('no-git-binary', `${flag} needs the git binary, which is not installed here: install it`);
  if (format === 'ssh' && !(await hasGitSince(2, 34)))
    throw new GitError('no-git-binary', `${flag} needs git 2.34 or later: install a newer one`);
  const program = format === 'ssh' ? 'ssh-keygen' : 'gpg';
  const found = await run(program, [format === 'ssh' ? '-?' : '--version']).then(
    () => true,
    (error: unknown) => (error as { code?: unknown }).code !== 'ENOENT',
  );
  if (!found) throw new GitError('no-git-binary', `${flag} needs ${program}, which is not installed here: install it`);
}

const run = promisify(execFile);

const unusable = (keys: string, why: string): GitError => new GitError('bad-address', `--verify-keys ${keys}: ${why}`);

/** Types of keys, which stand first in a file of keys without names. */
const keyType = /^(?:ssh-|ecdsa-|sk-)/;

async function sshSettings(dir: string, text: Buffer, keys: string): Promise<string[]> {
  const lines = text.toString('utf8').split('\n');
  const signers = lines.filter((line) => line.trim() !== '' && !line.trimStart().startsWith('#'));
  if (signers.length === 0)
    throw unusable(keys, 'it names no signer: write one on each line, as ann@example.com ssh-ed25519 AAAA…');
  const nameless = signers.find((line) => keyType.test(line.trimStart()));
  if (nameless !== undefined)
    throw unusable(
      keys,
      `the line "${nameless.slice(0, 30)}…" names no signer: write it as ann@example.com ssh-ed25519 AAAA… (ssh-keygen(1), ALLOWED SIGNERS)`,
    );
  const file = join(dir, 'signers');
  await writeFile(file, text, { mode: 0o600 });
  // Below this level git accepts any key that made a valid signature.
  return [
    '-c',
    `gpg.ssh.allowedSignersFile=${file}`,
    '-c',
    'gpg.minTrustLevel=fully',
    '-c',
    'gpg.ssh.program=ssh-keygen',
  ];
}

async function openpgpSettings(dir: string, text: Buffer, keys: string): Promise<string[]> {
  if (text.includes('PRIVATE KEY BLOCK'))
    throw unusable(keys, 'it holds a private key: export only public ones, with gpg --armor --export');
  await writeFile(join(dir, 'gpg.conf'), 'batch\nno-tty\nno-autostart\nno-auto-key-retrieve\nno-auto-check-trustdb\n');
  const file = join(dir, 'keys');
  await writeFile(file, text, { mode: 0o600 });
  const failed = await run('gpg', ['--homedir', dir, '--import', file]).then(
    () => undefined,
    (error: unknown) => lastLine((error as { stderr?: string }).stderr) ?? messageOf(error),
  );
  const { stdout } = await run('gpg', ['--homedir', dir, '--with-colons', '--list-keys']).catch(() => ({ stdout: '' }));
  if (!/^pub:/m.test(stdout)) throw unusable(keys, `it holds no public key for OpenPGP${failed ? ` (${failed})` : ''}`);
  // The keyring is the list of who may sign: its keys have no ratings.
  return ['-c', 'gpg.ssh.allowedSignersFile=/dev/null', '-c', 'gpg.minTrustLevel=undefined', '-c', 'gpg.program=gpg'];
}

async function verdictOn(of: {
  readonly commit: string;
  readonly content: Buffer;
  readonly gitdir: string;
  readonly dir: string;
  readonly settings: readonly string[];
  readonly format: SignatureFormat;
  readonly flags: VerifierFlags;
}): Promise<SignatureVerdict> {
  const { commit, content, gitdir, dir, settings, format, flags } = of;
  const header = content.subarray(0, content.indexOf('\n\n')).toString('latin1');
  const signature = /^gpgsig -----BEGIN ([A-Z ]+)-----$/m.exec(header)?.[1];
  if (signature === undefined) return { isVerified: false, why: 'it is not signed' };
  if ((signature === 'SSH SIGNATURE') !== (format === 'ssh') || signature === 'SIGNED MESSAGE')
    return { isVerified: false, why: `its signature is not of the kind ${format}` };
  const stored = await git(['hash-object', '-t', 'commit', '-w', '--stdin'], { gitdir, input: content });
  if (stored.code !== 0) return { isVerified: false, why: 'git refuses it as malformed' };
  if (stored.stdout.toString('utf8').trim() !== commit) return { isVerified: false, why: 'its content has another id' };
  const environment = { GNUPGHOME: dir };
  const { code, stderr } = await git([...settings, 'verify-commit', '--raw', commit], { gitdir, environment });
  const by = format === 'ssh' ? signerBySsh(stderr) : signerByGpg(stderr);
  if (code === 0 && by !== undefined) return { isVerified: true, by };
  return { isVerified: false, why: format === 'ssh' ? whyNotBySsh(stderr, flags) : whyNotByGpg(stderr, flags) };
}

const signerBySsh = (raw: string): string | undefined => /^Good "git" signature for (.+) with /m.exec(raw)?.[1];

const whyNotBySsh = (raw: string, { keys }: VerifierFlags): string =>
  /No principal matched/i.test(raw) || /^Good "git" signature with/m.test(raw)
    ? `its key is not among the keys of ${keys}`
    : `its signature does not hold (${lastLine(raw) ?? 'git gives no reason'})`;

/** Exactly one good signature, and nothing else about it: the status lines of gpg (doc/DETAILS). */
function signerByGpg(raw: string): string | undefined {
  const good = [...raw.matchAll(/^\[GNUPG:\] GOODSIG [0-9A-F]+ (.+)$/gm)];
  const isBad = /^\[GNUPG:\] (?:BADSIG|ERRSIG|EXPSIG|EXPKEYSIG|REVKEYSIG)\b/m.test(raw);
  return good.length === 1 && !isBad && /^\[GNUPG:\] VALIDSIG /m.test(raw) ? good[0]![1] : undefined;
}

function whyNotByGpg(raw: string, { keys }: VerifierFlags): string {
  const has = (word: string): boolean => new RegExp(`^\\[GNUPG:\\] ${word}\\b`, 'm').test(raw);
  if (has('NO_PUBKEY')) return `its key is not among the keys of ${keys}`;
  if (has('EXPKEYSIG')) return 'its key has expired';
  if (has('REVKEYSIG')) return 'its key was revoked';
  if (has('EXPSIG')) return 'its signature has expired';
  return 'its signature does not hold';
}

/** For messages of programs. */
export const lastLine = (text: string | undefined): string | undefined => text?.trim().split('\n').at(-1) || undefined;
