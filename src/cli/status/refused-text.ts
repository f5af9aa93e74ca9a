import type { Status } from './open-status.ts';

/** That nothing continues and no decision counts yet, since the plan of the newest commit is refused; undefined = it is not. */
export function refusedText({ notInEffect }: Partial<Pick<Status, 'notInEffect'>>): string | undefined {
  const { refusals = [] } = notInEffect ?? {};
  return refusals.length === 0
    ? undefined
    : `nothing continues and no decision counts while the guard refuses the plan: ${refusals.join('; ')}`;
}
