import type { Stored } from '../../object.ts';
import type { Fields } from '../../schema/schema.ts';
import { resolveCount } from '../resolve-count.ts';
import type { NodePods } from './nodes.ts';

export interface DaemonLimits {
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

/** Both percentages are of the nodes that want a pod, and round up. */
export function limitsOfDaemonSet(rollingUpdate: Fields, nodes: number): DaemonLimits {
  const maxSurge = resolveCount(rollingUpdate['maxSurge'], nodes, 'up');
  const maxUnavailable = resolveCount(rollingUpdate['maxUnavailable'], nodes, 'up');
  // Not both 0, as they would be for percentages of no node.
  return { maxSurge, maxUnavailable: maxSurge === 0 ? Math.max(1, maxUnavailable) : maxUnavailable };
}

/** The next step of a rolling update: pods to delete, and nodes that get a second pod (daemon/update.go, rollingUpdate). */
export function nextSteps(
  nodes: readonly NodePods[],
  limits: DaemonLimits,
  available: (pod: Stored) => boolean,
): { readonly doomed: readonly Stored[]; readonly surging: readonly string[] } {
  const wanted = nodes.filter(({ runs }) => runs);
  return limits.maxSurge > 0 ? surge(wanted, limits, available) : replaceInPlace(wanted, limits, available);
}

/** Old pods to delete: those that are not available, and as many others as may be unavailable. */
function replaceInPlace(
  nodes: readonly NodePods[],
  { maxUnavailable }: DaemonLimits,
  available: (pod: Stored) => boolean,
) {
  const broken: Stored[] = [];
  const healthy: Stored[] = [];
  let unavailable = 0;
  for (const { fresh, old, pods } of nodes) {
    const [pod] = pods;
    const good = pods.length === 1 && pod !== undefined && available(pod);
    if (!good) unavailable++;
    if (old[0] === undefined || fresh.length > 0) continue;
    (good ? healthy : broken).push(old[0]);
  }
  return { doomed: [...broken, ...healthy.slice(0, Math.max(0, maxUnavailable - unavailable))], surging: [] };
}

/** Surge: a new pod next to an old one, which is deleted once the new one is available. */
function surge(nodes: readonly NodePods[], { maxSurge }: DaemonLimits, available: (pod: Stored) => boolean) {
  const doomed: Stored[] = [];
  const free: string[] = [];
  const candidates: string[] = [];
  let surging = 0;
  for (const { name, fresh, old } of nodes) {
    const [before, now] = [old[0], fresh[0]];
    if (before === undefined) continue;
    if (now === undefined) (available(before) ? candidates : free).push(name);
    else if (available(now)) doomed.push(before);
    else surging++;
  }
  return { doomed, surging: [...free, ...candidates.slice(0, Math.max(0, maxSurge - surging))] };
}
