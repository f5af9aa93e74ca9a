import type { PassResult } from '../../daemon/pass/pass-result.ts';
import { formatProblem } from '../../repo/fleet/positions.ts';
import { CliError, exitCodes } from '../terminal/exit.ts';

/**
 * What a pass that was the only one leaves wrong. What could be done was done and is recorded; the exit code is that of `plan`,
 * errors in files before all else. `isLogged`: the log has told each of them.
 */
export function throwWhatIsWrong(
  result: PassResult,
  { noneSeen, isLogged }: { readonly noneSeen: string | undefined; readonly isLogged: boolean },
): void {
  const errors = 'plan' in result ? result.plan.problems.filter(({ severity }) => severity === 'error') : [];
  if (errors.length > 0)
    throw new CliError(
      isLogged ? countOf(errors.length) : errors.map(formatProblem).join('\n'),
      exitCodes.invalidInput,
    );
  if (result.kind === 'refused') throw new CliError('refused by the guard: see the status branch', exitCodes.refused);
  if (noneSeen !== undefined) throw new CliError(noneSeen, exitCodes.unreachable);
}

const countOf = (errors: number): string =>
  errors === 1 ? '1 error in the fleet repo, logged above' : `${errors} errors in the fleet repo, logged above`;
