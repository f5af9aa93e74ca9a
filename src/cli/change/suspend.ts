import type { Document } from 'yaml';
import { type Placement, placementKey } from '../../api/placement.ts';
import type { StagedUpdateRun } from '../../api/staged.ts';
import { suspendedAnnotation } from '../../engine/pause/placement-pause.ts';
import { sourceOf } from '../../engine/problem-of.ts';
import { isOver } from '../../engine/update-run.ts';
import { titleOf } from '../../repo/title-of.ts';
import { progressText } from '../../report/waits/progress-text.ts';
import { kindMeant } from '../kinds/kinds.ts';
import { CliError } from '../terminal/exit.ts';
import { splitName } from '../terminal/names.ts';
import { oneNamed } from '../terminal/one-named.ts';
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
 * Suspends a placement (annotation `gitfleet.dev/suspended`) or a staged update run (`spec.state: Stop`, KubeFleet's own) by a
 * commit. Objects on the members stay, and their drift is still repaired.
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
  const { names } = kindMeant(kind, undefined, ['placement', 'run']).listing;
  if (names[0] !== 'placements' && names[0] !== 'runs')
    throw new CliError(
      `${verb} takes a placement or a run, not ${kind}: write for example gitfleet ${verb} placement web`,
    );
  if (name === undefined) throw new CliError(`${verb} ${kind} needs a name: gitfleet get ${names[0]} lists them`);
  await withDesired(options, async (desired) => {
    const { fleet } = desired;
    const object = named(names[0] === 'runs' ? fleet.runs : fleet.placements, { what: names[1], name });
    const title = `${names[1]} ${titleOf(object.metadata)}`;
    if (isRun(object)) await refuseFinishedRun(verb, object, { desired, title, statusBranch: options.statusBranch });
    const newReason = verb === 'suspend' && hasNewReason(object, options.reason);
    if (isInState(verb, object) && !newReason) {
      const already = verb === 'suspend' ? `${title} is suspended already` : `${title} is not suspended`;
      return reportChange(
        desired,
        { edits: new Map(), message: '', branch: undefined },
        {
          options,
          summary: { done: '', already, notes: isRun(object) && options.reason !== undefined ? [reasonOfRun] : [] },
        },
      );
    }
    const file = sourceOf(fleet, { kind: object.kind, ...object.metadata })?.file ?? '';
    const text = editObject(
      { file, text: (await desired.text(file)) ?? '' },
      { kind: object.kind, ...object.metadata },
      (document) => change(document, verb, { isRun: names[0] === 'runs', reason: options.reason ?? '' }),
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

/** A finished run no longer changes, so a commit that suspends or resumes it would have no effect. */
async function refuseFinishedRun(
  verb: Verb,
  run: StagedUpdateRun,
  of: { readonly desired: Desired; readonly title: string; readonly statusBranch: string },
): Promise<void> {
  const { runs } = await recordFor(of.desired, of.statusBranch, ['runs']);
  const status = runs.get(placementKey(run.metadata))?.status;
  if (status === undefined || !isOver(status)) return;
  throw new CliError(`${of.title} is over (${progressText(status)}): there is nothing to ${verb}`);
}

const reasonOfRun = 'a run has no field for a reason: only the commit that stops it records the reason';

type Suspendable = Placement | StagedUpdateRun;

function named(
  objects: readonly Suspendable[],
  { what, name }: { readonly what: string; readonly name: string },
): Suspendable {
  const found = oneNamed(objects, name, { what, refOf: ({ metadata }) => metadata });
  if (found) return found;
  throw unknownName({ what, name, known: objects.map(({ metadata }) => titleOf(metadata)) });
}

const isRun = (object: Suspendable): object is StagedUpdateRun => 'placementName' in object.spec;

function isInState(verb: Verb, object: Suspendable): boolean {
  const suspended = isRun(object)
    ? object.spec.state === 'Stop'
    : object.metadata.annotations?.[suspendedAnnotation] !== undefined;
  return suspended === (verb === 'suspend');
}

/** Whether it is suspended and the given reason differs from that of its annotation. */
function hasNewReason(object: Suspendable, reason: string | undefined): boolean {
  const present = isRun(object) ? undefined : object.metadata.annotations?.[suspendedAnnotation];
  return present !== undefined && reason !== undefined && reason !== present;
}

function change(
  document: Document,
  verb: Verb,
  { isRun, reason }: { readonly isRun: boolean; readonly reason: string },
): void {
  if (isRun) document.setIn(['spec', 'state'], verb === 'suspend' ? 'Stop' : 'Run');
  else if (verb === 'suspend') document.setIn(['metadata', 'annotations', suspendedAnnotation], reason);
  else {
    document.deleteIn(['metadata', 'annotations', suspendedAnnotation]);
    const { annotations } = (document.toJS() as { metadata: { annotations?: object | null } }).metadata;
    if (Object.keys(annotations ?? {}).length === 0) document.deleteIn(['metadata', 'annotations']);
  }
}

/** A stopped run finishes the clusters that it has started. */
const suspendNotes = (object: Suspendable): string[] =>
  isRun(object)
    ? ['clusters whose update has started are finished']
    : ['objects on the members stay, and their drift is still repaired'];
