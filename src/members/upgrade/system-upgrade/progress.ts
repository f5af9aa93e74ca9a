import type { Manifest } from '../../../api/meta.ts';
import { conditionIs, conditionOf, listAt, textAt } from '../fields.ts';
import { isAt, munged, nodesOf, planOf, type SeenWork, sides } from './nodes.ts';

/** How far a Plan is. Of a Plan of someone else only that it is not over. */
export interface Progress {
  readonly phase: 'running' | 'done' | 'failed';
  readonly message: string;
}

/**
 * How far a Plan is, from its status, its Jobs and its nodes. Its condition Complete proves nothing alone: it is also True when no
 * node matches, and until the controller has seen a change, and a node may be marked as finished and run another version.
 */
export function progressOf(plan: Manifest, seen: SeenWork): Progress {
  const { name } = plan.metadata;
  const side = sides.find((of) => planOf[of] === name);
  const version = textAt(plan, 'spec', 'version');
  if (side === undefined || version === undefined) return { phase: 'running', message: `Plan ${name}` };
  const nodes = nodesOf(seen, side);
  const hash = textAt(plan, 'status', 'latestHash');
  const isTaken = textAt(plan, 'status', 'latestVersion') === munged(version) && hash !== undefined;
  const finished = nodes.filter(({ kubelet, marks }) => isAt(kubelet, version) && isTaken && marks[name] === hash);
  const counted = `${side}: ${finished.length} of ${nodes.length} nodes`;

  const isBusy = seen.jobs.some((job) => job.plan === name && job.state === 'active');
  const failure = failureOf(plan, seen);
  if (failure !== undefined && !isBusy) return { phase: 'failed', message: `${counted}; ${failure}` };
  if (!isTaken)
    return { phase: 'running', message: `${counted}; system-upgrade-controller has not taken up Plan ${name} yet` };

  const applying = listAt(plan, 'status', 'applying');
  const isComplete = !conditionIs(plan, 'Complete', 'False') && applying.length === 0 && !isBusy;
  if (isComplete && finished.length === nodes.length) return { phase: 'done', message: 'done' };
  const reason = textAt(conditionOf(plan, 'Complete'), 'reason');
  const now = applying.length > 0 ? `now ${applying.join(', ')}` : reason === 'Waiting' ? 'outside its window' : '';
  const stale = nodes.find(({ kubelet, marks }) => marks[name] === hash && !isAt(kubelet, version));
  const marked =
    stale &&
    `${stale.name} runs ${stale.kubelet ?? 'an unknown version'} and is marked as finished: remove its label plan.upgrade.cattle.io/${name}`;
  return { phase: 'running', message: [counted, now, failure, marked].filter(Boolean).join('; ') };
}

/** Failed Jobs are the Plan's own: those of the Plan before are removed before it is created. */
function failureOf(plan: Manifest, { jobs }: Pick<SeenWork, 'jobs'>): string | undefined {
  const complete = conditionOf(plan, 'Complete');
  const message = textAt(complete, 'message');
  const reason = textAt(complete, 'reason');
  if (textAt(complete, 'status') === 'False' && (reason === 'JobFailed' || reason === 'ValidationFailed'))
    return message ?? reason;
  const job = jobs.find((of) => of.plan === plan.metadata.name && of.state === 'failed');
  return job && `Job ${job.name} failed`;
}
