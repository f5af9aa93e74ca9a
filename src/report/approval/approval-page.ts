import type { Manifest } from '../../api/meta.ts';
import type { ClusterObservation } from '../../api/observation.ts';
import { placementKey } from '../../api/placement.ts';
import type { StagedUpdateRun } from '../../api/staged.ts';
import type { UpdateRun } from '../../api/upgrade-run.ts';
import { placeOfBranch } from '../../engine/gate/request.ts';
import type { FleetRecord } from '../../engine/input.ts';
import { latestOf } from '../../engine/kernel/latest-of.ts';
import { listUpTo } from '../../engine/kernel/short-list.ts';
import type { Plan, RequestedApproval } from '../../engine/plan-document.ts';
import { lastGoodTexts } from '../../engine/staged/last-good-versions.ts';
import { placementOfRun } from '../../engine/update-run.ts';
import { memberIn, removedInRecord } from '../../forecast/run-removals.ts';
import type { StageEffect } from '../../forecast/stage-effect.ts';
import { titleOf } from '../../repo/title-of.ts';
import { changeText } from '../effect/effect-text.ts';
import { actionsText } from '../effect/effect-title.ts';
import type { Proposed } from '../proposed-runs.ts';
import { type Item, list, type Section } from '../sections/section.ts';
import { upgradeBrings } from '../upgrades/progress.ts';
import { approvalStarts, type HeldBack, openedByTask, resumedTitle } from '../waits/approval-starts.ts';
import { openedTitle, stagesAhead } from '../waits/opened.ts';
import { failureText, rejectionText } from '../waits/rollback-texts.ts';
import { type StageTaskState, stageTasks } from '../waits/stage-tasks.ts';
import { soFar } from './so-far.ts';
import { type GateFacts, mostSteps, upgradeGatePage } from './upgrade-gate-page.ts';

/** A commit of the followed branch. */
export interface IncludedCommit {
  readonly oid: string;
  readonly subject: string;
  readonly author: string;
}

/** A request for approval for the person who decides; renderers show it as Markdown. */
export interface ApprovalPage {
  readonly title: string;
  /** What merging does. */
  readonly lead: readonly string[];
  /** What closing and rejecting do. */
  readonly instructions: string;
  readonly sections: readonly Section[];
  /** `On the clusters: removes 4 objects, changes 2`. */
  readonly changesTitle: string;
  /** Removals first. */
  readonly changes: readonly { readonly title: string; readonly diff: string; readonly isRemoval: boolean }[];
}

/** That nothing is removed is said as well: it is what matters most. */
function changesTitle(changes: StageFacts['changes']): string {
  const counts = { remove: 0, change: 0, add: 0, release: 0, move: 0 };
  for (const { action, clusters } of changes) counts[action] += clusters.length;
  return `On the clusters: ${counts.remove === 0 ? 'removes nothing, ' : ''}${actionsText(counts)}`;
}

/** Of a page that is not about objects. */
export const noChanges = { changesTitle: '', changes: [] } as const;

/** Commits, clusters and messages that are named. */
export const mostListed = 30;

/** How instructions begin, so that they are found again in the text of a pull request. */
export const closing = 'Closing this request';
export const notNow = `${closing} leaves it waiting: reopen it to be asked again.`;
const toReject = (name: string, rejection: string): string =>
  `To reject, which ${rejection}: \`gitfleet approve ${name} --reject --reason "…"\`.`;

/** A run, and which of its gates is asked for. */
export interface AskedGate {
  readonly run: StagedUpdateRun;
  readonly task: StageTaskState;
}

/** The run of a stage's approval, as it is recorded; undefined for gates of cluster update runs. */
export function askedGate(
  { planned, subject }: RequestedApproval,
  { runs }: Pick<FleetRecord, 'runs'>,
): AskedGate | undefined {
  const run = [...runs.values()].find(
    ({ metadata }) => metadata.name === subject.name && metadata.namespace === subject.namespace,
  );
  const task = run && stageTasks(run).find(({ approval }) => approval === planned.name);
  return run && task ? { run, task } : undefined;
}

/** The commits of the snapshot that the clusters have which an approval starts, and of the one that they would get. */
export function commitsOf({ run, task }: AskedGate, { placements }: Pick<FleetRecord, 'placements'>) {
  const state = placements.get(placementKey(placementOfRun(run)))?.state;
  const opened = openedByTask(run, task, () => true);
  const starting = opened.stages.length > 0 ? opened.stages : stagesAhead(opened);
  const clusters = new Set(starting.flatMap((stage) => stage.clusters.map(({ clusterName }) => clusterName)));
  const indexes = (state?.bindings ?? []).flatMap(({ targetCluster, resourceSnapshotIndex: index }) =>
    clusters.has(targetCluster) && index !== undefined ? [index] : [],
  );
  const now = indexes.length === 0 ? undefined : Math.min(...indexes);
  const next = Number(run.status?.resourceSnapshotIndexUsed ?? latestOf(state?.resourceSnapshots ?? [])?.index);
  const commitOf = (index: number | undefined) => state?.resourceSnapshots.find((it) => it.index === index)?.commit;
  return { now, next, from: commitOf(now), to: commitOf(next) };
}

/** What approval of a stage brings. */
export interface StageFacts extends Omit<StageEffect, 'held'>, HeldBack {
  readonly commits: readonly IncludedCommit[];
}

