import type { Manifest } from '../../api/meta.ts';
import type { MemberClient } from '../api-server/client.ts';

/** The annotation of objects that an operation changed: its id. Written together with the change, it shows what was requested. */
export const operationAnnotation = 'gitfleet.dev/upgrade-operation';

/** The operation that changed an object last. */
export const operationOf = ({ metadata }: Manifest): string | undefined => metadata.annotations?.[operationAnnotation];

/** Changes an object unless someone else changed it since it was read: then it rejects with a 409. */
export async function mergePatch(
  client: MemberClient,
  { path, object, patch }: { readonly path: string; readonly object: Manifest; readonly patch: object },
): Promise<void> {
  const { metadata = {}, ...rest } = patch as { readonly metadata?: object };
  const body = { ...rest, metadata: { ...metadata, resourceVersion: object.metadata['resourceVersion'] } };
  await client.send({
    method: 'PATCH',
    path: `${path}?fieldManager=gitfleet`,
    headers: { 'content-type': 'application/merge-patch+json' },
    body: JSON.stringify(body),
    tried: `change ${object.kind} ${object.metadata.name}`,
  });
}
