import { join } from 'node:path';
import { approvalBranches } from '../git/approval-branches.ts';
import { credentialsFromEnv } from '../git/credentials.ts';
import { GitError } from '../git/git-error.ts';
import { openSource } from '../git/source.ts';
import { openStatusBranch } from '../git/status-branch.ts';
import { watchLocal } from '../git/watch-local.ts';
import type { Clock } from '../members/clock.ts';
import { loadCache } from '../repo/load-cache.ts';
import { loadFleet } from '../repo/load-fleet.ts';
import { type Daemon, daemon } from './daemon.ts';
import { type DaemonHttp, serveHttp } from './http.ts';
import type { Logger } from './log.ts';
import { type Connect, fleetMembers } from './members.ts';
import { metrics } from './metrics.ts';
import { type PassResult, reconciler } from './reconciler.ts';

export interface OpenedDaemon {
  readonly daemon: Daemon;
  readonly http?: DaemonHttp;
  close(): Promise<void>;
}

/** Wires a daemon: a fleet repo on one side, members on the other. Errors: GitError when the repo cannot be opened. */
export async function openDaemon(input: {
  readonly repo: string;
  readonly branch: string;
  readonly statusBranch: string;
  readonly connect: Connect;
  readonly cacheDir: string;
  readonly intervalMs: number;
  /** Least distance between pushes to a remote; a local repo needs none, whatever stands here. Milliseconds. */
  readonly publishIntervalMs: number;
  readonly listen: { readonly host: string; readonly port: number } | undefined;
  readonly webhookSecret: string | undefined;
  readonly acceptRewind: string | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** Something about a member that a person should read. */
  readonly noticed?: (message: string) => void;
  readonly passed?: (result: PassResult) => void;
}): Promise<OpenedDaemon> {
  const { repo, branch, statusBranch, cacheDir, clock, log } = input;
  if (branch === statusBranch)
    throw new GitError(
      'bad-address',
      `--branch and --status-branch are both ${branch}: the status needs a branch of its own`,
    );
  const opened: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const end of opened.splice(0).reverse()) await end();
  };
  try {
    const credentials = credentialsFromEnv();
    const source = await openSource({ repo, branch, cacheDir: join(cacheDir, 'git'), credentials });
    opened.push(() => source.close());
    const status = await openStatusBranch({
      repo,
      statusBranch,
      cacheDir: join(cacheDir, 'git'),
      credentials,
      now: () => clock.now(),
    });
    opened.push(() => status.close());
    const cache = await loadCache(join(cacheDir, 'parsed'));
    const measured = metrics();
    let wake = (_reason: string): void => {};
    const members = fleetMembers({
      connect: input.connect,
      clock,
      changed(cluster, message) {
        if (message !== undefined) {
          log.info({ cluster }, message);
          input.noticed?.(`${cluster}: ${message}`);
        }
        wake(`${cluster} changed`);
      },
    });
    opened.push(async () => members.stop());
    const built = daemon({
      reconciler: reconciler({
        desired: source,
        status,
        approvals: approvalBranches(source, () => clock.now()),
        members,
        load: (tree) => loadFleet(tree, cache),
        clock,
        log,
        metrics: measured,
        branch,
        acceptRewind: input.acceptRewind,
        publishIntervalMs: status.remote ? input.publishIntervalMs : 0,
      }),
      members,
      clock,
      log,
      metrics: measured,
      intervalMs: input.intervalMs,
      passed: input.passed,
    });
    wake = (reason) => built.wake(reason);
    const watcher = await watchLocal(repo, [branch, statusBranch], (moved) => built.wake(`${moved} moved`));
    if (watcher) opened.push(() => watcher.close());
    const http = input.listen && (await listen(input.listen, { built, measured, secret: input.webhookSecret, log }));
    if (http) opened.push(() => http.close());
    return { daemon: built, http, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function listen(
  at: { readonly host: string; readonly port: number },
  wiring: {
    readonly built: Daemon;
    readonly measured: ReturnType<typeof metrics>;
    readonly secret: string | undefined;
    readonly log: Logger;
  },
): Promise<DaemonHttp> {
  const { built, log } = wiring;
  const http = await serveHttp({
    host: at.host,
    port: at.port,
    health: { stuck: built.stuck, notReady: built.notReady },
    metrics: wiring.measured,
    webhookSecret: wiring.secret,
    hinted: () => built.wake('webhook'),
  });
  log.info({ host: at.host, port: http.port }, 'listening');
  return http;
}
