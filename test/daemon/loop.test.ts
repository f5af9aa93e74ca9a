import { afterEach, describe, expect, it } from 'vitest';
import { collectGarbage } from '../../src/daemon/memory/release-memory.ts';
import { GitError } from '../../src/git/git-error.ts';
import { images, settledFleet, settles, web } from '../support/small-fleet.ts';
import type { DaemonOptions, VirtualFleet } from '../support/virtual-fleet.ts';

const open: VirtualFleet[] = [];
afterEach(() => {
  for (const fleet of open.splice(0)) fleet.close();
});

/** A settled fleet, taken over by a daemon with these options. */
async function settled(options: (fleet: VirtualFleet) => DaemonOptions) {
  const { fleet, one } = await settledFleet();
  open.push(fleet);
  one.kill();
  const two = fleet.start(options(fleet));
  await settles(fleet, two);
  return { fleet, one: two };
}

const count = (text: string, series: string): number =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.split(' ')[1],
  );

describe('liveness', () => {
  it('fails when no pass has finished within three intervals, and not before; it recovers with the next pass', async () => {
    let hanging = false;
    let release = () => {};
    const { fleet, one } = await settled(({ repo }) => ({
      branches: repo.branches({
        remote: true,
        asked: () => (hanging ? new Promise<void>((done) => (release = done)) : undefined),
      }),
    }));
    hanging = true;
    const last = count(one.metrics.render(), 'gitfleet_last_success_timestamp_seconds');
    await fleet.run(last + 30 - fleet.clock.now() / 1000);
    expect(one.daemon.stuck()).toBeUndefined();
    await fleet.run(1);
    expect(one.daemon.stuck()).toBe('no reconciliation has finished for 31 s');
    hanging = false;
    release();
    await fleet.run(1);
    expect(one.daemon.stuck()).toBeUndefined();
  });

  it('fails when a bug ends every pass: a restart may help', async () => {
    let buggy = false;
    const { fleet, one } = await settled(() => ({
      loaded: (loaded) => {
        if (buggy) throw new TypeError('x is not a function');
        return loaded;
      },
    }));
    buggy = true;
    fleet.commit(web('web:2'));
    await fleet.run(25);
    expect([one.daemon.stuck(), one.daemon.notReady()]).toEqual([
      undefined,
      'reconciliation failed, will retry: x is not a function',
    ]);
    await fleet.run(10);
    expect(one.daemon.stuck()).toMatch(/^no reconciliation has finished for/);
    expect(count(one.metrics.render(), 'gitfleet_reconcile_total{result="failed"}')).toBeGreaterThan(3);
    buggy = false;
    await settles(fleet, one);
    expect([one.daemon.stuck(), one.daemon.notReady(), images(fleet)[0]]).toEqual([undefined, undefined, 'web:2']);
  });
});

describe('a pass that fails', () => {
  it.each<[what: string, error: () => Error, reported: string]>([
    ['a temporary error', () => new GitError('unreachable', 'list: 502'), 'will retry: list: 502'],
    ['a user must act', () => new GitError('unauthorized', 'list: 401'), 'needs user action: list: 401'],
  ])('is retried ever less often up to the interval, and logged once (%s)', async (_, error, reported) => {
    let failing = false;
    const asked: number[] = [];
    const { fleet, one } = await settled((world) => ({
      branches: world.repo.branches({
        remote: true,
        asked: ({ kind }) => {
          if (!failing || kind !== 'list') return;
          asked.push(world.clock.now());
          throw error();
        },
      }),
    }));
    failing = true;
    await fleet.run(120);
    const waits = asked.slice(1).map((at, index) => (at - asked[index]!) / 1000);
    const expected = [1, 2, 4, 8, 10, 10, 10];
    for (const [index, most] of expected.entries()) {
      expect(waits[index]).toBeGreaterThanOrEqual(most * 0.75 - 0.01);
      expect(waits[index]).toBeLessThanOrEqual(most + 0.1);
    }
    expect(one.daemon.notReady()).toBe(`reconciliation failed, ${reported}`);
    const errors = fleet.logged.filter((line) => line.includes('"level":"error"') && line.includes(reported));
    expect(errors).toHaveLength(1);
    failing = false;
    await fleet.until('passes succeed', () => one.daemon.notReady() === undefined, 15);
    expect(fleet.logged.join('')).toContain('reconciliation succeeds again');
  });
});

it('the first pass of a daemon is logged also when there is nothing to do, later ones are not', async () => {
  const { fleet, one } = await settled(() => ({}));
  one.kill();
  fleet.logged.splice(0);
  const two = fleet.start();
  await fleet.until('it has looked three times', () => two.passes.length > 2, 60);
  const levels = fleet.logged
    .filter((line) => line.includes('"msg":"nothing to do"'))
    .map((line) => (JSON.parse(line) as { level: string }).level);
  expect(levels).toEqual(['info', 'debug', 'debug']);
});

it('the result of a pass is released after the next ones', async () => {
  const { fleet, one } = await settled(() => ({}));
  fleet.commit(web('web:2'));
  await settles(fleet, one);
  const overtaken = one.passes.flatMap((pass) => (pass.kind === 'moved' ? [] : [new WeakRef(pass.plan)]));
  expect(overtaken.length).toBeGreaterThan(3);
  fleet.commit(web('web:3'));
  await settles(fleet, one);
  one.passes.splice(0);
  await collectGarbage();
  expect(overtaken.filter((plan) => plan.deref() !== undefined)).toEqual([]);
});

describe('a graceful stop', () => {
  async function stoppedDuringWrite(seconds: number, graceMs: number) {
    const { fleet, one } = await settled(() => ({ graceMs }));
    fleet.fault('a', { type: 'Latency', seconds, verbs: ['patch'] });
    const start = fleet.requests.length;
    fleet.commit(web('web:2'));
    const writing = () => fleet.requests.slice(start).some((sent) => /^a PATCH .*deploy/.test(sent));
    await fleet.until('a write is under way', writing, 60);
    const before = fleet.requests.length;
    one.daemon.stop();
    await fleet.run(1);
    return { fleet, one, before };
  }

  it('finishes requests in flight, and starts nothing new', async () => {
    const { fleet, one, before } = await stoppedDuringWrite(5, 25_000);
    expect(one.ended()).toBeUndefined();
    await fleet.run(10);
    expect(one.ended()).toBe('finished');
    expect(images(fleet)[0]).toBe('web:2');
    await fleet.run(300);
    expect(fleet.requests.slice(before).filter((sent) => / (PATCH|POST|PUT|DELETE) /.test(sent))).toEqual([]);
  });

  it('ends when the grace period is over, even if requests hang', async () => {
    const { fleet, one } = await stoppedDuringWrite(3_600, 25_000);
    await fleet.run(23);
    expect(one.ended()).toBeUndefined();
    await fleet.run(2);
    expect(one.ended()).toBe('cut short');
    expect(fleet.logged.join('')).toContain('the grace period is over: work was still in progress');
  });

  it('ends at once when nothing is under way', async () => {
    const { fleet, one } = await settled(() => ({}));
    one.daemon.stop();
    await fleet.run(1);
    expect(one.ended()).toBe('finished');
  });
});
