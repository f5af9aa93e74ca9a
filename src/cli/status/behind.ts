import { messageOf } from '../../api/message-of.ts';
import { followedBranch } from '../../git/followed-branch.ts';
import { branchRef } from '../../git/source.ts';
import { age } from '../terminal/age.ts';
import { writeError } from '../terminal/write.ts';
import type { Status, StatusReader } from './open-status.ts';
import { isPlannedFrom } from './planned-from.ts';

/** A newer commit may be in progress: by default the daemon polls every ten seconds. Milliseconds. */
const patienceMs = 60_000;

/**
 * Notes on stderr that the status is not that of the newest commit: its plan is refused, or the branch of desired state has a
 * commit that the status does not include. An old status may be current, since nothing is committed while nothing changes.
 */
export async function noteIfBehind(reader: StatusReader, status: Status): Promise<void> {
  // No error for a failed hint: the result has been printed.
  const late = await behind(reader, status).catch(
    (error: unknown) => `it is unknown whether the status is of the newest commit: ${messageOf(error)}`,
  );
  for (const note of [refused(status), late]) if (note !== undefined) writeError(`note: ${note}\n`);
}

function refused({ record, notInEffect: { refusals } }: Status): string | undefined {
  if (refusals.length === 0) return undefined;
  return `the plan of ${record.commit?.slice(0, 12) ?? 'no commit'} is refused, and this status stays in effect: ${refusals.join('; ')}`;
}

async function behind(reader: StatusReader, status: Status): Promise<string | undefined> {
  const { branch, record, tip, now } = status;
  if (branch === undefined) return undefined;
  const { branches } = reader;
  // The daemon does not see commits of a clone that are not pushed.
  const fromOrigin = !branches.remote && (await followedBranch(branches, reader.statusBranch)).fromOrigin;
  const ref = fromOrigin ? `refs/remotes/origin/${branch}` : branchRef(branch);
  const newest = (await branches.list([ref])).get(ref);
  if (newest === undefined || newest === record.commit) return undefined;
  await branches.obtain(ref, newest);
  if (await isPlannedFrom(branches, status, newest)) return undefined;
  // Commits have real time, also with a demo, whose daemon runs on a faster clock.
  const committed = (await branches.objects.commit(newest)).committer.at;
  if (Date.now() - committed < patienceMs) return undefined;
  const written = (await branches.objects.commit(tip)).committer.at;
  return (
    `${branch} is at ${newest.slice(0, 12)}, committed ${age(committed, Date.now())} ago, and the status is of ` +
    `${record.commit?.slice(0, 12) ?? 'no commit'}, written ${age(written, now)} ago: unless that was pushed just now, see whether gitfleet run is running`
  );
}
