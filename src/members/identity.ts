import type { Manifest } from '../api/meta.ts';
import { ApiError } from './api-server/api-error.ts';
import type { MemberClient } from './api-server/client.ts';

/**
 * What tells one cluster from another: the uid of the namespace `kube-system`, which lives as long as its cluster. Undefined
 * when we are not allowed to read it. Rejects when there is no answer.
 */
export async function identityOf(client: MemberClient): Promise<string | undefined> {
  try {
    const path = '/api/v1/namespaces/kube-system';
    const { metadata } = await client.request<Manifest>({ method: 'GET', path, tried: 'read Namespace kube-system' });
    return metadata['uid'] as string | undefined;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
