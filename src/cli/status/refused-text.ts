import type { NotInEffect } from '../../repo/record/summary.ts';
import { noneCounts } from '../../report/sections/approvals.ts';
import type { Status } from './open-status.ts';

/** That nothing continues and no decision counts yet, since the plan of the newest commit is refused; undefined = it is not. */
export function refusedText({ notInEffect }: Partial<Pick<Status, 'notInEffect'>>): string | undefined {
  const { refusals = [] } = notInEffect ?? {};
  return refusals.length === 0
    ? undefined
    : `nothing continues and no decision counts while the guard refuses the plan: ${refusals.join('; ')}`;
}

/** That a request (`[ns.]name`) is answered, which does not count yet; undefined = it is not. */
export const answeredText = (name: string, { answered = [] }: Partial<NotInEffect> = {}): string | undefined =>
  answered.includes(name)
    ? 'given on the followed branch already; it counts once the guard does not refuse the plan any more'
    : undefined;

/** That no approval counts, since fleet.yaml, which may name their folder, is not valid; undefined = they do. */
export function uncountedText({ notInEffect }: Partial<Pick<Status, 'notInEffect'>>): string | undefined {
  const { notValid = [], notRead = [] } = notInEffect ?? {};
  const isUnknown =
    notValid.some(({ kind, file }) => kind === 'FleetConfig' && file === 'fleet.yaml') ||
    notRead.includes('fleet.yaml');
  return isUnknown ? noneCounts : undefined;
}
