import type { ClusterObservation } from '../../../api/observation.ts';
import type { WantedLaunch } from '../wanted-nodes.ts';

/**
 * Launches nodes of one member. Everything that it knows of a launch it reads from outside: a daemon may be killed between any two
 * calls. All calls reject when no response comes, with ApiError or UnreachableError.
 */
export interface Launcher {
  /** Launches that were asked for and whose node is not gone. */
  observe(): Promise<NonNullable<ClusterObservation['launches']>>;
  /** Requests a node; does nothing where it was requested before. */
  launch(wanted: WantedLaunch): Promise<void>;
  /** Gives up a launch that failed or is no longer wanted. */
  forget(name: string): Promise<void>;
  /** Removes a drained node with its machine, once. Absent: the machine goes with its Node. */
  remove?(node: string): Promise<void>;
}
