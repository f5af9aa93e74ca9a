import type { ClusterName, Timestamp } from '../api/meta.ts';

/** A stage of a rollout or of a cluster update run, in virtual time. */
export interface RolloutStage {
  /** Absent: the placement rolls out by itself. */
  readonly name?: string;
  readonly isRollback?: true;
  readonly from?: Timestamp;
  readonly to?: Timestamp;
  readonly clusters: readonly ClusterSpan[];
  /** How many more clusters it is for, that do not start by the end of the forecast. */
  readonly notStarted: number;
  /** How many of them an update run changes at a time; absent: all, or the placement has a pace of its own. */
  readonly atOnce?: number;
  readonly waits: readonly Wait[];
}

export interface ClusterSpan {
  readonly clusterName: ClusterName;
  readonly action: 'add' | 'update' | 'remove' | 'upgrade';
  readonly from: Timestamp;
  readonly to?: Timestamp;
  /** At `to` it has not what it was to get: it was not available by the deadline, say. */
  readonly failed?: true;
}

export interface Wait {
  /** `start`: a gate that opens at a time. `window`: no maintenance window of some cluster is open. */
  readonly kind: 'approval' | 'soak' | 'freeze' | 'start' | 'window';
  readonly from: Timestamp;
  /** Absent: it lasts until the horizon, or longer. */
  readonly to?: Timestamp;
  /** It ends without what it waits for, as its run fails. */
  readonly unmet?: true;
  /** An approval that was rejected, which ended it. */
  readonly rejected?: true;
  /** Of the request. */
  readonly approval?: string;
  /** Name of the freeze. */
  readonly freeze?: string;
}
