/** One request to one member's API server. The body is text of ours: desired state never passes a typed serializer. */
export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query, `/apis/apps/v1/deployments?limit=500`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /** Sent at once, past any queue: a heartbeat, or a watch, which nothing may wait for since it lasts for minutes. */
  readonly urgent?: boolean;
}

export interface TransportResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** How requests reach a member: pooled HTTP for real ones, a function call for simulated ones. Rejects when there is no answer. */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;
