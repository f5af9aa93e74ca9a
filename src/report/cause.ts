import type { Condition } from '../api/meta.ts';

/** Why something is as it is, in one line: `ApplyFailed: the quota is used up`, or as much of that as is known. */
export const causeOf = ({ reason, message }: Pick<Condition, 'reason' | 'message'>): string =>
  [reason, message].filter(Boolean).join(': ');
