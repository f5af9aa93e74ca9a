import { launchPath } from '../../members/nodes/launch/simulated.ts';
import type { WantedLaunch } from '../../members/nodes/wanted-nodes.ts';
import type { Cluster } from '../cluster.ts';
import { launchedNode } from '../nodes.ts';
import { create } from '../storage/write.ts';
import { parseObject } from './body.ts';
import { json, type SimRequest, type SimResponse } from './http.ts';
import { notAllowed } from './status-error.ts';

/**
 * GET: nodes that were requested. PUT of a name: requests one, once. DELETE of a name: gives it up, unless it is there. What a cloud does
 * behind its own API.
 */
export async function serveLaunches(cluster: Cluster, request: SimRequest): Promise<SimResponse> {
  const name = decodeURIComponent(request.path.slice(launchPath.length + 1));
  if (request.method === 'PUT' && name !== '')
    launch(cluster, name, (await parseObject(request)) as unknown as WantedLaunch);
  else if (request.method === 'DELETE' && name !== '') forget(cluster, name);
  else if (request.method !== 'GET' || name !== '') throw notAllowed();
  return json(200, { launches: launchesOf(cluster) });
}

function launchesOf(cluster: Cluster): object[] {
  // A node that was removed since is no longer launched.
  for (const [name, { phase }] of cluster.launched)
    if (phase === 'Launched' && !cluster.store.get('/nodes', { name })) cluster.launched.delete(name);
  return [...cluster.launched].map(([name, state]) => ({ name, ...state }));
}

function launch(cluster: Cluster, name: string, wanted: WantedLaunch): void {
  if (cluster.launched.has(name) || cluster.store.get('/nodes', { name })) return;
  const { seconds, outcome } = cluster.launches;
  cluster.launched.set(name, { phase: 'Launching', since: cluster.timestamp() });
  if (outcome === 'Hangs') return;
  cluster.queue.after(seconds * 1000, `launch ${name}`, () => {
    const since = cluster.timestamp();
    if (outcome === 'Fails') {
      cluster.launched.set(name, { phase: 'Failed', message: 'simulated: no capacity', since });
      return;
    }
    const about = { version: cluster.kubernetesVersion, region: cluster.region, timestamp: since };
    create(cluster, cluster.registry.stored('/nodes')!, launchedNode({ ...wanted, name }, about), {});
    cluster.launched.set(name, { phase: 'Launched', since });
  });
}

function forget(cluster: Cluster, name: string): void {
  if (cluster.launched.get(name)?.phase === 'Launched') return;
  cluster.queue.cancel(`launch ${name}`);
  cluster.launched.delete(name);
}
