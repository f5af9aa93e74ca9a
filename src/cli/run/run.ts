import { openDaemon } from '../../daemon/open.ts';
import { openLog } from '../../daemon/report/log.ts';
import { parseDuration } from '../../engine/kernel/duration.ts';
import { GitError } from '../../git/git-error.ts';
import { hasStatusAtOriginOnly } from '../../git/native/status-at-origin.ts';
import { parsePerson } from '../../git/person.ts';
import { signatureFormats } from '../../git/verify/commit-verifier.ts';
import { systemClock } from '../../members/clock.ts';
import { launchersOf } from '../../members/nodes/launch/launching.ts';
import { upgradeProvidersOf } from '../../members/upgrade/providers.ts';
import { defaultCacheDir } from '../fleet-repo/cache-dir.ts';
import { simulatedMembers } from '../simulate/members.ts';
import { isColored } from '../terminal/colors.ts';
import { CliError, exitCodeOf } from '../terminal/exit.ts';
import { azureFromEnv } from './azure-identity.ts';
import { connectBy, managementNamed } from './management-clusters.ts';
import { membersNamed } from './members-named.ts';
import { noMemberReached, notEveryMemberReached } from './no-member-reached.ts';
import { allowedFiles, tooFewFiles } from './open-files.ts';
import { throwPassErrors } from './pass-errors.ts';
import { webhookSecret } from './webhook-secret.ts';

export interface RunOptions {
  readonly repo: string;
  readonly path?: string;
  readonly branch: string;
  readonly statusBranch: string;
  readonly members: string;
  readonly watchMembers: string;
  readonly simulatedFleet?: string;
  readonly clusterApi?: string;
  readonly cacheDir?: string;
  readonly interval: string;
  readonly publishInterval: string;
  readonly listen: string;
  readonly acceptRewind?: string;
  readonly verifyCommits?: string;
  readonly verifyKeys?: string;
  readonly signStatus?: string;
  readonly signKey?: string;
  readonly acceptStatus?: string;
  readonly gitAuthor: string;
  readonly gracePeriod: string;
  readonly once?: boolean;
  readonly strict?: boolean;
  readonly logLevel: string;
  readonly logFormat?: string;
}

/** The daemon, until SIGINT or SIGTERM. A second signal ends it at once. */
export async function run(options: RunOptions): Promise<void> {
  if (options.strict && !options.once) throw new CliError('--strict is for --once: add it, or leave --strict out');
  const format = options.logFormat ?? (process.stderr.isTTY === true ? 'pretty' : 'json');
  const log = await openLog({
    level: oneOf('--log-level', options.logLevel, ['trace', 'debug', 'info', 'warn', 'error', 'silent']),
    pretty: oneOf('--log-format', format, ['json', 'pretty']) === 'pretty',
    color: isColored(process.stderr),
  });
  await requireRecord(options);
  const simulated =
    options.members === 'simulated' ? await simulatedMembers(requireFleetFile(options), systemClock) : undefined;
  const management = await managementNamed(options.clusterApi);
  const connections = simulated ? undefined : await kubeconfigMembers(options.members, (message) => log.warn(message));
  const connect = simulated?.connect ?? connectBy(connections!, management);
  const opened = await openDaemon({
    repo: options.repo,
    branch: options.branch,
    folder: options.path,
    statusBranch: options.statusBranch,
    connect,
    contexts: connections?.names,
    providers: upgradeProvidersOf({ management, azure: await azureFromEnv() }),
    launchers: launchersOf({ management }),
    watchMembers: count('--watch-members', options.watchMembers),
    cacheDir: options.cacheDir ?? defaultCacheDir(options.repo),
    intervalMs: duration('--interval', options.interval),
    publishIntervalMs: duration('--publish-interval', options.publishInterval),
    once: options.once,
    listen: listenAddress(options.listen, options.once ?? false),
    webhookSecret: await webhookSecret((message) => log.warn(`${message}: POST /hooks returns 404`)),
    acceptRewind: commitId(options.acceptRewind),
    verify: verification(options),
    sign: statusSignature(options),
    author: parsePerson(options.gitAuthor),
    graceMs: duration('--grace-period', options.gracePeriod),
    clock: systemClock,
    pace: systemClock,
    log,
  }).catch(unreachable);
  let ended: 'finished' | 'cut short' = 'finished';
  try {
    if (options.once) {
      const result = await opened.daemon.runOnce().catch(unreachable);
      const unreached = (options.strict ? notEveryMemberReached : noMemberReached)(opened.members);
      throwPassErrors(result, { unreached, isLogged: log.isLevelEnabled('error') });
      return;
    }
    stopOnSignals(
      () => opened.daemon.stop(),
      (message) => log.info(message),
    );
    const { repo, path, branch, statusBranch } = options;
    log.info(
      { repo, ...(path && { path }), branch, statusBranch },
      'started; the first reconciliation reports its findings',
    );
    ended = await opened.daemon.run();
  } finally {
    await opened.close();
    await simulated?.close();
  }
  // A request that hangs would keep the process alive.
  if (ended === 'cut short') process.exit(1);
}

