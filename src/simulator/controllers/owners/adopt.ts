import { at } from '../../../engine/kernel/at.ts';
import type { Cluster } from '../../cluster.ts';
import type { Stored } from '../../object.ts';
import { selects } from '../selects.ts';
import type { Dependents } from './dependents.ts';
import { referenceTo } from './owner-reference.ts';

/** Adopts objects that the owner's selector selects and that have no controller, such as orphans. */
export function adopt(cluster: Cluster, dependents: Dependents, owner: Stored, key: string): void {
  if (owner.metadata.deletionTimestamp !== undefined) return;
  for (const orphan of dependents.orphans(key, owner.metadata.namespace)) {
    if (orphan.metadata.deletionTimestamp !== undefined) continue;
    if (!selects(at(owner, 'spec', 'selector'), orphan.metadata.labels ?? {})) continue;
    const ownerReferences = [...(orphan.metadata.ownerReferences ?? []), referenceTo(owner)];
    cluster.store.put(key, { ...orphan, metadata: { ...orphan.metadata, ownerReferences } });
  }
}
