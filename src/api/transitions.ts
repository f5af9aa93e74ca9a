import type { Issue } from './issue.ts';
import { type FleetObject, kindOf } from './kinds.ts';

/**
 * Forbidden changes between two versions of an object (KubeFleet: CEL transition rules and webhooks). `recorded`: the spec last
 * recorded. Pure, since the engine calls it.
 */
export const forbiddenChanges = <T extends FleetObject>(recorded: T, next: T): Issue[] =>
  recorded.kind === next.kind ? kindOf(next).changes(recorded, next) : [];
