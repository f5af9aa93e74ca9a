import { join, relative } from 'node:path';
import type { Problem } from '../../api/problem.ts';
import { admit } from '../../engine/admission/admit.ts';
import type { Fleet } from '../../engine/input.ts';
import { assertNever } from '../../engine/kernel/assert.ts';
import { canonicalJson } from '../../engine/kernel/canonical-json.ts';
import { parseInstant } from '../../engine/kernel/instant.ts';
import { planFleet } from '../../engine/plan.ts';
import { parseAddress } from '../../git/address.ts';
import { fleetWarnings } from '../../repo/fleet/fleet-warnings.ts';
import { unreviewedApprovals } from '../../repo/fleet/idle-approvals.ts';
import { idleConstraints } from '../../repo/fleet/idle-constraints.ts';
import { idleWindows } from '../../repo/fleet/idle-windows.ts';
import { objectsOf } from '../../repo/fleet/kinds/rows.ts';
import { loadFleet } from '../../repo/fleet/load-fleet.ts';
import { membersWithoutProvider } from '../../repo/fleet/members-without-provider.ts';
import { missingNamespaces } from '../../repo/fleet/missing-namespaces.ts';
import { emptyWaves } from '../../repo/fleet/nodes/empty-waves.ts';
import { marketWarnings } from '../../repo/fleet/nodes/market-warnings.ts';
import { unpricedTypes } from '../../repo/fleet/nodes/unpriced-types.ts';
import { withoutLauncher } from '../../repo/fleet/nodes/without-launcher.ts';
import { overlappingPlacements } from '../../repo/fleet/overlapping-placements.ts';
import { placeProblems } from '../../repo/fleet/place-problems.ts';
import { byPosition, formatProblem } from '../../repo/fleet/positions.ts';
import { runsWithoutEffect } from '../../repo/fleet/runs-without-effect.ts';
import { sealedSecrets } from '../../repo/fleet/sealed-secrets.ts';
import { unselectedResources } from '../../repo/fleet/unselected-resources.ts';
import { withoutNameless } from '../../repo/fleet/without-nameless.ts';
import { readRecord } from '../../repo/record/read.ts';
import { sha256 } from '../../repo/sha256.ts';
import { allAtOnce } from '../all-at-once.ts';
import { type OpenedRepo, openRepo } from '../fleet-repo/open-repo.ts';
import { colorsFor } from '../terminal/colors.ts';
import { CliError, exitCodes } from '../terminal/exit.ts';
import { outputFormat, print, printJson } from '../terminal/output.ts';
import { plural } from '../terminal/plural.ts';
import { githubLines, sarif } from './formats.ts';

/**
 * Reports every problem of a fleet repo, in a clone of the working tree; exit code 2 when one is an error, with `strict` also when one is a
 * warning.
 */
export async function validate(
  named: string | undefined,
  options: {
    readonly repo: string;
    readonly path?: string;
    readonly ref?: string;
    readonly strict?: boolean;
    readonly output: string;
  },
): Promise<void> {
  const repo = named ?? options.repo;
  if (named !== undefined && options.repo !== '.')
    throw new CliError(`validate ${named} --repo ${options.repo}: name the fleet repo once`);
  const format = outputFormat(options.output, ['table', 'json', 'github', 'sarif']);
  const opened = await openRepo(repo, { path: options.path, ref: options.ref, workingTree: 'preferred' });
  try {
    const fleet = await loadFleet(opened.tree, undefined, { incomplete: true });
    const problems = await problemsOf(fleet, opened);
    const count = (severity: Problem['severity']) => problems.filter((problem) => problem.severity === severity).length;
    const objects = objectsOf(fleet).length + fleet.beingDeleted.length;
    const summary = `${plural(objects, 'fleet object')} and ${plural(fleet.resources.length, 'resource')} ${whatWasRead(opened)}: ${plural(count('error'), 'error')}, ${plural(count('warning'), 'warning')}, ${plural(count('info'), 'note')}.`;
    if (format === 'sarif') printJson(sarif(problems, inWorkspace(repo, options.path)));
    else if (format === 'github')
      print([...githubLines(problems, inWorkspace(repo, options.path)), summary].join('\n'));
    else if (format === 'json')
      printJson({
        apiVersion: 'gitfleet.dev/v1alpha1',
        kind: 'ProblemList',
        commit: opened.tree.id,
        items: problems,
      });
    else {
      const color = colorsFor(process.stdout);
      const tone = { error: 'red', warning: 'yellow', info: 'cyan' } as const;
      for (const problem of problems) print(color(tone[problem.severity], formatProblem(problem)));
      print(summary);
    }
    if (count('error') > 0 || (options.strict && count('warning') > 0))
      throw new CliError('invalid', exitCodes.invalidInput, { silent: true });
  } finally {
    await opened.close();
  }
}

