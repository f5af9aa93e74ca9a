import { survey } from '../../engine/survey.ts';
import { channelTarget, whyNoTarget } from '../../engine/upgrade/channel-target.ts';
import { profileRun } from '../../engine/upgrade/profile-run.ts';
import { upgradesInput } from '../../engine/upgrade/upgrades-outcome.ts';
import { whyAllSkipped } from '../../engine/upgrade/why-all-skipped.ts';
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
