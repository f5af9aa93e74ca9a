import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addedFault, addedLimits } from '../../src/daemon/previews/added-files.ts';
import { cutTexts } from '../../src/daemon/previews/cut-texts.ts';
import { planPullRequest } from '../../src/daemon/previews/plan-pull-request.ts';
import {
  afterPreviewEvent,
  firstPreviewState,
  nextPreviewCall,
  type Preview,
  type PreviewCall,
  type PreviewEvent,
  previewTroubles,
} from '../../src/daemon/previews/preview-state.ts';
import { startedPlans } from '../../src/daemon/previews/started-plans.ts';
import { workWithin } from '../../src/daemon/previews/work-within.ts';
import type { PullRequest } from '../../src/forge/forge.ts';
import { loadFleet } from '../../src/repo/fleet/load-fleet.ts';
import { parseAll } from '../../src/repo/fleet/parse-pool.ts';
import type { RepoTree } from '../../src/repo/tree.ts';
import { configMap, PreviewFleet } from '../daemon/previews/preview-fleet.ts';
import { deployment, PaperFleet, treeOf } from '../support/paper-fleet.ts';

const listOf = (items: number): string => `${configMap('big', '1')}x:\n${'- {}\n'.repeat(items)}`;

describe('manifests of a pull request that are too large together are not parsed', () => {
  const { bytes, values, files } = addedLimits;
  const followed = { 'resources/a.yaml': listOf(values / 4), 'resources/chart.txt': 'a,'.repeat(values + 1) };
  const half = listOf(values / 8);
  const large = `# ${'x'.repeat(bytes / 2)}\n`;
  const many = Object.fromEntries(Array.from({ length: files + 1 }, (_, at) => [`resources/${at}.yaml`, '']));
  it.each([
    ['what the followed commit has', {}, undefined],
    ['the same at another path', { 'resources/a.yaml': undefined, 'b.yaml': listOf(values / 4) }, undefined],
    ['the same at one path more', { 'b.yaml': listOf(values / 4) }, /^its new manifests have \d+ commas/],
    ['values of one file', { 'b.yaml': listOf(values / 4) }, /of at most 250000$/],
    ['values of all together', { 'b.yaml': half, 'c.yaml': `${half}# other` }, /of at most 250000$/],
    ['values of what was no manifest', { 'c.yaml': followed['resources/chart.txt'] }, /of at most 250000$/],
    ['bytes', { 'b.yaml': large, 'c.yaml': `${large}# other` }, /^its new manifests have \d+ bytes/],
    ['bytes of a file that is not read', { 'b.png': large + large }, undefined],
    ['files', many, /^it adds 20001 manifests/],
  ])('%s', async (_, changes, fault) => {
    const written = Object.entries({ ...followed, ...changes }).filter(([, text]) => text !== undefined);
    const found = await addedFault(sized(Object.fromEntries(written) as Record<string, string>), sized(followed));
    if (fault === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(fault);
  });

  /** As a repository, which knows sizes. */
  function sized(of: Record<string, string>): RepoTree {
    const tree = treeOf(of);
    const sizes = async (oids: readonly string[]) =>
      new Map([...(await tree.read(oids))].map(([oid, content]) => [oid, content.length] as const));
    return { ...tree, sizes };
  }
});

describe('a daemon', () => {
  let world: PreviewFleet;
  afterEach(() => world.fleet.close());

  it('reports that a pull request is too large, and plans the others', async () => {
    world = await PreviewFleet.open('github');
    const { fleet, forge } = world;
    fleet.start({ forge });
    await world.settled();
    const large = world.propose('large', { 'resources/large.yaml': listOf(300_000) });
    const other = world.propose('other', { 'resources/extra.yaml': undefined });
    const said = (number: number) => forge.pull(number).comments.map(({ body }) => body);
    await fleet.until('both have a comment', () => said(large.number).length + said(other.number).length === 2, 300);
    expect(said(large.number)[0]).toContain('too large to be planned');
    expect(world.statuses(large.headCommit).at(-1)).toBe('failure too large to be planned');
    expect(said(other.number)[0]).toContain('removes 4');
  });

  it('does not plan what ended it twice', async () => {
    world = await PreviewFleet.open('github');
    const { fleet, forge } = world;
    const bad = { head: '' };
    fleet.start({ forge, startedPlans: { start: (head) => head !== bad.head, end() {} } });
    await world.settled();
    const pull = world.propose('bad', { 'resources/extra.yaml': undefined });
    bad.head = pull.headCommit;
    const last = () => world.statuses(pull.headCommit).at(-1);
    await fleet.until('it is reported', () => last() === 'failure was interrupted twice', 300);
    world.push('bad', { 'resources/extra.yaml': undefined, 'notes.md': 'other' });
    const texts = () => pull.comments.map(({ body }) => body).join();
    await fleet.until('another head is planned', () => texts().includes('removes 4'), 1_000);
  });

  it('previews at most 100, the newest of the repository first', async () => {
    world = await PreviewFleet.open('github', 'previewForks: true');
    const { fleet, forge } = world;
    fleet.start({ forge });
    await world.settled();
    for (let at = 0; at < 120; at++) Object.assign(world.propose(`b${at}`, { [`${at}.md`]: '' }), { fork: at >= 60 });
    const commits = () => new Set(forge.statuses.map(({ commit }) => commit)).size;
    await fleet.until('all that count have a status', () => commits() >= 100, 300);
    const seen = (at: number) => world.statuses(forge.pulls[at]!.headCommit).length > 0;
    expect([seen(0), seen(59), seen(60), seen(79), seen(80), seen(119)]).toEqual([
      true,
      true,
      false,
      false,
      true,
      true,
    ]);
  });
});

it('texts of many pull requests on the status branch are those of at most 20, of branches of the repository first', () => {
  const cut: Preview['planned'] = {
    head: '',
    of: { commit: '', digest: '' },
    atMs: 0,
    text: { body: '', full: 'all', status: { state: 'success', description: '' }, isEmpty: false },
    isTooCostly: false,
  };
  const pulls = Array.from({ length: 30 }, (_, at) => pullOf(at + 1, { isFork: at < 15 }));
  const previews = new Map(pulls.map((pull) => [pull.number, { pull, planned: cut }]));
  const texts = cutTexts(() => ({ ...firstPreviewState, previews, listedMs: 0 }));
  expect(texts.changed()).toBe(true);
  const written = texts.files(new Map([['previews/9.md', 'all']]));
  const wanted = [...Array.from({ length: 15 }, (_, at) => at + 16), 1, 2, 3, 4, 5].sort((a, b) => a - b);
  expect([...written.keys()].map((path) => Number(/\d+/.exec(path)![0])).sort((a, b) => a - b)).toEqual(wanted);
});

describe('a head that ends the daemon', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'gitfleet-begun-'));
  });
  afterEach(() => rm(dir, { recursive: true }));
  /** As after a restart. */
  const restarted = () => startedPlans(join(dir, 'cache', 'started.json'));

  it('is planned twice', () => {
    expect([1, 2, 3].map(() => restarted().start('head'))).toEqual([true, true, false]);
    const other = restarted();
    expect([other.start('other'), other.start('head')]).toEqual([true, false]);
  });
  it('is not remembered once it was planned, or the daemon was stopped', () => {
    for (let count = 0; count < 5; count++) {
      const begun = restarted();
      expect(begun.start('head')).toBe(true);
      begun.end();
    }
  });
  it('costs nothing where the file is broken or cannot be written', async () => {
    const begun = restarted();
    begun.start('head');
    await writeFile(join(dir, 'cache', 'started.json'), '[[');
    expect(restarted().start('head')).toBe(true);
    await writeFile(join(dir, 'file'), '');
    expect(startedPlans(join(dir, 'file', 'started.json')).start('head')).toBe(true);
  });
});

