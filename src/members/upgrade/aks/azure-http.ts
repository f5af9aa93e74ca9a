import { request } from 'undici';

export interface AzureRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface AzureResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** One request to Azure and its whole response. Rejects when no response comes, or one that is too large. */
export type AzureHttp = (request: AzureRequest) => Promise<AzureResponse>;

const timeoutMs = 30_000;
/** A managed cluster with a hundred pools is below a megabyte. */
const mostBytes = 4 * 2 ** 20;

/** Redirects are not followed: credentials would be sent there. */
export const azureHttp: AzureHttp = async ({ method, url, headers, body, signal }) => {
  const time = AbortSignal.timeout(timeoutMs);
  const response = await request(url, {
    method,
    headers: { 'user-agent': 'gitfleet', ...headers },
    body: body ?? null,
    signal: signal ? AbortSignal.any([signal, time]) : time,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
  let bytes = 0;
  const chunks: Buffer[] = [];
  for await (const chunk of response.body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new Error(`a response of more than ${mostBytes / 2 ** 20} MiB`);
    chunks.push(chunk);
  }
  const flat = Object.entries(response.headers).map(([key, value]) => [key, String(value ?? '')]);
  return {
    status: response.statusCode,
    headers: Object.fromEntries(flat),
    text: Buffer.concat(chunks).toString('utf8'),
  };
};
