import type { Condition } from '../api/meta.ts';
import type { FailedPlacement } from '../api/placement.ts';
import { describeRef } from '../engine/selection/object-key.ts';

/** Why something is as it is, in one line: `ApplyFailed: the quota is used up`, or as much of that as is known. */
export const causeOf = ({ reason, message }: Pick<Condition, 'reason' | 'message'>): string =>
  [reason, message].filter(Boolean).join(': ');

/** What is wrong with one object on a cluster: `Deployment shop/web: ApplyFailed: the quota is used up`. */
export const failureText = (failed: FailedPlacement): string => `${describeRef(failed)}: ${causeOf(failed.condition)}`;
