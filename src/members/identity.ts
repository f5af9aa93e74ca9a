import { ApiError } from './api-server/api-error.ts';
import type { MemberClient } from './api-server/client.ts';

/**
 * Identifies a cluster: the uid of the namespace `kube-system`, which lives as long as the cluster. Undefined when the right to
 * read it is missing. Rejects when no response comes.
 */
export async function identityOf(client: MemberClient): Promise<string | undefined> {
  try {
    const path = '/api/v1/namespaces/kube-system';
    const { metadata } = await client.object({ method: 'GET', path, tried: 'read Namespace kube-system' });
    return metadata['uid'] as string | undefined;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
