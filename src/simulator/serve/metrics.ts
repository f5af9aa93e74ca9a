import type { Cluster } from '../cluster.ts';

/** The response of /metrics: a few of the metrics that API servers have, in Prometheus' text format and its order. */
export const metricsOf = ({ requestedApis, store }: Cluster): string =>
  [
    ...family('apiserver_request_total', 'counter', ['{code="200",verb="GET"} 1']),
    ...family(
      'apiserver_requested_deprecated_apis',
      'gauge',
      requestedApis.map(
        ({ group = '', version, resource, removedRelease }) =>
          `{group="${group}",removed_release="${removedRelease}",resource="${resource}",subresource="",version="${version}"} 1`,
      ),
    ),
    ...family('apiserver_storage_objects', 'gauge', [`{resource="nodes"} ${store.list('/nodes').length}`]),
  ].join('');

/** One without samples is not there at all. */
const family = (name: string, type: 'counter' | 'gauge', samples: readonly string[]): string[] =>
  samples.length === 0 ? [] : [`# TYPE ${name} ${type}\n`, ...samples.map((sample) => `${name}${sample}\n`)];
