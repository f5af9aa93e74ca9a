import { resolve } from 'node:path';
import { placementKey } from '../../../api/placement.ts';
import { decisionIn } from '../../../engine/gate/decision.ts';
import { reviewOf } from '../../../engine/gate/early-approvals.ts';
import { approvalBranch } from '../../../engine/gate/request.ts';
import { parseDuration } from '../../../engine/kernel/duration.ts';
import { listUpTo } from '../../../engine/kernel/short-list.ts';
import { rollsBack } from '../../../engine/staged/failure-policy.ts';
import type { Forge } from '../../../forge/forge.ts';
import { forgeAddress } from '../../../forge/forge-address.ts';
import { parseAddress } from '../../../git/address.ts';
import { whoCommits } from '../../../git/native/who-commits.ts';
import { systemClock } from '../../../members/clock.ts';
import { titleOf } from '../../../repo/title-of.ts';
import { recordedApproval } from '../../../report/recorded-approval.ts';
import { CliError, exitCodes } from '../../terminal/exit.ts';
import { shellWord } from '../../terminal/shell-word.ts';
import { unknownName } from '../../terminal/unknown-name.ts';
import { writeError } from '../../terminal/write.ts';
import { type Desired, withDesired } from '../open-desired.ts';
import { type ChangeOptions, printUnchanged, reportChange } from '../report-change.ts';
import { MovedMeanwhile } from '../submit.ts';
import { branchFor, submitByForge, withForge } from './by-forge.ts';
import { type Requests, readRequests } from './read-requests.ts';
import { rejectedFile } from './rejected-file.ts';
import { type RequestBranch, readRequestBranch } from './request-branch.ts';

export interface ApproveOptions extends ChangeOptions {
  readonly statusBranch: string;
  readonly reject?: boolean;
  readonly reason?: string;
  readonly force?: boolean;
  /** Whether the forge merges; undefined: where the repo is a URL and there is a token. */
  readonly forge?: boolean;
  /** Of what the forge needs to merge, as a duration. */
  readonly timeout: string;
}

/** Others may push to the branch of desired state meanwhile; each attempt starts from its new tip. */
const attempts = 5;
/** Things named in an error. */
const mostNamed = 5;

/**
 * Merges the approval branch of a request into the branch of desired state, and pushes that; or commits a rejection there. In a clone
 * it works on the repository that was cloned, where the daemon's branches are. A forge merges the pull request instead where it is to.
 * Errors: CliError, nothing is changed then.
 */
export async function approve(name: string, options: ApproveOptions): Promise<void> {
  refuseOptions(options);
  const { places, author, gitDir } = await whereAsked(options);
  // In a clone git merges, and pushes to the origin.
  const forge = options.forge ?? (places.length > 1 ? false : undefined);
  let first: Requests | undefined;
  for (const [repo, note] of places) {
    const asked = { ...options, repo, ...(forge !== undefined && { forge }) };
    const requests = await answered(name, { options: asked, author, gitDir, note });
    if (requests === undefined) return;
    first ??= requests;
  }
  throw notThere(name, first!);
}

function refuseOptions({ reject, reason, timeout }: ApproveOptions): void {
  if (parseDuration(timeout) === undefined)
    throw new CliError(`--timeout ${timeout} is not a duration: write for example 30s or 5m`);
  if (reject && !reason?.trim())
    throw new CliError('--reject needs --reason TEXT: it is recorded, and shown to those who wait');
  if (!reject && reason !== undefined)
    throw new CliError('--reason goes with --reject: an approval is the file of the branch as it is');
}

interface Asked {
  /** Where the branch may be, and a note for the user: the origin of a clone, then the repository itself, in which a daemon may run. */
  readonly places: readonly (readonly [repo: string, note: string | undefined])[];
  /** The identity that git has there; undefined if it has none. */
  readonly author: string | undefined;
  /** Of the clone: its settings say whether the commit is signed. */
  readonly gitDir: string | undefined;
}

