import { parseVersion, reaches } from '../../api/kubernetes-version.ts';
import { parseNodeImage, reachesImage } from '../../api/node-image.ts';
import type { ClusterObservation } from '../../api/observation.ts';
import type { MemberUpgrade, MemberVersions } from '../../api/upgrade-status.ts';
import { formatDuration } from '../kernel/duration.ts';
import { formatInstant, type Instant, parseInstant } from '../kernel/instant.ts';
import type { UpgradeMember } from './upgrades-input.ts';

export type OperationOutcome =
  | { readonly kind: 'completed' }
  | { readonly kind: 'failed'; readonly code: 'UpgradeFailed' | 'ProgressDeadlineExceeded'; readonly message: string }
  /** `deadline`: when it counts as failed unless there is news. */
  | { readonly kind: 'running'; readonly deadline: Instant | undefined };

/**
 * What became of an operation in flight. Success follows from what the member runs, never from what anybody remembers: a provider
 * may report it while nodes are old.
 */
export function outcomeOf(
  { operationId, to, status }: MemberUpgrade,
  { observation, askedSince }: Partial<Pick<UpgradeMember, 'observation' | 'askedSince'>>,
  { now, deadlineMs }: { readonly now: Instant; readonly deadlineMs: number },
): OperationOutcome {
  const upgrade = observation?.upgrade;
  const isOurs = upgrade?.target !== undefined && upgrade.target === operationId;
  if (isOurs && upgrade.phase === 'Failed')
    return { kind: 'failed', code: 'UpgradeFailed', message: upgrade.message ?? 'the provider reports a failure' };
  const isRead = observation?.reachable === true && observation.complete;
  const succeeded = isOurs && upgrade.phase === 'Succeeded';
  if (isRead && upgrade?.phase !== 'Running' && hasReached(observation.versions, to ?? {}, succeeded))
    return { kind: 'completed' };
  if (deadlineMs === 0) return { kind: 'running', deadline: undefined };
  const started = parseInstant(status.startTime ?? '') ?? now;
  // A provider that works from outside has news of a member that cannot be reached.
  // Without any, there may have been news while no daemon was running, and until the last contact.
  const contact = lastContactOf(observation);
  const since = parseInstant(upgrade?.since ?? '') ?? Math.max(askedSince ?? started, contact ?? started);
  const news = Math.max(started, since);
  const deadline = news + deadlineMs;
  if (deadline > now) return { kind: 'running', deadline };
  const last = upgrade?.message ? `; the provider's last message: ${upgrade.message}` : '';
  const what = upgrade?.since === undefined && news === contact ? 'contact' : 'progress';
  const message = `no ${what} since ${formatInstant(news - (news % 1000))}, for ${formatDuration(deadlineMs)}${last}`;
  return { kind: 'failed', code: 'ProgressDeadlineExceeded', message };
}

/** Of a member that does not respond; undefined = it responds, or there was none. */
const lastContactOf = (observation: ClusterObservation | undefined): Instant | undefined =>
  observation?.reachable === false ? parseInstant(observation.observedAt ?? '') : undefined;

type Observed = NonNullable<ClusterObservation['versions']>;

/** Whether a member runs what an operation brings. A pool that is gone counts as done. */
function hasReached(observed: Observed | undefined, to: MemberVersions, succeeded: boolean): boolean {
  if (observed === undefined) return false;
  const names = to.controlPlane !== undefined || (to.pools ?? []).length > 0;
  if (!names) return succeeded;
  const pools = new Map(observed.pools?.map((pool) => [pool.name, pool]));
  return (
    (to.controlPlane === undefined || reachesVersion(observed.controlPlane, to.controlPlane)) &&
    (to.pools ?? []).every(({ name, kubernetes, image }) => {
      const pool = pools.get(name);
      if (pool === undefined) return observed.pools !== undefined || succeeded;
      // What to bring was left to the provider: only it knows.
      if (kubernetes === undefined && image === undefined) return succeeded;
      return (
        (kubernetes === undefined || reachesVersion(pool.kubernetes, kubernetes)) &&
        (image === undefined || reachesWantedImage(pool.image, image))
      );
    })
  );
}

function reachesVersion(text: string | undefined, wanted: string): boolean {
  const [version, to] = [parseVersion(text ?? ''), parseVersion(wanted)];
  return version !== undefined && to !== undefined ? reaches(version, to) : text === wanted;
}

function reachesWantedImage(text: string | undefined, wanted: string): boolean {
  const [image, to] = [parseNodeImage(text ?? ''), parseNodeImage(wanted)];
  return image !== undefined && to !== undefined ? reachesImage(image, to) : text === wanted;
}
