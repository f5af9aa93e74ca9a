/** One request to one member's API server. The body is text: a typed serializer would drop unknown fields. */
export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query, `/apis/apps/v1/deployments?limit=500`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /** Bypasses any queue: a heartbeat, or a watch, which lasts for minutes and must not block others. */
  readonly urgent?: boolean;
}

export interface TransportResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Sends a request to a member: pooled HTTP for real ones, a function call for simulated ones. Rejects when no response comes. */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;