const whereAsked = ({ repo, path = '', branch, gitAuthor }: ApproveOptions): Promise<Asked> =>
  withDesired({ repo, path, branch }, async ({ branches, tracked, address, workingTree }) => {
    const gitDir = workingTree?.gitDir;
    const person = await whoCommits(gitDir);
    const author = gitAuthor ?? (person && `${person.name} <${person.email}>`);
    const own = [branches.remote ? repo : branches.name, undefined] as const;
    if (!tracked || address === undefined) return { places: [own], author, gitDir };
    const origin = parseAddress(address).kind === 'local' ? resolve(branches.name, address) : address;
    return { places: [[origin, `${branches.name} is behind its origin now: git pull`], own], author, gitDir };
  });

interface Answering {
  readonly options: ApproveOptions;
  readonly author: string | undefined;
  readonly gitDir: string | undefined;
  readonly note: string | undefined;
}

/** What the repository requests, if it has no such branch; undefined once the request is answered. */
async function answered(name: string, answering: Answering): Promise<Requests | undefined> {
  const { options } = answering;
  for (let attempt = 1; ; attempt++) {
    try {
      return await withDesired(options, async (desired) => {
        const requests = await readRequests(desired, options.statusBranch);
        if (await isAnswered(name, requests, { desired, options })) return undefined;
        const request = await readRequestBranch(name, desired, requests);
        if (request === undefined) return requests;
        const refused = requests.waysOut.includes(name) ? undefined : requests.refused;
        const stopped = requests.stopped.get(name);
        // A rejection ends also a run that is stopped; only its rollback waits.
        const waits = stopped && (!options.reject || rollsBack(stopped)) ? titleOf(stopped.metadata) : undefined;
        await withForge(desired, options.forge, (forge) =>
          answer(request, { desired, forge, refused, stopped: waits }, answering),
        );
        return undefined;
      });
    } catch (error) {
      if (!(error instanceof MovedMeanwhile) || attempt === attempts) throw error;
    }
  }
}

/** Prints that it is; an error if it is answered otherwise. */
async function isAnswered(
  name: string,
  requests: Requests,
  { desired, options }: { readonly desired: Desired; readonly options: ApproveOptions },
): Promise<boolean> {
  const given = requests.answers.get(name) ?? unreadAnswer(name, requests, desired);
  if (given === undefined) return false;
  const isApproved = given.startsWith('approved');
  const summary = `${name} is ${isApproved ? 'approved' : 'rejected'} already`;
  if (options.reject ? isApproved : !isApproved) throw new CliError(`${summary}: ${otherwise[given]}`);
  const isUnread = given === 'approved, unread';
  const why = requests.refused ?? 'gitfleet get problems shows what prevents it';
  const when = `on ${desired.branch}, and counts once gitfleet acts on that commit (${why})`;
  await printUnchanged(isUnread ? `${summary} ${when}` : summary, options.output);
  return true;
}

/** How to answer otherwise. */
const otherwise = {
  approved:
    'revert the commit that approved it if no cluster behind it has started, or else stop the run, unless it is over',
  'approved, used': 'the removal is made, once; a later one is requested again',
  'approved, unread': 'revert the commit that approved it (a merge with git revert -m 1), before gitfleet acts on it',
  rejected: 'commit a new run',
  'rejected, unread':
    'as long as gitfleet has not read the commit that rejected it, revert that one first; afterwards commit a new run',
} as const;

/** By a commit that gitfleet has not read, or does not act on. An approval whose branch is still there may be another one. */
function unreadAnswer(name: string, { open, asked }: Requests, { fleet }: Desired) {
  const request = open.get(name);
  const file = [...fleet.approvals, ...fleet.gates].find(({ metadata }) => placementKey(metadata) === name);
  if (file === undefined || request === undefined || !('kind' in request)) return undefined;
  const review = reviewOf(file);
  const requested = recordedApproval(request).file?.object;
  if (review !== undefined && requested !== undefined && review !== reviewOf(requested)) return undefined;
  const decision = decisionIn(file);
  if (decision === 'rejected') return 'rejected, unread';
  return decision === undefined || asked.includes(name) ? undefined : 'approved, unread';
}

