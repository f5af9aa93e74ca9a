import type { SkipTarget } from '../../api/upgrade-run.ts';

/** What a user skipped in a run. */
export interface Skips {
  readonly stage: (name: string) => boolean;
  readonly group: (name: string) => boolean;
  readonly member: (name: string) => boolean;
  /** The wait after a stage; skipping the stage skips it too. */
  readonly wait: (stage: string) => boolean;
}

export function skipsOf(targets: readonly SkipTarget[]): Skips {
  const names = (type: SkipTarget['type']): ReadonlySet<string> =>
    new Set(targets.filter((target) => target.type === type).map(({ name }) => name));
  const [stages, groups, members, waits] = [names('Stage'), names('Group'), names('Member'), names('AfterStageWait')];
  return {
    stage: (name) => stages.has(name),
    group: (name) => groups.has(name),
    member: (name) => members.has(name),
    wait: (name) => waits.has(name) || stages.has(name),
  };
}

/** All that was ever skipped in an attempt: taking an entry out of the file takes nothing back. */
export function skipsInEffect(
  written: readonly SkipTarget[],
  recorded: readonly SkipTarget[] | undefined,
): readonly SkipTarget[] {
  const known = new Set(written.map(keyOf));
  return [...written, ...(recorded ?? []).filter((target) => !known.has(keyOf(target)))];
}

const keyOf = ({ type, name }: SkipTarget): string => `${type} ${name}`;

/** A stage of a run, started or not. */
export interface NamedStage {
  readonly name: string;
  readonly groups: readonly { readonly name: string; readonly members: readonly { readonly name: string }[] }[];
}

/** The names that `skip` can have in a run. */
export function skippableIn(stages: readonly NamedStage[]): Readonly<Record<SkipTarget['type'], ReadonlySet<string>>> {
  const groups = stages.flatMap((stage) => stage.groups);
  const stageNames = new Set(stages.map(({ name }) => name));
  return {
    Stage: stageNames,
    AfterStageWait: stageNames,
    Group: new Set(groups.map(({ name }) => name)),
    Member: new Set(groups.flatMap(({ members }) => members.map(({ name }) => name))),
  };
}

/** A wait is named by its stage. */
export const skippedText = (type: SkipTarget['type']): string =>
  type === 'AfterStageWait' ? 'stage' : type.toLowerCase();
