import type { StagedUpdateRun } from '../../api/staged.ts';
import { isInitialized } from '../update-run.ts';
import { gatesOf, isApproved, taskOf } from './approval/stage-gates.ts';

const initialized = 'gitfleet.dev/initialized-from';
const approved = 'gitfleet.dev/approved-in';

/** Commits of the fleet repo by which a recorded run can be verified against the followed branch. */
export interface RunCommits {
  /** That it was initialized from; undefined = not, or by an older gitfleet. */
  readonly initializedFrom: string | undefined;
  /** By name of the approval: the commit that held it when its gate was passed. */
  readonly approvedIn: ReadonlyMap<string, string>;
}

/** What the annotations of a recorded run name. */
export function commitsOf({ metadata: { annotations } }: StagedUpdateRun): RunCommits {
  const entries = (annotations?.[approved] ?? '').split(' ').flatMap((text): [string, string][] => {
    const at = text.lastIndexOf('=');
    return at < 0 ? [] : [[text.slice(0, at), text.slice(at + 1)]];
  });
  return { initializedFrom: annotations?.[initialized], approvedIn: new Map(entries) };
}

/** A run to be recorded, with the commit of this plan for what is new in it. `before`: as it was recorded last. */
export function withCommits(
  run: StagedUpdateRun,
  { before, commit }: { readonly before: StagedUpdateRun | undefined; readonly commit: string },
): StagedUpdateRun {
  const { status } = run;
  if (status === undefined || !isInitialized(status)) return run;
  const known = before?.status && isInitialized(before.status) ? commitsOf(before) : undefined;
  const names = gatesOf(status.stagesStatus ?? []).flatMap((gate) => {
    const task = taskOf(status, gate);
    return task.approvalRequestName !== undefined && isApproved(task) ? [task.approvalRequestName] : [];
  });
  const entries = names.map((name) => `${name}=${known?.approvedIn.get(name) ?? commit}`);
  const annotations = {
    ...run.metadata.annotations,
    [initialized]: known === undefined ? commit : known.initializedFrom,
    ...(entries.length > 0 && { [approved]: entries.join(' ') }),
  };
  const written = Object.entries(annotations).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { ...run, metadata: { ...run.metadata, annotations: Object.fromEntries(written) } };
}
