/** What a member's API server answered instead of what we asked for. */
export class ApiError extends Error {
  readonly status: number;
  /** `Status.reason`: Conflict, NotFound, Forbidden, … */
  readonly reason: string;
  /** `Status.details.causes`, when the server gave any. */
  readonly causes: readonly { readonly reason?: string; readonly message?: string; readonly field?: string }[];
  readonly retryAfterMs: number | undefined;

  constructor(input: {
    readonly tried: string;
    readonly status: number;
    readonly body: string;
    readonly retryAfter: string | undefined;
  }) {
    const status = readStatus(input.body);
    super(`${input.tried}: ${input.status}, ${status.message}`);
    this.name = 'ApiError';
    this.status = input.status;
    this.reason = status.reason;
    this.causes = status.causes;
    const seconds = Number(input.retryAfter);
    this.retryAfterMs = input.retryAfter !== undefined && Number.isFinite(seconds) ? seconds * 1000 : undefined;
  }

  /** Worth trying again without anybody changing anything: throttling and server faults. */
  get transient(): boolean {
    return this.status === 429 || this.status >= 500;
  }
}

/** No answer at all: refused, reset, timed out, name unknown. */
export class UnreachableError extends Error {
  constructor(tried: string, cause: unknown) {
    super(`${tried}: ${cause instanceof Error ? describe(cause) : String(cause)}`, { cause });
    this.name = 'UnreachableError';
  }
}

function describe(error: Error): string {
  const inner = error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : undefined;
  return inner ?? (error.message === '' ? error.name : error.message);
}

function readStatus(body: string): { message: string; reason: string; causes: ApiError['causes'] } {
  try {
    const parsed = JSON.parse(body) as {
      message?: string;
      reason?: string;
      details?: { causes?: ApiError['causes'] };
    };
    return {
      message: parsed.message ?? 'no message',
      reason: parsed.reason ?? '',
      causes: parsed.details?.causes ?? [],
    };
  } catch {
    return { message: body.slice(0, 200) || 'empty answer', reason: '', causes: [] };
  }
}
