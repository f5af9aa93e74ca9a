import type { Problem } from '../../api/problem.ts';
import { isSealedSecret } from '../../api/sealed-secret.ts';
import type { Fleet } from '../../engine/input.ts';
import { listUpTo } from '../../engine/kernel/short-list.ts';
import type { Plan } from '../../engine/plan-document.ts';
import { describeRef, keyOfManifest, objectKey, refOfManifest } from '../../engine/selection/object-key.ts';
import { placementTargets } from '../../engine/target-kinds.ts';
import type { RepoTree } from '../tree.ts';
import { resourcePlaces } from './resource-places.ts';

/** Clusters named in one note. */
const mostNamed = 3;

/** Notes on SealedSecrets that several clusters get. `plan`: that of the whole fleet, rolled out at once. */
export async function sealedSecrets(plan: Plan, fleet: Fleet, tree: RepoTree): Promise<Problem[]> {
  const clusters = new Map<string, Set<string>>();
  for (const { clusterName, objects, remove } of placementTargets(plan.targets))
    for (const ref of remove ? [] : objects.filter(isSealedSecret)) {
      const key = objectKey(ref);
      clusters.set(key, (clusters.get(key) ?? new Set()).add(clusterName));
    }
  const shared = fleet.resources.flatMap((object) => {
    const names = clusters.get(keyOfManifest(object.manifest));
    return names && names.size > 1 ? [{ object, names: [...names].sort() }] : [];
  });
  const places = await resourcePlaces(
    shared.map(({ object }) => object),
    tree,
  );
  return shared.map(({ object, names }) => ({
    severity: 'info',
    code: 'sealed-secret',
    file: object.file,
    ...places.get(object),
    path: 'kind',
    message: `${describeRef(refOfManifest(object.manifest))} goes to ${listUpTo(names, mostNamed)}: each can open it only with the key it was sealed for`,
    fix: 'give these clusters one sealing key, or seal one for each of them (docs/secrets.md)',
  }));
}
