import type { Manifest } from '../../api/meta.ts';
import { ApiError, UnreachableError } from './api-error.ts';

export interface List {
  readonly items: readonly Manifest[];
  readonly resourceVersion: string;
}

const pageSize = '500';
/** Attempts to read a list that expires between pages. */
const mostAttempts = 4;

/** A list page by page, all of one resourceVersion. Rejects with ApiError 410 when the server no longer has that version. */
export async function* pagesOf({
  request,
  name,
  path,
  query,
}: {
  readonly request: <T>(request: {
    readonly method: 'GET';
    readonly path: string;
    readonly tried: string;
  }) => Promise<T>;
  readonly name: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}): AsyncIterable<List> {
  let token: string | undefined;
  do {
    const search = new URLSearchParams({ ...query, limit: pageSize, ...(token ? { continue: token } : {}) });
    const page = await request<ListAnswer>({ method: 'GET', path: `${path}?${search}`, tried: `list ${path}` });
    if (page?.metadata === undefined)
      throw new UnreachableError(`list ${path} on ${name}`, 'the response is not a list');
    const kind = page.kind.replace(/List$/, '');
    const items = (page.items ?? []).map((item) => ({
      ...item,
      apiVersion: item.apiVersion ?? page.apiVersion,
      kind: item.kind ?? kind,
    }));
    yield { items, resourceVersion: page.metadata.resourceVersion };
    token = page.metadata.continue || undefined;
  } while (token);
}

/** All pages together; starts again, a few times, when the list expires in between. */
export async function wholeList(pages: () => AsyncIterable<List>): Promise<List> {
  for (let attempt = 1; ; attempt++) {
    const items: Manifest[] = [];
    let resourceVersion = '';
    try {
      for await (const page of pages()) {
        items.push(...page.items);
        resourceVersion = page.resourceVersion;
      }
      return { items, resourceVersion };
    } catch (error) {
      const expired = error instanceof ApiError && error.status === 410 && items.length > 0;
      if (!expired || attempt >= mostAttempts) throw error;
    }
  }
}

interface ListAnswer {
  readonly kind: string;
  readonly apiVersion: string;
  readonly items?: readonly Manifest[];
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
}
