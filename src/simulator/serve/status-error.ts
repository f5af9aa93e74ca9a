import type { StatusCause } from '../../engine/server-rules/cause.ts';

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** An error with Kubernetes' message, which becomes the `Status` object of the response. */
export class StatusError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails | undefined;

  constructor(code: number, reason: string, message: string, details?: StatusDetails) {
    super(message);
    this.name = 'StatusError';
    this.code = code;
    this.reason = reason;
    this.details = details;
  }

  toStatus(): Record<string, unknown> {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      ...(this.reason === '' ? {} : { reason: this.reason }),
      ...(this.details ? { details: this.details } : {}),
      code: this.code,
    };
  }
}

/** The resource of an error: plural and group as in `deployments.apps`. */
export interface Subject {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
}

const qualified = ({ group, plural }: Subject): string => (group === '' ? plural : `${plural}.${group}`);
const details = (about: Subject, name: string, more: StatusDetails = {}): StatusDetails => ({
  ...(name === '' ? {} : { name }),
  ...(about.group === '' ? {} : { group: about.group }),
  kind: about.plural,
  ...more,
});

export const notFound = (about: Subject, name: string): StatusError =>
  new StatusError(404, 'NotFound', `${qualified(about)} "${name}" not found`, details(about, name));

/** An unknown path: the response is text, not a Status. */
export class NoSuchPath extends Error {}

export const alreadyExists = (about: Subject, name: string): StatusError =>
  new StatusError(409, 'AlreadyExists', `${qualified(about)} "${name}" already exists`, details(about, name));

export const conflict = (about: Subject, name: string, why: string): StatusError =>
  new StatusError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(about)} "${name}": ${why}`,
    details(about, name),
  );

export const staleVersion = (about: Subject, name: string): StatusError =>
  conflict(about, name, 'the object has been modified; please apply your changes to the latest version and try again');

export const badRequest = (message: string): StatusError => new StatusError(400, 'BadRequest', message);

export const forbidden = (about: Subject, name: string, why: string, causes?: readonly StatusCause[]): StatusError =>
  new StatusError(
    403,
    'Forbidden',
    `${qualified(about)} "${name}" is forbidden: ${why}`,
    details(about, name, causes ? { causes } : {}),
  );

export const notAllowed = (): StatusError =>
  new StatusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});

export const expired = (message: string): StatusError => new StatusError(410, 'Expired', message);

/** 422 with one cause per mistake; the message joins them as the API server does. */
export function invalid(about: Subject, name: string, causes: readonly StatusCause[]): StatusError {
  const texts = causes.map((cause) => `${cause.field}: ${cause.message}`);
  const joined = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  const qualifiedKind = about.group === '' ? about.kind : `${about.kind}.${about.group}`;
  return new StatusError(422, 'Invalid', `${qualifiedKind} "${name}" is invalid: ${joined}`, {
    name,
    ...(about.group === '' ? {} : { group: about.group }),
    kind: about.kind,
    causes: causes.map(({ reason, message, field }) => ({ reason, message, field })),
  });
}

/** 422 about the query of a request. */
export const invalidOptions = (
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions' | 'ListOptions',
  cause: StatusCause,
): StatusError => invalid({ group: 'meta.k8s.io', plural: '', kind }, '', [cause]);
