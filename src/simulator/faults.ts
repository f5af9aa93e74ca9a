import type { SimulatedFault } from '../api/simulated-fleet.ts';
import { assertNever } from '../engine/kernel/assert.ts';
import { sleep } from '../members/clock.ts';
import type { Cluster } from './cluster.ts';
import { breaking, silent, slowly } from './fault-bodies.ts';
import { serve } from './serve/api-server.ts';
import { json, type SimRequest, type SimResponse } from './serve/http.ts';
import { parseResourcePath } from './serve/path.ts';
import { StatusError } from './serve/status-error.ts';

/** No response: a refused or broken connection for the client. */
export class NoAnswer extends Error {
  readonly code: 'ECONNREFUSED' | 'ECONNRESET';

  constructor(code: NoAnswer['code'], member: string) {
    super(code === 'ECONNREFUSED' ? `connect ECONNREFUSED ${member}` : `read ECONNRESET ${member}`);
    this.name = 'NoAnswer';
    this.code = code;
  }
}

/**
 * Responds as the cluster would, except for active faults. Faults apply in their order; delays add up. Rejects with NoAnswer where a
 * connection would fail, and waits until the request's signal is aborted where it would hang.
 */
export async function serveWithFaults(
  cluster: Cluster,
  faults: readonly SimulatedFault[],
  sinceStartMs: number,
  request: SimRequest,
): Promise<SimResponse> {
  let asOf: number | undefined;
  const afterwards: ((response: SimResponse) => SimResponse)[] = [];
  const verb = verbOf(request);
  for (const fault of faults) {
    if (!concerns(fault, sinceStartMs, verb, request.path)) continue;
    if (fault.probability < 1 && cluster.random() >= fault.probability) continue;
    switch (fault.type) {
      case 'Unreachable':
        throw new NoAnswer('ECONNREFUSED', cluster.name);
      case 'Hang':
        return never(request.signal);
      case 'Latency':
        await sleep(cluster.clock, fault.seconds * 1000, request.signal);
        break;
      case 'TooManyRequests':
        return json(
          429,
          new StatusError(
            429,
            'TooManyRequests',
            'the server has received too many requests and has asked us to try again later',
            {
              retryAfterSeconds: fault.retryAfterSeconds,
            },
          ).toStatus(),
          { 'retry-after': String(fault.retryAfterSeconds) },
        );
      case 'ServerError':
        return refused(fault.status, fault.status === 503 ? 'ServiceUnavailable' : 'InternalError', 'simulated fault');
      case 'Unauthorized':
        return refused(401, 'Unauthorized', 'Unauthorized');
      case 'Forbidden':
        return refused(403, 'Forbidden', `${request.path.slice(1)} is forbidden: User "gitfleet" cannot ${verb} it`);
      case 'DenyAdmission':
        if (!writes.has(verb)) break;
        return refused(
          403,
          'Forbidden',
          `admission webhook "simulated.gitfleet.dev" denied the request: ${fault.message}`,
        );
      case 'StaleRead':
        asOf = cluster.store.versionAt(cluster.clock.now() - fault.seconds * 1000);
        break;
      case 'SlowBody':
        afterwards.push((response) => slowly(response, cluster.clock, fault.seconds * 1000, request.signal));
        break;
      case 'Reset':
        afterwards.push((response) => breaking(response, () => new NoAnswer('ECONNRESET', cluster.name)));
        break;
      case 'SilentWatch':
        if (verb === 'watch') afterwards.push((response) => silent(response, request.signal));
        break;
      default:
        assertNever(fault);
    }
  }
  const response = await serve(cluster, request, asOf);
  return afterwards.reduce((before, change) => change(before), response);
}

type Verb = NonNullable<SimulatedFault['verbs']>[number];

const writes: ReadonlySet<Verb> = new Set(['create', 'update', 'patch', 'delete']);

function verbOf({ method, path, query }: SimRequest): Verb {
  switch (method) {
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return 'delete';
    default:
      if (query.has('watch') && query.get('watch') !== 'false') return 'watch';
      return parseResourcePath(path)?.name === undefined ? 'list' : 'get';
  }
}

function concerns(fault: SimulatedFault, sinceStartMs: number, verb: Verb, path: string): boolean {
  if (sinceStartMs < fault.fromSeconds * 1000) return false;
  if (fault.untilSeconds !== undefined && sinceStartMs >= fault.untilSeconds * 1000) return false;
  if (fault.verbs && !fault.verbs.includes(verb)) return false;
  if (!fault.resources) return true;
  const resource = parseResourcePath(path);
  if (!resource) return false;
  const { plural, group } = resource;
  return fault.resources.some((wanted) => wanted === plural || (group !== '' && wanted === `${plural}.${group}`));
}

const refused = (code: number, reason: string, message: string): SimResponse =>
  json(code, new StatusError(code, reason, message).toStatus());

const never = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_, reject) => {
    const aborted = () => reject(signal?.reason ?? new Error('aborted'));
    if (signal?.aborted) aborted();
    else signal?.addEventListener('abort', aborted, { once: true });
  });
