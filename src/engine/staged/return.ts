import { refOf } from '../../api/placement.ts';
import type { UpdateRunStatus } from '../../api/staged.ts';
import { latestOf } from '../kernel/latest-of.ts';
import { byText } from '../kernel/ordering.ts';
import { compileOverrides, matchCompiled } from '../overrides/match.ts';
import { idsOf } from '../overrides/snapshot-id.ts';
import type { PlacementWork } from '../placement-work.ts';
import { holdsSelection } from '../selection/snapshot.ts';
import type { World } from '../world.ts';
import type { RunsInput } from './step.ts';

/**
 * Digest of the resources that the repo holds for a placement, and of the overrides for its clusters. Undefined: the resources cannot be
 * selected.
 */
export function repoDigest(
  { placement, selection, bindings }: PlacementWork,
  { overrides, members, input }: Pick<World, 'overrides' | 'members' | 'input'>,
): string | undefined {
  if (!selection.ok) return undefined;
  const compiled = compileOverrides(refOf(placement), selection.manifests, overrides);
  const ids = bindings.flatMap(({ binding: { targetCluster: name } }) =>
    idsOf(matchCompiled(compiled, { name, labels: members.get(name)?.labels })),
  );
  return input.digest([selection.hash, ...[...new Set(ids)].sort(byText)].join('\n'));
}

/** The digest to record for a run that names a recorded snapshot, where that is an earlier one than the latest, which the repo holds. */
export function returnedFrom(
  index: number,
  work: PlacementWork,
  input: Pick<RunsInput, 'digest' | 'repoDigest'>,
): string | undefined {
  const { resourceSnapshots, contents, selection } = work;
  const latest = latestOf(resourceSnapshots);
  if (latest === undefined || index === latest.index || !selection.ok) return undefined;
  return holdsSelection(latest, { selection, contents, digest: input.digest }) ? input.repoDigest(work) : undefined;
}

/** The status without that digest once the repo holds something else, for good: the same contents may come back, to be rolled out. */
export function withReturn(status: UpdateRunStatus, digestNow: () => string | undefined): UpdateRunStatus {
  const { returnedFrom: then, ...rest } = status;
  if (then === undefined) return status;
  const now = digestNow();
  return now === undefined || now === then ? status : rest;
}