it('troubles of single pull requests are few, and never hide those of all', () => {
  const failed = (why: string) => ({ sinceMs: 0, times: 2, untilMs: 0, code: 'unauthorized' as const, why });
  const previews = new Map(Array.from({ length: 30 }, (_, at) => [at, { pull: pullOf(at) }]));
  const failures = new Map([...previews.keys()].map((at) => [`comment ${at}`, failed('trouble')]));
  failures.set('list', failed('the token is not accepted'));
  expect(previewTroubles({ ...firstPreviewState, previews, failures }, 0)).toEqual([
    'the token is not accepted',
    'trouble',
    'trouble',
    'trouble',
    '27 more pull requests have such problems',
  ]);
});

it('everything else has its turn between two files that are parsed', async () => {
  const text = listOf(10_000);
  let turns = 0;
  const count = (): void => {
    turns++;
    if (turns < 100) setImmediate(count);
  };
  setImmediate(count);
  await parseAll(
    ['a', 'b', 'c'].map((oid) => ({ oid, file: `${oid}.yaml`, text })),
    1,
  );
  expect(turns).toBeGreaterThanOrEqual(2);
});

describe('the time of one preview', () => {
  function* steps(count: number) {
    for (let at = 0; at < count; at++) yield;
    return 'done';
  }
  /** Each step takes 10 ms. */
  async function spent(count: number, spentMs: number) {
    let now = 0;
    const pauses: number[] = [];
    const stopwatch = () => {
      now += 10;
      return now;
    };
    const pause = async (ms: number) => void pauses.push(ms);
    return { ...(await workWithin(steps(count), { spentMs, mostMs: 100, pause, stopwatch })), pauses };
  }

  it('a pause follows each step, as long as the step', async () => {
    expect(await spent(3, 20)).toEqual({ done: { value: 'done' }, spentMs: 60, pauses: [10, 10, 10] });
  });

  it('has an end', async () => {
    expect(await spent(1_000, 50)).toMatchObject({ done: undefined, spentMs: 110 });
    expect(await spent(1_000, 101)).toEqual({ done: undefined, spentMs: 101, pauses: [] });
  });

  it('includes the reading of files, and ends with a failed preview', async () => {
    const files = { 'resources/web.yaml': deployment('web', 'web', 'web:1') };
    const paper = new PaperFleet(files);
    await paper.settle();
    let now = 0;
    const tree = treeOf(files);
    const [ours, theirs] = ['a'.repeat(40), 'b'.repeat(40)];
    const planned = await planPullRequest({
      pull: { ...pullOf(1), headCommit: theirs },
      forge: { kind: 'github', mostCharacters: 65_536 },
      branches: {
        remote: false,
        objects: { has: async () => true, files: async () => tree, mergeBases: async () => [ours] },
      } as never,
      branch: 'main',
      input: { ...(await paper.input()), commit: ours },
      statusBranch: 'fleet-status',
      load: async (of) => {
        now += 40_000;
        return loadFleet(of);
      },
      pause: async () => {},
      stopwatch: () => now,
    });
    expect(planned).toMatchObject({
      spentMs: 40_000,
      isTooCostly: true,
      text: { status: { state: 'failure', description: 'takes too long to be planned' } },
    });
  });
});

