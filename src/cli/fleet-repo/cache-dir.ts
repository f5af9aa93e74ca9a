import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256 } from '../../repo/sha256.ts';

/** Default directory for clones and parsed files of a repo; can be deleted at any time. */
export function defaultCacheDir(repo: string): string {
  const base = process.env['XDG_CACHE_HOME'] ?? (homedir() ? join(homedir(), '.cache') : tmpdir());
  return join(base, 'gitfleet', sha256(repo).slice(0, 16));
}
