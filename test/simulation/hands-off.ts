import type { TransportRequest } from '../../src/members/api-server/transport.ts';
import type { Wishes } from './wishes.ts';

/**
 * The app that a request writes something of, although its daemon has been told only to compare it: by the last pass that it has
 * ended. The pass that it is in may have told it something else, and what it tells stands on the status branch by then.
 */
export function writtenWhereCompared(
  { method, path }: TransportRequest,
  told: {
    /** The commit that the last pass was planned for which the daemon has ended and followed. */
    readonly ended: string;
    /** The commit that the status branch tells of. */
    readonly published: string | undefined;
    readonly wishes: Wishes;
  },
): string | undefined {
  if (method !== 'PATCH' || /[?&]dryRun=/.test(path)) return undefined;
  const app = /\/namespaces\/([^/?]+)/.exec(path)?.[1];
  if (app === undefined) return undefined;
  const isCompared = (commit: string | undefined) => told.wishes.at(commit, app)?.apply === 'reportDiff';
  return isCompared(told.ended) && isCompared(told.published) ? app : undefined;
}
