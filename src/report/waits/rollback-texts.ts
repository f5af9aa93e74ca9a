import { placementKey } from '../../api/placement.ts';
import type { PlacementState } from '../../api/placement-state.ts';
import type { ClusterUpdatingStatus, StagedUpdateRun, StageStatus } from '../../api/staged.ts';
import type { FleetRecord } from '../../engine/input.ts';
import { listUpTo } from '../../engine/kernel/short-list.ts';
import { wasBound } from '../../engine/placement/bindings.ts';
import { rebuiltHash } from '../../engine/selection/content-hash.ts';
import { stagesToReturn } from '../../engine/staged/execute/roll-back.ts';
import { failuresAllowed, progressDeadlineOf, rollsBack } from '../../engine/staged/failure-policy.ts';
import { hasStarted } from '../../engine/staged/step.ts';
import { isEnding, placementOfRun } from '../../engine/update-run.ts';
import { memberIn } from '../../forecast/run-removals.ts';
import { type HeldBack, notWhileActive, openedByTask, resumesAt, waitingFor } from './approval-starts.ts';
import { clustersOf, namesOf, stagesAhead } from './opened.ts';
import type { StageTaskState } from './stage-tasks.ts';

/** Texts of a line that says what happens to stages. */
const mostStages = 10;

type RecordedState = Pick<PlacementState, 'bindings' | 'resourceSnapshots'>;

export type Recorded = Pick<FleetRecord, 'placements' | 'clusters'>;

/** The placement of a run, as recorded, without clusters that left the fleet. */
function stateOf(run: StagedUpdateRun, { placements, clusters }: Recorded): RecordedState | undefined {
  const state = placements.get(placementKey(placementOfRun(run)))?.state;
  const isMember = memberIn({ clusters });
  return state && { ...state, bindings: state.bindings.filter(({ targetCluster }) => isMember(targetCluster)) };
}

/** What happens if clusters fail, also those that it has updated before. Nothing where no cluster starts any more. */
export function failureText(
  { run, task }: { readonly run: StagedUpdateRun; readonly task: StageTaskState },
  record: Recorded,
  { refusal }: Pick<HeldBack, 'refusal'> = {},
): string[] {
  const opened = openedByTask(run, task, () => false);
  const started = stagesAhead(opened).flatMap((stage) => stage.clusters);
  if (isEnding(run.status ?? {}) || (started.length === 0 && opened.next === undefined)) return [];
  const clusters = (run.status?.stagesStatus ?? []).flatMap((stage) => stage.clusters);
  const most = failuresAllowed(run, clusters.length);
  const when =
    most === 0
      ? 'If a cluster fails'
      : `If more than ${most} ${most === 1 ? 'cluster of the run fails' : 'clusters of the run fail'}`;
  const then = rollsBack(run) ? returnText(run, started, record) : 'no further one starts, and all keep what they have';
  const waits =
    progressDeadlineOf(run) === undefined && (rollsBack(run) || most > 0)
      ? ' It has no progress-deadline: it waits for a cluster that does not become available, which is no failure.'
      : '';
  const { rollback } = refusal ?? {};
  return [`${when}, the run fails: ${then}.${waits}`, ...(rollback === undefined ? [] : [sentenceOf(rollback)])];
}

function returnText(run: StagedUpdateRun, started: StageStatus['clusters'], record: Recorded): string {
  const without = unknownOn(run, record);
  const { stages, staying: reached } = returningIn(run, record);
  const ahead = started.filter((cluster) => !hasStarted(cluster));
  const unknown = ahead.flatMap(({ clusterName }): Staying[] => {
    const why = without.get(clusterName);
    return why === undefined ? [] : [{ clusterName, why }];
  });
  const staying = [...reached, ...unknown];
  if (stages.length === 0 && unknown.length === ahead.length)
    return `those that it reached keep what they have, although it requests a rollback${staying.length === 0 ? '' : `: ${stayingText(staying)}`}`;
  const except = staying.length === 0 ? '' : `, except ${stayingText(staying)}`;
  return `those that it reached return to the snapshot that they had${except}`;
}

const sentenceOf = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

interface RejectionFacts extends Pick<HeldBack, 'pauseNow' | 'refusal'> {
  readonly record: Recorded & Pick<FleetRecord, 'runs'>;
}

/** What rejecting a gate of a run does: `ends the run`. */
export function rejectionText(run: StagedUpdateRun | undefined, facts: RejectionFacts): string {
  const after = run === undefined ? [] : waitingFor(run, facts.record.runs.values());
  return [
    ...endTexts(run, facts),
    ...(after.length === 0 ? [] : [`then comes what waits for it: ${after.join(', ')}`]),
  ].join('; ');
}

