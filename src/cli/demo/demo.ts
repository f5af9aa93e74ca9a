import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openDaemon } from '../../daemon/open.ts';
import { openLog } from '../../daemon/report/log.ts';
import { approvalBranch } from '../../engine/gate/request.ts';
import type { FleetRecord } from '../../engine/input.ts';
import type { Plan } from '../../engine/plan-document.ts';
import type { Forge, PullRequest } from '../../forge/forge.ts';
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
import { isColored } from '../terminal/colors.ts';
import { CliError } from '../terminal/exit.ts';
import { openDemoForge } from './demo-forge.ts';
import { openDemoDirectory } from './directory.ts';
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
  const log = await openLog({ level: 'warn', pretty: true, color: isColored(process.stderr) });
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
      for (const line of narrate(before, after, start)) output.line(line);
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

interface Watching {
  readonly plan: () => Plan | undefined;
  readonly next: () => Promise<void>;
  readonly output: Timeline;
  readonly repo: string;
  readonly forge: Forge;
}

/** The pull request that requests an approval, once the daemon has opened it. */
const requestOf = async (forge: Forge, name: string): Promise<PullRequest | undefined> =>
  (await forge.find({ head: approvalBranch({ name }), base: 'main' })).find(({ state }) => state === 'open');

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
      await mergeRequest(forge, merge, { clock: systemClock, timeoutMs: 10_000, waiting: () => {} });
      output.line({
        tone: 'decided',
        subject: 'you',
        text: `merged ${pull.head} by its pull request ${pull.url} (--exit-when-settled does it for you)`,
      });
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

/** Prints how to approve a new request, and what to try once nothing more happens by itself. */
async function hintWhenQuiet(input: Watching & { readonly kubeconfig: string }): Promise<never> {
  const { plan, next, output, repo, forge, kubeconfig } = input;
  const hinted = new Set<string>();
  for (;;) {
    // The pull request is opened after the reconciliation. The timer keeps no demo alive that was stopped.
    await Promise.race([next(), new Promise((done) => setTimeout(done, 500).unref())]);
    const present = plan();
    if (!present) continue;
    const open = openApprovals(present);
    for (const name of open) {
      if (hinted.has(name)) continue;
      const pull = await requestOf(forge, name);
      if (!pull) continue;
      hinted.add(name);
      output.hint(`The staged run waits for your approval: its pull request is ${pull.url}. Approve it with`, [
        `npm run -s gitfleet -- approve ${name} --repo ${repo}`,
      ]);
    }
    const quiet = present.placements.every((placement) => placement.bindings.every(({ move }) => move === 'keep'));
    if ((quiet || open.length > 0) && !hinted.has('')) {
      hinted.add('');
      output.hint('Things to try in another terminal', [
        `perl -pi -e 's/web:1.0.0/web:1.1.0/' ${repo}/resources/shop/web.yaml && git -C ${repo} commit -qam 'shop 1.1.0'`,
        `kubectl --kubeconfig ${kubeconfig} --context prod-eu-1 get deploy,pods -A`,
        `kubectl --kubeconfig ${kubeconfig} --context dev-1 -n tools delete deploy debug`,
        `npm run -s gitfleet -- explain placement shop --repo ${repo}`,
        `npm run -s gitfleet -- describe upgrade k8s-1-32 --repo ${repo}`,
        `git -C ${repo} show fleet-status:README.md`,
        `git -C ${repo} log -p fleet-status -- ':!*state.yaml'`,
      ]);
    }
  }
}
