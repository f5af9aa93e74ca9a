import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { checkWebhook, noDeliveries } from '../git/webhook.ts';
import { type WebhookSender, webhookSenders } from '../git/webhook-scheme.ts';
import type { Metrics } from './report/metrics.ts';

export interface Health {
  /** Undefined when the loop makes progress, else what is wrong: liveness. */
  readonly stuck: () => string | undefined;
  /** Undefined once a pass has succeeded and the repo can be read, else what is missing: readiness. */
  readonly notReady: () => string | undefined;
}

export interface DaemonHttp {
  readonly port: number;
  close(): Promise<void>;
}

/** Limits for clients that can reach the port. Times in milliseconds. */
export interface HttpLimits {
  readonly bodyBytes: number;
  readonly headersMs: number;
  readonly requestMs: number;
  /** Without a byte in either direction, also while a response waits to be read. */
  readonly idleMs: number;
  readonly keepAliveMs: number;
  readonly checkEveryMs: number;
  readonly connections: number;
}

export const httpLimits: HttpLimits = {
  // A push of many commits at GitHub is some hundred KiB. Gitfleet needs nothing of it but the signature.
  bodyBytes: 2 * 1024 * 1024,
  // Senders write their headers in one piece, so half of the time of a request is ample.
  headersMs: 5_000,
  // GitHub and GitLab give up a delivery after 10 s, Gitea after 5 s: a later response is useless.
  requestMs: 10_000,
  idleMs: 10_000,
  // The default of Node. Probes and scrapes are further apart and connect again.
  keepAliveMs: 5_000,
  // Node looks for overdue connections this often (30 s by default, longer than the limits above).
  checkEveryMs: 1_000,
  // Probes, a scraper, a forge and some people need about ten. Each holds at most some 100 KiB while it is read.
  connections: 64,
};

const hookPath = (sender: WebhookSender): string => `/hooks/${sender}`;
const hookPaths = webhookSenders.map(hookPath);

/** `/healthz`, `/readyz`, `/metrics` and `POST /hooks/{github,gitlab,gitea,git}`. */
export async function serveHttp(input: {
  readonly host: string;
  readonly port: number;
  readonly health: Health;
  readonly metrics: Metrics;
  /** Without a secret the hook returns 404: otherwise anyone could trigger fetches. */
  readonly webhookSecret: string | undefined;
  readonly hinted: () => void;
  readonly limits?: HttpLimits;
}): Promise<DaemonHttp> {
  const { limits = httpLimits } = input;
  const seen = noDeliveries();
  const server = boundedServer(limits, (request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (!response.headersSent && !request.destroyed) reply(response, 500, String(error));
      else response.destroy();
    });
  });

  const pages: Readonly<Record<string, (response: ServerResponse) => void>> = {
    '/healthz': (response) => report(response, input.health.stuck()),
    '/readyz': (response) => report(response, input.health.notReady()),
    '/metrics': (response) => {
      response.setHeader('content-type', 'text/plain; version=0.0.4; charset=utf-8');
      reply(response, 200, input.metrics.render());
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = '/'] = (request.url ?? '/').split('?');
    // An unexpected body is not awaited.
    if (hasBody(request)) response.setHeader('connection', 'close');
    const sender = webhookSenders.find((name) => path === hookPath(name));
    if (sender !== undefined) return hook(sender, request, response);
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
    if (page === undefined)
      return reply(response, 404, `not found: try ${[...Object.keys(pages), ...hookPaths].join(', ')}`);
    if (request.method !== 'GET' && request.method !== 'HEAD') return reply(response, 405, 'GET only');
    page(response);
  }

  async function hook(sender: WebhookSender, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (input.webhookSecret === undefined) return reply(response, 404, 'no webhook secret is configured');
    if (request.method !== 'POST') return reply(response, 405, 'POST only');
    const { headers } = request;
    const check = checkWebhook({ sender, headers, secret: input.webhookSecret, seen, now: Date.now() });
    if (!check.ok) return reply(response, check.status, check.reason);
    if (!(await readBody({ request, response, limits }, check.update)))
      return reply(response, 413, `a body of at most ${limits.bodyBytes} bytes is read`);
    const verdict = check.verdict();
    if (!verdict.ok) return reply(response, verdict.status, verdict.reason);
    input.hinted();
    reply(response, 202, 'accepted');
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(input.port, input.host, resolve);
  });
  return { port: (server.address() as AddressInfo).port, close: () => close(server) };
}

function boundedServer(
  limits: HttpLimits,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: limits.checkEveryMs,
    },
    answer,
  );
  // By default Node requests the body at once. Here it is requested after the headers are checked.
  server.on('checkContinue', answer);
  server.timeout = limits.idleMs;
  closeOldest(server, limits.connections);
  // A connection that is closed counts until the next turn of the event loop; many can arrive before it.
  server.maxConnections = 2 * limits.connections;
  return server;
}

/**
 * Beyond the limit the oldest connection is closed, not the newest refused. Otherwise slow senders could take all of them, the
 * probes would fail, and Kubernetes would restart the daemon. Probes are answered at once, so they are never the oldest.
 */
function closeOldest(server: Server, most: number): void {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    if (open.size <= most) return;
    const [oldest] = open;
    open.delete(oldest!);
    oldest!.destroy();
  });
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

function report(response: ServerResponse, trouble: string | undefined): void {
  reply(response, trouble === undefined ? 200 : 503, trouble ?? 'ok');
}

function reply(response: ServerResponse, status: number, text: string): void {
  response.statusCode = status;
  if (!response.hasHeader('content-type')) response.setHeader('content-type', 'text/plain; charset=utf-8');
  // A part of the body may have come with the headers; the connection is closed before more is read.
  if (hasBody(response.req)) response.req.on('data', free);
  response.end(text.endsWith('\n') ? text : `${text}\n`);
}

/** Passes each chunk on and keeps none. False if the announced or received bytes exceed the limit. */
function readBody(
  exchange: { readonly request: IncomingMessage; readonly response: ServerResponse; readonly limits: HttpLimits },
  take: (chunk: Uint8Array) => void,
): Promise<boolean> {
  const { request, response, limits } = exchange;
  if (Number(request.headers['content-length'] ?? 0) > limits.bodyBytes) return Promise.resolve(false);
  if (request.headers.expect !== undefined) response.writeContinue();
  let size = 0;
  // Events, not an iterator: an iterator keeps received chunks when the connection breaks.
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limits.bodyBytes) return resolve(false);
      take(chunk);
      free(chunk);
    });
    request.once('end', () => resolve(true));
    request.once('error', reject);
    request.once('close', () => reject(new Error('the connection was closed within the body')));
  });
}

/** Gives the memory back at once. The garbage collector waits until such buffers add up to some 60 MB. */
function free({ buffer, byteLength }: Buffer): void {
  // A smaller chunk shares its buffer with others.
  if (buffer instanceof ArrayBuffer && byteLength > 0 && buffer.byteLength === byteLength) buffer.transfer(0);
}

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
