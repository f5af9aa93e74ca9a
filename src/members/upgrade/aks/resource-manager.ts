import { type Fields, isFields } from '../../../engine/kernel/fields.ts';
import { ApiError, badResponse, retryAfterMs, UnreachableError } from '../../api-server/api-error.ts';
import type { Clock } from '../../clock.ts';
import { type AzureHttp, type AzureResponse, azureHttp } from './azure-http.ts';
import { type AzureIdentity, type AzureTokens, azureTokens } from './credentials.ts';

/** Of Microsoft.ContainerService. */
const apiVersion = '2025-08-01';

export interface ArmRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  /** Without a query. */
  readonly path: string;
  readonly body?: object;
  /** The eTag that the resource must still have: otherwise the request is refused with 412. */
  readonly ifMatch?: string | undefined;
  readonly tried: string;
}

/** The end of a long-running operation, as far as it is known. */
export interface AsyncStatus {
  readonly status: string;
  readonly message: string | undefined;
}

export interface ResourceManager {
  /** The response as an object, empty without a body. Rejects with ApiError or UnreachableError. */
  send(
    request: ArmRequest,
  ): Promise<{ readonly body: Readonly<Record<string, unknown>>; readonly operation: string | undefined }>;
  /** Reads the URL of a long-running operation; undefined until `Retry-After` of the last response has passed. */
  read(operation: string): Promise<AsyncStatus | undefined>;
}

/** Azure Resource Manager for all members: one token, one wait after a 429. */
export function resourceManager(
  identity: AzureIdentity,
  { clock, http = azureHttp }: { readonly clock: Clock; readonly http?: AzureHttp },
): ResourceManager {
  const tokens = azureTokens(identity, { http, clock });
  const { resourceManager: host } = identity.cloud;
  let pausedUntil = 0;
  const nextRead = new Map<string, number>();

  async function exchange(
    url: string,
    { method, body, ifMatch, tried }: Omit<ArmRequest, 'path'>,
  ): Promise<AzureResponse> {
    if (pausedUntil > clock.now())
      throw new ApiError({ tried, status: 429, body: 'Azure asked to wait after too many requests' });
    const response = await authorized(tokens, tried, (authorization) =>
      http({
        method,
        url,
        headers: {
          accept: 'application/json',
          authorization,
          ...(body && { 'content-type': 'application/json' }),
          ...(ifMatch !== undefined && { 'if-match': ifMatch }),
        },
        body: body && JSON.stringify(body),
      }),
    );
    if (response.status === 429) pausedUntil = clock.now() + (retryAfterMs(response.headers) ?? 30_000);
    if (response.status >= 300) throw refusal(tried, response);
    return response;
  }

  return {
    async send(wanted) {
      const response = await exchange(`${host}${wanted.path}?api-version=${apiVersion}`, wanted);
      const { headers, text } = response;
      const operation = headers['azure-asyncoperation'] ?? headers['location'];
      // A token goes nowhere else.
      const isOwn = operation?.startsWith(`${host}/`) === true;
      return { body: fieldsOf(text, wanted.tried), operation: isOwn ? operation : undefined };
    },
    async read(operation) {
      if ((nextRead.get(operation) ?? 0) > clock.now()) return undefined;
      const tried = 'read an operation of Azure';
      const { status, headers, text } = await exchange(operation, { method: 'GET', tried });
      nextRead.set(operation, clock.now() + (retryAfterMs(headers) ?? 10_000));
      const found = fieldsOf(text, tried);
      const state = typeof found['status'] === 'string' ? found['status'] : status === 202 ? 'InProgress' : 'Succeeded';
      if (['Succeeded', 'Failed', 'Canceled'].includes(state)) nextRead.delete(operation);
      return { status: state, message: errorText(found) };
    },
  };
}

async function authorized(
  tokens: AzureTokens,
  tried: string,
  send: (authorization: string) => Promise<AzureResponse>,
): Promise<AzureResponse> {
  try {
    const token = await tokens.token();
    const response = await send(`Bearer ${token}`);
    return response.status === 401 ? await send(`Bearer ${await tokens.token(token)}`) : response;
  } catch (error) {
    throw new UnreachableError(tried, error);
  }
}

/** Another operation in progress is a conflict, whatever status it has: it passes. */
function refusal(tried: string, { status, text, headers }: AzureResponse): ApiError {
  const found = parsed(text);
  const isBusy = errorOf(found)?.['code'] === 'OperationNotAllowed' || status === 412;
  return new ApiError({
    tried,
    status: isBusy ? 409 : status < 400 ? 502 : status,
    body: errorText(found) ?? 'no message',
    retryAfterMs: retryAfterMs(headers),
  });
}

/** An error stands below `error` or at the top. */
function errorOf(found: unknown): Fields | undefined {
  const error = isFields(found) && isFields(found['error']) ? found['error'] : found;
  return isFields(error) ? error : undefined;
}

/** `code: message` of an error. */
export function errorText(found: unknown): string | undefined {
  const error = errorOf(found);
  if (error === undefined) return undefined;
  const { code, message } = error;
  const texts = [code, message].filter((text): text is string => typeof text === 'string' && text !== '');
  return texts.length === 0 ? undefined : texts.join(': ').slice(0, 500);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fieldsOf(text: string, tried: string): Readonly<Record<string, unknown>> {
  if (text.trim() === '') return {};
  const value = parsed(text);
  if (!isFields(value)) throw badResponse(tried, 'the response is not an object of JSON');
  return value;
}
