import type { OverrideSnapshot } from '../../../api/override.ts';
import type { Problem } from '../../../api/problem.ts';
import type { FleetRecord } from '../../../engine/input.ts';
import { sameValue } from '../../../engine/kernel/same-value.ts';
import { snapshotId } from '../../../engine/overrides/snapshot-id.ts';
import { mismatch } from './mismatch.ts';
import type { PartVerifier } from './verified.ts';

/** Snapshots that are remembered, the newest ones. */
const mostKept = 100_000;

/**
 * Bindings and approvals name an override snapshot by its index, so an index never gets another spec. One that does gets back what it
 * had when this daemon first read or wrote it. At a start, the runs that used it tell (`verifyRun`).
 */
export function exchangedOverrides(): PartVerifier {
  const known = new Map<string, OverrideSnapshot>();
  const remember = ({ overrides }: FleetRecord): void => {
    for (const snapshot of [...overrides.values()].flat())
      if (!known.has(idOf(snapshot))) known.set(idOf(snapshot), snapshot);
    for (const oldest of [...known.keys()].slice(0, Math.max(0, known.size - mostKept))) known.delete(oldest);
  };
  return {
    async verify(record) {
      if (!record.exists) known.clear();
      const problems: Problem[] = [];
      const verified = (folder: string, snapshot: OverrideSnapshot): OverrideSnapshot => {
        const first = known.get(idOf(snapshot));
        if (first === undefined || sameValue(first.overrideSpec, snapshot.overrideSpec)) return snapshot;
        problems.push(
          mismatch(`overrides/${folder}/${snapshot.index}.yaml`, 'it had another spec before, which counts'),
        );
        return first;
      };
      const overrides = new Map(
        [...record.overrides].map(([folder, snapshots]) => [folder, snapshots.map((one) => verified(folder, one))]),
      );
      const trusted = problems.length === 0 ? record : { ...record, overrides };
      remember(trusted);
      return { record: trusted, problems };
    },
    published: remember,
  };
}

const idOf = (snapshot: OverrideSnapshot): string => `${snapshot.kind} ${snapshotId(snapshot)}`;