const pullOf = (number: number, more: Partial<PullRequest> = {}): PullRequest => ({
  number,
  url: '',
  head: `b${number}`,
  headCommit: String(number).repeat(40).slice(0, 40),
  isFork: false,
  state: 'open',
  title: '',
  body: '',
  ...more,
});

describe('which pull request is planned when', () => {
  const live = { commit: 'c', digest: 'd' };
  const minute = 60_000;
  const planned = (pull: PullRequest, isTooCostly = false, spentMs = 0): PreviewEvent => ({
    kind: 'planned',
    pull,
    of: live,
    text: { body: '', full: undefined, status: { state: 'success', description: '' }, isEmpty: true },
    spentMs,
    isTooCostly,
  });

  /** The numbers that are planned, by minute; `at`: what happens in a minute. Planning is `costly` for some. */
  function order(at: Readonly<Record<number, readonly PullRequest[]>>, costly: readonly number[], minutes: number) {
    let state = firstPreviewState;
    const found: string[] = [];
    let pulls: readonly PullRequest[] = [];
    for (let now = 1; now <= minutes; now++) {
      pulls = at[now] ?? pulls;
      state = { ...state, listedMs: undefined };
      for (;;) {
        const { call } = nextPreviewCall(state, live, now * minute);
        if (call === undefined) break;
        if (call.kind === 'plan') found.push(`${now}: ${call.pull.number}`);
        state = afterPreviewEvent(state, answerTo(call, pulls, costly), now * minute);
      }
    }
    return found;
  }

  function answerTo(call: PreviewCall, pulls: readonly PullRequest[], costly: readonly number[]): PreviewEvent {
    switch (call.kind) {
      case 'list':
        return { kind: 'listed', pulls };
      case 'status':
        return { kind: 'statusSet', pull: call.pull, status: call.status };
      case 'comment':
        return { kind: 'commented', pull: call.pull, body: call.body, editedMs: 0 };
      case 'plan':
        return planned(call.pull, costly.includes(call.pull.number));
    }
  }

  it('branches of the repository before those of forks', () => {
    expect(order({ 1: [pullOf(1, { isFork: true }), pullOf(2), pullOf(3)] }, [], 2)).toEqual(['1: 2', '1: 3', '1: 1']);
  });

  it('one that takes too long again when its head changes, and not within ten minutes', () => {
    const pushed = (head: string) => [pullOf(1, { headCommit: head })];
    expect(order({ 1: pushed('a') }, [1], 200)).toEqual(['1: 1']);
    expect(order({ 1: pushed('a'), 2: pushed('b'), 3: pushed('c') }, [1], 200)).toEqual(['1: 1', '11: 1']);
  });

  it('one that gets commits all the time does not keep the others waiting', () => {
    let state = afterPreviewEvent(firstPreviewState, { kind: 'listed', pulls: [pullOf(1), pullOf(2)] }, minute);
    const next = (now: number) => {
      for (;;) {
        const { call } = nextPreviewCall(state, live, now * minute);
        if (call === undefined || call.kind === 'plan') return call?.pull.number;
        const pulls = [pullOf(1, { headCommit: `head ${now}` }), pullOf(2, { headCommit: 'second' })];
        state = afterPreviewEvent(state, answerTo(call, pulls, []), now * minute);
      }
    };
    const found: (number | undefined)[] = [];
    for (let now = 1; now <= 2; now++) {
      found.push(next(now));
      const pull = state.previews.get(found.at(-1)!)?.pull;
      // Planning takes 15 s, so that the next waits for a minute.
      if (pull) state = afterPreviewEvent(state, planned(pull, false, 15_000), now * minute);
    }
    expect(found.slice(0, 2)).toEqual([1, 2]);
  });
});
