import type { Problem } from '../../api/problem.ts';
import { nearest } from '../../api/syntax.ts';
import type { UpdateRun } from '../../api/upgrade-run.ts';
import type { Fleet, FleetRecord } from '../../engine/input.ts';
import { shortList } from '../../engine/kernel/short-list.ts';
import { labelsOf } from '../../engine/placement/members.ts';
import { problemOf } from '../../engine/problem-of.ts';
import { selectMembers } from '../../engine/upgrade/select-members.ts';
import { type NamedStage, skippableIn, skippedText } from '../../engine/upgrade/skips.ts';
import { strategyOf } from '../../engine/upgrade/strategy.ts';

/**
 * Errors about names in the `skip` of a cluster update run that the run does not have: one that has not started waits for the correction.
 * A run that has started has the names that it started with. None where an invalid file may define one.
 */
export function unknownSkips(fleet: Fleet, { upgrades }: FleetRecord): Problem[] {
  const { members, unreadable, refused, upgradeRuns } = fleet;
  if (members.length === 0 || unreadable.length > 0 || refused.some(({ kind }) => kind === 'MemberCluster')) return [];
  return upgradeRuns.flatMap((run) => {
    if (run.spec.skip.length === 0) return [];
    const status = upgrades.get(run.metadata.name)?.status;
    const stages = status?.status.startTime === undefined ? stagesOf(run, fleet) : status.stages;
    return stages === undefined ? [] : unknownIn(run, skippableIn(stages), fleet);
  });
}

/** Before a run starts; undefined where the strategy that it names is not there. */
function stagesOf(run: UpdateRun, { upgradeStrategies, members }: Fleet): readonly NamedStage[] | undefined {
  const strategy = strategyOf(run, upgradeStrategies);
  if (strategy === undefined) return undefined;
  const labelled = members.map((member) => ({ name: member.metadata.name, labels: labelsOf(member) }));
  const selected = selectMembers(strategy, labelled);
  return strategy.stages.map(({ name }, at) => ({ name, groups: selected[at]! }));
}

const unknownIn = (
  { kind, metadata, spec }: UpdateRun,
  known: ReturnType<typeof skippableIn>,
  fleet: Pick<Fleet, 'sources'>,
): Problem[] =>
  spec.skip.flatMap(({ type, name }, at) => {
    if (known[type].has(name)) return [];
    const what = skippedText(type);
    const like = nearest(name, [...known[type]]);
    const problem: Problem = {
      severity: 'error',
      code: 'dangling-reference',
      path: `spec.skip.${at}.name`,
      message: `the run has no ${what} ${name}`,
      fix: like === undefined ? thereAre(what, [...known[type]]) : `did you mean ${like}?`,
    };
    return [problemOf(fleet, { kind, name: metadata.name }, problem)];
  });

const thereAre = (what: string, names: readonly string[]): string =>
  names.length === 0 ? `remove it: the run has no ${what}` : `write a ${what} of this run: ${shortList(names)}`;
