import type { Manifest } from '../../../api/meta.ts';
import type { StagedUpdateRun, UpdateRunStatus } from '../../../api/staged.ts';
import { digestOfReview } from '../../gate/review.ts';
import { canonicalJson } from '../../kernel/canonical-json.ts';
import { placementOfRun } from '../../update-run.ts';
import type { StageGate } from './stage-gates.ts';

/** What an approver of a gate reviews. */
export interface ReviewedRun {
  readonly run: StagedUpdateRun;
  readonly status: UpdateRunStatus;
  /** By snapshot index. */
  readonly contents: ReadonlyMap<number, readonly Manifest[]>;
}

/**
 * The digest that an approval of a gate must name: of run, stage, timing, snapshot index and content, and the clusters of every stage
 * in order with their override snapshots. Neither the commit nor other placements are part of it, so an approval stays valid
 * while unrelated files change.
 */
export function reviewDigest(
  { run, status, contents }: ReviewedRun,
  gate: StageGate,
  digest: (text: string) => string,
): string {
  const index = Number(status.resourceSnapshotIndexUsed);
  const reviewed = {
    run: { kind: run.kind, name: run.metadata.name, namespace: run.metadata.namespace },
    placement: placementOfRun(run),
    stage: gate.stageName,
    timing: gate.timing,
    resourceSnapshotIndex: index,
    content: digest(canonicalJson(contents.get(index) ?? [])),
    stages: (status.stagesStatus ?? []).map(({ stageName, clusters }) => ({
      stageName,
      clusters: clusters.map(({ clusterName, clusterResourceOverrideSnapshots, resourceOverrideSnapshots }) => ({
        clusterName,
        clusterResourceOverrideSnapshots,
        resourceOverrideSnapshots,
      })),
    })),
  };
  return digestOfReview(reviewed, digest);
}
