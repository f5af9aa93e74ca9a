import type { Manifest } from '../../api/meta.ts';
import { firstOf } from '../../engine/kernel/short-list.ts';
import { definitionIn } from '../../engine/selection/custom-definition.ts';
import { firstNames, foreignText, isForeignContent, mayBeForeign } from '../../engine/selection/foreign-content.ts';
import { describeRef, refOfManifest } from '../../engine/selection/object-key.ts';
import { ApiError } from '../api-server/api-error.ts';
import { inOwnStorage, pathOf, type ServedKind } from '../api-server/served-kind.ts';
import type { Connection } from '../connection.ts';
import { eachOf } from '../pool.ts';
import { isOlder } from '../watch/resource-version.ts';

/**
 * A sentence that lists what a namespace or a CRD contains that is not of the placement; undefined when there is nothing. Kinds
 * that may not be listed count as possibly foreign. Rejects when a list does not respond, or is older than what the watches have
 * shown: a lagging replica may lack new objects.
 */
export async function foreignContent(
  connection: Connection,
  live: Manifest,
  isOurs: (object: Manifest) => boolean,
): Promise<string | undefined> {
  const { client } = connection;
  const shown = connection.watches.latest();
  const namespace = live.kind === 'Namespace' ? live.metadata.name : undefined;
  let foreign: string[] = [];
  let count = 0;
  const unseen: string[] = [];
  await eachOf(await kindsInside(connection, live), client.concurrency, async (kind) => {
    try {
      for await (const page of client.pages(pathOf(kind, { namespace }))) {
        if (inOwnStorage(kind) && isOlder(page.resourceVersion, shown)) throw staleResponse(client.name, kind);
        const found = page.items
          .map((item) => inKind(item, kind))
          .filter((item) => !isOurs(item) && isForeignContent(item));
        count += found.length;
        foreign = firstNames([...foreign, ...found.map((item) => describeRef(refOfManifest(item)))]);
      }
    } catch (error) {
      // No longer served, or not listable: it contains nothing that could be lost.
      if (!(error instanceof ApiError && [403, 404, 405].includes(error.status))) throw error;
      if (error.status === 403) unseen.push(kind.plural);
    }
  });
  const container = refOfManifest(live);
  if (count > 0) return foreignText(container, foreign, count);
  return unseen.length === 0
    ? undefined
    : `${describeRef(container)} may hold objects that are not of this placement: gitfleet has no right to list ${firstOf(firstNames(unseen), unseen.length)} there`;
}

const staleResponse = (name: string, { plural }: ServedKind): ApiError =>
  new ApiError({
    tried: `list ${plural} on ${name}`,
    status: 503,
    body: 'the response is older than the state seen before',
  });

/** Items of a list may lack apiVersion and kind. */
const inKind = (item: Manifest, { apiVersion, kind }: ServedKind): Manifest => ({ ...item, apiVersion, kind });

/**
 * Kinds of the content: all namespaced ones for a Namespace, the custom resources for a CRD, none otherwise. Those that are never a
 * reason to stay are not listed, since that may be forbidden.
 */
async function kindsInside({ discovery, client }: Connection, live: Manifest): Promise<readonly ServedKind[]> {
  if (live.kind === 'Namespace' && live.apiVersion === 'v1') {
    const { kinds, failed } = await discovery.all();
    if (failed.length > 0) {
      const tried = `list the content of namespace ${live.metadata.name} on ${client.name}`;
      throw new ApiError({ tried, status: 503, body: `${failed.join(', ')} did not respond to discovery` });
    }
    return kinds.filter((kind) => kind.namespaced && kind.verbs.includes('list') && mayBeForeign(kind));
  }
  const definition = definitionIn(live);
  const kind = definition?.served[0] && (await discovery.find(definition.served[0], definition.kind));
  return kind ? [kind] : [];
}
