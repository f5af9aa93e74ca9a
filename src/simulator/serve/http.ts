/** A request to a simulated API server, from a socket or from inside the process. */
export interface SimRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Aborted when the client disconnects. */
  readonly signal?: AbortSignal | undefined;
}

export interface SimResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A whole body, or chunks as they come (watches). */
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array>;
}

export const json = (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): SimResponse => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(value),
});

export const text = (status: number, body: string, headers: SimResponse['headers'] = {}): SimResponse => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff', ...headers },
  body,
});

export const isStream = (body: SimResponse['body']): body is AsyncIterable<Uint8Array> =>
  typeof body !== 'string' && !(body instanceof Uint8Array);