/** The page of a stage of a run. */
export function stagePage(
  gate: AskedGate,
  of: StageFacts & {
    readonly name: string;
    readonly record: Pick<FleetRecord, 'runs' | 'placements' | 'clusters'>;
    readonly problems: Plan['problems'];
    /** Of the members, as far as there are any. */
    readonly observations: ReadonlyMap<string, ClusterObservation>;
  },
): ApprovalPage {
  const { run, task } = gate;
  const { now, next } = commitsOf(gate, of.record);
  const isRemovedFrom = removedInRecord(run, of.record);
  const placement = titleOf({ name: run.spec.placementName, namespace: run.metadata.namespace });
  const recorded = of.record.placements.get(placementKey(placementOfRun(run)));
  const own = new Set((recorded?.snapshots.get(next) ?? []).map(keyOfWorkload));
  const isOurs = ({ kind, namespace, name }: Restarted): boolean =>
    own.has(keyOfWorkload({ kind, metadata: { namespace, name } }));
  const versions = now === undefined || now === next ? `snapshot ${next}` : `from snapshot ${now} to ${next}`;
  return {
    title: `Approve ${run.metadata.name}: ${openedTitle(openedByTask(run, task, isRemovedFrom))} ${task.timing} ${task.stage}${resumedTitle(run)}`,
    lead: [
      `Merging starts ${listUpTo(approvalStarts(run, task, { ...of, isRemovedFrom, runs: of.record.runs.values() }), mostSteps, '; ')}.`,
      `Placement ${placement}: ${versions}. Update run ${run.metadata.name}, approval ${of.name}.`,
      ...failureText(gate, of.record, of),
    ],
    instructions: `${notNow} ${toReject(of.name, rejectionText(run, of))}`,
    sections: [
      warnings(of),
      list(
        '⚠️ Not in this run',
        lastGoodTexts(run.status ?? {}).map((line) => ({ line: [line] })),
      ),
      list(of.changes.length === 0 ? 'On the clusters' : 'Not compared', [
        ...(of.isKnown && of.changes.length + of.kept.length === 0 ? [{ line: ['nothing changes'] }] : []),
        ...(of.rebuilt.length === 0
          ? []
          : [
              {
                line: [
                  `what ${listUpTo(of.rebuilt, mostListed)} had was rebuilt after the record was lost: fields that this version does not have are not compared, as servers may have added them`,
                ],
              },
            ]),
      ]),
      list(
        '⚠️ Clusters that keep what they have',
        of.kept.map(({ why, clusters }) => ({ line: [`${listUpTo(clusters, mostListed)}: ${why}`] })),
      ),
      list(
        now === undefined ? 'Commits' : `Commits since snapshot ${now}`,
        listed(
          of.commits.map(({ oid, subject, author }) => ({
            line: [{ code: oid.slice(0, 7) }, ` ${subject} (${author})`],
          })),
          mostListed,
        ),
      ),
      list(
        'So far',
        soFar(run, recorded?.state, {
          restartsOn: (cluster) => of.observations.get(cluster)?.restarts?.filter(isOurs),
          isMember: memberIn(of.record),
        }),
      ),
    ],
    changesTitle: changesTitle(of.changes),
    changes: of.changes.map(changeText),
  };
}

type Restarted = NonNullable<ClusterObservation['restarts']>[number];

const keyOfWorkload = ({ kind, metadata: { namespace = 'default', name } }: Pick<Manifest, 'kind' | 'metadata'>) =>
  `${kind} ${namespace}/${name}`;

/** The page of a gate of a cluster update run. */
export function gatePage(
  approval: RequestedApproval,
  of: GateFacts & { readonly run: UpdateRun | undefined; readonly problems: Plan['problems'] },
): ApprovalPage {
  const { planned, subject } = approval;
  const scope = subject.group === undefined ? `stage ${subject.stage}` : `group ${subject.group}`;
  const { title, lead, rejection, sections } = upgradeGatePage(approval, of.run, of) ?? {
    title: `Approve ${subject.name}: ${planned.name}`,
    lead: [`Merging opens the gate ${planned.name} at ${scope} of cluster update run ${subject.name}.`],
    rejection: 'ends the run',
    sections: [],
  };
  return {
    title,
    lead,
    instructions: `${notNow} ${toReject(planned.name, rejection)}`,
    sections: [warnings({ name: planned.name, problems: of.problems }), ...sections],
    ...noChanges,
  };
}

/** The page of a cluster update run that a profile proposes. */
export const proposalPage = ({ run, why }: Proposed, of: { readonly problems: Plan['problems'] }): ApprovalPage => ({
  title: `Approve ${run.metadata.name}: ${upgradeBrings(run)}`,
  lead: [
    `Merging starts cluster update run ${run.metadata.name}: ${upgradeBrings(run)}; strategy: ${run.spec.updateStrategyId ?? 'one by one'}.`,
    `Profile ${run.spec.autoUpgradeProfileId} proposes it${why === undefined ? '' : `: ${why}`}.`,
  ],
  instructions: `${closing} starts nothing: reopen it to be asked again.`,
  sections: [warnings({ name: run.metadata.name, ...of })],
  ...noChanges,
});

/** What someone added to the branch: merging brings that as well. */
export const warnings = ({ name, problems }: { readonly name: string; readonly problems: Plan['problems'] }): Section =>
  list(
    '⚠️ This branch contains more than the request',
    problems.flatMap(({ file, message }) => (file === placeOfBranch({ name }) ? [{ line: [message] }] : [])),
  );

export const listed = (items: readonly Item[], most: number): Item[] =>
  items.length > most ? [...items.slice(0, most), { line: [`… and ${items.length - most} more`] }] : [...items];
