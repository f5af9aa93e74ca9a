import { syncApprovals } from '../../src/daemon/pass/approvals.ts';
import type { Plan } from '../../src/engine/plan-document.ts';
import { approvalBranches } from '../../src/git/approval-branches.ts';
import { defaultAuthor, parsePerson } from '../../src/git/person.ts';
import { openSource } from '../../src/git/source.ts';
import type { FleetOnGit } from './fleet-on-git.ts';
import { folder } from './folders.ts';
import { nobody } from './git-repository.ts';

/** Pushes the branches that a plan asks for, as the daemon does. */
export async function pushRequests(plan: Plan, fleet: FleetOnGit): Promise<void> {
  const source = await openSource({ repo: fleet.dir, branch: 'main', cacheDir: folder(), credentials: nobody });
  const branches = approvalBranches(source, { author: parsePerson(defaultAuthor), now: () => fleet.paper.now });
  const removalHolds = plan.holds.filter(({ removalDigest }) => removalDigest !== undefined);
  await syncApprovals(plan, { approvals: plan.approvals, removalHolds, config: undefined }, branches, new Set());
  await source.close();
}
