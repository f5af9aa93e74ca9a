import type { Manifest } from '../../api/meta.ts';
import { isFields } from '../../engine/kernel/fields.ts';
import { ApiError, BeyondLimit, badResponse } from './api-error.ts';
import type { MemberLimits } from './member-limits.ts';
import { objectFault } from './object-fault.ts';
import { parsedBytesOf } from './read-json.ts';

export interface List<T = Manifest> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
}

export interface Page extends List {
  /** About how much memory it takes. */
  readonly parsedBytes: number;
}

/** A response in JSON, and as it was sent. */
export interface SentJson {
  readonly value: unknown;
  readonly text: string;
}

/** A list that expires in between is restarted this often. */
const mostAttempts = 4;

/**
 * A list page by page, all of one version. Rejects with ApiError 410 when that version has expired, and with BeyondLimit when the
 * pages do not end. A page that is too large is requested again with fewer objects, so that no list of a cluster is too large.
 */
export async function* pagesOf(input: {
  readonly read: (request: {
    readonly method: 'GET';
    readonly path: string;
    readonly tried: string;
  }) => Promise<SentJson>;
  readonly name: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly limits: MemberLimits;
  /** Objects to a page of lists that were too large, by path; noted here. */
  readonly pageSizes: Map<string, number>;
}): AsyncIterable<Page> {
  const { name, path, pageSizes } = input;
  const tried = `list ${path}`;
  const where = `${tried} on ${name}`;
  const checkProgress = progress(where, input.limits);
  let token: string | undefined;
  for (;;) {
    const size = pageSizes.get(path) ?? input.limits.pageObjects;
    const search = new URLSearchParams({ ...input.query, limit: String(size), ...(token ? { continue: token } : {}) });
    let response: SentJson;
    try {
      response = await input.read({ method: 'GET', path: `${path}?${search}`, tried });
    } catch (error) {
      if (!(error instanceof BeyondLimit && error.smaller && size > 1)) throw error;
      pageSizes.set(path, Math.max(1, Math.floor(size / 8)));
      continue;
    }
    const { next, ...page } = pageOf(response, where);
    checkProgress({ items: page.items.length, size, sentBytes: response.text.length, token, next });
    yield page;
    if (next === undefined) return;
    token = next;
  }
}

function pageOf({ value, text }: SentJson, where: string): Page & { readonly next: string | undefined } {
  const { apiVersion, kind, metadata, items } = isFields(value) ? value : {};
  if (!isFields(metadata)) throw badResponse(where, 'the response is not a list: it has no metadata');
  if (items !== undefined && items !== null && !Array.isArray(items))
    throw badResponse(where, 'the response is not a list: its items are not an array');
  const ofKind = { apiVersion: textOf(apiVersion), kind: textOf(kind).replace(/List$/, '') };
  return {
    items: ((items ?? []) as readonly unknown[]).map((item) => {
      const fault = objectFault(item);
      if (fault !== undefined) throw badResponse(where, `an item of the list is not an object: ${fault}`);
      const object = item as Manifest;
      return { ...object, apiVersion: object.apiVersion ?? ofKind.apiVersion, kind: object.kind ?? ofKind.kind };
    }),
    resourceVersion: textOf(metadata['resourceVersion']),
    parsedBytes: parsedBytesOf(text),
    next: textOf(metadata['continue']) || undefined,
  };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Throws BeyondLimit for a list that does not end: the same page again, too many with little in them, too much in all. */
function progress(where: string, limits: MemberLimits) {
  let objects = 0;
  let bytes = 0;
  let short = 0;
  return (page: {
    readonly items: number;
    readonly size: number;
    readonly sentBytes: number;
    readonly token: string | undefined;
    readonly next: string | undefined;
  }): void => {
    objects += page.items;
    bytes += page.sentBytes;
    if (page.next !== undefined && page.items < page.size) short++;
    if (page.next !== undefined && page.next === page.token)
      throw new BeyondLimit(where, 'the list does not continue: the same continue token again');
    if (short > limits.shortPages)
      throw new BeyondLimit(where, `the list does not end: more than ${limits.shortPages} pages that are not full`);
    if (objects > limits.listObjects) throw new BeyondLimit(where, `a list of more than ${limits.listObjects} objects`);
    if (bytes > limits.listBytes) throw new BeyondLimit(where, `a list of more than ${limits.listBytes / 2 ** 20} MiB`);
  };
}

/**
 * All pages together, each object as `keep` returns it; restarts, a few times, when the version of the list expires in between.
 * `reading` is called with the memory that the pages have taken so far, and may throw. An object that `keep` cannot read is an
 * ApiError.
 */
export async function wholeList<T>(
  pages: () => AsyncIterable<Page>,
  {
    tried,
    keep,
    reading,
  }: {
    readonly tried: string;
    readonly keep: (item: Manifest) => T;
    readonly reading: (parsedBytes: number) => void;
  },
): Promise<List<T>> {
  for (let attempt = 1; ; attempt++) {
    const items: T[] = [];
    let resourceVersion = '';
    let parsedBytes = 0;
    try {
      for await (const page of pages()) {
        parsedBytes += page.parsedBytes;
        reading(parsedBytes);
        for (const item of page.items) items.push(read(item));
        resourceVersion = page.resourceVersion;
      }
      return { items, resourceVersion };
    } catch (error) {
      const expired = error instanceof ApiError && error.status === 410 && items.length > 0;
      if (!expired || attempt >= mostAttempts) throw error;
    }
  }

  function read(item: Manifest): T {
    try {
      return keep(item);
    } catch {
      throw badResponse(tried, `${item.kind} ${item.metadata.name} has an unexpected shape`);
    }
  }
}
