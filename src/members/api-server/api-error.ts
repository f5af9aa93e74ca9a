/** An error response of a member's API server. */
export class ApiError extends Error {
  readonly status: number;
  /** `Status.reason`: Conflict, NotFound, Forbidden, … */
  readonly reason: string;
  /** `Status.details.causes`, when the server gave any. */
  readonly causes: readonly { readonly reason?: string; readonly message?: string; readonly field?: string }[];
  /** Value of `Retry-After`, milliseconds. */
  readonly retryAfterMs: number | undefined;
  readonly #unexplained: boolean;

  constructor(input: {
    /** What we tried, on what: `apply Deployment shop/web on eu-1`. */
    readonly tried: string;
    readonly status: number;
    readonly body: string;
    readonly retryAfterMs?: number | undefined;
  }) {
    const status = readStatus(input.body);
    super(`${input.tried}: ${input.status}, ${status.message}`);
    this.name = 'ApiError';
    this.status = input.status;
    this.reason = status.reason;
    this.causes = status.causes;
    this.#unexplained = input.status === 500 && status.kind === 'Status' && status.reason === '';
    this.retryAfterMs = input.retryAfterMs;
  }

  /**
   * Whether a retry may succeed although nobody changes anything: throttling and server faults. A 500 whose Status has no reason
   * is permanent: server-side apply responds so to a field that the schema does not have (kubernetes issue 139253).
   */
  get transient(): boolean {
    return this.status === 429 || (this.status >= 500 && !this.#unexplained);
  }

  /**
   * The server fills its cache of one kind and rejects requests for that kind only: after its definition was created or changed, or
   * just after a start of the server (cacher.go, Kubernetes 1.31 and later).
   */
  get ofOneKind(): boolean {
    return this.status === 429 && this.message.endsWith('storage is (re)initializing');
  }

  /** Fields that other managers own, with their owners; empty unless this is a conflict of server-side apply. */
  get fieldConflicts(): readonly { readonly field: string; readonly manager: string }[] {
    return this.causes
      .filter(({ reason }) => reason === 'FieldManagerConflict')
      .map(({ field, message }) => ({
        field: field ?? '(unnamed)',
        manager: /conflict with "([^"]*)"/.exec(message ?? '')?.[1] ?? 'another manager',
      }));
  }
}

/** No response: refused, reset, timed out, name unknown. The server may or may not have done what was requested. */
export class UnreachableError extends Error {
  constructor(tried: string, cause: unknown) {
    super(`${tried}: ${cause instanceof Error ? describe(cause) : String(cause)}`, { cause });
    this.name = 'UnreachableError';
  }
}

/** Milliseconds of a `Retry-After` header: either seconds, or a date compared with the server's own `Date`. */
export function retryAfterMs(headers: Readonly<Record<string, string>>): number | undefined {
  const text = headers['retry-after'];
  if (text === undefined || text === '') return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds)) return Math.max(seconds, 0) * 1000;
  const wait = Date.parse(text) - Date.parse(headers['date'] ?? '');
  return Number.isFinite(wait) ? Math.max(wait, 0) : undefined;
}

function describe(error: Error): string {
  const inner = error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : undefined;
  return inner ?? (error.message === '' ? error.name : error.message);
}

interface AnswerStatus {
  readonly kind: string;
  readonly message: string;
  readonly reason: string;
  readonly causes: ApiError['causes'];
}

function readStatus(body: string): AnswerStatus {
  try {
    const parsed = JSON.parse(body) as {
      kind?: string;
      message?: string;
      reason?: string;
      details?: { causes?: ApiError['causes'] };
    } | null;
    return {
      kind: parsed?.kind ?? '',
      message: parsed?.message || 'no message',
      reason: parsed?.reason ?? '',
      causes: parsed?.details?.causes ?? [],
    };
  } catch {
    return { kind: '', message: body.trim().slice(0, 200) || 'empty response', reason: '', causes: [] };
  }
}