function endTexts(run: StagedUpdateRun | undefined, { record, pauseNow, refusal }: RejectionFacts): string[] {
  if (run === undefined || !rollsBack(run)) return ['ends the run'];
  const { stages, staying } = returningIn(run, record);
  const keep = staying.length === 1 ? 'keeps what it has' : 'keep what they have';
  const keeps = staying.length === 0 ? [] : [`${clustersOf(staying)} ${keep}: ${stayingText(staying)}`];
  if (stages.length === 0) return ['ends the run', ...keeps];
  const texts = stages.map(({ stageName, clusters }) => `stage ${stageName}: ${namesOf(clusters)}`);
  const count = clustersOf(stages.flatMap(({ clusters }) => clusters));
  return [
    `returns ${count} to the snapshot of before the run (${listUpTo(texts, mostStages, '; then ')}) and ends the run`,
    ...keeps,
    ...resumesAt(run),
    ...notWhileActive(run, record.runs.values()),
    ...(pauseNow === undefined ? [] : [`not before ${pauseNow}`]),
    ...(refusal?.rejection === undefined ? [] : [refusal.rejection]),
  ];
}

/** A cluster that a rollback does not return to what it had. */
interface Staying {
  readonly clusterName: string;
  readonly why: string;
}

const nothingBefore = 'nothing was there before';
const notRecorded = 'what was there is not recorded any more';

/** `a, b (nothing was there before), c (it left the fleet)` */
const stayingText = (staying: readonly Staying[]): string =>
  [...Map.groupBy(staying, ({ why }) => why)].map(([why, of]) => `${namesOf(of)} (${why})`).join(', ');

/** Stages of a rollback with what they return, and clusters that the run reached and that it cannot give what they had. */
export function returningIn(
  run: StagedUpdateRun,
  record: Recorded,
): { readonly stages: readonly StageStatus[]; readonly staying: readonly Staying[] } {
  const { status = {} } = run;
  const state = stateOf(run, record);
  const isMember = memberIn(record);
  const recorded = knownIndexes(state);
  const given = new Set(
    state?.bindings.flatMap((binding) => {
      const { targetCluster, resourceSnapshotIndex, deleting } = binding;
      const isOurs = String(resourceSnapshotIndex) === status.resourceSnapshotIndexUsed;
      return !deleting && wasBound(binding) && isOurs ? targetCluster : [];
    }),
  );
  const previous = new Map(
    (status.stagesStatus ?? []).flatMap(({ clusters }) => clusters.map((it) => [it.clusterName, it.previous])),
  );
  const whyNot = (name: ClusterUpdatingStatus['clusterName']): string | undefined => {
    const index = previous.get(name)?.resourceSnapshotIndex;
    if (!isMember(name)) return 'it left the fleet';
    if (index === undefined) return `${nothingBefore}, or on-failure: rollback came later`;
    if (state === undefined) return undefined;
    if (!recorded.has(index)) return notRecorded;
    return given.has(name) ? undefined : 'something else has changed it since';
  };
  const all = stagesToReturn(status);
  const stages = all.flatMap(({ stageName, clusters }) => {
    const returning = clusters.filter(({ clusterName }) => whyNot(clusterName) === undefined);
    return returning.length === 0 ? [] : [{ stageName, clusters: returning }];
  });
  const staying = all.flatMap(({ clusters }) =>
    clusters.flatMap(({ clusterName }): Staying[] => {
      const why = whyNot(clusterName);
      return why === undefined ? [] : [{ clusterName, why }];
    }),
  );
  return { stages, staying };
}

/** Clusters that can return to nothing, and why: they have nothing yet, or a snapshot that was rebuilt after the record was lost. */
export function unknownOn(run: StagedUpdateRun, record: Recorded): ReadonlyMap<string, string> {
  const state = stateOf(run, record);
  const known = knownIndexes(state);
  return new Map(
    state?.bindings.flatMap(({ targetCluster, resourceSnapshotIndex: index }) =>
      index === undefined || !known.has(index)
        ? [[targetCluster, index === undefined ? nothingBefore : notRecorded] as const]
        : [],
    ),
  );
}

const knownIndexes = (state: RecordedState | undefined): ReadonlySet<number> =>
  new Set(state?.resourceSnapshots.flatMap(({ index, hash }) => (hash === rebuiltHash ? [] : index)));
