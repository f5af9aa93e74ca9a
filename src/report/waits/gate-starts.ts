import type { ClusterName } from '../../api/meta.ts';
import type { UpdateRun } from '../../api/upgrade-run.ts';
import type { GroupUpgrade, MemberUpgrade, StageUpgrade } from '../../api/upgrade-status.ts';
import { freezeOf } from '../../engine/freeze/freeze.ts';
import type { Fleet } from '../../engine/input.ts';
import { formatDuration } from '../../engine/kernel/duration.ts';
import { formatInstant, type Instant, parseInstant } from '../../engine/kernel/instant.ts';
import { listUpTo } from '../../engine/kernel/short-list.ts';
import { configOf } from '../../engine/upgrade/check-gates.ts';
import { arePassed } from '../../engine/upgrade/derive-states.ts';
import { gateIn, gatesOf, type RunGate } from '../../engine/upgrade/gate-names.ts';
import { allMembers, isInFlight, isTerminal } from '../../engine/upgrade/tree.ts';
import { isHalted } from '../upgrades/halted.ts';
import { clustersOf, namesOf, type Opened, openedBy, openedTexts, type StageAhead } from './opened.ts';

/** A cluster that an update run still upgrades. */
export interface ClusterAhead {
  readonly clusterName: ClusterName;
  readonly stage: StageUpgrade;
  readonly group: GroupUpgrade;
}

/** A cluster update run that has started. */
export type StartedUpgrade = UpdateRun & { readonly status: NonNullable<UpdateRun['status']> };

export const isStarted = (run: UpdateRun | undefined): run is StartedUpgrade => run?.status !== undefined;

const mostNamed = 10;

/** What is known beside a run. */
interface Beside {
  /** What ends the pause of the fleet. */
  readonly pause?: string | undefined;
  /** Names of approvals that are given with this one. */
  readonly given?: ReadonlySet<string>;
  /** The run is stopped or failed. Absent: as it is recorded. */
  readonly halted?: boolean;
}

/** Everything that a cluster update run does behind a gate, up to the next approval or its end. */
export const openedByGate = (
  run: StartedUpgrade,
  gate: RunGate,
  { given = new Set() }: Pick<Beside, 'given'> = {},
): Opened<ClusterAhead> =>
  openedBy(
    run.status.stages.flatMap((stage, at) => {
      if (at < gate.stageAt || (at > gate.stageAt && isTerminal(stage))) return [];
      const closed = closedGates(run, at).filter(({ name }) => name !== gate.name && !given.has(name));
      return [stageAhead(stage, { closed, entered: at === gate.stageAt ? gate : undefined })];
    }),
  );

/** A gate that is not passed. */
type ClosedGate = RunGate & {
  /** When it opens by itself; undefined = an approver opens it. */
  readonly opens: string | undefined;
};

const closedGates = (run: StartedUpgrade, stageAt: number): ClosedGate[] =>
  gatesOf(run.metadata.name, run.status).flatMap((gate): ClosedGate[] => {
    const known = gateIn(run.status, gate);
    if (gate.stageAt !== stageAt || arePassed([known])) return [];
    if (known.type === 'Approval') return [{ ...gate, opens: undefined }];
    const start = configOf(gate, run.spec.strategy?.stages ?? [])?.scheduledStartConfiguration;
    const next = start ? `on ${start.startDay} ${start.startTime} ${start.utcOffset}` : 'of its file';
    const at = known.absoluteStartTime;
    return [{ ...gate, opens: `after the scheduled start ${at === undefined ? next : `at ${at}`}` }];
  });

/** `entered`: the gate that is asked, where it is of this stage. Groups run in parallel, each behind gates of its own. */
function stageAhead(
  stage: StageUpgrade,
  { closed, entered }: { readonly closed: readonly ClosedGate[]; readonly entered: RunGate | undefined },
): StageAhead<ClusterAhead> {
  const scope = entered?.groupAt;
  const closedOf = (groupAt: number | undefined, timing: RunGate['timing']): ClosedGate[] =>
    closed.filter((gate) => gate.groupAt === groupAt && gate.timing === timing);
  const left = stage.groups
    .map((group, at) => ({ group, at, members: group.members.filter((member) => !isTerminal(member)) }))
    .filter(({ members }) => members.length > 0);
  const isBehind = (at: number): boolean => entered?.timing !== 'After' && (scope === undefined || scope === at);
  const isHeld = (at: number): boolean => at !== scope && asked(closedOf(at, 'Before')).length > 0;
  const starting = left.filter(({ at }) => isBehind(at) && !isHeld(at));
  const others = left.filter(({ at }) => !isBehind(at)).map(({ group }) => group.name);
  // A group that is held asks for nothing after it yet, and the stage only once its groups are over.
  const ofGroups = stage.groups.flatMap((_, at) => closedOf(at, isHeld(at) ? 'Before' : 'After'));
  const ofStage = closedOf(undefined, 'After');
  const isHeldInside = asked(ofGroups).length > 0;
  const isAll = starting.length === left.length && starting.every(({ at }) => closedOf(at, 'Before').length === 0);
  const most = starting.reduce((sum, { group }) => sum + group.maxConcurrency, 0);
  const { state, waitMs } = waitOf(stage);
  return {
    name: stage.name,
    ...(isAll
      ? {}
      : { groups: starting.map(({ group, at }) => [group.name, ...starts(closedOf(at, 'Before'))].join(' ')) }),
    clusters: starting.flatMap(({ group, members }) =>
      members.map((member) => ({ clusterName: member.name, stage, group })),
    ),
    maxConcurrency: Math.min(stage.maxConcurrency, most),
    waits: scope === undefined ? starts(closedOf(undefined, 'Before')) : [],
    before: asked(closedOf(scope, 'Before')),
    ends:
      others.length === 0 || isHeldInside
        ? []
        : [
            `once ${others.length === 1 ? `group ${others[0]} is` : `groups ${listUpTo(others, mostNamed)} are`} done too`,
          ],
    after: isHeldInside ? asked(ofGroups) : asked(ofStage),
    waitsAfter: [
      ...starts([...ofGroups, ...ofStage]),
      ...(state === 'NotStarted' ? [`after a soak of ${formatDuration(waitMs)}`] : []),
    ],
  };
}

