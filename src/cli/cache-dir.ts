import { createHash } from 'node:crypto';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where clones and parsed files of a repo are kept when nobody says otherwise; can be deleted at any time. */
export function defaultCacheDir(repo: string): string {
  const base = process.env['XDG_CACHE_HOME'] ?? (homedir() ? join(homedir(), '.cache') : tmpdir());
  return join(base, 'gitfleet', createHash('sha256').update(repo).digest('hex').slice(0, 16));
}
