import { ApiError } from './api-server/api-error.ts';
import type { MemberClient } from './api-server/client.ts';
import type { Connection } from './connection.ts';

/** Whether a member is still the cluster that it was. */
export interface Identity {
  /** The last probe showed the cluster whose identity was read. */
  isKnown(): boolean;
  /** Reads the identity. Rejects when no response comes. */
  check(): Promise<void>;
}

/** `replaced`: the name of the member belongs to another cluster, or may: `unknown` if its identity was not readable before. */
export function memberIdentity(
  { client, contact }: Pick<Connection, 'client' | 'contact'>,
  on: {
    readonly identified: (identity: string) => void;
    readonly replaced: (before: 'another' | 'unknown') => void;
  },
): Identity {
  let identity: string | undefined;
  /** What a probe showed of the cluster before its identity was read. */
  let shown: string | undefined;
  /** It responded without its identity, so it may have been replaced since. */
  let unidentified = false;
  return {
    isKnown: () => shown !== undefined && shown === contact.shown(),
    async check() {
      const showed = contact.shown();
      const found = await identityOf(client);
      if (found === undefined) {
        unidentified = identity === undefined;
        return;
      }
      const before = identity === undefined ? unidentified && 'unknown' : found !== identity && 'another';
      identity = found;
      shown = showed;
      unidentified = false;
      on.identified(found);
      if (before) on.replaced(before);
    },
  };
}

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
