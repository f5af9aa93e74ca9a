import { readFile } from 'node:fs/promises';
import { EnvHttpProxyAgent, fetch as undiciFetch } from 'undici';
import { secretFromEnv } from '../git/secret-from-env.ts';
import { type Forge, ForgeError } from './forge.ts';
import { type ForgeAddress, forgeAddress, type NamedForge, partsOf, usualURLs } from './forge-address.ts';
import { gitea } from './gitea.ts';
import { type Account, github, githubHeaders } from './github.ts';
import { type GithubApp, githubApp } from './github-app.ts';
import { gitlab } from './gitlab.ts';
import { type Api, type ForgeFetch, forgeApi } from './http.ts';

export interface ForgeInput {
  readonly named: NamedForge | undefined;
  /** Of the fleet repo. */
  readonly repo: string;
  readonly env: NodeJS.ProcessEnv;
  readonly fetch: ForgeFetch;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** A forge, or why there is none; neither for a plain git server, and without a token where fleet.yaml names no forge. */
export type OpenedForge = { readonly forge?: Forge; readonly missing?: string };

/** Opens the forge of a fleet repo. No request is sent before the first operation. */
export function openForge({ named, repo, env, fetch, now }: ForgeInput): OpenedForge {
  const address = forgeAddress(named, repo);
  const hasToken = hasForgeToken(env);
  if (address === undefined) {
    if (named === undefined || named.kind === 'none' || !hasToken) return {};
    return {
      missing:
        'spec.forge of fleet.yaml: kind and repository cannot be derived from the address of the repo: write both',
    };
  }
  if (!hasToken)
    return named === undefined
      ? {}
      : {
          missing:
            'spec.forge of fleet.yaml names a forge, but there is no token for it: set GITFLEET_FORGE_TOKEN_FILE',
        };
  const { kind, repository, baseURL } = address;
  if (baseURL === undefined)
    return { missing: `spec.forge.baseURL of fleet.yaml is missing: where is the ${kind} server?` };
  const refused = whyNoToken({ kind, baseURL }, repo, env['GITFLEET_FORGE_HOST']);
  if (refused !== undefined) return { missing: refused };
  const app = appOf({ kind, repository, env, fetch, now, baseURL });
  const api = whileAllowed(
    forgeApi({
      fetch,
      now,
      baseURL: apiURL[kind](baseURL),
      headers: kind === 'github' ? githubHeaders : {},
      authorize: async () => {
        const token = await (app ? app.token() : tokenIn(env));
        return { secret: token, headers: authorization[kind](token) };
      },
    }),
    now,
  );
  const login = onceDone(app ? app.login : () => ownLogin(api));
  return { forge: withNamedErrors(dialects[kind](api, { repository, login })) };
}

/** After an answer that names a wait no request is sent until it is over: a limit holds for all of a token. */
function whileAllowed(api: Api, now: () => number): Api {
  let limit: { readonly untilMs: number; readonly message: string } | undefined;
  return async (call) => {
    if (limit && now() < limit.untilMs)
      throw new ForgeError('limited', limit.message, { retryAfterMs: limit.untilMs - now() });
    try {
      return await api(call);
    } catch (error) {
      if (error instanceof ForgeError && error.code === 'limited')
        limit = { untilMs: now() + (error.retryAfterMs ?? 0), message: error.message };
      throw error;
    }
  };
}

/** GitHub and Gitea call it `login`, GitLab `username`. */
async function ownLogin(api: Api): Promise<string> {
  const { login, username } = (await api({ method: 'GET', path: '/user' })) as Record<'login' | 'username', string>;
  return login ?? username;
}

/** Asks again after a failure. */
function onceDone<T>(ask: () => Promise<T>): () => Promise<T> {
  let done: T | undefined;
  return async () => {
    done ??= await ask();
    return done;
  };
}

export const hasForgeToken = (env: NodeJS.ProcessEnv): boolean =>
  Boolean(env['GITFLEET_FORGE_TOKEN'] || env['GITFLEET_FORGE_TOKEN_FILE'] || env['GITFLEET_GITHUB_APP_ID']);

/** An answer of another form than the API's is an error of the forge, not of the program. */
function withNamedErrors(forge: Forge): Forge {
  const named =
    <A extends unknown[], R>(operation: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      try {
        return await operation(...args);
      } catch (error) {
        if (error instanceof ForgeError) throw error;
        const why = `the answer does not have the form of the API of ${forge.kind}: check kind and baseURL`;
        throw new ForgeError('unreachable', why, { cause: error });
      }
    };
  return {
    ...forge,
    listOpen: named(forge.listOpen),
    find: named(forge.find),
    open: named(forge.open),
    edit: named(forge.edit),
    close: named(forge.close),
    merge: named(forge.merge),
    assign: named(forge.assign),
    comments: named(forge.comments),
    addComment: named(forge.addComment),
    editComment: named(forge.editComment),
    deleteComment: named(forge.deleteComment),
    status: named(forge.status),
    setStatus: named(forge.setStatus),
    approvers: named(forge.approvers),
    mergedBy: named(forge.mergedBy),
  };
}

/** One row for each kind of forge. */
const dialects: Readonly<Record<ForgeAddress['kind'], (api: Api, account: Account) => Forge>> = {
  github,
  gitlab,
  gitea,
};

const apiURL: Readonly<Record<ForgeAddress['kind'], (baseURL: string) => string>> = {
  github: (baseURL) => baseURL,
  gitlab: (baseURL) => `${baseURL.replace(/\/api\/v4$/, '')}/api/v4`,
  gitea: (baseURL) => `${baseURL.replace(/\/api\/v1$/, '')}/api/v1`,
};

const authorization: Readonly<Record<ForgeAddress['kind'], (token: string) => Readonly<Record<string, string>>>> = {
  github: (token) => ({ authorization: `Bearer ${token}` }),
  gitlab: (token) => ({ 'private-token': token }),
  gitea: (token) => ({ authorization: `token ${token}` }),
};

/**
 * Those who can change fleet.yaml could have the token sent to a server of their own. So it goes to the host of the repo and what
 * belongs to it, at the port of its web server, and elsewhere only where the operator of the daemon says so. Of a repo that is a path
 * it goes to the server that everybody uses.
 */
function whyNoToken(
  { kind, baseURL }: { readonly kind: ForgeAddress['kind']; readonly baseURL: string },
  repo: string,
  allowed: string | undefined,
): string | undefined {
  const { host, hostname, origin, port, protocol } = new URL(baseURL);
  const of = partsOf(repo);
  const isNear =
    of === undefined
      ? origin === usualURLs[kind]
      : port === new URL(of.origin).port && (near(hostname, of.host) || (isLoopback(hostname) && isLoopback(of.host)));
  if (!isNear && host !== allowed?.toLowerCase()) {
    const where = of === undefined ? 'a path' : `on ${new URL(of.origin).host}`;
    return `spec.forge.baseURL of fleet.yaml names ${host}, but the repo is ${where}, so the token is not sent: set GITFLEET_FORGE_HOST=${host} if that is right`;
  }
  if (protocol === 'http:' && !isLoopback(hostname) && !repo.startsWith('http://'))
    return `spec.forge.baseURL of fleet.yaml is http://${hostname}, which would show the token to the network: write https://`;
  return undefined;
}

const near = (a: string, b: string): boolean => a === b || a.endsWith(`.${b}`) || b.endsWith(`.${a}`);
const isLoopback = (host: string): boolean => host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);

