import type { LabelSelector, Manifest } from '../api/meta.ts';
import type { ClusterObservation } from '../api/observation.ts';
import { availabilityOf, podCause } from '../engine/bindings/availability.ts';
import { isFields } from '../engine/kernel/fields.ts';
import { matchesSelector } from '../engine/kernel/selector.ts';
import { objectKey, refOfManifest } from '../engine/selection/object-key.ts';
import { ApiError, UnreachableError } from './api-server/api-error.ts';
import type { Connection } from './connection.ts';
import { postponed } from './postponed-checks.ts';
import type { Change } from './watch/store.ts';

/** Why workloads of ours are not available: what their pods wait for. */
export interface WaitingPods {
  objectChanged(change: Change): void;
  /** Undefined when nothing is known to wait. */
  observation(): ClusterObservation['podCauses'];
}

/** Workloads whose pods are read; a member with more has another trouble. */
const mostWorkloads = 20;
/** Pods of one workload that are read: they mostly wait for the same. */
const mostPods = 50;
/** Before the first read, milliseconds: a pod that only starts needs no cause. Each further pause is twice as long. */
const firstPauseMs = 10_000;
const longestPauseMs = 120_000;

interface Waiting {
  readonly object: Manifest;
  readonly reads: number;
  readonly cause: string | undefined;
}

/**
 * Pods are not watched for this: those of a workload that stays unavailable are read, ever less often. A cause stays until the
 * workload is available or changed, since a container that crashes runs in between.
 */
export function waitingPods(
  { client, clock, fewAtOnce, watches }: Pick<Connection, 'client' | 'clock' | 'fewAtOnce' | 'watches'>,
  { life, changed }: { readonly life: AbortSignal; readonly changed: () => void },
): WaitingPods {
  const waiting = new Map<string, Waiting>();
  const pauseMs = (key: string): number => Math.min(firstPauseMs * 2 ** (waiting.get(key)?.reads ?? 0), longestPauseMs);
  const checks = postponed(clock, pauseMs, (key) => void look(key));
  life.addEventListener('abort', () => checks.stop(), { once: true });

  async function look(key: string): Promise<void> {
    const before = waiting.get(key);
    if (before === undefined) return;
    // Another cluster may have this name by now.
    if (watches.object(refOfManifest(before.object)) === undefined) return void waiting.delete(key);
    const found = await causeOf(before.object);
    const now = waiting.get(key);
    if (now === undefined || life.aborted) return;
    const cause = generationOf(now) === generationOf(before) ? (found ?? now.cause) : undefined;
    waiting.set(key, { ...now, reads: now.reads + 1, cause });
    if (cause !== now.cause) changed();
    checks.add(key);
  }

  async function causeOf(workload: Manifest): Promise<string | undefined> {
    const { selector = {} } = (workload['spec'] ?? {}) as { readonly selector?: LabelSelector };
    const labels = Object.entries(selector.matchLabels ?? {}).map(([name, value]) => `${name}=${value}`);
    const path = `/api/v1/namespaces/${encodeURIComponent(workload.metadata.namespace ?? 'default')}/pods`;
    const query = new URLSearchParams({ labelSelector: labels.join(','), limit: String(mostPods) });
    try {
      const list = await fewAtOnce.run(() => client.json({ method: 'GET', path: `${path}?${query}` }));
      const pods = isFields(list) && Array.isArray(list['items']) ? (list['items'] as Manifest[]) : [];
      return podCause(pods.filter(({ metadata }) => matchesSelector(selector, metadata.labels)));
    } catch (error) {
      if (error instanceof ApiError || error instanceof UnreachableError) return undefined;
      throw error;
    }
  }

  return {
    objectChanged({ how, key, object }) {
      if (!hasPods(object)) return;
      const before = waiting.get(key);
      if (how === 'deleted' || availabilityOf(object, object.apiVersion).verdict !== 'NotAvailableYet') {
        waiting.delete(key);
        return;
      }
      if (before === undefined && waiting.size >= mostWorkloads) return;
      const isSame = before !== undefined && generationOf(before) === generationOf({ object });
      waiting.set(key, isSame ? { ...before, object } : { object, reads: 0, cause: undefined });
      checks.add(key);
    },
    observation() {
      const found = [...waiting.values()].flatMap(({ object, cause }) =>
        cause === undefined ? [] : [{ object: refOfManifest(object), cause }],
      );
      if (found.length === 0) return undefined;
      return found.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    },
  };
}

const keyOf = ({ object }: { readonly object: Parameters<typeof objectKey>[0] }): string => objectKey(object);

const hasPods = ({ apiVersion, kind }: Manifest): boolean =>
  (apiVersion === 'apps/v1' && ['Deployment', 'StatefulSet', 'DaemonSet'].includes(kind)) ||
  (apiVersion === 'batch/v1' && kind === 'Job');

const generationOf = ({ object }: Pick<Waiting, 'object'>): unknown => object.metadata.generation;
