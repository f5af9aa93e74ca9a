import { createSign } from 'node:crypto';
import { ForgeError } from './forge.ts';
import { githubHeaders } from './github.ts';
import { type ApiOptions, forgeApi } from './http.ts';

/** Milliseconds before its end at which a token is replaced. */
const renewMs = 5 * 60_000;
/** GitHub accepts ten minutes; clocks differ. */
const jwtSeconds = 8 * 60;

/** Token of the installation of a GitHub App for one repository, replaced before it ends. `key`: read at each renewal, PEM. */
export function installationToken(
  options: Pick<ApiOptions, 'fetch' | 'baseURL' | 'now'> & {
    readonly appId: string;
    readonly key: () => Promise<string>;
    readonly repository: string;
  },
): () => Promise<string> {
  const { now, repository } = options;
  const api = forgeApi({
    ...options,
    headers: githubHeaders,
    authorize: async () => {
      const secret = jwt({ appId: options.appId, key: await options.key(), seconds: Math.floor(now() / 1000) });
      return { secret, headers: { authorization: `Bearer ${secret}` } };
    },
  });
  let current: { readonly token: string; readonly untilMs: number } | undefined;
  return async () => {
    if (current !== undefined && now() < current.untilMs - renewMs) return current.token;
    const repo = repository.split('/').map(encodeURIComponent).join('/');
    const { id } = (await api({ method: 'GET', path: `/repos/${repo}/installation` })) as { readonly id: number };
    const { token, expires_at: until } = (await api({
      method: 'POST',
      path: `/app/installations/${id}/access_tokens`,
      body: {},
    })) as { readonly token: string; readonly expires_at: string };
    current = { token, untilMs: Date.parse(until) };
    return token;
  };
}

function jwt({
  appId,
  key,
  seconds,
}: {
  readonly appId: string;
  readonly key: string;
  readonly seconds: number;
}): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  // A minute early, as the clock of GitHub may be behind.
  const signed = `${part({ alg: 'RS256', typ: 'JWT' })}.${part({ iat: seconds - 60, exp: seconds + jwtSeconds, iss: appId })}`;
  try {
    return `${signed}.${createSign('RSA-SHA256').update(signed).sign(key, 'base64url')}`;
  } catch {
    // Without the cause, which may quote the key.
    throw new ForgeError(
      'unauthorized',
      'the file that GITFLEET_GITHUB_APP_KEY_FILE names holds no private key in PEM form',
    );
  }
}
