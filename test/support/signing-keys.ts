import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folder } from './folders.ts';
import { gitThere } from './git-repository.ts';

const isThere = (program: string, ...args: string[]): boolean => {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ENOENT') return true;
    console.warn(`SKIPPED: tests of signatures need ${program}, which is not installed here`);
    return false;
  }
};

/** Whether commits can be signed here. */
export const sshThere = gitThere && isThere('ssh-keygen', '-?');
export const gpgThere = gitThere && isThere('gpg', '--version');

/** A file of keys; its path. */
export const keyFile = (text: string): string => {
  const path = join(folder(), 'keys');
  writeFileSync(path, text);
  return path;
};

/** A private key for ssh; its path. The public one is beside it. */
export function sshKey(name: string, passphrase = ''): string {
  const path = join(folder(), name);
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', passphrase, '-C', name, '-f', path]);
  return path;
}

/** A keyring for OpenPGP. */
export function gpgHome() {
  const home = folder();
  const batch = ['--homedir', home, '--batch', '--no-tty', '--pinentry-mode', 'loopback'];
  const gpg = (passphrase: string, ...args: string[]): string =>
    execFileSync('gpg', [...batch, '--passphrase', passphrase, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    }).toString();
  return {
    home,
    /** Without passphrase. */
    gpg: (...args: string[]) => gpg('', ...args),
    generate: (who: string, passphrase = '') =>
      void gpg(passphrase, '--quick-generate-key', who, 'ed25519', 'sign', '1d'),
    /** The private key; its path. */
    exported: (who: string, passphrase = '') => keyFile(gpg(passphrase, '--armor', '--export-secret-keys', who)),
    close: () => void execFileSync('gpgconf', ['--homedir', home, '--kill', 'all']),
  };
}
