import type { Manifest } from '../../../api/meta.ts';
import { type PlacementRef, refOf } from '../../../api/placement.ts';
import type { StagedUpdateRun, UpdateRunStatus } from '../../../api/staged.ts';
import { digestOfReview } from '../../gate/review.ts';
import { canonicalJson } from '../../kernel/canonical-json.ts';
import type { RunContext, RunStep } from '../step.ts';
import type { StageGate } from './stage-gates.ts';

/** The digest that an approval of a gate must name, for the run as planned. */
export const reviewDigest = ({ work, status }: RunStep, { run, input }: RunContext, gate: StageGate): string =>
  digestOfRun({ run, status, placement: refOf(work.placement), contents: work.contents }, gate, input.digest);

/**
 * Digest of what an approver reviews: run, stage, timing, snapshot index and content, and the clusters of every stage in
 * order with their override snapshots. Neither the commit nor other placements are part of it, so an approval stays valid
 * while unrelated files change.
 */
export function digestOfRun(
  of: {
    readonly run: StagedUpdateRun;
    readonly status: UpdateRunStatus;
    readonly placement: PlacementRef;
    readonly contents: ReadonlyMap<number, readonly Manifest[]>;
  },
  gate: StageGate,
  digest: (text: string) => string,
): string {
  const { run, status, placement, contents } = of;
  const index = Number(status.resourceSnapshotIndexUsed);
  const reviewed = {
    run: { kind: run.kind, name: run.metadata.name, namespace: run.metadata.namespace },
    placement,
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
