import type { ObjectRef } from '../api/meta.ts';
import type { ClusterObservation } from '../api/observation.ts';
import type { Assignment } from './assignment.ts';
import type { Connection } from './connection.ts';
import type { Change } from './watch/store.ts';

/** Reconciles one target on one member, again and again, until another assignment replaces it. */
export interface Actor<A extends Assignment = Assignment> {
  readonly target: Pick<A, 'kind' | 'key'>;
  /** Replaces what is to be brought about; false when it is what it was. */
  assign(assignment: A): boolean;
  /**
   * What removes again what the actor made after the record had forgotten the target; undefined when there is nothing.
   * `kept`: keys of objects that other targets hold.
   */
  undo(kept: ReadonlySet<string>): A | undefined;
  /** Objects that matter to the target: their kinds are watched. */
  objects(): Iterable<ObjectRef>;
  /** An object with our label changed on the member. */
  objectChanged(change: Change): void;
  /** The member serves these group-versions now. */
  serves(apiVersions: ReadonlySet<string>): void;
  /** Another cluster answers under the name of the member: everything starts anew. */
  restart(): void;
  /** What the actor adds to the observation of its member. */
  observation(): ActorObservation;
  /**
   * False while it is not known what the member holds of the target: the group of a kind gives no answer, or the first that
   * was sent there, or what was wanted before, is still on its way.
   */
  complete(): boolean;
  /** True when nothing is in progress, nor waits for the member to be reachable. */
  idle(): boolean;
  stop(): void;
}

export type ActorObservation = Partial<Pick<ClusterObservation, 'placements'>>;

export interface ActorInput {
  readonly connection: Connection;
  /** The outcome changed: the next pass should look. With a message when a person should read it. */
  readonly changed: (message?: string) => void;
  /** Another daemon acts here: the next pass should read the record anew. */
  readonly conflict: () => void;
}
