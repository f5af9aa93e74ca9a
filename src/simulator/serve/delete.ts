import { at, textAt } from '../../engine/kernel/at.ts';
import { unsupportedField } from '../../engine/server-rules/cause.ts';
import type { Cluster } from '../cluster.ts';
import { type Kind, storageKey } from '../kinds/kind.ts';
import type { Stored } from '../object.ts';
import { type Fields, isFields } from '../schema/schema.ts';
import { type Propagation, type RemoveOptions, remove } from '../storage/remove.ts';
import { dryRunOf, parseBody } from './body.ts';
import { json, type SimRequest, type SimResponse } from './http.ts';
import { checkListOptions, integerIn } from './list-options.ts';
import { inVersion, presentList } from './present.ts';
import { matcherOf } from './selectors.ts';
import { badRequest, forbidden, invalidOptions, notFound } from './status-error.ts';

export async function deleteOne(
  cluster: Cluster,
  kind: Kind,
  request: SimRequest,
  path: { namespace?: string; name: string },
): Promise<SimResponse> {
  const live = cluster.store.get(storageKey(kind), path);
  if (!live) throw notFound(kind, path.name);
  if (storageKey(kind) === '/namespaces' && immortal.has(path.name))
    throw forbidden(kind, path.name, 'this namespace may not be deleted');
  const removed = remove(cluster, kind, live, await optionsOf(request));
  return removed.gone ? json(200, goneStatus(kind, live)) : json(200, inVersion(removed.object, kind));
}

/** Namespaces that the admission plugin NamespaceLifecycle protects. */
const immortal: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);

export async function deleteCollection(
  cluster: Cluster,
  kind: Kind,
  request: SimRequest,
  namespace: string | undefined,
): Promise<SimResponse> {
  const matches = matcherOf(request.query, kind);
  checkListOptions(request.query, false);
  const found = cluster.store.list(storageKey(kind), namespace).filter((object) => !matches || matches(object));
  const options = await optionsOf(request);
  for (const object of found) remove(cluster, kind, object, options);
  const metadata = { resourceVersion: String(cluster.store.version()) };
  return json(200, presentList(found, kind, { kind: 'object' }, cluster.clock.now(), metadata));
}

const propagations: readonly string[] = ['Foreground', 'Background', 'Orphan'] satisfies Propagation[];

async function optionsOf(request: SimRequest): Promise<RemoveOptions> {
  const hasBody = (request.body ?? '').trim() !== '';
  const parsed = hasBody ? await parseBody(request) : {};
  const body = isFields(parsed) ? parsed : {};
  const asked = textAt(body, 'propagationPolicy') || (request.query.get('propagationPolicy') ?? '');
  if (asked !== '' && !propagations.includes(asked))
    throw invalidOptions('DeleteOptions', unsupportedField('propagationPolicy', asked, [...propagations, 'nil']));
  const orphan = at(body, 'orphanDependents');
  const propagation = asked !== '' ? asked : orphan === true ? 'Orphan' : orphan === false ? 'Background' : undefined;
  // Servers read the options of the query only where there is no body.
  const grace = hasBody ? graceIn(body) : integerIn(request.query, 'gracePeriodSeconds');
  const uid = textAt(body, 'preconditions', 'uid');
  const resourceVersion = textAt(body, 'preconditions', 'resourceVersion');
  return {
    propagation: propagation as Propagation | undefined,
    gracePeriodSeconds: grace,
    preconditions: { uid: uid || undefined, resourceVersion: resourceVersion || undefined },
    dryRun: dryRunOf(request.query) || (Array.isArray(body['dryRun']) && body['dryRun'].includes('All')),
  };
}

function graceIn(body: Fields): number | undefined {
  const grace = body['gracePeriodSeconds'] ?? undefined;
  if (grace === undefined || Number.isInteger(grace)) return grace as number | undefined;
  throw badRequest(
    `json: cannot unmarshal ${typeof grace} into Go struct field DeleteOptions.gracePeriodSeconds of type int64`,
  );
}

const goneStatus = (kind: Kind, object: Stored): unknown => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  details: {
    name: object.metadata.name,
    ...(kind.group === '' ? {} : { group: kind.group }),
    kind: kind.plural,
    uid: object.metadata.uid,
  },
});