async function answer(
  request: RequestBranch,
  {
    desired,
    forge,
    refused,
    stopped,
  }: {
    readonly desired: Desired;
    readonly forge: Forge | undefined;
    readonly refused: string | undefined;
    /** Name of its run, which is stopped, and which the answer waits for. */
    readonly stopped: string | undefined;
  },
  { options, author, gitDir, note }: Answering,
): Promise<void> {
  const { name, doubts } = request;
  const branch = approvalBranch({ name });
  const edits = options.reject ? undefined : await request.edits();
  if (doubts.length > 0 && !options.force && !options.reject)
    throw new CliError(
      `${branch} holds more or something else than its request: ${listUpTo(doubts, mostNamed)}: read it with git diff ${desired.branch}...${branch}, then --force merges all of it; or delete the branch, and gitfleet pushes it again`,
      exitCodes.refused,
    );
  if (request.isBehind && !options.reject && !forge)
    throw new CliError(
      `${branch} changes other files, and ${desired.branch} has moved since: merge it with git, which sees conflicts`,
      exitCodes.refused,
    );
  if (author === undefined && !options.dryRun && (options.reject || !forge))
    throw new CliError(
      'git has no identity, and the commit names who approved: run git config --global user.name and user.email, or use --git-author "Name <address>"',
    );
  const { reject, reason = '' } = options;
  const verb = reject ? 'rejected' : request.tip === undefined ? 'opened before its time' : 'approved';
  const change = {
    edits: edits ?? new Map([[request.path, rejectedFile(request, reason.trim())]]),
    message: `${reject ? 'Reject' : 'Approve'} ${name}${reject ? `\n\n${reason.trim()}` : ''}`,
    branch: forge && (reject || request.tip === undefined) ? branchFor(reject ? 'reject' : 'open', name) : undefined,
    merges: reject ? undefined : request.tip,
    configuredIn: gitDir,
    ifProtected: isOnForge(desired)
      ? 'use --forge'
      : request.tip === undefined || reject
        ? 'bring the file that --dry-run shows to it as it allows'
        : `merge ${branch} as it allows`,
  };
  const notes = [
    ...(forge && options.dryRun ? [`${forge.kind} merges it as a pull request of ${forge.repository}`] : []),
    ...doubts.map((doubt) => `${reject ? 'left out of the rejection' : 'merged with --force'}: ${doubt}`),
    ...(stopped === undefined
      ? []
      : [`what follows waits until its run continues, which is stopped: gitfleet resume run ${stopped}`]),
    ...(refused === undefined ? [] : [`it does not count yet: ${refused}`]),
    ...(options.dryRun ? [`nothing is changed; this does it: ${command(name, options)}`] : note ? [note] : []),
  ];
  const summary = { done: `${name} is ${verb}`, already: `${name} is ${verb} already`, notes };
  const gitAuthor = author === undefined ? {} : { gitAuthor: author };
  const patience = {
    clock: systemClock,
    timeoutMs: parseDuration(options.timeout)!,
    waiting: (why: string) => writeError(`note: ${why}\n`),
  };
  const make = forge && { make: submitByForge(forge, change.branch ?? branch, patience) };
  await reportChange(desired, change, { options: { ...options, ...gitAuthor }, summary, ...make });
}

const isOnForge = ({ fleet, address }: Desired): boolean =>
  forgeAddress(fleet.config?.spec.forge, address) !== undefined;

function command(name: string, options: ApproveOptions): string {
  const { repo, path, branch, reject, reason, force, forge, gitAuthor } = options;
  return [
    `gitfleet approve ${shellWord(name)} --repo ${shellWord(repo)}`,
    ...(path ? [`--path ${shellWord(path)}`] : []),
    ...(branch === 'main' ? [] : [`--branch ${shellWord(branch)}`]),
    ...(reject ? [`--reject --reason ${shellWord(reason ?? '')}`] : []),
    ...(force ? ['--force'] : []),
    ...(forge === undefined ? [] : [forge ? '--forge' : '--no-forge']),
    ...(gitAuthor === undefined ? [] : [`--git-author ${shellWord(gitAuthor)}`]),
  ].join(' ');
}

/** No branch: what else asks, or why this one does not. */
function notThere(name: string, { asked, open }: Requests): CliError {
  if (open.has(name))
    return new CliError(
      `${name} is requested, but its branch ${approvalBranch({ name })} is not there: the daemon pushes it with its next reconciliation; gitfleet get problems shows what prevents that`,
      exitCodes.unreachable,
    );
  if (asked.length === 0) return new CliError(`nothing waits for approval, so there is no request ${name}`);
  return unknownName({ what: 'approval request', name, known: asked });
}
