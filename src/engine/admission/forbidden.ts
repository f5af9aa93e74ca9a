import type { Override } from '../../api/override.ts';
import type { Placement } from '../../api/placement.ts';
import type { Problem } from '../../api/problem.ts';
import type { StagedUpdateRun } from '../../api/staged.ts';
import { forbiddenChanges } from '../../api/transitions.ts';
import type { Fleet } from '../input.ts';
import { problemOf } from '../problem-of.ts';

/** The transition rules that `next` breaks, each as a problem of severity error; nothing where the change is allowed. */
export function forbidden<T extends Placement | StagedUpdateRun | Override>(
  before: T | undefined,
  next: T,
  fleet: Fleet,
): { readonly problems: readonly Problem[] /** All of them in one sentence. */; readonly because: string } | undefined {
  if (before === undefined) return undefined;
  const refusals = forbiddenChanges(before, next).filter(
    ({ severity, code }) => severity === 'error' && code !== 'state-transition',
  );
  if (refusals.length === 0) return undefined;
  const problems = refusals.map(
    ({ code, path, message, fix }): Problem =>
      problemOf(
        fleet,
        { kind: next.kind, ...next.metadata },
        {
          severity: 'error',
          code,
          path: path.join('.'),
          message,
          ...(fix === undefined ? {} : { fix }),
        },
      ),
  );
  return { problems, because: refusals.map(({ message }) => message).join('; ') };
}
