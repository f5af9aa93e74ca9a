import { messageOf } from '../../api/message-of.ts';
import { followedBranch } from '../../git/followed-branch.ts';
import { branchRef } from '../../git/source.ts';
import { age } from '../terminal/age.ts';
import { writeError } from '../terminal/write.ts';
import type { Status, StatusReader } from './open-status.ts';
import { isPlannedFrom } from './planned-from.ts';

/** A younger commit may be on its way: the daemon polls every ten seconds unless told otherwise. Milliseconds. */
const patienceMs = 60_000;

/**
 * Says on stderr that what is told is not what the repo asks for: its plan is refused, or the branch of desired state holds a
 * commit which the status does not speak of. Nothing is committed
 * while nothing changes, so an old status may be right; this is what can be told of a daemon that is not there.
 */
export async function noteWhereBehind(reader: StatusReader, status: Status): Promise<void> {
  // A hint is not worth an error: what was asked for has been printed.
  const late = await behind(reader, status).catch(
    (error: unknown) => `whether the status is of the newest commit is not known: ${messageOf(error)}`,
  );
  for (const note of [refused(status), late]) if (note !== undefined) writeError(`note: ${note}\n`);
}

function refused({ record, notInEffect: { refusals } }: Status): string | undefined {
  if (refusals.length === 0) return undefined;
  return `the plan of ${record.commit?.slice(0, 12) ?? 'no commit'} is refused, and this status stays in effect: ${refusals.join('; ')}`;
}

async function behind(reader: StatusReader, status: Status): Promise<string | undefined> {
  const { branches } = reader;
  const { branch, record, tip, now } = status;
  if (branch === undefined) return undefined;
  // What was committed in a clone and not pushed is nothing that the daemon could know of.
  const fromOrigin = !branches.remote && (await followedBranch(branches, reader.statusBranch)).fromOrigin;
  const ref = fromOrigin ? `refs/remotes/origin/${branch}` : branchRef(branch);
  const newest = (await branches.list([ref])).get(ref);
  if (newest === undefined || newest === record.commit) return undefined;
  await branches.obtain(ref, newest);
  if (await isPlannedFrom(branches, status, newest)) return undefined;
  // People commit by their own clock, also beside the daemon of a demo, which lives faster.
  const committed = (await branches.objects.commit(newest)).committer.at;
  if (Date.now() - committed < patienceMs) return undefined;
  const written = (await branches.objects.commit(tip)).committer.at;
  return (
    `${branch} is at ${newest.slice(0, 12)}, committed ${age(committed, Date.now())} ago, and the status is of ` +
    `${record.commit?.slice(0, 12) ?? 'no commit'}, written ${age(written, now)} ago: unless that was pushed just now, see whether gitfleet run is running`
  );
}
