import type { NotInEffect } from '../../repo/record/summary.ts';
import { noneCounts } from '../../report/sections/approvals.ts';
import type { Status } from './open-status.ts';

/** That nothing continues and no decision counts yet, since the plan of the newest commit is refused; undefined = it is not. */
export function refusedText({ notInEffect }: Partial<Pick<Status, 'notInEffect'>>): string | undefined {
  const { refusals = [], approvedBy = [] } = notInEffect ?? {};
  if (refusals.length === 0) return undefined;
  const way = approvedBy.map((name) => `; to let that happen: gitfleet approve ${name}`).join('');
  return `nothing continues and no decision counts while the guard refuses the plan: ${refusals.join('; ')}${way}`;
}

/** That a request (`[ns.]name`) is answered, which does not count yet; undefined = it is not. */
export function answeredText(name: string, { answered = [] }: Partial<NotInEffect> = {}): string | undefined {
  const { answer } = answered.find(({ approval }) => approval === name) ?? {};
  return (
    answer && `${answer} on the followed branch already; that counts once the guard does not refuse the plan any more`
  );
}

/** A status with what is said of requests that are answered while its plan is refused. */
export const withAnswers = <S extends Pick<Status, 'notInEffect'>>(status: S) => ({
  ...status,
  answeredText: (name: string) => answeredText(name, status.notInEffect),
});

/** That no approval counts, since fleet.yaml, which may name their folder, is not valid; undefined = they do. */
export function uncountedText({ notInEffect }: Partial<Pick<Status, 'notInEffect'>>): string | undefined {
  const { notValid = [], notRead = [] } = notInEffect ?? {};
  const isUnknown =
    notValid.some(({ kind, file }) => kind === 'FleetConfig' && file === 'fleet.yaml') ||
    notRead.includes('fleet.yaml');
  return isUnknown ? noneCounts : undefined;
}