const asked = (gates: readonly ClosedGate[]): string[] =>
  gates.flatMap(({ name, opens }) => (opens === undefined ? [name] : []));

const starts = (gates: readonly ClosedGate[]): string[] => gates.flatMap(({ opens }) => opens ?? []);

const waitOf = ({ afterStageWaitStatus: wait }: StageUpgrade) => ({
  state: wait?.status.state,
  since: parseInstant(wait?.status.startTime ?? ''),
  waitMs: (wait?.waitDurationInSeconds ?? 0) * 1000,
});

/** When what an approval of a gate starts could begin: now, or once the wait after the stage before it is over. */
export function beginsAt(run: StartedUpgrade, gate: RunGate, nowMs: Instant): Instant {
  const { state, since, waitMs } = waitOf(run.status.stages[gate.stageAt]!);
  return state === 'Running' && since !== undefined ? Math.max(nowMs, since + waitMs) : nowMs;
}

/** What ends the freeze of the fleet, if it is frozen at an instant. */
export function freezeEnd(fleet: Pick<Fleet, 'config' | 'frozenUntil'>, at: Instant): string | undefined {
  const pause = freezeOf(fleet, formatInstant(at));
  return pause.kind === 'paused' ? pause.endsWhen : undefined;
}

/** What an approval of a gate starts, stage by stage, and what else must happen first. */
export function gateStarts(
  run: StartedUpgrade,
  gate: RunGate,
  { pause, given, halted = isHalted(run) }: Beside = {},
): string[] {
  const { state, since, waitMs } = waitOf(run.status.stages[gate.stageAt]!);
  return [
    ...openedTexts(openedByGate(run, gate, given && { given })),
    ...(state === 'Running' && since !== undefined
      ? [`not before the soak of stage ${gate.stage} is over, at ${formatInstant(since + waitMs)}`]
      : []),
    ...(halted ? haltTexts(run) : []),
    ...(pause === undefined ? [] : [`not before ${pause}`]),
  ];
}

/** Upgrades in progress end in a run that stops or fails, and nothing starts. */
export function haltTexts(run: StartedUpgrade): string[] {
  const { attempt, status } = run.status;
  return [
    status.error === undefined
      ? `not before someone resumes the run, which is stopped: gitfleet resume upgrade ${run.metadata.name}`
      : `not before attempt ${attempt + 1} continues the run, which failed: ${status.error.message}`,
  ];
}

/** What rejecting a gate does: `ends the run and leaves 2 clusters as they are (prod-1, prod-2)`. */
export function rejectedGateText({ status }: Pick<StartedUpgrade, 'status'>): string {
  const left = allMembers(status).filter((member) => !isTerminal(member));
  const named = (members: readonly MemberUpgrade[]) => members.map(({ name }) => ({ clusterName: name }));
  const running = left.filter(isInFlight);
  const kept = left.filter((member) => !isInFlight(member));
  return [
    'ends the run',
    ...(running.length === 0 ? [] : [` once the upgrades in progress end (${namesOf(named(running))})`]),
    ...(kept.length === 0
      ? []
      : [` and leaves ${clustersOf(kept)} as ${kept.length === 1 ? 'it is' : 'they are'} (${namesOf(named(kept))})`]),
  ].join('');
}

/** What happens if clusters fail in what a gate opens; undefined = nothing is upgraded. */
export function gateFailureText({ stages, next }: Opened<ClusterAhead>): string | undefined {
  const clusters = [...stages, ...(next?.stage ? [next.stage] : [])].flatMap((stage) => stage.clusters);
  const scopes = [...new Set(clusters.map(({ stage }) => stage))].flatMap((stage) => [
    { title: `stage ${stage.name}`, most: stage.maxAllowedFailures },
    // That of the stage counts its groups together.
    ...[...new Set(clusters.filter((it) => it.stage === stage).map(({ group }) => group))]
      .filter((group) => group.maxAllowedFailures < stage.maxAllowedFailures)
      .map((group) => ({ title: `group ${group.name}`, most: group.maxAllowedFailures })),
  ]);
  if (scopes.length === 0) return undefined;
  const most = Math.max(...scopes.map((scope) => scope.most));
  const when =
    most === 0
      ? 'If a cluster fails'
      : `If more clusters fail than may (${listUpTo(
          scopes.map((scope) => `${scope.title}: ${scope.most}`),
          mostNamed,
        )})`;
  return `${when}, the run fails: upgrades in progress end, no further one starts, and what is upgraded stays so.`;
}
