import { compareVersions, parseVersion } from '../../../api/kubernetes-version.ts';
import type { UpgradeFinding } from '../../../api/observation.ts';
import { shortList } from '../../../engine/kernel/short-list.ts';
import type { MemberClient } from '../../api-server/client.ts';
import { fieldAt, textAt } from '../fields.ts';
import {
  notRequested,
  type OperationReport,
  RefusedUpgrade,
  type UpgradeOperation,
  type UpgradeProvider,
} from '../provider.ts';
import { isAt, isOptedOut, munged, nodesOf, planOf, type Side } from './nodes.ts';
import { createPlan, removeJob, removePlan } from './plans.ts';
import { type Distribution, distributions, readSystemUpgrade, type SeenSystemUpgrade, serverLabel } from './read.ts';

/**
 * Upgrades k3s and RKE2 by Plans of system-upgrade-controller in the member: first the servers, then the agents. The order is kept here:
 * the Plan of the agents is created when all servers are done.
 */
export function systemUpgradeProvider(client: MemberClient, namespace: string): UpgradeProvider<SeenSystemUpgrade> {
  return {
    pace: { activeMs: 10_000, idleMs: 60_000 },
    observe: () => readSystemUpgrade(client, namespace),
    preflight: async (seen) => findingsOf(seen),
    async start(operation, seen) {
      refuseUnknown(operation, seen);
      for (const part of partsOf(operation)) {
        const plan = seen.plans.get(planOf[part.side]);
        if (plan?.operationId === operation.operationId) {
          if (plan.progress.phase !== 'done') return false;
        } else if (!isReached(part, seen)) return request(client, { operation, part, seen });
      }
      return false;
    },
    poll: async (operation, seen) => reportOf(operation, seen),
  };
}

interface Part {
  readonly side: Side;
  readonly version: string;
}

/** What an operation changes, in its order. */
function partsOf({ controlPlane, pools = [] }: UpgradeOperation): readonly Part[] {
  const agents = pools.find(({ name }) => name === 'agents')?.kubernetes;
  return [
    ...(controlPlane === undefined ? [] : [{ side: 'servers' as const, version: controlPlane }]),
    ...(agents === undefined ? [] : [{ side: 'agents' as const, version: agents }]),
  ];
}

/** Nodes that run the version already are left alone. */
const isReached = ({ side, version }: Part, seen: SeenSystemUpgrade): boolean =>
  nodesOf(seen, side).every(({ kubelet }) => isAt(kubelet, version));

/** Replaces the Plan of the operation before, which may be in progress: then it is waited for. */
async function request(
  client: MemberClient,
  {
    operation: { operationId },
    part: { side, version },
    seen,
  }: { readonly operation: UpgradeOperation; readonly part: Part; readonly seen: SeenSystemUpgrade },
): Promise<boolean> {
  const { namespace, jobs, distribution } = seen;
  const ofPlan = jobs.filter(({ plan }) => plan === planOf[side]);
  if (ofPlan.some(({ state }) => state === 'active')) return false;
  const plan = seen.plans.get(planOf[side]);
  const failed = ofPlan.find(({ state }) => state === 'failed');
  if (plan?.progress.phase === 'running') return false;
  if (plan) await removePlan(client, namespace, plan);
  else if (failed) await removeJob(client, namespace, failed);
  else await createPlan(client, { namespace, side, version, operationId, distribution: distribution! });
  return true;
}

/** What system-upgrade-controller cannot do. */
function refuseUnknown(operation: UpgradeOperation, seen: SeenSystemUpgrade): void {
  if (operation.type === 'NodeImageOnly' || operation.pools?.some(({ image }) => image !== undefined))
    throw new RefusedUpgrade(
      'system-upgrade-controller upgrades k3s and RKE2, not node images: leave images out of the run, and write type: Full or ControlPlaneOnly',
    );
  const { distribution } = seen;
  if (distribution === undefined)
    throw new RefusedUpgrade('no node runs k3s or RKE2, and system-upgrade-controller upgrades nothing else here');
  for (const { side, version } of partsOf(operation)) {
    if (parseVersion(version)?.build?.includes(distribution) !== true)
      throw new RefusedUpgrade(
        `${version} is no version of ${distribution}: list versions with their build, such as ${example(version, distribution)}, in a VersionCatalog`,
      );
    const nodes = nodesOf(seen, side);
    if (side === 'servers' && nodes.length === 0)
      throw new RefusedUpgrade(`no node has the label ${serverLabel}, so no server is upgraded`);
    const newer = nodes.find(({ kubelet }) => isNewer(kubelet, version));
    if (newer)
      throw new RefusedUpgrade(
        `node ${newer.name} runs ${newer.kubelet}, newer than ${version}: a Plan would downgrade it`,
      );
  }
}

function example(version: string, distribution: Distribution): string {
  const { major = 1, minor = 31, patch = 5 } = parseVersion(version) ?? {};
  return `v${major}.${minor}.${patch}+${distribution === 'k3s' ? 'k3s1' : 'rke2r1'}`;
}

function isNewer(kubelet: string | undefined, version: string): boolean {
  const [runs, to] = [parseVersion(munged(kubelet ?? '')), parseVersion(munged(version))];
  return runs !== undefined && to !== undefined && compareVersions(runs, to) > 0;
}

function reportOf(operation: UpgradeOperation, seen: SeenSystemUpgrade): OperationReport {
  const parts = partsOf(operation).map((part) => {
    const plan = seen.plans.get(planOf[part.side]);
    return { ...part, plan: plan?.operationId === operation.operationId ? plan : undefined };
  });
  if (!parts.some(({ plan }) => plan)) return notRequested;
  for (const { plan, ...part } of parts) {
    const { phase, message } = plan?.progress ?? { phase: 'none' };
    if (phase === 'failed') return { phase: 'Failed', message };
    if (phase === 'running') return { phase: 'Running', message };
    if (!isReached(part, seen)) return { phase: 'Running', message: `${part.side}: waits for the Plan` };
  }
  return { phase: 'Succeeded', message: 'done' };
}

function findingsOf(seen: SeenSystemUpgrade): UpgradeFinding[] {
  const others = [...seen.plans].filter(([name, { object, operationId }]) => {
    const image = textAt(object, 'spec', 'upgrade', 'image') ?? '';
    const isSame = distributions.some((distribution) => image.includes(`${distribution}-upgrade`));
    const follows = textAt(object, 'spec', 'version') === undefined && textAt(object, 'spec', 'channel') !== undefined;
    const isOurs = operationId !== undefined || Object.values(planOf).includes(name);
    return isSame && follows && !isOurs && fieldAt(object, 'spec', 'concurrency') !== 0;
  });
  const out = seen.nodes.filter(isOptedOut);
  return [
    ...others.map(([name]) => ({
      reason: 'OtherPlan',
      severity: 'Blocking' as const,
      message: `Plan ${seen.namespace}/${name} upgrades the nodes by its channel: remove it`,
    })),
    ...(out.length === 0
      ? []
      : [
          {
            reason: 'NodesOptedOut',
            severity: 'Warning' as const,
            message: `the label plan.upgrade.cattle.io/…=disabled excludes nodes from the upgrade: ${shortList(out.map(({ name }) => name))}`,
          },
        ]),
  ];
}
