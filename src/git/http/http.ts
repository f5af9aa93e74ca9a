import type { GitHttpRequest, GitHttpResponse, HttpClient } from 'isomorphic-git';
import { EnvHttpProxyAgent, request } from 'undici';
import { connectionBroke } from '../../api/connection-broke.ts';
import { messageOf } from '../../api/message-of.ts';
import { GitError } from '../git-error.ts';
import { largestAnswer } from '../mirror-fetch.ts';
import type { Credentials } from './credentials.ts';

/** Milliseconds. A server that computes a pack sends keep-alives; without any byte for this long, it counts as lost. */
const connectMs = 10_000;
const silenceMs = 60_000;
/** A whole request with its response, milliseconds: bounds a server that sends very slowly. */
const wholeMs = 10 * 60_000;

export interface GitHttp extends HttpClient {
  close(): Promise<void>;
}

/**
 * The HTTP client under isomorphic-git and our own push: one pool of connections, timeouts, a size limit, proxy from the
 * environment. Credentials are sent to the repository's own origin only, once for each request: a refusal is final and cannot
 * loop. Redirects are followed for the first request only and never to another origin (except from http to https). A read is
 * retried once if the connection breaks before the response; a push is not, since it may have been carried out.
 */
export function gitHttp(
  credentials: Credentials,
  limits: { readonly silenceMs?: number; readonly largestAnswer?: number } = {},
): GitHttp {
  const agent = new EnvHttpProxyAgent({
    headersTimeout: limits.silenceMs ?? silenceMs,
    bodyTimeout: limits.silenceMs ?? silenceMs,
    connect: { timeout: connectMs },
    // The daemon sends one request at a time; a second connection would only cost a handshake.
    connections: 1,
  });
  const closing = new AbortController();
  let moved: { readonly from: string; readonly to: string } | undefined;

  async function send(asked: GitHttpRequest): Promise<GitHttpResponse> {
    const url =
      moved !== undefined && asked.url.startsWith(moved.from)
        ? moved.to + asked.url.slice(moved.from.length)
        : asked.url;
    const method = (asked.method ?? 'GET') as 'GET' | 'POST';
    const account = await credentials();
    const headers: Record<string, string> = { ...asked.headers };
    for (const name of Object.keys(headers)) if (headers[name] === undefined) delete headers[name];
    if (account)
      headers['authorization'] = `Basic ${Buffer.from(`${account.username}:${account.password}`).toString('base64')}`;
    const signals = [closing.signal, AbortSignal.timeout(wholeMs), ...(asked.signal ? [asked.signal] : [])];
    const body = asked.body === undefined ? undefined : await gathered(asked.body);
    const exchange = () => request(url, { method, headers, body, dispatcher: agent, signal: AbortSignal.any(signals) });
    const answer = await exchange()
      .catch((error: unknown) => {
        if (writes(url) || !connectionBroke(error)) throw error;
        return exchange();
      })
      .catch((error: unknown) => {
        throw new GitError('unreachable', `${method} ${url}: ${causeOf(error)}`, error);
      });
    const { statusCode } = answer;
    const location = answer.headers['location'];
    if (statusCode >= 300 && statusCode < 400 && typeof location === 'string') {
      await answer.body.dump();
      const target = new URL(location, url).href;
      if (method !== 'GET' || moved !== undefined || !mayFollow(url, target))
        throw new GitError(
          'unreachable',
          `${method} ${url}: redirected to ${new URL(target).origin}, which is not followed`,
        );
      moved = { from: beforeInfo(asked.url), to: beforeInfo(target) };
      return send(asked);
    }
    if (statusCode === 401 || statusCode === 403) {
      await answer.body.dump();
      const hint = account ? 'check the token and its rights' : 'set GITFLEET_GIT_TOKEN or GITFLEET_GIT_TOKEN_FILE';
      throw new GitError('unauthorized', `${method} ${url}: ${statusCode}, ${hint}`);
    }
    if (statusCode === 404) {
      await answer.body.dump();
      throw new GitError('not-found', `${method} ${url}: 404, no such repository, or these credentials may not see it`);
    }
    if (statusCode !== 200) {
      await answer.body.dump();
      throw new GitError('unreachable', `${method} ${url}: ${statusCode}`);
    }
    return {
      url,
      method,
      statusCode,
      statusMessage: answer.statusText ?? '',
      headers: Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, String(value)])),
      body: bounded(answer.body, url, limits.largestAnswer ?? largestAnswer),
    };
  }

  return {
    request: send,
    close: async () => {
      closing.abort();
      await agent.destroy();
    },
  };
}

/** The bytes of a response up to a limit. Errors: `too-large`, `unreachable`. */
export async function* bounded(
  body: AsyncIterable<Uint8Array>,
  url: string,
  largest: number,
): AsyncIterableIterator<Uint8Array> {
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > largest) throw new GitError('too-large', `${url}: the response is larger than ${largest} bytes`);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof GitError ? error : new GitError('unreachable', `${url}: ${causeOf(error)}`, error);
  }
}

/** isomorphic-git passes arrays as well as iterators. */
async function gathered(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const writes = (url: string): boolean => url.endsWith('/git-receive-pack');

const beforeInfo = (url: string): string => url.replace(/\/info\/refs.*$/, '');

function mayFollow(from: string, to: string): boolean {
  const a = new URL(from);
  const b = new URL(to);
  return a.origin === b.origin || (a.protocol === 'http:' && b.protocol === 'https:' && a.hostname === b.hostname);
}

/** The error code, unless the message contains it already, and what to do about errors that a user can fix. */
function causeOf(error: unknown): string {
  const { code } = error as { code?: string };
  const message = messageOf(error).trim();
  const help = code === undefined ? undefined : helpFor[code];
  if (help !== undefined) return help;
  return code === undefined || message.includes(code) ? message : `${code} ${message}`;
}

const untrusted = 'its certificate is not trusted: name the file of its authority in NODE_EXTRA_CA_CERTS';
const helpFor: Readonly<Record<string, string>> = {
  ERR_SSL_WRONG_VERSION_NUMBER: 'what listens there does not speak TLS: write http://, or name the port of https',
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
};
