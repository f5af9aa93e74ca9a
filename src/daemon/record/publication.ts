import { hexOf, isRemovalApproved } from '../../engine/gate/removal-approval.ts';
import type { FleetRecord } from '../../engine/input.ts';
import type { Plan, RecordDocument } from '../../engine/plan-document.ts';
import { type DaemonMemory, writeDaemonMemory } from '../../repo/record/daemon-memory.ts';
import { isPreview, recordPathOf, unknownFolderOf } from '../../repo/record/path.ts';
import { recordedObjects } from '../../repo/record/recorded-objects.ts';
import { removalsToApprove } from '../../repo/record/removals-to-approve.ts';
import { packed, type StatusText } from '../../repo/record/status-text.ts';
import { packRecord } from '../../repo/record/write.ts';
import { renderDashboard } from '../../report/dashboard.ts';
import type { DashboardInput } from '../../report/dashboard-input.ts';
import { inEffect } from '../../report/in-effect.ts';
import { summaryOf } from '../../report/summary.ts';

/** Everything the status branch should hold after this plan. A refused plan changes only what reports the refusal. Folders
 * that a newer gitfleet wrote stay. */
export function statusFiles(
  plan: Plan,
  before: ReadonlyMap<string, StatusText>,
  context: DashboardInput,
): Map<string, StatusText> {
  const memory = packRecord(new Map([['daemon.yaml', documentOf(writeDaemonMemory(memoryOf(plan, context)))]]));
  if (plan.guard.length > 0) return new Map([...before, ...memory, ...reports(plan, context)]);
  const ofOthers = [...before].filter(([path]) => unknownFolderOf(path) !== undefined);
  return new Map([...ofOthers, ...memory, ...wholeRecord(plan, context)]);
}

/**
 * Adds what does not come from the plan: the files of snapshots that it did not get because they are not verified yet, as long as the
 * record has their entries, and the previews of pull requests.
 */
export function withOthers(
  files: Map<string, StatusText>,
  {
    plan,
    waiting,
    before,
    previews,
  }: {
    readonly plan: Plan;
    /** By path; all that there should be. */
    readonly previews: ReadonlyMap<string, string>;
    readonly waiting: ReadonlyMap<string, ReadonlySet<number>>;
    readonly before: ReadonlyMap<string, StatusText>;
  },
): ReadonlyMap<string, StatusText> {
  for (const path of files.keys()) if (isPreview(path) && !previews.has(path)) files.delete(path);
  for (const [path, text] of previews) files.set(path, packed(text));
  if (waiting.size === 0) return files;
  const states = recordedObjects('states', plan);
  for (const [path, text] of before) {
    const { name = '', rest = '' } = recordPathOf(path) ?? {};
    const index = Number(/^snapshots\/(\d+)\.yaml$/.exec(rest)?.[1]);
    const entries = waiting.get(name)?.has(index) ? states.get(name)?.value.resourceSnapshots : undefined;
    if (entries?.some((entry) => entry.index === index)) files.set(path, text);
  }
  return files;
}

/** The record with its reports, also for a refused plan; without daemon.yaml. */
export const wholeRecord = (plan: Plan, context: DashboardInput): Map<string, StatusText> =>
  new Map([...packRecord(plan.record), ...reports(plan, context)]);

const reports = (plan: Plan, context: DashboardInput): Map<string, StatusText> =>
  new Map<string, StatusText>([
    ...packRecord(new Map([['summary.yaml', documentOf(summaryOf(plan, context))]])),
    ['README.md', packed(renderDashboard(plan, context))],
  ]);

const documentOf = (value: object): RecordDocument => ({ kind: 'object', value });

const memoryOf = (plan: Plan, { unreachable, before, fleet }: DashboardInput): DaemonMemory => {
  const { commit, holds, holdCount, removalHolds, record } = inEffect(plan, { before, fleet });
  const removals = removalsToApprove({ ...plan, holds: removalHolds });
  // Approved, but a refusal or a freeze keeps the removal from starting.
  const used = recordedObjects('removals', { record });
  const answered = [...(before.record.askedRemovals ?? [])].filter(
    (digest) => isRemovalApproved(digest, fleet) && !used.has(hexOf(digest)),
  );
  const askedRemovals = new Set([...answered, ...removals.map(({ removalDigest }) => removalDigest)]);
  return { commit: plan.commit, unreachable, inEffect: { commit, holds, holdCount }, askedRemovals };
};

/** True when the plan uses an approval of a removal. It counts once, so the plan is pushed before another one is made. */
export const usesApproval = (plan: Plan, { removals }: Pick<FleetRecord, 'removals'>): boolean =>
  [...recordedObjects('removals', plan).keys()].some((name) => !removals.has(name));
