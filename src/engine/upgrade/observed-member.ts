import type { UpgradeMember } from './upgrades-input.ts';

/** Why nothing can be started on a member; undefined = it can be reached and is not stopped. */
export function whyUnavailable({
  observation,
  isObserved,
}: Pick<UpgradeMember, 'observation' | 'isObserved'>): string | undefined {
  if (!isObserved) return undefined;
  if (observation === undefined) return 'it was not reached';
  if (!observation.reachable) return `it was not reached${observation.cause ? ` (${observation.cause})` : ''}`;
  if (!observation.complete) return 'it was reached, but only a part of it could be read';
  return observation.versions?.powerState === 'Stopped' ? 'it is stopped' : undefined;
}
