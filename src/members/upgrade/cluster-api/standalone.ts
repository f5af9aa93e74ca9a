import type { MemberClient } from '../../api-server/client.ts';
import { mergePatch, operationAnnotation } from '../merge-patch.ts';
import type { UpgradeOperation } from '../provider.ts';
import type { Part, SeenClusterApi } from './read.ts';

/** Writes the operation on the Cluster, before its first change. */
export const noteOperation = (
  client: MemberClient,
  { operation, seen }: { readonly operation: UpgradeOperation; readonly seen: SeenClusterApi },
): Promise<void> =>
  mergePatch(client, {
    path: seen.path,
    object: seen.cluster,
    patch: { metadata: { annotations: { [operationAnnotation]: operation.operationId } } },
  });

/** Version and machine template change in one patch, so that machines are replaced once. */
export function changePart(
  client: MemberClient,
  { object, path, pool }: Part,
  { kubernetes, image }: { readonly kubernetes?: string | undefined; readonly image?: string | undefined },
): Promise<void> {
  const spec = {
    ...(kubernetes !== undefined && { version: kubernetes }),
    ...(image !== undefined && { infrastructureRef: { name: image } }),
  };
  return mergePatch(client, { path, object, patch: { spec: pool === '' ? spec : { template: { spec } } } });
}
