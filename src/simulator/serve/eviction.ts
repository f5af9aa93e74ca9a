import { fieldsAt, numberAt } from '../../engine/kernel/at.ts';
import type { Cluster } from '../cluster.ts';
import { budgetsOf } from '../controllers/budgets.ts';
import { isTrue } from '../controllers/conditions.ts';
import type { Kind } from '../kinds/kind.ts';
import { type RemoveOptions, remove } from '../storage/remove.ts';
import { dryRunOf, parseObject } from './body.ts';
import { json, type SimRequest, type SimResponse } from './http.ts';
import { conflict, notFound, StatusError } from './status-error.ts';

/** pods/eviction: a deletion that honours PodDisruptionBudgets (429 when none is left). */
export async function evict(
  cluster: Cluster,
  pods: Kind,
  request: SimRequest,
  path: { namespace?: string; name: string },
): Promise<SimResponse> {
  const body = await parseObject(request);
  const pod = cluster.store.get('/pods', path);
  if (!pod) throw notFound(pods, path.name);
  const { preconditions } = fieldsAt(body, 'deleteOptions') as { preconditions?: RemoveOptions['preconditions'] };
  if (preconditions?.uid !== undefined && preconditions.uid !== pod.metadata.uid)
    throw conflict(
      pods,
      path.name,
      `Precondition failed: UID in precondition: ${preconditions.uid}, UID in object meta: ${pod.metadata.uid}`,
    );
  const budgets = budgetsOf(cluster, pod);
  if (budgets.length > 1)
    throw new StatusError(
      500,
      'InternalError',
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  const budget = budgets[0];
  if (budget && isTrue(pod, 'Ready') && pod.metadata.deletionTimestamp === undefined) {
    const allowed = numberAt(budget, 'status', 'disruptionsAllowed');
    if (allowed < 1) {
      throw new StatusError(
        429,
        'TooManyRequests',
        "Cannot evict pod as it would violate the pod's disruption budget.",
        {
          causes: [
            {
              reason: 'DisruptionBudget',
              message: `The disruption budget ${budget.metadata.name} needs ${numberAt(budget, 'status', 'desiredHealthy')} healthy pods and has ${numberAt(budget, 'status', 'currentHealthy')} currently`,
            },
          ],
        },
      );
    }
    if (!dryRunOf(request.query)) {
      const status = { ...fieldsAt(budget, 'status'), disruptionsAllowed: allowed - 1 };
      cluster.store.put('policy/poddisruptionbudgets', { ...budget, status });
    }
  }
  const grace = fieldsAt(body, 'deleteOptions')['gracePeriodSeconds'];
  remove(cluster, pods, pod, {
    gracePeriodSeconds: typeof grace === 'number' ? grace : undefined,
    dryRun: dryRunOf(request.query),
  });
  return json(201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 });
}
