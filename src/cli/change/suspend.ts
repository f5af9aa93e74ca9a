import type { Document } from 'yaml';
import { isPlacementKind, type Placement, placementKey } from '../../api/placement.ts';
import type { StagedUpdateRun } from '../../api/staged.ts';
import type { UpdateRun } from '../../api/upgrade-run.ts';
import type { FleetRecord } from '../../engine/input.ts';
import { suspendedAnnotation } from '../../engine/pause/placement-pause.ts';
import { sourceOf } from '../../engine/problem-of.ts';
import { stateOf } from '../../engine/staged/run-state.ts';
import { isOver } from '../../engine/update-run.ts';
import { isOver as isUpgradeOver } from '../../engine/upgrade/load-run.ts';
import { titleOf } from '../../repo/title-of.ts';
import { upgradeNow } from '../../report/upgrades/now.ts';
import { progressText } from '../../report/waits/progress-text.ts';
import { kindMeant } from '../kinds/kinds.ts';
import { CliError } from '../terminal/exit.ts';
import { splitName } from '../terminal/names.ts';
import { isCalled, oneNamed } from '../terminal/one-named.ts';
import { unknownName } from '../terminal/unknown-name.ts';
import { editObject } from './edit-yaml.ts';
import { type Desired, withDesired } from './open-desired.ts';
import { recordFor } from './record-for.ts';
import { type ChangeOptions, reportChange } from './report-change.ts';

export interface SuspendOptions extends ChangeOptions {
  readonly statusBranch: string;
  readonly reason?: string;
  readonly pullRequest?: boolean;
}

/**
 * Suspends a placement (annotation `gitfleet.dev/suspended`), a staged update run (`spec.state: Stop`, KubeFleet's own) or a cluster
 * update run (`spec.state: Stopped`) by a commit. Objects on the members stay, and their drift is still repaired.
 */
export const suspend = (word: string, name: string | undefined, options: SuspendOptions): Promise<void> =>
  setSuspended('suspend', splitName(word, name), options);

/** Removes a suspension, by a commit. */
export const resume = (word: string, name: string | undefined, options: SuspendOptions): Promise<void> =>
  setSuspended('resume', splitName(word, name), options);

type Verb = 'suspend' | 'resume';

async function setSuspended(
  verb: Verb,
  { kind, name }: { readonly kind: string; readonly name: string | undefined },
  options: SuspendOptions,
): Promise<void> {
  const { names } = kindMeant(kind, undefined, ['placement', 'run', 'upgrade']).listing;
  const [plural, what] = names;
  if (plural !== 'placements' && plural !== 'runs' && plural !== 'upgrades')
    throw new CliError(
      `${verb} takes a placement, a run or an upgrade, not ${kind}: write for example gitfleet ${verb} placement web`,
    );
  if (name === undefined) throw new CliError(`${verb} ${kind} needs a name: gitfleet get ${plural} lists them`);
  await withDesired(options, async (desired) => {
    const { fleet } = desired;
    const all = { placements: fleet.placements, runs: fleet.runs, upgrades: fleet.upgradeRuns };
    const object = named(all, plural, { what, name });
    const title = `${what} ${titleOf(object.metadata)}`;
    if (!isPlacement(object))
      await refuseOtherRun(verb, object, { desired, title, statusBranch: options.statusBranch });
    const newReason = verb === 'suspend' && hasNewReason(object, options.reason);
    if (isInState(verb, object) && !newReason) {
      const already = verb === 'suspend' ? `${title} is suspended already` : `${title} is not suspended`;
      return reportChange(
        desired,
        { edits: new Map(), message: '', branch: undefined },
        {
          options,
          summary: {
            done: '',
            already,
            notes: !isPlacement(object) && options.reason !== undefined ? [reasonOfRun] : [],
          },
        },
      );
    }
    const file = sourceOf(fleet, { kind: object.kind, ...object.metadata })?.file ?? '';
    const text = editObject(
      { file, text: (await desired.text(file)) ?? '' },
      { kind: object.kind, ...object.metadata },
      (document) => change(document, verb, { object, reason: options.reason ?? '' }),
    );
    const because = options.reason === undefined ? '' : `\n\n${options.reason}`;
    await reportChange(
      desired,
      {
        edits: new Map([[file, text]]),
        message: `${verb === 'suspend' ? 'Suspend' : 'Resume'} ${title}${because}`,
        branch: options.pullRequest
          ? `gitfleet/${verb}/${object.metadata.namespace ? `${object.metadata.namespace}.` : ''}${object.metadata.name}`
          : undefined,
      },
      {
        options,
        summary: {
          done: newReason
            ? `${title} stays suspended, ${options.pullRequest ? 'to be ' : ''}for another reason`
            : `${title} ${options.pullRequest ? 'is to be ' : 'is '}${verb === 'suspend' ? 'suspended' : 'resumed'}`,
          already: `${title} already has this state`,
          notes: verb === 'suspend' && !newReason ? suspendNotes(object) : [],
        },
      },
    );
  });
}