function appOf({
  kind,
  env,
  ...rest
}: Omit<ForgeInput, 'named' | 'repo'> & ForgeAddress & { readonly baseURL: string }): GithubApp | undefined {
  const appId = env['GITFLEET_GITHUB_APP_ID']?.trim();
  return kind === 'github' && appId ? githubApp({ ...rest, appId, key: () => appKey(env) }) : undefined;
}

async function tokenIn(env: NodeJS.ProcessEnv): Promise<string> {
  const { secret, file } = await secretFromEnv('GITFLEET_FORGE_TOKEN', env);
  if (secret !== undefined) return secret;
  throw new ForgeError(
    'unauthorized',
    file ? `${file.variable} names ${file.path}, which holds no token` : 'GITFLEET_FORGE_TOKEN is empty',
  );
}

async function appKey(env: NodeJS.ProcessEnv): Promise<string> {
  const path = env['GITFLEET_GITHUB_APP_KEY_FILE'];
  if (!path)
    throw new ForgeError('unauthorized', 'GITFLEET_GITHUB_APP_ID is set, but GITFLEET_GITHUB_APP_KEY_FILE is not');
  return readFile(path, 'utf8').catch(() => {
    throw new ForgeError('unauthorized', `GITFLEET_GITHUB_APP_KEY_FILE names ${path}, which cannot be read`);
  });
}

/** Milliseconds. */
const connectMs = 10_000;

/** `fetch` with the proxy of the environment; further authorities come from NODE_EXTRA_CA_CERTS. */
export function networkFetch(): { readonly fetch: ForgeFetch; close(): Promise<void> } {
  const dispatcher = new EnvHttpProxyAgent({ connect: { timeout: connectMs } });
  return {
    fetch: (url, init) => undiciFetch(url, { ...init, dispatcher }) as ReturnType<ForgeFetch>,
    close: () => dispatcher.destroy(),
  };
}
