import { isFields } from '../../engine/kernel/fields.ts';
import { memberLimits } from './member-limits.ts';

/** An error response of a member's API server. */
export class ApiError extends Error {
  /** What we tried, on what. */
  readonly tried: string;
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
    /** Text, or a Status as JSON. */
    readonly body: string;
    readonly retryAfterMs?: number | undefined;
  }) {
    const status = readStatus(input.body);
    super(`${input.tried}: ${input.status}, ${status.message}`);
    this.name = 'ApiError';
    this.tried = input.tried;
    this.status = input.status;
    this.reason = status.reason;
    this.causes = status.causes;
    this.#unexplained = input.status === 500 && status.kind === 'Status' && status.reason === '';
    this.retryAfterMs = input.retryAfterMs;
  }

  /**
   * Whether a retry may succeed without any change: throttling and server faults. A 500 whose Status has no reason
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

/** A response beyond the limits. The rest of it is not read, so there is no response. */
export class BeyondLimit extends UnreachableError {
  /** A smaller response may be within the limits. */
  readonly smaller: boolean;
  /** The same response may be within the limits later. */
  readonly passing: boolean;

  constructor(
    tried: string,
    what: string,
    { smaller = false, passing = false }: { readonly smaller?: boolean; readonly passing?: boolean } = {},
  ) {
    super(tried, `${what}: find out what responds there instead of an API server (limits: docs/security.md)`);
    this.name = 'BeyondLimit';
    this.smaller = smaller;
    this.passing = passing;
  }
}

/** A response that no API server sends to such a request, such as the page of a proxy. `why` begins with a letter. */
export const badResponse = (tried: string, why: string, status = 200): ApiError =>
  new ApiError({ tried, status, body: why });

/** A text of its own: a part of a text holds all of it, and errors are kept longer than responses. */
const beginning = (text: string, characters: number): string =>
  text.length > characters ? Buffer.from(text.slice(0, characters)).toString() : text;

/** The beginning of a response, for messages. */
export const quoted = (text: string): string => JSON.stringify(text.trim().slice(0, 80));

/**
 * Milliseconds of a `Retry-After` header: seconds, or a date, which is compared with the server's own `Date`. At most a minute,
 * since each of several attempts waits this long.
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>): number | undefined {
  const text = headers['retry-after'];
  if (text === undefined || text === '') return undefined;
  const seconds = Number(text);
  const wait = Number.isNaN(seconds) ? Date.parse(text) - Date.parse(headers['date'] ?? '') : seconds * 1000;
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), memberLimits.retryAfterMs);
}

function describe(error: Error): string {
  const inner = error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : undefined;
  const text = inner ?? (error.message === '' ? error.name : error.message);
  // The words of undici for a connection that ends before the response.
  return text === 'other side closed'
    ? 'the server, or a proxy in between, closed the connection without a response'
    : text;
}

interface ResponseStatus {
  readonly kind: string;
  readonly message: string;
  readonly reason: string;
  readonly causes: ApiError['causes'];
}

function readStatus(body: string): ResponseStatus {
  try {
    const { kind, message, reason, details } = (JSON.parse(body) ?? {}) as Readonly<Record<string, unknown>>;
    const { causes } = (details ?? {}) as { readonly causes?: unknown };
    return {
      kind: textOf(kind),
      message: textOf(message) || 'no message',
      reason: textOf(reason),
      causes: (Array.isArray(causes) ? causes.slice(0, 100) : []).filter(isFields).map((cause) => ({
        reason: textOf(cause['reason']),
        message: textOf(cause['message']),
        ...(cause['field'] === undefined ? {} : { field: textOf(cause['field']) }),
      })),
    };
  } catch {
    return { kind: '', message: beginning(body.trim(), 500) || 'empty response', reason: '', causes: [] };
  }
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? beginning(value, memberLimits.messageCharacters) : '';
