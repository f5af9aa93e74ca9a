import type { Manifest } from '../api/meta.ts';
import type { ObjectOutcome } from '../api/observation.ts';
import { ApiError } from './api-error.ts';
import { placementLabel } from './apply.ts';
import { refOfManifest } from './assignment.ts';
import type { MemberClient } from './client.ts';
import { type Discovery, pathOf, type ServedKind } from './discovery.ts';

/** Removes one object of ours, unless it holds what is not ours. Undefined when it is gone or going. */
export async function removeObject(input: {
  readonly client: MemberClient;
  readonly discovery: Discovery;
  readonly served: ServedKind;
  readonly live: Manifest;
  readonly label: string;
}): Promise<ObjectOutcome | undefined> {
  const { client, live } = input;
  const object = refOfManifest(live);
  try {
    if (live.metadata.deletionTimestamp) return undefined;
    const foreign = await foreignContent(input);
    if (foreign) return { object, result: 'ContainsForeignObjects', message: foreign };
    const uid = live.metadata['uid'];
    const body = {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      propagationPolicy: 'Background',
      ...(typeof uid === 'string' ? { preconditions: { uid } } : {}),
    };
    await client.request({
      method: 'DELETE',
      path: pathOf(input.served, object),
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return undefined;
  } catch (error) {
    // 404 and 409 (another uid): what we meant to remove is not there any more.
    if (error instanceof ApiError && (error.status === 404 || error.status === 409)) return undefined;
    if (!(error instanceof ApiError)) throw error;
    return { object, result: 'ManifestDeleteFailed', message: error.message };
  }
}

/** Objects that every namespace gets by itself; finding them is no reason to keep the namespace. */
const byItself = (item: Manifest): boolean =>
  (item.kind === 'ServiceAccount' && item.metadata.name === 'default') ||
  (item.kind === 'ConfigMap' && item.metadata.name === 'kube-root-ca.crt') ||
  ['Event', 'Endpoints', 'EndpointSlice', 'Lease', 'PodMetrics', 'ControllerRevision'].includes(item.kind) ||
  (Array.isArray(item.metadata['ownerReferences']) && item.metadata['ownerReferences'].length > 0);

async function foreignContent(input: {
  client: MemberClient;
  discovery: Discovery;
  live: Manifest;
  label: string;
}): Promise<string | undefined> {
  const { live } = input;
  const kinds = await kindsInside(input.discovery, live);
  const namespace = live.kind === 'Namespace' ? live.metadata.name : undefined;
  const found = await Promise.all(
    kinds.map(async (kind) => {
      try {
        const page = await input.client.list(pathOf(kind, { namespace }));
        return page.items.filter((item) => item.metadata.labels?.[placementLabel] !== input.label && !byItself(item));
      } catch (error) {
        if (error instanceof ApiError && (error.status === 404 || error.status === 405)) return [];
        throw error;
      }
    }),
  );
  const foreign = found.flat();
  if (foreign.length === 0) return undefined;
  const names = foreign.slice(0, 3).map((item) => `${item.kind} ${item.metadata.name}`);
  return `${live.kind} ${live.metadata.name} holds ${foreign.length} object(s) that are not of this placement: ${names.join(', ')}${foreign.length > 3 ? ', …' : ''}`;
}

/** What may live inside: everything namespaced for a Namespace, the custom resources for a CRD, nothing otherwise. */
async function kindsInside(discovery: Discovery, live: Manifest): Promise<readonly ServedKind[]> {
  if (live.kind === 'Namespace' && live.apiVersion === 'v1') {
    return (await discovery.all()).filter((kind) => kind.namespaced && kind.verbs.includes('list'));
  }
  if (live.kind === 'CustomResourceDefinition') {
    const spec = live['spec'] as {
      group: string;
      names: { kind: string };
      versions: readonly { name: string; served?: boolean }[];
    };
    const version = spec.versions.find((candidate) => candidate.served !== false)?.name;
    const kind = version === undefined ? undefined : await discovery.find(`${spec.group}/${version}`, spec.names.kind);
    return kind ? [kind] : [];
  }
  return [];
}
