import { createSign } from 'node:crypto';
import { ForgeError } from './forge.ts';
import { githubHeaders } from './github.ts';
import { type ApiOptions, forgeApi } from './http.ts';

/** Milliseconds before its end at which a token is replaced. */
const renewMs = 5 * 60_000;
/** GitHub accepts ten minutes; clocks differ. */
const jwtSeconds = 8 * 60;

/** A GitHub App, as it is installed for one repository. */
export interface GithubApp {
  /** Of the installation, replaced before it ends. */
  token(): Promise<string>;
  /** The name under which it comments. */
  login(): Promise<string>;
}

/** `key`: read at each renewal, PEM. */
export function githubApp(
  options: Pick<ApiOptions, 'fetch' | 'baseURL' | 'now'> & {
    readonly appId: string;
    readonly key: () => Promise<string>;
    readonly repository: string;
  },
): GithubApp {
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
  async function token(): Promise<string> {
    if (current !== undefined && now() < current.untilMs - renewMs) return current.token;
    const repo = repository.split('/').map(encodeURIComponent).join('/');
    const { id } = (await api({ method: 'GET', path: `/repos/${repo}/installation` })) as { readonly id: number };
    const { token: issued, expires_at: until } = (await api({
      method: 'POST',
      path: `/app/installations/${id}/access_tokens`,
      body: {},
    })) as { readonly token: string; readonly expires_at: string };
    current = { token: issued, untilMs: Date.parse(until) };
    return issued;
  }
  return {
    token,
    async login() {
      const { slug } = (await api({ method: 'GET', path: '/app' })) as { readonly slug: string };
      return `${slug}[bot]`;
    },
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
