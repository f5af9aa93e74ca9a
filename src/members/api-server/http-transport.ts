import type { KubeConfig } from '@kubernetes/client-node';
import { Agent, type Dispatcher, request } from 'undici';
import type { Transport } from './transport.ts';

/**
 * Connections to a member that uses plain HTTP, where each request takes one. A daemon contacts a thousand members at its start,
 * and a process may have few files open. Over TLS, API servers use HTTP/2: all requests and watches of a member share one connection.
 */
const plainConnections = 8;
/** Unused connections are closed after this time, milliseconds: between heartbeats most members get no requests. */
const idleMs = 10_000;

/**
 * Exec and OIDC plugins are called again after this time, milliseconds, and after a 401: their credentials expire. It is less than the
 * shortest pause between the heartbeats of a member at rest, 57 s, so that these call them every minute.
 */
const credentialsMs = 55_000;
/** The kubeconfig is looked at again before a request after this time, milliseconds, and after a 401: the member may have moved. */
const rereadMs = 5_000;

/**
 * Pooled HTTP to the current context of a kubeconfig. client-node supplies TLS material, proxies and credentials. `reread` gives the
 * kubeconfig as it is now: the same object as long as nothing in it changed.
 */
export function httpTransport(first: KubeConfig, reread: () => Promise<KubeConfig>): Transport {
  let config = first;
  let pool: Pool | undefined;
  let session: Session | undefined;
  let readAt = Date.now();

  async function authenticate(): Promise<Session> {
    const of = config;
    let made: Dispatcher | undefined;
    const headers: Record<string, string> = {};
    const context = {
      setHeaderParam(name: string, value: string) {
        headers[name.toLowerCase()] = value;
      },
      setDispatcher(dispatcher: Dispatcher) {
        made = dispatcher;
      },
    };
    const server = serverOf(of);
    // Like kubectl, never send credentials over plain HTTP.
    if (!server?.startsWith('http:'))
      await of.applySecurityAuthentication(
        context as unknown as Parameters<KubeConfig['applySecurityAuthentication']>[0],
      );
    const isOld = of !== config;
    // One pool for the life of the member: a pool per request would need a TLS handshake per request.
    if (isOld || pool !== undefined) void made?.close();
    if (isOld) return authenticate();
    pool ??= made ? { queued: made, urgent: made } : server?.startsWith('http:') ? plainPool() : sharedPool();
    session = { server, headers, pool, at: Date.now() };
    return session;
  }

  async function send(wanted: Parameters<Transport>[0], { server, headers, pool: by }: Session) {
    return request(`${server}${wanted.path}`, {
      method: wanted.method,
      headers: { 'user-agent': 'gitfleet', ...wanted.headers, ...headers },
      body: wanted.body ?? null,
      signal: wanted.signal ?? null,
      headersTimeout: 30_000,
      // A watch may be silent for minutes; the client measures silence itself.
      bodyTimeout: 0,
      dispatcher: wanted.urgent ? by.urgent : by.queued,
    });
  }

  /** A new certificate or address needs a new pool; requests on the old one may finish. */
  async function takeAnew(): Promise<void> {
    readAt = Date.now();
    const next = await reread();
    if (next === config || reachedBy(next) === reachedBy(config)) return;
    config = next;
    session = undefined;
    for (const dispatcher of new Set(pool && Object.values(pool))) void dispatcher.close();
    pool = undefined;
  }

  return async (wanted) => {
    if (serverOf(config) === undefined) throw new Error('the kubeconfig context does not name a cluster');
    // A file that is being written, or is gone for a moment, is no reason to lose the member.
    if (Date.now() - readAt >= rereadMs) await takeAnew().catch(() => undefined);
    const isFresh = session !== undefined && Date.now() - session.at < credentialsMs;
    let response = await send(wanted, isFresh ? session! : await authenticate());
    if (response.statusCode === 401) {
      await response.body.dump();
      await takeAnew();
      response = await send(wanted, await authenticate());
    }
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(response.headers))
      headers[name] = Array.isArray(value) ? value.join(', ') : (value ?? '');
    return { status: response.statusCode, headers, body: response.body };
  };
}

const reachedBy = (config: KubeConfig): string => JSON.stringify([config.getCurrentCluster(), config.getCurrentUser()]);

const serverOf = (config: KubeConfig): string | undefined => config.getCurrentCluster()?.server.replace(/\/+$/, '');

/** How requests are sent until the credentials or the kubeconfig are taken anew. */
interface Session {
  readonly server: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly pool: Pool;
  /** When it was authenticated, milliseconds since the epoch. */
  readonly at: number;
}

/** Connections of one member; both are the same pool if requests do not block each other. */
interface Pool {
  readonly queued: Dispatcher;
  readonly urgent: Dispatcher;
}

const kept = { keepAliveTimeout: idleMs, keepAliveMaxTimeout: idleMs };

const plainPool = (): Pool => ({
  queued: new Agent({ ...kept, connections: plainConnections }),
  urgent: new Agent(kept),
});

function sharedPool(): Pool {
  const agent = new Agent(kept);
  return { queued: agent, urgent: agent };
}
