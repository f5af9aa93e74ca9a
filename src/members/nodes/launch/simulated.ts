import type { ClusterObservation } from '../../../api/observation.ts';
import { isFields } from '../../../engine/kernel/fields.ts';
import { badResponse } from '../../api-server/api-error.ts';
import type { MemberClient } from '../../api-server/client.ts';
import type { Launcher } from './launcher.ts';

/** Where a simulated cluster takes requests for nodes: no API of Kubernetes. */
export const launchPath = '/simulator/nodes';

/** Launches nodes of a simulated cluster. */
export function simulatedLauncher(client: MemberClient): Launcher {
  return {
    async observe() {
      const tried = `read ${launchPath}`;
      const found = await client.json({ method: 'GET', path: launchPath, tried });
      if (!isFields(found) || !Array.isArray(found['launches']))
        throw badResponse(tried, 'this is no simulated cluster');
      return found['launches'] as NonNullable<ClusterObservation['launches']>;
    },
    launch: (wanted) =>
      client.send({
        method: 'PUT',
        path: `${launchPath}/${encodeURIComponent(wanted.name)}`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(wanted),
        tried: `launch node ${wanted.name}`,
      }),
    forget: (name) =>
      client.send({
        method: 'DELETE',
        path: `${launchPath}/${encodeURIComponent(name)}`,
        tried: `forget node ${name}`,
      }),
  };
}
