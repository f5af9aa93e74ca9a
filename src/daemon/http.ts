import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook } from '../git/webhook.ts';
import type { Metrics } from './report/metrics.ts';

/** Largest webhook body that is read. It is only a hint, but it must be read whole to check its signature. */
const maxBodyBytes = 2 * 1024 * 1024;

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

/** `/healthz`, `/readyz`, `/metrics` and `POST /hooks/git`. */
export async function serveHttp(input: {
  readonly host: string;
  readonly port: number;
  readonly health: Health;
  readonly metrics: Metrics;
  /** Without a secret the hook answers 404: an open one would let anybody make us fetch. */
  readonly webhookSecret: string | undefined;
  readonly hinted: () => void;
}): Promise<DaemonHttp> {
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (!response.headersSent) reply(response, 500, String(error));
      else response.destroy();
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '/').split('?')[0];
    if (path === '/hooks/git') return hook(request, response);
    if (request.method !== 'GET' && request.method !== 'HEAD') return reply(response, 405, 'method not allowed');
    switch (path) {
      case '/healthz':
        return report(response, input.health.stuck());
      case '/readyz':
        return report(response, input.health.notReady());
      case '/metrics':
        response.setHeader('content-type', 'text/plain; version=0.0.4; charset=utf-8');
        return reply(response, 200, input.metrics.render());
      default:
        return reply(response, 404, 'not found: try /healthz, /readyz or /metrics');
    }
  }

  async function hook(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (input.webhookSecret === undefined) return reply(response, 404, 'no webhook secret is configured');
    if (request.method !== 'POST') return reply(response, 405, 'POST only');
    const rawBody = await readBody(request);
    if (rawBody === undefined) return reply(response, 413, `a body of at most ${maxBodyBytes} bytes is read`);
    const verdict = verifyWebhook({ headers: request.headers, rawBody, secret: input.webhookSecret });
    if (!verdict.ok) return reply(response, verdict.status, verdict.reason);
    input.hinted();
    reply(response, 202, 'thank you, looking');
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(input.port, input.host, resolve);
  });
  return { port: (server.address() as AddressInfo).port, close: () => close(server) };
}

function report(response: ServerResponse, trouble: string | undefined): void {
  reply(response, trouble === undefined ? 200 : 503, trouble ?? 'ok');
}

function reply(response: ServerResponse, status: number, text: string): void {
  response.statusCode = status;
  if (!response.hasHeader('content-type')) response.setHeader('content-type', 'text/plain; charset=utf-8');
  response.end(text.endsWith('\n') ? text : `${text}\n`);
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > maxBodyBytes) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
