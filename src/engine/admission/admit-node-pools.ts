import type { Manifest } from '../../api/meta.ts';
import type { Problem } from '../../api/problem.ts';
import type { FleetRecord, HubObject } from '../input.ts';
import { isNodePool } from '../node-pools/pool.ts';
import { refusedChanges } from '../node-pools/refused-changes.ts';
import type { Hold } from '../plan-document.ts';
import { lastContents, lastGoodHold } from '../recovery/last-good.ts';

/** The objects of the hub; NodePools whose files change them as no cluster accepts stay as last recorded. */
export function admitNodePools(
  resources: readonly HubObject[],
  record: FleetRecord,
): {
  readonly resources: readonly HubObject[];
  readonly holds: readonly Hold[];
  readonly problems: readonly Problem[];
} {
  const unchanged = { resources, holds: [], problems: [] };
  const pools = resources.filter(({ manifest }) => isNodePool(manifest));
  if (pools.length === 0) return unchanged;
  const last = new Map<string, Manifest>();
  for (const manifest of lastContents(record))
    if (isNodePool(manifest) && !last.has(manifest.metadata.name)) last.set(manifest.metadata.name, manifest);
  const refused = new Map<HubObject, { readonly before: Manifest; readonly problems: readonly Problem[] }>();
  for (const object of pools) {
    const before = last.get(object.manifest.metadata.name);
    const problems = before ? refusedChanges(before, object.manifest, object.file) : [];
    if (before && problems.length > 0) refused.set(object, { before, problems });
  }
  if (refused.size === 0) return unchanged;
  return {
    resources: resources.map((object) => {
      const held = refused.get(object);
      return held ? { ...object, manifest: held.before } : object;
    }),
    holds: [...refused].map(([{ manifest }, { problems }]) =>
      lastGoodHold(
        { kind: manifest.kind, name: manifest.metadata.name },
        problems.map(({ message }) => message).join('; '),
      ),
    ),
    problems: [...refused.values()].flatMap(({ problems }) => problems),
  };
}
