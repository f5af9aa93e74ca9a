import { messageOf } from '../../api/message-of.ts';
import { GitError } from '../git-error.ts';
import { secretFromEnv } from '../secret-from-env.ts';

/** Read before every request, so that a rotated token file takes effect. */
export type Credentials = () => Promise<{ readonly username: string; readonly password: string } | undefined>;

/**
 * `GITFLEET_GIT_TOKEN`, or `GITFLEET_GIT_USERNAME` with `GITFLEET_GIT_PASSWORD`; each secret also as `…_FILE`.
 * A token without a user name is sent as the password of `x-access-token`, which GitHub, GitLab, Gitea and Forgejo accept.
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
  const { secret, file } = await secretFromEnv(name, env);
  if (file?.error === undefined) return secret;
  const { variable, path, error } = file;
  const gone = (error as NodeJS.ErrnoException).code === 'ENOENT';
  const why = gone ? 'which is not there' : `which cannot be read (${messageOf(error)})`;
  throw new GitError(
    'unauthorized',
    `${variable} names ${path}, ${why}: put the secret into that file, name another one, or unset ${variable}`,
    error,
  );
}
