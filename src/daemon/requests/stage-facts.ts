import type { FleetConfig } from '../../api/gitfleet.ts';
import { placementKey } from '../../api/placement.ts';
import type { PlanContents } from '../../engine/delivery/plan-contents.ts';
import type { FleetRecord } from '../../engine/input.ts';
import { holdsOnceApproved } from '../../forecast/answered-run.ts';
import { removedInPlan } from '../../forecast/run-removals.ts';
import { stageEffect } from '../../forecast/stage-effect.ts';
import { subjectOf } from '../../git/objects/commit.ts';
import { approvalFolder } from '../../repo/fleet/approval-places.ts';
import { type AskedGate, commitsOf, type StageFacts } from '../../report/approval/approval-page.ts';
import { openedByTask, pauseBehind, pauseNow } from '../../report/waits/approval-starts.ts';
import { guardRefusal } from '../../report/waits/guard-refusal.ts';
import { heldClusters } from '../../report/waits/held-clusters.ts';
import type { DesiredState } from '../ports.ts';

/** What approval of a stage brings: the commits since the version that its clusters have, and what changes there. */
export async function stageFacts(
  gate: AskedGate,
  {
    record,
    contents,
    config,
    history,
  }: {
    readonly record: FleetRecord;
    readonly contents: PlanContents;
    readonly config: FleetConfig | undefined;
    readonly history: Pick<DesiredState, 'commitsBetween' | 'changingMoreThan'>;
  },
): Promise<StageFacts> {
  const { run, task } = gate;
  const { from, to } = commitsOf(gate, record);
  const included = to === undefined ? [] : await history.commitsBetween(from, to);
  // Approvals of other stages bring nothing to clusters.
  const commits = await history.changingMoreThan(approvalFolder(config), included);
  const opened = openedByTask(run, task, removedInPlan(run, contents));
  const updated = opened.stages.flatMap(({ clusters }) => clusters);
  const effect = stageEffect(contents, run, { updated, removed: opened.removed });
  const approval = placementKey({ name: task.approval ?? '', namespace: run.metadata.namespace });
  return {
    commits: commits.map((commit) => ({ oid: commit.oid, subject: subjectOf(commit), author: commit.author.name })),
    ...effect,
    pause: pauseBehind(run, task, contents),
    pauseNow: pauseNow(run, contents),
    waits: heldClusters(run, holdsOnceApproved(run, approval, { contents, record })),
    refusal: guardRefusal(run, opened, { effect, contents, record }),
  };
}
