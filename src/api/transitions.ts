import type { Issue } from './issue.ts';
import { type FleetObject, kindOf } from './kinds.ts';

/**
 * What may not change from one version of an object to the next (KubeFleet: CEL transition rules and webhooks). Compared with the
 * spec last recorded; without a record there is no rule. Pure, so that the engine can ask.
 */
export const forbiddenChanges = <T extends FleetObject>(recorded: T, next: T): Issue[] =>
  recorded.kind === next.kind ? kindOf(next).changes(recorded, next) : [];
