import { placementLabel } from '../../engine/overrides/ownership.ts';
import { ApiError } from '../api-server/api-error.ts';
import { pathOf } from '../api-server/served-kind.ts';
import type { Connection } from '../connection.ts';
import { eachOf } from '../pool.ts';

/** Kinds requested at once: many members sweep at the same time, and their responses share memory. */
const width = 4;

/**
 * Watches every kind of which the member holds objects of ours, also kinds that no snapshot names. False when some kind could not
 * be read. A kind without the right to read it is skipped, since gitfleet could not have applied it. Rejects with UnreachableError.
 */
export async function sweep({ client, discovery, watches }: Connection): Promise<boolean> {
  const { kinds, failed } = await discovery.all();
  let complete = failed.length === 0;
  const watchable = kinds.filter(({ verbs }) => verbs.includes('list') && verbs.includes('watch'));
  await eachOf(watchable, width, async (kind) => {
    try {
      // One object is enough to know that the kind must be watched.
      for await (const page of client.pages(pathOf(kind, {}), { labelSelector: placementLabel })) {
        if (page.items.length > 0) await watches.follow(kind);
        break;
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (![403, 404, 405].includes(error.status)) complete = false;
    }
  });
  return complete;
}
