import type { MemberCluster } from '../../api/member-cluster.ts';
import { messageOf } from '../../api/message-of.ts';
import { parseDuration } from '../../engine/kernel/duration.ts';
import { planFleet } from '../../engine/plan.ts';
import { networkFetch, openForge } from '../../forge/open-forge.ts';
import { parseAddress } from '../../git/address.ts';
import { credentialsFromEnv } from '../../git/http/credentials.ts';
import { checkPushRight } from '../../git/push-right.ts';
import { branchRef } from '../../git/source.ts';
import { eachOf } from '../../members/pool.ts';
import { sameClusterFix, sameClusters, sameClusterText } from '../../members/same-cluster.ts';
import { spareContexts } from '../../members/spare-contexts.ts';
import { type Desired, withDesired } from '../change/open-desired.ts';
import { readPlanInput } from '../plan/input.ts';
import { membersNamed } from '../run/members-named.ts';
import { CliError, exitCodes } from '../terminal/exit.ts';
import { outputFormat, print, printJson } from '../terminal/output.ts';
import { plural } from '../terminal/plural.ts';
import { table } from '../terminal/table.ts';
import { checkMember } from './check-member.ts';
import { type Check, failed, fine, warning } from './checks.ts';

interface CheckOptions {
  readonly repo: string;
  readonly path?: string;
  readonly branch: string;
  readonly statusBranch: string;
  readonly members: string;
  readonly timeout: string;
  readonly output: string;
}

/** Members that are asked at once. */
const atOnce = 16;

/**
 * Checks what the daemon needs, and changes nothing. Exit code 1 when something is missing, 3 when something does not respond, which
 * wins.
 */
export async function check(options: CheckOptions): Promise<void> {
  const format = outputFormat(options.output, ['table', 'json']);
  const timeoutMs = parseDuration(options.timeout);
  if (timeoutMs === undefined)
    throw new CliError(`--timeout ${options.timeout} is not a duration: write for example 15s`);
  const checks = await withDesired(options, async (desired) => [
    repoCheck(desired),
    await statusBranchCheck(desired, options),
    await forgeCheck(desired),
    ...(await memberChecks(options, timeoutMs)),
  ]);
  if (format === 'json') printJson({ apiVersion: 'gitfleet.dev/v1alpha1', kind: 'Check', checks });
  else
    print(
      table(
        ['STATE', 'CHECK', 'NAME', 'RESULT'],
        checks.map(({ state, check, name, message, fix }) => [
          state,
          check,
          name,
          fix === undefined ? message : `${message}: ${fix}`,
        ]),
      ),
    );
  const bad = checks.filter(({ state }) => state === 'failed' || state === 'unreachable');
  if (bad.length === 0) return;
  const code = bad.some(({ state }) => state === 'unreachable') ? exitCodes.unreachable : exitCodes.somethingToDo;
  throw new CliError(`${bad.length} of ${checks.length} checks failed`, code, { silent: format === 'json' });
}

function repoCheck({ branch, branches, fleet, tip }: Desired): Check {
  const of = { check: 'repo', name: branches.name };
  const errors = fleet.problems.filter(({ severity }) => severity === 'error').length;
  const counts = [plural(fleet.members.length, 'cluster'), plural(fleet.placements.length, 'placement')];
  const at = `${branch} at ${tip.slice(0, 12)}, ${counts.join(', ')}`;
  if (errors > 0) return failed(of, `${at}, ${plural(errors, 'error')}`, 'gitfleet validate lists them');
  if (fleet.members.length === 0) return warning(of, at, 'gitfleet join CONTEXT adds a cluster');
  return fine(of, at);
}

async function statusBranchCheck({ branches }: Desired, { repo, statusBranch }: CheckOptions): Promise<Check> {
  const of = { check: 'push', name: statusBranch };
  const ref = branchRef(statusBranch);
  try {
    const tip = (await branches.list([ref])).get(ref);
    await checkPushRight(parseAddress(branches.remote ? repo : branches.name), credentialsFromEnv());
    return fine(
      of,
      tip === undefined
        ? 'may be pushed; the first reconciliation creates it'
        : `may be pushed, at ${tip.slice(0, 12)}`,
    );
  } catch (error) {
    return failed(of, messageOf(error), 'gitfleet run commits the state of the fleet to this branch');
  }
}

async function forgeCheck({ branches, branch, fleet }: Desired): Promise<Check> {
  const network = networkFetch();
  const of = { check: 'forge', name: fleet.config?.spec.forge?.kind ?? 'none' };
  try {
    const { forge, missing } = openForge({
      named: fleet.config?.spec.forge,
      repo: branches.name,
      env: process.env,
      fetch: network.fetch,
      now: Date.now,
    });
    if (missing !== undefined) return failed(of, missing);
    if (forge === undefined) return fine(of, 'no token and none in fleet.yaml: approvals are merged branches');
    const open = await forge.listOpen(branch);
    return fine({ ...of, name: forge.kind }, `${forge.repository}: the token reads ${open.length} open requests`);
  } catch (error) {
    return failed(of, messageOf(error), 'docs/forges.md lists what the token needs');
  } finally {
    await network.close();
  }
}

async function memberChecks(options: CheckOptions, timeoutMs: number): Promise<Check[]> {
  const { repo, path, branch } = options;
  const input = await readPlanInput({ repo, ...(path && { path }), ref: branch });
  const connections = await membersNamed(options.members);
  const planned = planFleet(input);
  const { members } = input.fleet;
  const found = new Map<MemberCluster, Awaited<ReturnType<typeof checkMember>>>();
  await eachOf(members, atOnce, async (member) => {
    found.set(member, await checkMember(member, { connections, input, planned, timeoutMs }));
  });
  const clusters = sameClusters();
  for (const member of members) clusters.set(member.metadata.name, found.get(member)?.identity);
  const spare = spareContexts(connections.names, new Set(members.map(({ metadata }) => metadata.name)));
  return [
    ...(spare === undefined ? [] : [warning({ check: 'contexts', name: options.members }, spare.text, spare.fix)]),
    ...members.flatMap((member) => {
      const { name } = member.metadata;
      const same = clusters.othersOf(name);
      return [
        ...(found.get(member)?.checks ?? []),
        ...(same.length === 0 ? [] : [failed({ check: 'member', name }, sameClusterText(same), sameClusterFix)]),
      ];
    }),
  ];
}
