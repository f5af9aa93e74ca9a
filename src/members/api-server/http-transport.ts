import type { KubeConfig } from '@kubernetes/client-node';
import { Agent, type Dispatcher, request } from 'undici';
import type { Transport } from './transport.ts';

/**
 * Connections for the requests to a member that speaks plain HTTP, where each request takes one: a thousand members are asked
 * at once when a daemon starts, and a process may have few files open. API servers speak HTTP/2 over TLS: there all requests
 * and watches of a member share one connection.
 */
const plainConnections = 8;
/** Between heartbeats nothing is asked of most members: a connection that is not used for so long is closed, milliseconds. */
const idleMs = 10_000;

/** Credentials of exec and OIDC plugins expire; they are asked again this often, and at once after a 401. */
const credentialsMs = 60_000;

/**
 * Pooled HTTP to the current context of a kubeconfig. client-node gives TLS material, proxies and credentials; the
 * requests and their bodies are ours. After a 401 `reread` gives the kubeconfig anew: somebody may have rotated what is in it.
 */
export function httpTransport(first: KubeConfig, reread: () => Promise<KubeConfig>): Transport {
  let config = first;
  let pool: Pool | undefined;
  let credentials: { readonly headers: Record<string, string>; readonly at: number } | undefined;

  async function authenticate(): Promise<Record<string, string>> {
    const headers: Record<string, string> = {};
    const context = {
      setHeaderParam(name: string, value: string) {
        headers[name.toLowerCase()] = value;
      },
      setDispatcher(dispatcher: Dispatcher) {
        // One pool for the life of the member: a new one per request would mean a TLS handshake per request.
        if (pool === undefined) pool = { queued: dispatcher, urgent: dispatcher };
        else void dispatcher.close();
      },
    };
    const server = serverOf(config);
    // Like kubectl: credentials never travel in plain text, and what answers there asks for none.
    if (!server?.startsWith('http:'))
      await config.applySecurityAuthentication(
        context as unknown as Parameters<KubeConfig['applySecurityAuthentication']>[0],
      );
    pool ??= server?.startsWith('http:') ? plainPool() : sharedPool();
    credentials = { headers, at: Date.now() };
    return headers;
  }

  async function send(wanted: Parameters<Transport>[0], auth: Record<string, string>) {
    return request(`${serverOf(config)}${wanted.path}`, {
      method: wanted.method,
      headers: { 'user-agent': 'gitfleet', ...wanted.headers, ...auth },
      body: wanted.body ?? null,
      signal: wanted.signal ?? null,
      headersTimeout: 30_000,
      // A watch may be silent for minutes; the client measures silence itself.
      bodyTimeout: 0,
      dispatcher: wanted.urgent ? pool!.urgent : pool!.queued,
    });
  }

  /** Another certificate or address needs another pool; requests on the old one may end. */
  async function takeAnew(): Promise<void> {
    const next = await reread();
    if (next.exportConfig() === config.exportConfig()) return;
    config = next;
    for (const dispatcher of new Set(pool && Object.values(pool))) void dispatcher.close();
    pool = undefined;
  }

  return async (wanted) => {
    if (serverOf(config) === undefined) throw new Error('the kubeconfig context names no cluster');
    const fresh = credentials !== undefined && Date.now() - credentials.at < credentialsMs;
    let response = await send(wanted, fresh ? credentials!.headers : await authenticate());
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

const serverOf = (config: KubeConfig): string | undefined => config.getCurrentCluster()?.server.replace(/\/+$/, '');

/** Connections of one member; the same for both where requests do not keep one another waiting. */
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