/** What was read: in a clone that shows whether uncommitted changes are included. */
function whatWasRead({ from, tree }: OpenedRepo): string {
  switch (from) {
    case 'folder':
      return 'read';
    case 'working tree':
      return 'read from the working tree, committed or not';
    case 'commit':
      return `read of commit ${tree.id.slice(0, 12)}`;
    default:
      return assertNever(from);
  }
}

/** Problems that only a plan finds, independent of the state of the clusters. */
const foundByPlanning: ReadonlySet<string> = new Set([
  'invalid-resource-selectors',
  'failing-override',
  'failing-envelope',
  'node-disruption',
  // Of price lists and catalogs that meet on a cluster.
  'duplicate',
]);

/** Problems of the single files and, where they are the whole fleet, of their references, selections and variables. */
async function problemsOf(read: Fleet, { tree, isPart, published }: OpenedRepo): Promise<readonly Problem[]> {
  const fleet = withoutNameless(read);
  const now = new Date().toISOString();
  const { record } = readRecord(new Map());
  // In a clone that has the status branch.
  const files: ReadonlyMap<string, string> = isPart ? new Map() : (await published()).files;
  const recorded = readRecord(files).record;
  const all = allAtOnce(fleet);
  const { plan, nodes } = planFleet({
    now,
    commit: tree.id,
    fleet: all,
    observations: undefined,
    upgradeObservations: undefined,
    record,
    unproven: new Map(),
    digest: sha256,
  });
  const known = new Set(fleet.problems.map(canonicalJson));
  // A plan has those of the fleet too, with their fields in another order.
  const planned = plan.problems.filter((it) => foundByPlanning.has(it.code) && !known.has(canonicalJson(it)));
  const loose = isPart
    ? []
    : [
        ...planned,
        ...overlappingPlacements(plan, fleet),
        ...fleetWarnings(fleet, record),
        ...runsWithoutEffect(fleet),
        ...unreviewedApprovals(fleet, recorded),
        ...idleConstraints(fleet),
        ...idleWindows(fleet, parseInstant(now)!),
        ...membersWithoutProvider(fleet),
        ...unpricedTypes(fleet),
        ...emptyWaves(fleet),
        ...marketWarnings(nodes, fleet),
        ...withoutLauncher(nodes, fleet),
        ...missingNamespaces(plan, fleet),
        ...(await unselectedResources(fleet, tree)),
        ...(await sealedSecrets(plan, fleet, tree)),
        // Changes that the last recorded version of an object does not allow.
        ...(files.size === 0 ? [] : admit(fleet, recorded).problems),
        ...withoutClusters(fleet),
      ];
  const found = await placeProblems(loose, async () => tree);
  return [...fleet.problems, ...found].sort(byPosition);
}

function withoutClusters({ members, refused, unreadable }: Fleet): Problem[] {
  const mayBeRefused = unreadable.length > 0 || refused.some(({ kind }) => kind === 'MemberCluster');
  if (members.length > 0 || mayBeRefused) return [];
  const message = 'the fleet has no MemberCluster, so nothing is placed';
  return [{ severity: 'info', code: 'no-cluster', message, fix: 'gitfleet join CONTEXT adds one' }];
}

/** Directory of the fleet repo in the present one, which CI has the files below: `` or `fleet/`. */
function inWorkspace(repo: string, folder = ''): string {
  const address = parseAddress(repo);
  if (address.kind !== 'local') return folder;
  const path = relative(process.cwd(), join(address.path, folder)).replaceAll('\\', '/');
  return path === '' || path.startsWith('..') ? folder : `${path}/`;
}
