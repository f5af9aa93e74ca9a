import { fieldsAt, numberAt, textAt } from '../../../engine/kernel/at.ts';
import type { Cluster } from '../../cluster.ts';
import { same } from '../../fields/compare.ts';
import type { Stored } from '../../object.ts';
import type { Fields } from '../../schema/schema.ts';
import { remove } from '../../storage/remove.ts';
import { makeObject } from '../make-object.ts';
import { adopt } from './adopt.ts';
import type { Dependents } from './dependents.ts';
import { referenceTo } from './owner-reference.ts';
import { templateHash } from './template-hash.ts';

const key = 'apps/controllerrevisions';

/** On the pods of a DaemonSet or StatefulSet: from which template they were made. */
export const revisionLabel = 'controller-revision-hash';

/**
 * The ControllerRevision of the present template, created if there is none and renumbered if it was not the newest
 * (controller/history). Undefined while the namespace is being deleted.
 */
export function presentRevision(cluster: Cluster, dependents: Dependents, owner: Stored): Stored | undefined {
  adopt(cluster, dependents, owner, key);
  const all = revisionsOf(dependents, owner);
  const template = fieldsAt(owner, 'spec', 'template');
  const data = { spec: { template: { ...template, $patch: 'replace' } } };
  const newest = all.at(-1);
  const found = all.find((revision) => same(revision['data'], data));
  const next = numberAt(newest, 'revision') + 1;
  if (found === undefined) return makeRevision(cluster, owner, data, next);
  return found === newest ? found : cluster.store.put(key, { ...found, revision: next });
}

/** Oldest first. */
export const revisionsOf = (dependents: Dependents, owner: Stored): Stored[] =>
  dependents.controlled(owner, key).sort((a, b) => numberAt(a, 'revision') - numberAt(b, 'revision'));

/** The hash in the name and on the label of a revision. */
export const hashOf = (revision: Stored): string => revision.metadata.labels?.[revisionLabel] ?? '';

/** The template in a revision. */
export function templateOf(revision: Stored): Fields {
  const { $patch: _, ...template } = fieldsAt(revision, 'data', 'spec', 'template');
  return template;
}

/** Deletes unused revisions beyond the history limit, oldest first. */
export function forgetOldRevisions(
  cluster: Cluster,
  dependents: Dependents,
  owner: Stored,
  inUse: (revision: Stored) => boolean,
): void {
  const idle = revisionsOf(dependents, owner).filter((revision) => !inUse(revision));
  const surplus = Math.max(0, idle.length - numberAt(owner, 'spec', 'revisionHistoryLimit'));
  for (const revision of idle.slice(0, surplus)) remove(cluster, cluster.registry.stored(key)!, revision, {});
}

function makeRevision(cluster: Cluster, owner: Stored, data: Fields, revision: number): Stored | undefined {
  const template = fieldsAt(owner, 'spec', 'template');
  const hash = templateHash(template);
  return makeObject(cluster, cluster.registry.stored(key)!, {
    metadata: {
      name: `${owner.metadata.name}-${hash}`,
      namespace: textAt(owner, 'metadata', 'namespace'),
      labels: { ...fieldsAt(template, 'metadata', 'labels'), [revisionLabel]: hash },
      ...(owner.metadata.annotations === undefined ? {} : { annotations: owner.metadata.annotations }),
      ownerReferences: [referenceTo(owner)],
    },
    data,
    revision,
  });
}
