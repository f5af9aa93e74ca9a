import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openDaemon } from '../../daemon/open.ts';
import { openLog } from '../../daemon/report/log.ts';
import type { FleetRecord } from '../../engine/input.ts';
import type { Plan } from '../../engine/plan-document.ts';
import { defaultAuthor, parsePerson } from '../../git/person.ts';
import { systemClock } from '../../members/clock.ts';
import { upgradeProvidersOf } from '../../members/upgrade/providers.ts';
import { titleOf } from '../../repo/title-of.ts';
import { countText, explainCommand, shortagesOf } from '../../report/shortage.ts';
import { scaledClock } from '../../simulator/clock.ts';
import { mergeRequest } from '../change/approve/merge-request.ts';
import { simulatedMembers } from '../simulate/members.ts';
import { speedOf } from '../simulate/simulate.ts';
import { withStatus } from '../status/open-status.ts';
import { CliError } from '../terminal/exit.ts';
import { openDemoForge } from './demo-forge.ts';
import { openDemoDirectory } from './directory.ts';
import { hintWhenQuiet, requestOf, type Watching } from './hints.ts';
import { narrate, planInEffect } from './narrate.ts';
import { isSettled, openApprovals, unfinished } from './settled.ts';
import { type Timeline, timeline } from './timeline.ts';

/** With --exit-when-settled the demo fails when it has not settled by then, milliseconds of real time. */
const patienceMs = 120_000;

/** A demo that is killed resumes at most this much later than where it was, milliseconds of real time. */
const reserveMs = 10_000;

export interface DemoOptions {
  readonly dir?: string;
  readonly speed: string;
  readonly exitWhenSettled?: boolean;
}

/** A fleet of simulated clusters with a daemon, and a line for everything that happens. */
export async function demo(options: DemoOptions): Promise<void> {
  const speed = speedOf(options.speed);
  const { dir, repo, fresh, startsAt, reserve, release } = await openDemoDirectory(options.dir);
  const clock = scaledClock(startsAt, speed);
  await reserve(startsAt + reserveMs * speed);
  const reserving = setInterval(() => reserve(clock.now() + reserveMs * speed).catch(() => {}), reserveMs / 2);
  reserving.unref();
  const output = timeline(clock, speed);
  const simulated = await simulatedMembers(join(repo, 'simulated-fleet.yaml'), clock);
  const kubeconfig = join(dir, 'kubeconfig');
  await simulated.listen(kubeconfig);
  const { forge, close: closeForge } = await openDemoForge(repo);
  greet({ output, dir, repo, kubeconfig, fresh, speed, members: simulated.names });

  // What an earlier demo in the directory did is not news.
  const start = fresh ? undefined : await recordedIn(repo);
  let before: Plan | undefined;
  let wake = () => {};
  const log = await openLog({ level: 'warn', pretty: false, to: { write: (line) => logged(line, output) } });
  const opened = await openDaemon({
    repo,
    branch: 'main',
    statusBranch: 'fleet-status',
    watchMembers: 1_000,
    connect: simulated.connect,
    providers: upgradeProvidersOf(),
    cacheDir: join(dir, 'cache'),
    intervalMs: 2_000,
    publishIntervalMs: 0,
    listen: undefined,
    webhookSecret: undefined,
    acceptRewind: undefined,
    author: parsePerson(defaultAuthor),
    graceMs: 5_000,
    clock,
    pace: systemClock,
    log,
    forge: () => ({ forge }),
    noticed: (message) => output.line({ tone: 'bad', subject: 'member', text: message }),
    passed(result) {
      // Gathered changes are not on the status branch yet; later plans may still change their times.
      if (result.kind === 'moved' || result.kind === 'gathering') return;
      const after = planInEffect(before, result);
      for (const line of narrate(before, after, { start, fleet: result.fleet })) output.line(line);
      before = after;
      wake();
    },
  });

  let isKept = true;
  const running = opened.daemon.run();
  const next = () => new Promise<void>((done) => (wake = done));
  const interrupted = new Promise<'interrupted'>((done) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => done('interrupted'));
  });
  try {
    const ended = options.exitWhenSettled
      ? await Promise.race([untilSettled({ plan: () => before, next, repo, output, forge }), interrupted])
      : await Promise.race([hintWhenQuiet({ plan: () => before, next, output, repo, forge, kubeconfig }), interrupted]);
    isKept = options.dir !== undefined || ended === 'interrupted';
    if (ended === 'interrupted')
      output.note(`stopping; --dir ${dir} resumes from here${options.dir === undefined ? ', rm -r deletes it' : ''}`);
  } finally {
    opened.daemon.stop();
    await running;
    await opened.close();
    await closeForge();
    await simulated.close();
    clearInterval(reserving);
    await release(clock.now());
    // A demo that failed leaves its files to find the cause.
    if (!isKept) await rm(dir, { recursive: true, force: true });
  }
}

