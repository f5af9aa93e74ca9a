import { isDeepStrictEqual } from 'node:util';
import { messageOf } from '../api/message-of.ts';
import { printable } from '../api/printable.ts';
import {
  type ForgeAnswer,
  ForgeError,
  type ForgeErrorCode,
  type ForgeErrorDetails,
  type PullRequest,
} from './forge.ts';

/** Milliseconds of one request with its answer. */
const requestMs = 20_000;
/** Bytes of one answer. A page of 100 pull requests with texts of 64 KiB is less. */
const largestAnswer = 16 * 1024 ** 2;
/** A forge may name any wait. */
const longestWaitMs = 15 * 60_000;
const mostRedirects = 3;
/** Pages of one list. */
const mostPages = 10;
export const pageSize = 50;

/** The part of `fetch` that is used. */
export type ForgeFetch = (
  url: string,
  init: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly redirect: 'manual';
    readonly signal: AbortSignal;
  },
) => Promise<{
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array> | null;
}>;

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the API's address, with escaped parts. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: object;
}

/** Resolves with the parsed JSON; undefined if the answer is empty. Errors: ForgeError. */
export type Api = (call: Call) => Promise<unknown>;

export interface ApiOptions {
  readonly fetch: ForgeFetch;
  /** With the path of the API, without a slash at its end. */
  readonly baseURL: string;
  /** Headers that carry the secret, and the secret itself, which is removed from messages. */
  readonly authorize: () => Promise<{ readonly headers: Readonly<Record<string, string>>; readonly secret: string }>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Calls of a JSON API. Redirects are followed for GET only, and to another origin without the secret. Messages contain what the
 * forge answered, cut short, and never the secret.
 */
export function forgeApi({ fetch, baseURL, authorize, headers: common = {}, now }: ApiOptions): Api {
  const { origin } = new URL(baseURL);
  return async ({ method, path, query, body }) => {
    const { headers: secretHeaders, secret } = await authorize();
    const what = `${method} ${origin}${new URL(baseURL).pathname.replace(/\/$/, '')}${path}`;
    const fail = (code: ForgeErrorCode, why: string, more: ForgeErrorDetails & { cause?: unknown } = {}) =>
      new ForgeError(code, `${what}: ${cleaned(why, secret)}`, more);
    let url = `${baseURL}${path}${query ? `?${new URLSearchParams(texts(query))}` : ''}`;
    const signal = AbortSignal.timeout(requestMs);
    try {
      for (let redirects = 0; ; redirects++) {
        const answer = await fetch(url, {
          method,
          headers: {
            accept: 'application/json',
            'user-agent': 'gitfleet',
            ...common,
            ...(new URL(url).origin === origin ? secretHeaders : {}),
            ...(body && { 'content-type': 'application/json' }),
          },
          ...(body && { body: JSON.stringify(body) }),
          redirect: 'manual',
          signal,
        });
        const text = await bounded(answer.body);
        const location = answer.headers.get('location');
        if (answer.status >= 300 && answer.status < 400 && location !== null) {
          const target = new URL(location, url);
          if (method !== 'GET' || redirects === mostRedirects || !/^https?:$/.test(target.protocol))
            throw fail(
              'refused',
              `redirected to ${target.origin}${target.pathname}, which is not followed: check repository and baseURL`,
            );
          url = target.href;
          continue;
        }
        if (answer.status >= 200 && answer.status < 300) return parsed(text);
        const [code, why, more] = refusal(answer, text, now());
        const said: ForgeAnswer = { status: answer.status, text: cleaned(why, secret) };
        throw fail(code, why, { ...more, answer: said });
      }
    } catch (error) {
      if (error instanceof ForgeError) throw error;
      const why = signal.aborted ? `no response within ${requestMs / 1000} s` : causeOf(error);
      throw fail('unreachable', why, {
        cause: secret.length > 0 && String(error).includes(secret) ? undefined : error,
      });
    }
  };
}

/** Pages end with one that is shorter than what was asked for; of a server that may cut pages further, with an empty one. */
export type PageEnd = 'short' | 'empty';

/** Pages of a list, at most so many. A page that repeats the one before is none: the server does not know pages. */
async function* pagesOf(
  page: (number: number) => Promise<unknown>,
  { most, end }: { readonly most: number; readonly end: PageEnd },
): AsyncGenerator<readonly unknown[]> {
  let before: readonly unknown[] = [];
  for (let number = 1; number <= most; number++) {
    const found = listOf(await page(number));
    if (number > 1 && isDeepStrictEqual(found, before)) return;
    yield found;
    if (found.length < (end === 'empty' ? 1 : pageSize)) return;
    before = found;
  }
}

/** All items of a list that has pages. */
export async function allPages(page: (number: number) => Promise<unknown>, end: PageEnd = 'short'): Promise<unknown[]> {
  const items: unknown[] = [];
  for await (const found of pagesOf(page, { most: mostPages, end })) items.push(...found);
  return items;
}

/** Pages of open pull requests that are looked at for those of the repository. */
const mostPagesOfPulls = 40;

/** Open pull requests, at most 500. Everybody can open those of forks, so they never push out others. */
export async function openPulls(
  page: (number: number) => Promise<unknown>,
  pullsOf: (item: unknown) => readonly PullRequest[],
  end: PageEnd = 'short',
): Promise<readonly PullRequest[]> {
  const most = mostPages * pageSize;
  const [own, forks]: [PullRequest[], PullRequest[]] = [[], []];
  for await (const found of pagesOf(page, { most: mostPagesOfPulls, end })) {
    for (const pull of found.flatMap(pullsOf)) (pull.isFork ? forks : own).push(pull);
    if (own.length >= most) break;
  }
  return [...own, ...forks].slice(0, most);
}

/** An answer has more bytes than are read. */
class AnswerTooLarge extends Error {}

/** Items asked for at once where a page is too large: two texts of GitLab's limit, 1 MiB characters, are less. */
const pieceSize = 2;

/** A page of a list whose items have texts of others; in pieces where it is too large. `size`: how the forge names items of a page. */
export async function pageOfTexts(
  api: Api,
  { path, query, size }: Pick<Call, 'path' | 'query'> & { readonly size: string },
  number: number,
): Promise<unknown[]> {
  const ask = async (count: number, page: number): Promise<unknown[]> =>
    listOf(await api({ method: 'GET', path, query: { ...query, [size]: count, page } }));
  try {
    return await ask(pageSize, number);
  } catch (error) {
    if (!(error instanceof ForgeError && error.cause instanceof AnswerTooLarge)) throw error;
  }
  const items: unknown[] = [];
  const pieces = pageSize / pieceSize;
  for (let piece = 1; piece <= pieces; piece++) {
    const found = await ask(pieceSize, (number - 1) * pieces + piece);
    items.push(...found);
    if (found.length < pieceSize) break;
  }
  return items;
}

export function listOf(value: unknown): unknown[] {
  if (!Array.isArray(value))
    throw new ForgeError('unreachable', 'the forge did not respond with a list: check baseURL');
  return value;
}

const texts = (query: Readonly<Record<string, string | number>>): Record<string, string> =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));

