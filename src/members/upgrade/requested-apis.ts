import type { RequestedApi } from '../../api/observation.ts';
import type { MemberClient } from '../api-server/client.ts';

/** A gauge of API servers: 1 for each deprecated API that was requested since they started. */
const metric = 'apiserver_requested_deprecated_apis';

/** Kubernetes has some dozen; a server may send any number. */
const mostApis = 500;

/** Deprecated APIs that clients requested from a member, from the metrics of its API server. Rejects as the client. */
export async function readRequestedApis(client: MemberClient): Promise<RequestedApi[]> {
  const headers = { accept: 'text/plain' };
  const lines = await client.lines({ method: 'GET', path: '/metrics', headers, tried: 'read /metrics' }, `${metric}{`);
  const found = lines.slice(0, mostApis).flatMap((line) => apiOf(line) ?? []);
  return [...new Map(found.map((api) => [JSON.stringify(api), api])).values()];
}

/** A line of Prometheus' text format. Labels that are no names of Kubernetes count as no line. */
function apiOf(line: string): RequestedApi | undefined {
  const end = line.lastIndexOf('}');
  const labels = new Map(
    [...line.slice(0, end).matchAll(/([a-z_]+)="([^"\\]*)"/g)].map(([, key, value]) => [key, value]),
  );
  const name = (label: string, pattern: RegExp): string | undefined => {
    const text = labels.get(label) ?? '';
    return pattern.test(text) ? text : undefined;
  };
  const [group, version, resource] = [name('group', word), name('version', word), name('resource', word)];
  if (!version || !resource || Number.parseFloat(line.slice(end + 1)) === 0) return undefined;
  const [subresource, removedRelease] = [name('subresource', word), name('removed_release', /^\d{1,3}\.\d{1,3}$/)];
  return {
    ...(group && { group }),
    version,
    resource,
    ...(subresource && { subresource }),
    ...(removedRelease && { removedRelease }),
  };
}

const word = /^[a-z0-9.-]{1,253}$/;
