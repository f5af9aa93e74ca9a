import { refOf } from '../../../api/placement.ts';
import { digestOfReview } from '../../gate/review.ts';
import { canonicalJson } from '../../kernel/canonical-json.ts';
import type { RunContext, RunStep } from '../step.ts';
import type { StageGate } from './stage-gates.ts';

/**
 * Digest of what an approver reviews: run, stage, timing, snapshot index and content, and the clusters of every stage in
 * order with their override snapshots. Neither the commit nor other placements are part of it, so an approval stays valid
 * while unrelated files change.
 */
export function reviewDigest({ work, status }: RunStep, { run, input }: RunContext, gate: StageGate): string {
  const index = Number(status.resourceSnapshotIndexUsed);
  const reviewed = {
    run: { kind: run.kind, name: run.metadata.name, namespace: run.metadata.namespace },
    placement: refOf(work.placement),
    stage: gate.stageName,
    timing: gate.timing,
    resourceSnapshotIndex: index,
    content: input.digest(canonicalJson(work.contents.get(index) ?? [])),
    stages: (status.stagesStatus ?? []).map(({ stageName, clusters }) => ({
      stageName,
      clusters: clusters.map(({ clusterName, clusterResourceOverrideSnapshots, resourceOverrideSnapshots }) => ({
        clusterName,
        clusterResourceOverrideSnapshots,
        resourceOverrideSnapshots,
      })),
    })),
  };
  return digestOfReview(reviewed, input.digest);
}
