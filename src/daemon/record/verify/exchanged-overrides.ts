import type { OverrideSnapshot } from '../../../api/override.ts';
import type { Problem } from '../../../api/problem.ts';
import type { FleetRecord } from '../../../engine/input.ts';
import { sameValue } from '../../../engine/kernel/same-value.ts';
import { snapshotId } from '../../../engine/overrides/snapshot-id.ts';
import { mismatch } from './mismatch.ts';
import type { Verified } from './verified.ts';

/** Snapshots that are remembered, the newest ones. */
const mostKept = 100_000;

/**
 * Bindings and approvals name an override snapshot by its index, so an index never gets another spec. One that does gets back what it
 * had when this daemon first read or wrote it. At a start, the runs that used it tell (`verifyRun`). A branch without the history of the
 * one before is of a daemon that began the record anew, with other indexes: that is a start for all that uses them.
 */
export function exchangedOverrides() {
  const known = new Map<string, OverrideSnapshot>();
  const remember = ({ overrides }: FleetRecord): void => {
    for (const snapshot of [...overrides.values()].flat())
      if (!known.has(idOf(snapshot))) known.set(idOf(snapshot), snapshot);
    for (const oldest of [...known.keys()].slice(0, Math.max(0, known.size - mostKept))) known.delete(oldest);
  };
  return {
    /**
     * A plan that waits for its push (`isPublished` false) is not remembered: another daemon may publish first. `exchanged`: ids of
     * snapshots whose spec is another one on a branch that was replaced, where it counts.
     */
    verify(
      record: FleetRecord,
      { isReplaced, isPublished }: { readonly isReplaced: boolean; readonly isPublished: boolean },
    ): Verified & { readonly exchanged: ReadonlySet<string> } {
      const exchanged = new Set<string>();
      if (isReplaced) {
        for (const snapshot of [...record.overrides.values()].flat())
          if (isOther(known.get(idOf(snapshot)), snapshot)) exchanged.add(snapshotId(snapshot));
        known.clear();
      }
      if (!record.exists) known.clear();
      const problems: Problem[] = [];
      const verified = (folder: string, snapshot: OverrideSnapshot): OverrideSnapshot => {
        const first = known.get(idOf(snapshot));
        if (first === undefined || !isOther(first, snapshot)) return snapshot;
        problems.push(
          mismatch(`overrides/${folder}/${snapshot.index}.yaml`, 'it had another spec before, which counts'),
        );
        return first;
      };
      const overrides = new Map(
        [...record.overrides].map(([folder, snapshots]) => [folder, snapshots.map((one) => verified(folder, one))]),
      );
      const trusted = problems.length === 0 ? record : { ...record, overrides };
      if (isPublished) remember(trusted);
      return { record: trusted, problems, exchanged };
    },
    published: remember,
  };
}

const idOf = (snapshot: OverrideSnapshot): string => `${snapshot.kind} ${snapshotId(snapshot)}`;

const isOther = (first: OverrideSnapshot | undefined, { overrideSpec }: OverrideSnapshot): boolean =>
  first !== undefined && !sameValue(first.overrideSpec, overrideSpec);
