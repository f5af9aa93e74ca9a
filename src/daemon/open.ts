import { join } from 'node:path';
import { messageOf } from '../api/message-of.ts';
import type { ForgeFetch } from '../forge/http.ts';
import { networkFetch, openForge } from '../forge/open-forge.ts';
import { parseAddress } from '../git/address.ts';
import { approvalBranches, approvalPrefix } from '../git/approval-branches.ts';
import type { GitRequest } from '../git/branches.ts';
import { GitError } from '../git/git-error.ts';
import { credentialsFromEnv } from '../git/http/credentials.ts';
import { isWorkingTree } from '../git/local/locate.ts';
import { watchLocal } from '../git/local/watch-local.ts';
import { openBranches } from '../git/open-branches.ts';
import type { Person } from '../git/person.ts';
import { refPoll } from '../git/ref-poll.ts';
import { branchRef, openSource } from '../git/source.ts';
import { openStatusBranch } from '../git/status-branch.ts';
import { openCommitSigner } from '../git/verify/commit-signer.ts';
import { openCommitVerifier } from '../git/verify/commit-verifier.ts';
import { keptCommit } from '../git/verify/kept-commit.ts';
import { type OpenSigning, statusSigning } from '../git/verify/status-signing.ts';
import { verifiedSource } from '../git/verify/verified-source.ts';
import type { Clock } from '../members/clock.ts';
import type { MemberProviders } from '../members/member.ts';
import { loadCache, readThrough } from '../repo/fleet/load-cache.ts';
import { loadFleet } from '../repo/fleet/load-fleet.ts';
import { makeDirectory } from '../repo/make-directory.ts';
import { assemble } from './assemble.ts';
import type { Daemon } from './daemon.ts';
import { type DaemonHttp, serveHttp } from './http.ts';
import type { FleetMembers, FleetMembersInput } from './members.ts';
import { limitHeapGrowth } from './memory/heap-growth.ts';
import { collectGarbage, processUsage, releaseMemoryAtRest } from './memory/release-memory.ts';
import type { Connect } from './open-members.ts';
import type { PassResult } from './pass/pass-result.ts';
import { disposableBranches } from './previews/disposable-branches.ts';
import { startedPlans } from './previews/started-plans.ts';
import type { Logger } from './report/log.ts';
import { metrics } from './report/metrics.ts';
import type { OpenForge } from './requests/approval-requests.ts';

export interface OpenedDaemon {
  readonly daemon: Daemon;
  readonly members: FleetMembers;
  readonly http?: DaemonHttp;
  close(): Promise<void>;
}

export interface DaemonOptions extends MemberProviders {
  readonly repo: string;
  readonly branch: string;
  /** Of the repo, that holds the fleet: see fleetFolder. */
  readonly folder?: string | undefined;
  readonly statusBranch: string;
  readonly connect: Connect;
  readonly contexts?: FleetMembersInput['contexts'];
  /** Number of members with open watches; the others are listed every minute. */
  readonly watchMembers: number;
  readonly cacheDir: string;
  readonly intervalMs: number;
  /** Least distance between pushes to a remote; ignored for a local repo. Milliseconds. */
  readonly publishIntervalMs: number;
  /** For `runOnce`. */
  readonly once?: boolean | undefined;
  readonly listen: { readonly host: string; readonly port: number } | undefined;
  readonly webhookSecret: string | undefined;
  readonly acceptRewind: string | undefined;
  /** Whose commits are acted on; undefined: everyone's. */
  readonly verify?: Parameters<typeof openCommitVerifier>[0] | undefined;
  /** Signs status commits, and refuses those of others; undefined: neither. */
  readonly sign?: (Parameters<typeof openCommitSigner>[0] & { readonly accepted: string | undefined }) | undefined;
  /** Author and committer of commits. */
  readonly author: Person;
  /** Time for work in progress to finish after a stop, milliseconds. */
  readonly graceMs: number;
  /** The fleet's time, and real time: the same unless the fleet's runs faster. */
  readonly clock: Clock;
  readonly pace: Clock;
  readonly log: Logger;
  /** The forge of the fleet repo; absent: the one that fleet.yaml and the environment name. */
  readonly forge?: OpenForge;
  /** A message about a member for users. */
  readonly noticed?: (message: string) => void;
  readonly passed?: (result: PassResult) => void;
}

const forgeOf =
  ({ repo, fetch, pace }: { readonly repo: string; readonly fetch: ForgeFetch; readonly pace: Clock }): OpenForge =>
  (named) =>
    openForge({ named, repo, env: process.env, fetch, now: () => pace.now() });

