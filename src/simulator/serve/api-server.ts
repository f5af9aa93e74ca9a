import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { launchPath } from '../../members/nodes/launch/simulated.ts';
import { upgradePath } from '../../members/upgrade/simulated.ts';
import type { Cluster } from '../cluster.ts';
import { storageKey } from '../kinds/kind.ts';
import type { Stored } from '../object.ts';
import type { Fields } from '../schema/schema.ts';
import { replace } from '../storage/write.ts';
import type { Written } from './apply.ts';
import { checkBody, parseBody, parseObject, warningHeader } from './body.ts';
import { deleteCollection, deleteOne } from './delete.ts';
import { discovery } from './discovery.ts';
import { evict } from './eviction.ts';
import { isStream, json, type SimRequest, type SimResponse, text } from './http.ts';
import { serveLaunches } from './launches.ts';
import { metricsOf } from './metrics.ts';
import { emptyOpenApiV2, openApi } from './openapi.ts';
import { parseResourcePath, type ResourcePath } from './path.ts';
import { formOf, presentOne } from './present.ts';
import { type AsOf, get, list } from './read.ts';
import { review } from './reviews.ts';
import { scaleKind, scaleOf, withScale } from './scale.ts';
import { badRequest, NoSuchPath, notAllowed, notFound, StatusError } from './status-error.ts';
import { serveUpgrade } from './upgrades.ts';
import { versionInfo } from './version.ts';
import { watch } from './watch.ts';
import { mediaTypeOf, options, patch, patchObject, post, put, requirePatchType } from './write.ts';

/** Handles one request to one simulated member. Never rejects: errors become a Status. */
export async function serve(cluster: Cluster, request: SimRequest, asOf?: AsOf): Promise<SimResponse> {
  try {
    return await compressed(request, await route(cluster, request, asOf));
  } catch (error) {
    if (error instanceof NoSuchPath) return text(404, '404 page not found\n');
    if (!(error instanceof StatusError)) throw error;
    const seconds = error.details?.retryAfterSeconds;
    return json(error.code, error.toStatus(), seconds === undefined ? {} : { 'retry-after': String(seconds) });
  }
}

async function route(cluster: Cluster, request: SimRequest, asOf: AsOf): Promise<SimResponse> {
  const { path } = request;
  if (path === '/version') return json(200, versionInfo(cluster.kubernetesVersion));
  if (/^\/(readyz|livez|healthz)(\/|$)/.test(path)) return text(200, 'ok', flowSchemaOf(cluster));
  if (path === '/metrics') return text(200, metricsOf(cluster));
  if (path === launchPath || path.startsWith(`${launchPath}/`)) return serveLaunches(cluster, request);
  if (path === upgradePath) return serveUpgrade(cluster, request);
  if (path === '/openapi/v2') return emptyOpenApiV2(request);
  if (path.startsWith('/openapi/v3')) return openApi(cluster.registry, request);
  const resource = parseResourcePath(path);
  if (!resource) return discovery(cluster.registry, path, request.headers['accept']);
  if (request.method === 'POST' && resource.name === undefined) {
    const answer = review(request, resource.plural);
    if (answer) return answer;
  }
  return onResource(cluster, request, resource, asOf);
}

/** Simulated members have no flow schemas: the uid of a namespace that each cluster has stands for the one that health checks match. */
const flowSchemaOf = ({ store }: Cluster): SimResponse['headers'] => ({
  'x-kubernetes-pf-flowschema-uid': store.get('/namespaces', { name: 'kube-system' })!.metadata.uid,
});

