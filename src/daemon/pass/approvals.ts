import { stringify } from 'yaml';
import type { FleetConfig } from '../../api/gitfleet.ts';
import { placementKey } from '../../api/placement.ts';
import type { Problem } from '../../api/problem.ts';
import { placeOfBranch } from '../../engine/gate/request.ts';
import { listUpTo } from '../../engine/kernel/short-list.ts';
import type { Plan } from '../../engine/plan-document.ts';
import type { RequestedBranch } from '../../git/approval-branches.ts';
import { GitError, type GitErrorCode } from '../../git/git-error.ts';
import { approvalFolder } from '../../repo/fleet/approval-places.ts';
import {
  type RemovalToApprove,
  removalApprovalObject,
  removalsToApprove,
} from '../../repo/record/removals-to-approve.ts';
import type { InEffect } from '../../report/in-effect.ts';
import type { Approvals } from '../ports.ts';

interface Request {
  readonly name: string;
  /** In the fleet repo. Undefined: in the folder where approvals count. */
  readonly path?: string | undefined;
  readonly content: string;
}

/** Everybody who can push a branch can make thousands of them, and each takes a push of its own. */
const mostWithdrawals = 20;

/**
 * Requests the missing approvals and withdraws outdated requests: for gates, and for removals that the guard refused. A branch that
 * cannot be changed, or that others added to, is a problem, and the other requests continue. Errors: GitError, where the repository cannot
 * be used. `before`: branches that there were before the record was read: only these are withdrawn, since another daemon may have recorded
 * a request meanwhile, and then pushed its branch.
 */
export async function syncApprovals(
  plan: Pick<Plan, 'guard' | 'commit' | 'removals'>,
  present: Pick<InEffect, 'approvals' | 'removalHolds'> & { readonly config: FleetConfig | undefined },
  approvals: Approvals,
  before: ReadonlySet<string>,
): Promise<{
  readonly asked: readonly string[];
  readonly problems: readonly Problem[];
  /** Tips of the branches that request approvals, by name; undefined where this pass could not tell. */
  readonly tips: ReadonlyMap<string, string | undefined>;
  /** Names of the requests that were withdrawn, as far as that succeeded. */
  readonly withdrawn: readonly string[];
}> {
  const removing = removalsToApprove({ ...plan, holds: present.removalHolds });
  const wanted = new Map([...gates(present), ...removals(removing)].map((request) => [request.name, request]));
  const folder = approvalFolder(present.config);
  const existing = new Set((await approvals.list()).names);
  const problems: Problem[] = [];
  const tips = new Map<string, string | undefined>([...wanted.keys()].map((name) => [name, undefined]));
  const change = async (name: string, push: () => Promise<RequestedBranch | undefined>): Promise<void> => {
    try {
      const branch = await push();
      if (branch?.commit !== undefined) tips.set(name, branch.commit);
      if (branch && branch.commits.length + branch.files.length > 0) problems.push(addedTo(name, branch));
    } catch (error) {
      if (!(error instanceof GitError && ofBranch.has(error.code))) throw error;
      problems.push(notChanged(name, error));
    }
  };
  const withdrawn: string[] = [];
  const outdated = [...existing].filter((name) => !wanted.has(name) && before.has(name));
  for (const name of outdated.slice(0, mostWithdrawals))
    await change(name, async () => {
      await approvals.withdraw(name);
      withdrawn.push(name);
      return undefined;
    });
  for (const request of wanted.values()) {
    const { name, content, path = `${folder}${name}.yaml` } = request;
    await change(name, () => approvals.request({ name, path, content }));
  }
  return { asked: [...wanted.keys()].filter((name) => !existing.has(name)), problems, tips, withdrawn };
}

/** Errors that other branches of the same repository need not have. */
const ofBranch: ReadonlySet<GitErrorCode> = new Set([
  'bad-address',
  'failed',
  'object-missing',
  'push-refused',
  'too-large',
]);

const notChanged = (name: string, { message }: GitError): Problem => ({
  severity: 'error',
  code: 'approval-branch',
  file: placeOfBranch({ name }),
  message: `gitfleet cannot change this branch, which requests an approval: ${message}`,
  fix: 'delete the branch, or allow gitfleet to push and delete gitfleet/approve/* (docs/forges.md); it pushes the branch again while the approval is required',
});

/** Merging the branch would bring this as well. */
const addedTo = (name: string, { commits, files, isRequested }: RequestedBranch): Problem => {
  const added = [
    ...(files.length === 0 ? [] : [`files ${listUpTo(files, mostNamed)}`]),
    ...(commits.length === 0 ? [] : [`commits ${listUpTo(commits, mostNamed)}`]),
  ];
  const left = isRequested ? '' : ', and gitfleet does not write its request on top of that';
  return {
    severity: isRequested ? 'warning' : 'error',
    code: 'approval-branch',
    file: placeOfBranch({ name }),
    message: `this branch, which requests an approval, contains more than that: ${added.join('; ')}${left}`,
    fix: 'review the whole branch before you merge it, or delete it; gitfleet pushes it again while the approval is required',
  };
};

const mostNamed = 5;

function gates({ approvals }: Pick<InEffect, 'approvals'>): Request[] {
  return approvals.flatMap(({ planned, file }) =>
    file ? [{ name: placementKey(planned), path: file.path, content: stringify(file.object, { lineWidth: 0 }) }] : [],
  );
}

function removals(removing: readonly RemovalToApprove[]): Request[] {
  return removing.map((asked) => {
    const { name, messages } = asked;
    const because = messages.map((message) => `# ${message.replaceAll('\n', '\n# ')}`).join('\n');
    return {
      name,
      content: `${because}\n# Merging this file approves exactly these removals.\n${stringify(removalApprovalObject(asked))}`,
    };
  });
}