/** Wires a daemon: a fleet repo on one side, members on the other. Errors: GitError when the repo cannot be opened. */
export async function openDaemon(input: DaemonOptions): Promise<OpenedDaemon> {
  const { repo, branch, statusBranch, cacheDir, clock, pace, log } = input;
  if (branch === statusBranch)
    throw new GitError(
      'bad-address',
      `--branch and --status-branch are both ${branch}: the status needs a branch of its own`,
    );
  limitHeapGrowth();
  const opened: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const end of opened.splice(0).reverse()) await end();
  };
  try {
    const measured = metrics();
    let pending = 0;
    const from = {
      repo,
      cacheDir: join(cacheDir, 'git'),
      credentials: credentialsFromEnv(),
      requested: (type: GitRequest) => measured.count('gitfleet_git_request_total', { type }),
      pending: (by: 1 | -1) => {
        pending += by;
      },
    };
    const commits = { author: input.author, now: () => pace.now() };
    const fleetTime = clock === pace ? undefined : () => clock.now();
    const source = await openSource({
      ...from,
      branch,
      folder: input.folder,
      refs: (branches) =>
        refPoll(branches, {
          prefixes: [branchRef(branch), branchRef(statusBranch), approvalPrefix],
          maxAgeMs: input.intervalMs,
          now: () => pace.now(),
        }),
    });
    opened.push(() => source.close());
    const verifier = input.verify && (await openVerifier(input.verify, cacheDir));
    if (verifier) opened.push(() => verifier.close());
    const followed = verifier
      ? verifiedSource(source, { verifier, memory: join(cacheDir, 'verified-commit') })
      : source;
    const signing = input.sign && (await openSigning(input.sign, { ...input, opened }));
    const status = await openStatusBranch({ ...from, ...commits, fleetTime, statusBranch, refs: source.refs, signing });
    opened.push(() => status.close());
    const cache = await loadCache(join(cacheDir, 'parsed'), (error) =>
      log.warn(
        `--cache-dir ${cacheDir} cannot be written, so every start parses all files again: ${messageOf(error)}: use another directory`,
      ),
    );
    const network = networkFetch();
    opened.push(network.close);
    const { credentials, requested } = from;
    const mirrorDir = join(from.cacheDir, 'previews');
    const pullRequests = disposableBranches({
      open: () => openBranches({ address: parseAddress(repo), mirrorDir, credentials, requested }),
      mirrorDir,
      now: () => pace.now(),
    });
    opened.push(pullRequests.close);
    const assembled = assemble({
      ...input,
      desired: followed,
      status,
      approvals: approvalBranches(followed, commits),
      load: (tree) => loadFleet(tree, cache),
      loadPast: (tree) => loadFleet(tree, readThrough(cache)),
      metrics: measured,
      inPlace: await isWorkingTree(repo),
      pullRequestBranches: pullRequests.use,
      startedPlans: startedPlans(join(cacheDir, 'started-previews.json')),
      publishIntervalMs: status.remote ? input.publishIntervalMs : 0,
      forgetRefs: () => source.refs.expire(),
      forge: input.forge ?? forgeOf({ repo, fetch: network.fetch, pace }),
      waitsForGit: () => pending > 0,
    });
    const { daemon: built, requests, previews, members } = assembled;
    opened.push(async () => {
      for (const part of [requests, previews, members]) part.stop();
    });
    const watcher = await watchLocal(repo, [branch, statusBranch], (moved) => built.look(`${moved} moved`));
    if (watcher) opened.push(() => watcher.close());
    const http =
      input.listen && (await listen(input.listen, { ...assembled, measured, secret: input.webhookSecret, log }));
    if (http) opened.push(() => http.close());
    const stopReleasingMemory = releaseMemoryAtRest({
      clock: pace,
      usage: processUsage,
      collect: collectGarbage,
      released: (bytes) => log.debug({ megabytes: Math.round(bytes / 2 ** 20) }, 'idle memory released'),
      cannot: (error) => log.warn({ err: error }, 'cannot release idle memory: garbage collection is not available'),
    });
    opened.push(async () => stopReleasingMemory());
    return { daemon: built, members, http, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What it verified is kept in the directory. */
async function openVerifier(verify: NonNullable<DaemonOptions['verify']>, cacheDir: string) {
  await makeDirectory(cacheDir);
  return openCommitVerifier(verify);
}

async function openSigning(
  sign: NonNullable<DaemonOptions['sign']>,
  {
    cacheDir,
    statusBranch,
    opened,
  }: Pick<DaemonOptions, 'cacheDir' | 'statusBranch'> & { readonly opened: (() => Promise<void>)[] },
): Promise<OpenSigning> {
  const signer = await openCommitSigner(sign);
  opened.push(() => signer.close());
  await makeDirectory(cacheDir);
  const memory = keptCommit(join(cacheDir, 'signed-status-commit'), `${statusBranch} ${signer.key}`);
  return statusSigning({ signer, memory, accepted: sign.accepted });
}

type Assembled = ReturnType<typeof assemble>;

async function listen(
  at: { readonly host: string; readonly port: number },
  wiring: {
    readonly daemon: Daemon;
    readonly requests: Pick<Assembled['requests'], 'look'>;
    readonly previews: Pick<Assembled['previews'], 'look'>;
    readonly measured: ReturnType<typeof metrics>;
    readonly secret: string | undefined;
    readonly log: Logger;
  },
): Promise<DaemonHttp> {
  const { daemon, log } = wiring;
  const http = await serveHttp({
    host: at.host,
    port: at.port,
    health: { stuck: daemon.stuck, notReady: daemon.notReady },
    metrics: wiring.measured,
    webhookSecret: wiring.secret,
    hinted: () => {
      wiring.requests.look();
      wiring.previews.look();
      daemon.look('webhook');
    },
  });
  log.info({ host: at.host, port: http.port }, 'listening');
  return http;
}
