import { titleOf } from '../../repo/title-of.ts';
import type { StatusReader } from '../status/open-status.ts';
import { defaultHistory } from '../status/read-events.ts';
import { isCalled } from '../terminal/one-named.ts';
import { kindsMeant } from './kinds.ts';

/** What of another kind has a name, as `upgrade/k8s`: an update run may be one of placements or of clusters. */
export async function elsewhere(name: string, reader: StatusReader): Promise<readonly string[]> {
  const kinds = kindsMeant('all', defaultHistory);
  const status = await reader.read([...new Set(kinds.flatMap(({ listing }) => listing.folders))]);
  const found = await Promise.all(
    kinds.map(async ({ listing }) =>
      (await listing.rows(status, reader))
        .filter((row) => isCalled(row, name))
        .map((row) => `${listing.names[1]}/${titleOf(row)}`),
    ),
  );
  return found.flat();
}
