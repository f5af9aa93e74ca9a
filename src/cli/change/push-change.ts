import { fetchOrigin } from '../../git/native/fetch-origin.ts';
import { originUrl } from '../../git/native/origin-url.ts';
import { pushOrigin } from '../../git/native/push-origin.ts';
import { CliError, exitCodes } from '../terminal/exit.ts';
import type { Desired } from './open-desired.ts';
import type { Submitted } from './submit.ts';

/** Error: CliError, before anything is committed, when a commit in this clone could not be pushed to its origin. */
export async function refuseUnpushable({ branches, branch, tip }: Desired): Promise<void> {
  const { name: dir, remote } = branches;
  if (remote) return;
  if ((await originUrl(dir)) === undefined)
    throw new CliError(`--push: ${dir} has no origin to push to: leave --push out`);
  const trouble = await fetchOrigin(dir);
  if (trouble !== undefined) throw new CliError(`--push: origin does not respond: ${trouble}`, exitCodes.unreachable);
  const tracking = `refs/remotes/origin/${branch}`;
  const theirs = (await branches.list([tracking])).get(tracking);
  if (theirs !== undefined && !(await branches.objects.isAncestor(theirs, tip)))
    throw new CliError(`--push: ${branch} of ${dir} is behind its origin: git pull, and run the command again`);
}

/** The tip of the branch of desired state, unless its origin has it: a change that the branch has already has no effect before. */
export async function unpushed({ branches, branch, tip }: Desired): Promise<Submitted | undefined> {
  if (branches.remote) return undefined;
  const tracking = `refs/remotes/origin/${branch}`;
  const theirs = (await branches.list([tracking])).get(tracking);
  const isThere = theirs !== undefined && (await branches.objects.isAncestor(tip, theirs));
  return isThere ? undefined : { branch, commit: tip, files: [] };
}

/** Pushes the branch of a change from a clone to its origin. Error: CliError, exit code 3; the commit stays. */
export async function pushChange({ branches }: Desired, { branch, commit }: Submitted): Promise<void> {
  if (branches.remote || commit === undefined) return;
  const trouble = await pushOrigin(branches.name, branch);
  if (trouble === undefined) return;
  throw new CliError(
    `commit ${commit.slice(0, 12)} is on ${branch}, but could not be pushed: ${trouble}`,
    exitCodes.unreachable,
  );
}
