import type { Clock } from '../../src/members/clock.ts';

/** An API server that the suite runs over. */
export interface ContractServer {
  /** A kubeconfig file and the context in it to use. */
  readonly kubeconfig: string;
  readonly context: string;
  /** In which our own waiting is measured; the server's own, where that runs faster than the world's. */
  readonly clock: Clock;
  /** Has the server forget what happened up to now, where it does not do that by itself. */
  readonly forget: () => void;
  /** Milliseconds after which it has forgotten its first moments: etcd is compacted from time to time. */
  readonly forgetsWithinMs: number;
  /** Whether a controller manager runs beside it: one collects garbage, rolls out Deployments, ends namespaces. */
  readonly controllers: boolean;
  close(): Promise<void>;
}

export interface NamedServer {
  readonly name: string;
  /** Rejects when the server cannot be started; then the suite fails. */
  open(): Promise<ContractServer>;
}
