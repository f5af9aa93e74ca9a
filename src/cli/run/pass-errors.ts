import type { PassResult } from '../../daemon/pass/pass-result.ts';
import { formatProblem } from '../../repo/fleet/positions.ts';
import { CliError, exitCodes } from '../terminal/exit.ts';

/**
 * Throws the errors of `run --once`, after everything possible was done and recorded. The exit code is that of `plan`: errors in
 * files come first. `isLogged`: the log already has each of them.
 */
export function throwPassErrors(
  result: PassResult,
  { unreached, isLogged }: { readonly unreached: string | undefined; readonly isLogged: boolean },
): void {
  const errors = 'plan' in result ? result.plan.problems.filter(({ severity }) => severity === 'error') : [];
  if (errors.length > 0)
    throw new CliError(
      isLogged ? countOf(errors.length) : errors.map(formatProblem).join('\n'),
      exitCodes.invalidInput,
    );
  if (result.kind === 'refused') throw new CliError('refused by the guard: see the status branch', exitCodes.refused);
  if (unreached !== undefined) throw new CliError(unreached, exitCodes.unreachable);
}

const countOf = (errors: number): string =>
  errors === 1 ? '1 error in the fleet repo, logged above' : `${errors} errors in the fleet repo, logged above`;
