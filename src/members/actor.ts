import type { ObjectRef } from '../api/meta.ts';
import type { ClusterObservation } from '../api/observation.ts';
import type { Assignment } from './assignment.ts';
import type { Connection } from './connection.ts';
import type { Launching } from './nodes/launch/launching.ts';
import type { NodeWatch } from './nodes/node-watch.ts';
import type { UpgradeWatch } from './upgrade/upgrade-watch.ts';
import type { Change } from './watch/store.ts';

/** Reconciles one target on one member, again and again, until another assignment replaces it. */
export interface Actor<A extends Assignment = Assignment> {
  readonly target: Pick<A, 'kind' | 'key'>;
  /** Replaces the assignment; false when it did not change. */
  assign(assignment: A): boolean;
  /**
   * An assignment that removes what the actor created after the record had dropped the target; undefined when there is nothing
   * to remove. `kept`: keys of objects that other targets hold.
   */
  undo(kept: ReadonlySet<string>): A | undefined;
  /** Objects that matter to the target: their kinds are watched. */
  objects(): Iterable<ObjectRef>;
  /** An object with our label changed on the member. */
  objectChanged(change: Change): void;
  /** The member serves these group-versions now. */
  serves(apiVersions: ReadonlySet<string>): void;
  /** The name of the member now belongs to another cluster, or may (not `certain`): everything is applied again. */
  restart(certain: boolean): void;
  /** What the actor adds to the observation of its member. */
  observation(): ActorObservation;
  /**
   * False while it is unknown what the member holds of the target: the group of a kind does not respond, or the first attempt
   * or one for an earlier assignment has not finished.
   */
  complete(): boolean;
  /** True when nothing is in progress or waiting for the member to be reachable. */
  idle(): boolean;
  stop(): void;
}

export type ActorObservation = Partial<Pick<ClusterObservation, 'placements' | 'preflight' | 'extras'>>;

export interface ActorInput {
  readonly connection: Connection;
  readonly upgrades: UpgradeWatch;
  readonly nodes: NodeWatch;
  readonly launching: Launching;
  /** The outcome changed, so the next pass must read it. With a message for users when one is due. */
  readonly changed: (message?: string) => void;
  /** Another daemon changes objects here: the next pass must read the record again. */
  readonly conflict: () => void;
}