/** The record that an earlier demo left; undefined if it ended before its first reconciliation. */
const recordedIn = (repo: string): Promise<FleetRecord | undefined> =>
  withStatus({ repo, statusBranch: 'fleet-status', offline: true }, async (reader) =>
    (await reader.tip()) === undefined ? undefined : (await reader.read()).record,
  );

function greet(about: {
  output: Timeline;
  dir: string;
  repo: string;
  kubeconfig: string;
  fresh: boolean;
  speed: number;
  members: readonly string[];
}): void {
  const { output } = about;
  output.title(`gitfleet demo: ${about.members.length} simulated clusters, time runs ${about.speed}×`);
  output.note(
    `${about.fresh ? 'made' : 'continuing'} ${about.dir}${about.fresh ? '' : ' with simulated clusters that start empty'}`,
  );
  output.note(`fleet repo  ${about.repo}`);
  output.note(`kubeconfig  ${about.kubeconfig}`);
  output.note('');
}

/** A warning of the daemon as a line of the demo. Members, problems and refusals have lines of their own. */
function logged(line: string, output: Timeline): void {
  const { msg, cluster, code, guard, cause, err } = JSON.parse(line) as {
    readonly msg: string;
    readonly cluster?: string;
    readonly code?: string;
    readonly guard?: readonly unknown[];
    readonly cause?: string;
    readonly err?: { readonly message?: string };
  };
  if (cluster !== undefined || code !== undefined || guard !== undefined) return;
  const why = cause ?? err?.message;
  output.line({ tone: 'bad', subject: 'gitfleet', text: why === undefined ? msg : `${msg}: ${why}` });
}

async function untilSettled({ plan, next, forge, output }: Watching): Promise<'settled'> {
  const merged = new Set<string>();
  const until = Date.now() + patienceMs;
  for (;;) {
    const present = plan();
    for (const name of present ? openApprovals(present) : []) {
      if (merged.has(name)) continue;
      const pull = await requestOf(forge, name);
      if (!pull) continue;
      merged.add(name);
      const merge = { head: pull.head, base: 'main', tip: pull.headCommit, title: `Approve ${name}`, body: '' };
      // Before its answer: what it starts may be shown earlier than that.
      output.line({
        tone: 'decided',
        subject: 'you',
        text: `merge ${pull.head} by its pull request ${pull.url} (--exit-when-settled does it for you)`,
      });
      await mergeRequest(forge, merge, { clock: systemClock, timeoutMs: patienceMs, waiting: () => {} });
    }
    if (present && isSettled(present)) {
      const shortages = [...shortagesOf(present).values()];
      output.title(shortages.length === 0 ? 'Everything is done.' : 'Everything that fits is done.');
      for (const shortage of shortages)
        output.line({
          tone: 'bad',
          subject: titleOf(shortage),
          text: `only ${countText(shortage)}: ${explainCommand(shortage)}`,
        });
      for (const placement of present.placements) {
        const on = [...new Set(placement.bindings.map(({ clusterName }) => clusterName))].join(', ');
        output.note(`${placement.name}: snapshot ${placement.resourceSnapshotIndex} on ${on}`);
      }
      return 'settled';
    }
    const left = until - Date.now();
    if (left <= 0)
      throw new CliError(
        `not settled after ${patienceMs / 1000} s: ${present ? unfinished(present).join('; ') : 'no plan was made'}`,
        1,
      );
    await Promise.race([next(), new Promise((done) => setTimeout(done, Math.min(left, 500)))]);
  }
}
