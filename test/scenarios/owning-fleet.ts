import type { Manifest, ObjectRef } from '../../src/api/meta.ts';
import type { ObjectOutcome } from '../../src/api/observation.ts';
import { placementKey } from '../../src/api/placement.ts';
import { isPlaced } from '../../src/engine/delivery/placed-objects.ts';
import { type TargetContent, targetContent } from '../../src/engine/delivery/target-content.ts';
import { placementLabel } from '../../src/engine/overrides/ownership.ts';
import type { PlacementTarget } from '../../src/engine/plan-document.ts';
import { keyOfManifest, objectKey, refOfManifest } from '../../src/engine/selection/object-key.ts';
import { placementTargets } from '../../src/engine/target-kinds.ts';
import { type Held, PaperFleet } from '../support/paper-fleet.ts';

/**
 * A fleet on paper whose members know to whom an object belongs, as actors do: one that another placement has is not taken
 * from it, what is let go of waits for whom it was handed to, and nothing is removed that no snapshot ever listed.
 */
export class OwningFleet extends PaperFleet {
  /** Objects that nobody has any more, by cluster and key. */
  readonly #free = new Map<string, Map<string, Manifest>>();
  /** Everything that was taken off a member. */
  readonly removed: string[] = [];

  override deliver(only?: string): void {
    for (const target of placementTargets(this.last!.plan.targets)) {
      if (this.down.has(target.clusterName) || (only ?? target.clusterName) !== target.clusterName) continue;
      const content = targetContent(this.last!.contents, target);
      // Of what nobody knows the contents of no actor is told.
      if (content) this.#deliverOne(target, content);
    }
  }

  #deliverOne(target: PlacementTarget, content: TargetContent): void {
    const { clusterName } = target;
    const placements = this.members.get(clusterName) ?? new Map<string, Held>();
    this.members.set(clusterName, placements);
    const key = placementKey(target.placement);
    const before = placements.get(key);
    this.results.delete(`${clusterName}/${key}`);
    if (content.leaveAlone) {
      placements.set(key, {
        index: target.resourceSnapshotIndex,
        digest: target.digest,
        objects: before?.objects ?? [],
        forgotten: false,
      });
      return;
    }
    const reports = content.strategy.type === 'ReportDiff';
    const outcomes: ObjectOutcome[] = [];
    const objects = new Map<string, Manifest>();
    for (const { manifest } of content.manifests) {
      const object = refOfManifest(manifest);
      const mine = before?.objects.find((live) => keyOfManifest(live) === objectKey(object));
      if (reports) {
        if (mine) objects.set(objectKey(object), mine);
        outcomes.push({ object, result: mine ? 'NoDiffFound' : 'FoundDiff' });
      } else if (this.#isAnothers(clusterName, key, object)) outcomes.push({ object, result: 'FailedToTakeOver' });
      else objects.set(objectKey(object), this.#applied(manifest, clusterName, content.label));
    }
    for (const object of before?.objects ?? []) {
      if (objects.has(keyOfManifest(object))) continue;
      if (!target.remove && reports) objects.set(keyOfManifest(object), object);
      else this.#letGo(object, clusterName, content);
    }
    if (target.remove) placements.delete(key);
    else
      placements.set(key, {
        index: target.resourceSnapshotIndex,
        digest: target.digest,
        objects: [...objects.values()],
        forgotten: false,
      });
    if (!target.remove) this.results.set(`${clusterName}/${key}`, outcomes);
  }

  #applied(manifest: Manifest, cluster: string, label: string): Manifest {
    this.#free.get(cluster)?.delete(keyOfManifest(manifest));
    const { metadata } = manifest;
    return this.live(
      { ...manifest, metadata: { ...metadata, labels: { ...metadata.labels, [placementLabel]: label } } },
      cluster,
    );
  }

  #letGo(object: Manifest, cluster: string, { handedOver, prunable, abandons }: TargetContent): void {
    const key = keyOfManifest(object);
    const isListed = prunable.some((ref) => objectKey(ref) === key);
    if (!isListed) throw new Error(`${key} on ${cluster} would be removed, and no remembered snapshot listed it`);
    if (abandons || handedOver.some((ref) => objectKey(ref) === key)) {
      const free = this.#free.get(cluster) ?? new Map<string, Manifest>();
      this.#free.set(cluster, free.set(key, object));
    } else this.removed.push(`${cluster} ${key}`);
  }

  /** What still carries the label of a placement that has it no more is nobody's: whoever asks for it takes it over. */
  #isAnothers(cluster: string, placement: string, object: ObjectRef): boolean {
    const isIt = (live: Manifest): boolean => keyOfManifest(live) === objectKey(object);
    for (const [other, held] of this.members.get(cluster) ?? []) {
      const live = other === placement ? undefined : held.objects.find(isIt);
      if (!live) continue;
      if (isPlaced(this.last!.contents, { label: live.metadata.labels?.[placementLabel] ?? '', cluster, object }))
        return true;
      const objects = held.objects.filter((it) => it !== live);
      this.members.get(cluster)!.set(other, { ...held, objects });
    }
    return false;
  }
}
