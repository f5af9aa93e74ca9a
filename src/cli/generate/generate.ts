import { updateRun } from '../../api/upgrade-run.ts';
import type { UpgradeGroup, UpgradeStage } from '../../api/upgrade-strategy.ts';
import { listUpTo, shortList } from '../../engine/kernel/short-list.ts';
import type { ProposedRun } from '../../engine/plan-document.ts';
import { survey } from '../../engine/survey.ts';
import { advanceUpgrades } from '../../engine/upgrade/advance-upgrades.ts';
import { channelTarget, whyNoTarget } from '../../engine/upgrade/channel-target.ts';
import { profileRun } from '../../engine/upgrade/profile-run.ts';
import { strategyOf } from '../../engine/upgrade/strategy.ts';
import { allMembers } from '../../engine/upgrade/tree.ts';
import type { UpgradesInput } from '../../engine/upgrade/upgrades-input.ts';
import { upgradesInput } from '../../engine/upgrade/upgrades-outcome.ts';
import { withRecordedVersions } from '../../forecast/simulated-upgrades.ts';
import { type PlanOptions, readPlanInput } from '../plan/input.ts';
import { CliError, exitCodes } from '../terminal/exit.ts';
import { outputFormat, print, printJson } from '../terminal/output.ts';
import { unknownName } from '../terminal/unknown-name.ts';
import { writeError } from '../terminal/write.ts';

/**
 * Prints the file of the run that a profile would propose now, whatever it has seen. It is Stopped: its committer decides when
 * it starts. Exit code 1 where no catalog has a target of its channel.
 */
export async function generate(
  kind: string,
  options: PlanOptions & { readonly profile: string; readonly output: string },
): Promise<void> {
  if (kind !== 'run') throw unknownName({ what: 'kind', name: kind, known: ['run'] });
  const format = outputFormat(options.output, ['yaml', 'json']);
  const input = withRecordedVersions(await readPlanInput(options));
  const { upgradeProfiles } = input.fleet;
  const profile = upgradeProfiles.find(({ metadata }) => metadata.name === options.profile);
  if (!profile) {
    const known = upgradeProfiles.map(({ metadata }) => metadata.name);
    throw unknownName({ what: 'profile', name: options.profile, known, flag: '--profile' });
  }
  const of = upgradesInput(survey(input));
  const target = channelTarget(profile, of);
  if (!target)
    throw new CliError(
      `profile ${options.profile} has no target of channel ${profile.spec.channel}: ${whyNoTarget(profile, of)}`,
      exitCodes.somethingToDo,
    );
  const { spec, ...run } = profileRun(profile, target, input.digest);
  const file = { ...run, spec: { ...spec, state: 'Stopped' } };
  const skipped = whyAllSkipped({ ...run, spec }, of);
  if (skipped !== undefined) writeError(`note: this run would upgrade no cluster: ${skipped}\n`);
  if (format === 'json') {
    printJson(file);
    return;
  }
  const { stringify } = await import('yaml');
  print(stringify(file, { lineWidth: 0 }));
}

/** Why a run would be over at once; undefined = it would not. Gates and waits of its strategy do not matter. */
function whyAllSkipped(proposed: ProposedRun, of: UpgradesInput): string | undefined {
  const run = updateRun.parse(proposed);
  const stages = strategyOf(run, of.strategies)?.stages.map(ungated);
  if (stages === undefined) return undefined;
  const { updateStrategyId: _, ...spec } = run.spec;
  const alone = { ...of, runs: [{ ...run, spec: { ...spec, strategy: { stages } } }], recorded: new Map() };
  const status = advanceUpgrades(alone)[0]?.step.status;
  if (status?.status.state !== 'Skipped') return undefined;
  const members = Map.groupBy(allMembers(status), (member) => member.status.error?.message ?? '');
  const causes = [...members].map(([why, of]) => `${shortList(of.map(({ name }) => name))}: ${why}`);
  return causes.length === 0 ? status.status.error?.message : listUpTo(causes, mostCauses, '; ');
}

/** Causes that a note names. */
const mostCauses = 3;

const ungated = ({ afterStageWaitInSeconds: _, groups, ...stage }: UpgradeStage): UpgradeStage => ({
  ...withoutGates(stage),
  ...(groups && { groups: groups.map(withoutGates) }),
});

const withoutGates = ({ beforeGates: _, afterGates: __, ...scope }: UpgradeGroup): UpgradeGroup => scope;