/** Without its record the daemon would treat all objects on the members as those of a lost record. */
async function requireRecord({ repo, statusBranch }: RunOptions): Promise<void> {
  if (!(await hasStatusAtOriginOnly(repo, statusBranch))) return;
  throw new CliError(
    `${repo} is a clone whose origin has the status branch ${statusBranch}, which is not in the clone: give the origin's URL to --repo, or continue in the clone after git -C ${repo} branch ${statusBranch} origin/${statusBranch}`,
  );
}

/** Errors of a repository or its server are no bugs of ours, and neither are flags that name none. */
function unreachable(error: unknown): never {
  if (!(error instanceof GitError)) throw error;
  throw new CliError(error.message, exitCodeOf(error), { cause: error });
}

function stopOnSignals(stop: () => void, say: (message: string) => void): void {
  let asked = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (asked) process.exit(130);
      asked = true;
      say(`${signal}: finishing what is under way; a second signal ends at once`);
      stop();
    });
  }
}

async function kubeconfigMembers(option: string, warn: (message: string) => void) {
  const connections = await membersNamed(option);
  const scarce = tooFewFiles(connections.names.length, allowedFiles());
  if (scarce !== undefined) warn(scarce);
  if (connections.names.length === 0)
    warn(`--members ${option} names no member: it holds no context and no kubeconfig of a member's name`);
  return connections;
}

function requireFleetFile(options: RunOptions): string {
  if (options.simulatedFleet !== undefined) return options.simulatedFleet;
  throw new CliError('--members simulated needs --simulated-fleet FILE: see fleet-repo-example/simulated-fleet.yaml');
}

function oneOf<T extends string>(flag: string, text: string, allowed: readonly T[]): T {
  const found = allowed.find((word) => word === text);
  if (found !== undefined) return found;
  throw new CliError(`${flag} ${text} is not known: use one of ${allowed.join(', ')}`);
}

function duration(flag: string, text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new CliError(`${flag} ${text} is not a duration: write for example 10s, 1m30s or 500ms`);
  return ms;
}

function count(flag: string, text: string): number {
  if (!/^\d{1,6}$/.test(text))
    throw new CliError(`${flag} ${text} is not a number: write for example 1000, or 0 for none`);
  return Number(text);
}

/** At least 7 digits, so that the commit is unambiguous. */
function commitId(text: string | undefined): string | undefined {
  if (text !== undefined && !/^[0-9a-f]{7,40}$/.test(text))
    throw new CliError(`--accept-rewind ${text} is not a commit: write at least 7 digits of its id`);
  return text;
}

function verification({ verifyCommits, verifyKeys: keys }: RunOptions) {
  if (verifyCommits === undefined && keys === undefined) return undefined;
  if (verifyCommits === undefined || keys === undefined)
    throw new CliError(
      '--verify-commits and --verify-keys go together: the kind of signature, and whose signatures count',
    );
  return { format: oneOf('--verify-commits', verifyCommits, signatureFormats), keys };
}

function statusSignature({ signStatus, signKey: key, acceptStatus }: RunOptions) {
  if (signStatus === undefined && key === undefined) {
    if (acceptStatus === undefined) return undefined;
    throw new CliError('--accept-status needs --sign-status: without it every status commit is accepted');
  }
  if (signStatus === undefined || key === undefined)
    throw new CliError('--sign-status and --sign-key go together: the kind of signature, and the key that signs');
  // Anyone who can push could make a commit whose id begins alike.
  if (acceptStatus !== undefined && !/^[0-9a-f]{40}$/.test(acceptStatus))
    throw new CliError(`--accept-status ${acceptStatus} is not a commit: write all 40 digits of its id`);
  return { format: oneOf('--sign-status', signStatus, signatureFormats), key, accepted: acceptStatus };
}

function listenAddress(text: string, once: boolean): { readonly host: string; readonly port: number } | undefined {
  if (text === 'off' || once) return undefined;
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d+)$/.exec(text);
  if (!match || Number(match[3]) > 65_535)
    throw new CliError(`--listen ${text} is not an address: write for example 127.0.0.1:8080, or off`);
  return { host: match[1] ?? match[2] ?? '127.0.0.1', port: Number(match[3]) };
}