async function onResource(cluster: Cluster, request: SimRequest, path: ResourcePath, asOf: AsOf): Promise<SimResponse> {
  const kind = cluster.registry.byPlural(path.group, path.version, path.plural);
  if (!kind || (path.namespace !== undefined && !kind.namespaced)) throw new NoSuchPath();
  if (kind.custom) cluster.customCaches.begin(storageKey(kind));
  const { namespace, name, subresource } = path;
  if (name === undefined) {
    switch (request.method) {
      case 'GET': {
        const watching = request.query.get('watch');
        const isWatch = watching === 'true' || watching === '1' || watching === '';
        return isWatch ? watch(cluster, kind, request, namespace) : list(cluster, kind, request, namespace, asOf);
      }
      case 'POST':
        if (kind.namespaced && namespace === undefined) throw notAllowed();
        return written(await post(cluster, kind, request, namespace), request, cluster, kind);
      case 'DELETE':
        return deleteCollection(cluster, kind, request, namespace);
      default:
        throw notAllowed();
    }
  }
  const object = { name, ...(namespace === undefined ? {} : { namespace }) };
  if (kind.namespaced && namespace === undefined) throw new NoSuchPath();
  if (subresource === 'scale' && kind.scale) return onScale(cluster, request, path as Required<ResourcePath>);
  if (subresource === 'eviction' && storageKey(kind) === '/pods' && request.method === 'POST')
    return evict(cluster, kind, request, object);
  if (subresource === 'log' && storageKey(kind) === '/pods') return podLog(cluster, object);
  if (['exec', 'attach', 'portforward'].includes(subresource ?? '') && storageKey(kind) === '/pods')
    throw badRequest(`${name} is simulated: it has no containers, so there is no ${subresource}`);
  if (subresource === 'finalize' && storageKey(kind) === '/namespaces' && request.method === 'PUT') {
    return written(await put(cluster, kind, request, object), request, cluster, kind);
  }
  const status = subresource === 'status' && kind.status;
  if (subresource !== undefined && !status) throw new NoSuchPath();
  switch (request.method) {
    case 'GET':
      return get(cluster, kind, request, object, asOf);
    case 'PUT':
      return written(await put(cluster, kind, request, { ...object, subresource }), request, cluster, kind);
    case 'PATCH':
      return written(await patch(cluster, kind, request, { ...object, subresource }), request, cluster, kind);
    case 'DELETE':
      if (status) throw notAllowed();
      return deleteOne(cluster, kind, request, object);
    default:
      throw notAllowed();
  }
}

function written(
  result: Written,
  request: SimRequest,
  cluster: Cluster,
  kind: Parameters<typeof presentOne>[1],
): SimResponse {
  const form = formOf(request.headers['accept'], request.query.get('includeObject'));
  const body = presentOne(result.object, kind, form, cluster.clock.now());
  return json(result.created ? 201 : 200, body, warningHeader(result.warnings));
}

async function onScale(
  cluster: Cluster,
  request: SimRequest,
  path: ResourcePath & { name: string },
): Promise<SimResponse> {
  const kind = cluster.registry.byPlural(path.group, path.version, path.plural)!;
  const live: Stored | undefined = cluster.store.get(storageKey(kind), path);
  if (!live) throw notFound(kind, path.name);
  if (request.method === 'GET') return json(200, scaleOf(kind, live));
  const shape = scaleKind(kind);
  let wanted: Fields;
  if (request.method === 'PUT') wanted = await parseObject(request);
  else if (request.method === 'PATCH') {
    const type = mediaTypeOf(request);
    requirePatchType(shape, type);
    wanted = patchObject(shape, scaleOf(kind, live), type, await parseBody(request));
  } else throw notAllowed();
  const { object } = checkBody(shape, wanted, { validation: 'Ignore' });
  const next = replace(cluster, kind, live, withScale(kind, live, object), { ...options(request, 'scale') });
  return json(200, scaleOf(kind, next));
}

function podLog(cluster: Cluster, path: { namespace?: string; name: string }): SimResponse {
  const pod = cluster.store.get('/pods', path);
  if (!pod) throw notFound({ group: '', plural: 'pods', kind: 'Pod' }, path.name);
  return text(200, `${path.name} is simulated: it has no log\n`);
}

/** Kubernetes compresses responses above 128 KiB when the client accepts gzip. */
const compressAbove = 128 * 1024;
const zip = promisify(gzip);

async function compressed(request: SimRequest, response: SimResponse): Promise<SimResponse> {
  const { body } = response;
  if (isStream(body) || body.length <= compressAbove) return response;
  if (!(request.headers['accept-encoding'] ?? '').includes('gzip')) return response;
  const headers = { ...response.headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' };
  return { ...response, headers, body: await zip(body, { level: 1 }) };
}
