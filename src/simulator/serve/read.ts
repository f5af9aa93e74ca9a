import type { Cluster } from '../cluster.ts';
import { type Kind, storageKey } from '../kinds/kind.ts';
import type { Stored } from '../object.ts';
import { json, type SimRequest, type SimResponse } from './http.ts';
import { checkListOptions, integerIn } from './list-options.ts';
import { formOf, presentList, presentOne } from './present.ts';
import { type Matches, matcherOf } from './selectors.ts';
import { badRequest, expired, notFound, StatusError } from './status-error.ts';

/** The version for stale reads; undefined: the present one. */
export type AsOf = number | undefined;

export function get(
  cluster: Cluster,
  kind: Kind,
  request: SimRequest,
  name: { namespace?: string; name: string },
  asOf: AsOf,
): SimResponse {
  const found = lookUp(cluster, kind, name, asOf);
  if (!found) throw notFound(kind, name.name);
  const form = formOf(request.headers['accept'], request.query.get('includeObject'));
  return json(200, presentOne(found, kind, form, cluster.clock.now()));
}

function lookUp(
  cluster: Cluster,
  kind: Kind,
  name: { namespace?: string; name: string },
  asOf: AsOf,
): Stored | undefined {
  if (asOf === undefined) return cluster.store.get(storageKey(kind), name);
  const past = cluster.store.listAt(storageKey(kind), asOf, name.namespace) ?? [];
  return past.find((object) => object.metadata.name === name.name);
}

interface Token {
  readonly rv: number;
  /** Number of objects of that version in earlier pages. */
  readonly from: number;
}

export function list(
  cluster: Cluster,
  kind: Kind,
  request: SimRequest,
  namespace: string | undefined,
  asOf: AsOf,
): SimResponse {
  const { query } = request;
  const matches = matcherOf(query, kind);
  checkListOptions(query, false);
  const limit = integerIn(query, 'limit') ?? 0;
  const token = readToken(query.get('continue'));
  if (kind.custom && !token && !isCheap(query)) cluster.customCaches.oldest(storageKey(kind));
  const version = token?.rv ?? wantedVersion(cluster, query) ?? asOf ?? cluster.store.version();
  const moment = cluster.store.listAt(storageKey(kind), version, namespace);
  if (!moment)
    throw expired(
      'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
    );
  const { page, next } = cut(moment, token?.from ?? 0, limit, matches);
  const more = next < moment.length && limit > 0;
  const metadata = {
    resourceVersion: String(version),
    ...(more ? { continue: writeToken({ rv: version, from: next }) } : {}),
    ...(more && !matches ? { remainingItemCount: moment.length - next } : {}),
  };
  const form = formOf(request.headers['accept'], query.get('includeObject'));
  return json(200, presentList(page, kind, form, cluster.clock.now(), metadata));
}

/** Served from etcd while there is no cache (delegator.go: shouldDelegateListOnNotReadyCache). */
const isCheap = (query: URLSearchParams): boolean =>
  query.get('resourceVersionMatch') === 'Exact' ||
  (Number(query.get('limit') ?? 0) > 0 && !query.get('labelSelector') && !query.get('fieldSelector'));

function cut(all: readonly Stored[], from: number, limit: number, matches: Matches | undefined) {
  if (limit <= 0 && from === 0) return { page: matches ? all.filter(matches) : all, next: all.length };
  const page: Stored[] = [];
  let next = from;
  while (next < all.length && (limit <= 0 || page.length < limit)) {
    const object = all[next++]!;
    if (!matches || matches(object)) page.push(object);
  }
  return { page, next };
}

/** Undefined: any version. */
function wantedVersion(cluster: Cluster, query: URLSearchParams): number | undefined {
  const text = query.get('resourceVersion') ?? '';
  const match = query.get('resourceVersionMatch') ?? '';
  if (text === '' || text === '0') return undefined;
  const version = readVersion(text);
  if (match === 'Exact') return version;
  refuseFuture(cluster, version);
  return undefined;
}

function readVersion(text: string): number {
  if (!/^\d+$/.test(text))
    throw badRequest(
      `invalid resource version ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  return Number(text);
}

/** A version that this server has not reached yet: the client saw another, newer server. */
function refuseFuture(cluster: Cluster, version: number): void {
  const current = cluster.store.version();
  if (version <= current) return;
  throw new StatusError(504, 'Timeout', `Too large resource version: ${version}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}

const writeToken = (token: Token): string =>
  Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', ...token })).toString('base64url');

function readToken(text: string | null): Token | undefined {
  if (!text) return undefined;
  try {
    const token = JSON.parse(Buffer.from(text, 'base64url').toString()) as Token;
    if (Number.isInteger(token.rv) && Number.isInteger(token.from)) return token;
  } catch {
    // An invalid token is refused below, like a token of another server.
  }
  throw badRequest('continue key is not valid: invalid token');
}