function parsed(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ForgeError('unreachable', 'the forge did not respond with JSON: check baseURL', { cause: error });
  }
}

async function bounded(body: AsyncIterable<Uint8Array> | null): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > largestAnswer) throw new AnswerTooLarge(`the answer is larger than ${largestAnswer} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** What an answer without success means, and when to ask again. */
function refusal(
  { status, headers }: Pick<Awaited<ReturnType<ForgeFetch>>, 'status' | 'headers'>,
  text: string,
  now: number,
): [ForgeErrorCode, string, { retryAfterMs?: number }?] {
  const message = messageIn(text);
  // GitLab begins some with the status.
  const why = message.startsWith(`${status} `) ? message : `${status} ${message}`.trim();
  const retryAfterMs = waitIn(headers, now);
  const isLimited =
    status === 429 ||
    (status === 403 &&
      (headers.get('x-ratelimit-remaining') === '0' ||
        headers.get('retry-after') !== null ||
        /secondary rate limit|abuse detection/i.test(text)));
  // GitHub requires a minute at least where it names no time.
  if (isLimited) return ['limited', why, { retryAfterMs: retryAfterMs ?? 60_000 }];
  if (status >= 500) return ['unreachable', why, retryAfterMs === undefined ? {} : { retryAfterMs }];
  if (status === 401 || status === 403) return ['unauthorized', `${why}: check the token and its rights`];
  if (status === 404) return ['not-found', `${why}: no such repository, or this token may not see it`];
  if (/already exists/i.test(text)) return ['exists', why];
  return ['refused', why];
}

function waitIn(headers: { get(name: string): string | null }, now: number): number | undefined {
  const after = headers.get('retry-after');
  const reset = headers.get('x-ratelimit-remaining') === '0' ? headers.get('x-ratelimit-reset') : null;
  const ms =
    after !== null
      ? /^\d+$/.test(after)
        ? Number(after) * 1000
        : Date.parse(after) - now
      : reset !== null
        ? Number(reset) * 1000 - now
        : Number.NaN;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 1000), longestWaitMs) : undefined;
}

/** GitHub and Gitea: `message`, and `errors`; GitLab: a text, a list, or fields with texts; a proxy: a page. */
function messageIn(text: string): string {
  try {
    const { message, error, errors } = JSON.parse(text) as Record<string, unknown>;
    return [message ?? error, errors]
      .filter((part) => part !== undefined && part !== null)
      .map((part) => (typeof part === 'string' ? part : JSON.stringify(part)))
      .join(' ');
  } catch {
    return text.startsWith('<') ? '' : text;
  }
}

/** Characters of a message that a forge sent. */
const mostShown = 300;

const cleaned = (text: string, secret: string): string =>
  printable(secret === '' ? text : text.replaceAll(secret, '(redacted)')).slice(0, mostShown);

/** `fetch failed` says nothing; its cause does. */
function causeOf(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  return cause === undefined ? messageOf(error) : causeOf(cause);
}
