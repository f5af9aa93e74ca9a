import { readFile } from 'node:fs/promises';
import { messageOf } from '../../api/message-of.ts';
import { GitError } from '../git-error.ts';

/** Asked before every request, so that a token file that is rotated is followed. */
export type Credentials = () => Promise<{ readonly username: string; readonly password: string } | undefined>;

/**
 * `GITFLEET_GIT_TOKEN`, or `GITFLEET_GIT_USERNAME` with `GITFLEET_GIT_PASSWORD`; each secret also as `…_FILE`.
 * A token without a user name goes as the password of `x-access-token`, which GitHub, GitLab, Gitea and Forgejo take.
 */
export function credentialsFromEnv(env: NodeJS.ProcessEnv = process.env): Credentials {
  return async () => {
    const username = env['GITFLEET_GIT_USERNAME']?.trim();
    const token = await secret(env, 'GITFLEET_GIT_TOKEN');
    if (token !== undefined) return { username: username || 'x-access-token', password: token };
    const password = await secret(env, 'GITFLEET_GIT_PASSWORD');
    if (username && password !== undefined) return { username, password };
    return undefined;
  };
}

async function secret(env: NodeJS.ProcessEnv, name: string): Promise<string | undefined> {
  const file = env[`${name}_FILE`];
  if (!file) return env[name]?.trim() || undefined;
  try {
    return (await readFile(file, 'utf8')).trim() || undefined;
  } catch (error) {
    const gone = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const why = gone ? 'which is not there' : `which cannot be read (${messageOf(error)})`;
    throw new GitError(
      'unauthorized',
      `${name}_FILE names ${file}, ${why}: put the secret into that file, name another one, or unset ${name}_FILE`,
      error,
    );
  }
}
