import { placementKey } from '../../../api/placement.ts';
import type { StagedUpdateRun } from '../../../api/staged.ts';
import { removalName } from '../../../engine/gate/removal-approval.ts';
import type { RecordedApproval } from '../../../engine/input.ts';
import type { ProposedRun } from '../../../engine/plan-document.ts';
import { approvalPrefix } from '../../../git/approval-branches.ts';
import { defaultAuthor, type Person, parsePerson } from '../../../git/person.ts';
import { branchRef } from '../../../git/source.ts';
import { readFiles } from '../../../git/status-branch.ts';
import { readRecord } from '../../../repo/record/read.ts';
import type { RemovalToApprove } from '../../../repo/record/removals-to-approve.ts';
import { proposedRuns } from '../../../report/proposed-runs.ts';
import { recordedApproval } from '../../../report/recorded-approval.ts';
import { publishedTip } from '../../fleet-repo/published-tip.ts';
import { inFolders } from '../../status/open-status.ts';
import { refusedText } from '../../status/refused-text.ts';
import type { Desired } from '../open-desired.ts';

/** What the daemon requests, as the status branch records it, and the branches that are there. */
export interface Requests {
  /** Names with a branch, sorted. */
  readonly asked: readonly string[];
  /** Recorded requests without an answer, by name. */
  readonly open: ReadonlyMap<string, RecordedApproval | RemovalToApprove>;
  /** Runs that recorded profiles propose, by name. */
  readonly proposed: ReadonlyMap<string, ProposedRun>;
  /** Recorded answers, by name; `approved, used`: of removals. */
  readonly answers: ReadonlyMap<string, 'approved' | 'rejected' | 'approved, used'>;
  /** Requests of stopped runs, with the run. */
  readonly stopped: ReadonlyMap<string, StagedUpdateRun>;
  /** That no answer counts yet, as a plan is refused. */
  readonly refused: string | undefined;
  /** Names of the approvals of removals that let it pass. */
  readonly waysOut: readonly string[];
  /** Who commits for the daemon. */
  readonly author: Person;
}

export async function readRequests({ branches }: Desired, statusBranch: string): Promise<Requests> {
  const refs = await branches.list([approvalPrefix]);
  const asked = [...refs.keys()].map((ref) => ref.slice(approvalPrefix.length)).sort();
  const tip = await publishedTip(branches, statusBranch)();
  if (tip === undefined) {
    const nothing = {
      open: new Map(),
      proposed: new Map(),
      answers: new Map(),
      stopped: new Map(),
      refused: undefined,
      waysOut: [],
    };
    return { asked, ...nothing, author: parsePerson(defaultAuthor) };
  }
  await branches.obtain(branchRef(statusBranch), tip);
  const { record, removals, notInEffect } = readRecord(
    await readFiles(branches, tip, inFolders(['approvals', 'profiles', 'removals', 'runs'])),
  );
  const answers = new Map<string, 'approved' | 'rejected' | 'approved, used'>();
  const open = new Map<string, RecordedApproval | RemovalToApprove>(removals.map((removal) => [removal.name, removal]));
  for (const { spec } of record.removals.values()) {
    const name = removalName(spec.removalDigest);
    // One that is under way is requested again where its approval was withdrawn.
    if (!open.has(name)) answers.set(name, 'approved, used');
  }
  for (const [name, recorded] of record.approvals) {
    const { answer } = recordedApproval(recorded);
    if (answer === undefined) open.set(name, recorded);
    else answers.set(name, answer);
  }
  const proposed = new Map([...proposedRuns(record)].map(([name, { run }]) => [name, run]));
  const refused = refusedText({ notInEffect });
  const stopped = new Map(
    [...record.approvals].flatMap(([name, { kind, metadata, spec }]) => {
      if (kind === 'Gate') return [];
      const run = record.runs.get(placementKey({ name: spec.parentStageRollout, namespace: metadata.namespace }));
      return run?.spec.state === 'Stop' ? [[name, run] as const] : [];
    }),
  );
  const { approvedBy: waysOut = [] } = notInEffect;
  return {
    asked,
    open,
    proposed,
    answers,
    stopped,
    refused,
    waysOut,
    author: (await branches.objects.commit(tip)).author,
  };
}