/**
 * A finished run no longer changes, so a commit that suspends or resumes it would have no effect. One that is not to start yet cannot be
 * stopped.
 */
async function refuseOtherRun(
  verb: Verb,
  run: StagedUpdateRun | UpdateRun,
  of: { readonly desired: Desired; readonly title: string; readonly statusBranch: string },
): Promise<void> {
  const { runs, upgrades } = await recordFor(of.desired, of.statusBranch, ['runs', 'upgrades']);
  const how = run.kind === 'UpdateRun' ? endOfUpgrade(upgrades.get(run.metadata.name)) : endOfRun(runs, run);
  if (how !== undefined) throw new CliError(`${of.title} is over (${how}): there is nothing to ${verb}`);
  if (run.kind === 'UpdateRun') return;
  const { metadata, spec } = run;
  const recorded = runs.get(placementKey(metadata));
  const isWaiting = spec.state === 'Initialize' && (recorded === undefined || stateOf(recorded) === 'Initialize');
  // As long as the record says so, its file cannot stop it, and what continues it starts it.
  const isDenied = recorded !== undefined && stateOf(recorded) === 'Initialize' && stateOf(run) !== 'Run';
  if (isWaiting || isDenied)
    throw new CliError(
      `${of.title} has not started, it is only initialized (state: Initialize): there is nothing to ${verb}; to start it, write state: Run into its file, and to give it up, remove the file`,
    );
}

function endOfRun(runs: FleetRecord['runs'], { metadata }: StagedUpdateRun): string | undefined {
  const status = runs.get(placementKey(metadata))?.status;
  return status !== undefined && isOver(status) ? progressText(status) : undefined;
}

function endOfUpgrade(run: UpdateRun | undefined): string | undefined {
  if (run?.status === undefined || !isUpgradeOver(run.status)) return undefined;
  return upgradeNow(run) || run.status.status.state;
}

const reasonOfRun = 'a run has no field for a reason: only the commit that stops it records the reason';

type Suspendable = Placement | StagedUpdateRun | UpdateRun;

function named<K extends string>(
  all: Readonly<Record<K, readonly Suspendable[]>>,
  plural: NoInfer<K>,
  { what, name }: { readonly what: string; readonly name: string },
): Suspendable {
  const found = oneNamed(all[plural], name, { what, refOf: ({ metadata }) => metadata });
  if (found) return found;
  const known = all[plural].map(({ metadata }) => titleOf(metadata));
  const instead = Object.values<readonly Suspendable[]>(all).flatMap((objects) =>
    objects
      .filter(({ metadata }) => isCalled(metadata, name))
      .map((object) => `${wordOf(object)}/${titleOf(object.metadata)}`),
  );
  throw unknownName({ what, name, known, instead });
}

const isPlacement = (object: Suspendable): object is Placement => isPlacementKind(object.kind);

const wordOf = (object: Suspendable): string =>
  isPlacement(object) ? 'placement' : object.kind === 'UpdateRun' ? 'upgrade' : 'run';

/** The states of a run that is suspended, and of one that is not. */
const statesOf = ({ kind }: StagedUpdateRun | UpdateRun) =>
  kind === 'UpdateRun' ? (['Stopped', 'Started'] as const) : (['Stop', 'Run'] as const);

function isInState(verb: Verb, object: Suspendable): boolean {
  const suspended = isPlacement(object)
    ? object.metadata.annotations?.[suspendedAnnotation] !== undefined
    : object.spec.state === statesOf(object)[0];
  return suspended === (verb === 'suspend');
}

/** Whether it is suspended and the given reason differs from that of its annotation. */
function hasNewReason(object: Suspendable, reason: string | undefined): boolean {
  const present = isPlacement(object) ? object.metadata.annotations?.[suspendedAnnotation] : undefined;
  return present !== undefined && reason !== undefined && reason !== present;
}

function change(
  document: Document,
  verb: Verb,
  { object, reason }: { readonly object: Suspendable; readonly reason: string },
): void {
  if (!isPlacement(object)) document.setIn(['spec', 'state'], statesOf(object)[verb === 'suspend' ? 0 : 1]);
  else if (verb === 'suspend') document.setIn(['metadata', 'annotations', suspendedAnnotation], reason);
  else {
    document.deleteIn(['metadata', 'annotations', suspendedAnnotation]);
    const { annotations } = (document.toJS() as { metadata: { annotations?: object | null } }).metadata;
    if (Object.keys(annotations ?? {}).length === 0) document.deleteIn(['metadata', 'annotations']);
  }
}

/** A stopped run finishes the clusters that it has started. */
function suspendNotes(object: Suspendable): string[] {
  if (isPlacement(object)) return ['objects on the members stay, and their drift is still repaired'];
  return [`clusters whose ${object.kind === 'UpdateRun' ? 'upgrade' : 'update'} has started are finished`];
}
