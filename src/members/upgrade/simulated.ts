import { minorsBetween, parseVersion } from '../../api/kubernetes-version.ts';
import type { ObservedVersions } from '../../api/observed-versions.ts';
import { isFields } from '../../engine/kernel/fields.ts';
import { badResponse } from '../api-server/api-error.ts';
import type { MemberClient } from '../api-server/client.ts';
import {
  notRequested,
  type OperationReport,
  RefusedUpgrade,
  type SeenCluster,
  type UpgradeOperation,
  type UpgradeProvider,
} from './provider.ts';

/** Where a simulated cluster says what it runs, and takes upgrades: no API of Kubernetes. */
export const upgradePath = '/simulator/upgrade';

interface Seen extends SeenCluster {
  /** The last operation that was requested there. */
  readonly last:
    | { readonly operationId: string; readonly phase: OperationReport['phase']; readonly message: string }
    | undefined;
}

/** Upgrades a simulated cluster. */
export function simulatedProvider(client: MemberClient): UpgradeProvider<Seen> {
  return {
    pace: { activeMs: 2_000, idleMs: 15_000 },
    async observe() {
      const found = await client.json({ method: 'GET', path: upgradePath, tried: `read ${upgradePath}` });
      if (!isFields(found) || !isFields(found['versions']))
        throw badResponse(`read ${upgradePath}`, 'this is no simulated cluster');
      const last = found['operation'] as Seen['last'];
      const running = last?.phase === 'Running' ? { operationId: last.operationId, message: last.message } : undefined;
      return { versions: found['versions'] as Seen['versions'], running, lastOperation: last?.operationId, last };
    },
    preflight: async () => [],
    async start(operation, { last, versions }) {
      if (last?.operationId === operation.operationId) return false;
      refuseDowngrade(operation, versions);
      await client.send({
        method: 'PUT',
        path: upgradePath,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(requestOf(operation)),
        tried: `upgrade ${client.name}`,
      });
      return true;
    },
    async poll({ operationId }, { last }) {
      return last?.operationId === operationId ? { phase: last.phase, message: last.message } : notRequested;
    },
  };
}

function refuseDowngrade({ controlPlane = '' }: UpgradeOperation, { controlPlane: runs = '' }: ObservedVersions): void {
  const [to, from] = [parseVersion(controlPlane), parseVersion(runs)];
  if (to && from && minorsBetween(from, to) < 0)
    throw new RefusedUpgrade(`${controlPlane} is older than ${runs}: a cluster is never downgraded`);
}

const requestOf = ({ operationId, type, controlPlane, pools = [] }: UpgradeOperation): object => ({
  operationId,
  type,
  controlPlane,
  pools,
});
