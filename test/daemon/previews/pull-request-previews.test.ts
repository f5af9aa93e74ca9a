import { afterEach, describe, expect, it } from 'vitest';
import { GitError } from '../../../src/git/git-error.ts';
import type { DialectName } from '../../forge/test-forge.ts';
import { deployment, placement } from '../../support/paper-fleet.ts';
import { branch, config, forgeFleet } from '../requests/forge-fleet.ts';
import { configMap, PreviewFleet } from './preview-fleet.ts';

let world: PreviewFleet;
afterEach(() => world.fleet.close());

const open = async (dialect: DialectName, more?: string): Promise<PreviewFleet> => {
  world = await PreviewFleet.open(dialect, more);
  return world;
};

const dropped = { 'resources/extra.yaml': undefined };
const asked = (pattern: RegExp): number => world.forge.requests.filter((request) => pattern.test(request)).length;
const edits = (): number => asked(/^(PATCH|PUT) .*(comments|notes)/);
const texts = (number: number): string[] => world.forge.pull(number).comments.map(({ body }) => body);
const untilSaid = (number: number, what: string, seconds = 200) =>
  world.fleet.until(`comment: ${what}`, () => texts(number).some((text) => text.includes(what)), seconds);
const summary = async (): Promise<string> => (await world.fleet.repo.files('fleet-status'))['summary.yaml'] ?? '';

describe.each(['github', 'gitlab', 'gitea', 'forgejo'] as const)('%s', (dialect) => {
  it('shows what merging does, in one comment that is edited in place and a status of each head', async () => {
    const { fleet, forge, push, propose, settled, statuses } = bound(await open(dialect));
    const { metrics } = fleet.start({ forge });
    await settled();
    const pull = propose('drop', dropped);
    await untilSaid(pull.number, 'removes 4 objects');
    expect(texts(pull.number)).toHaveLength(1);
    expect(texts(pull.number)[0]).toMatch(/^<!-- gitfleet plan -->\n### gitfleet plan: removes 4 objects · 4 of 4 /);
    expect(statuses(pull.headCommit)).toEqual([
      'pending planning the merge result',
      'success removes 4 objects · 4 of 4 clusters',
    ]);
    expect(metrics.render()).toContain('gitfleet_previews 1');
    const next = push('drop', { ...dropped, 'resources/new.yaml': configMap('new', '1') });
    await untilSaid(pull.number, 'removes 4 objects, adds 4');
    expect(texts(pull.number)).toHaveLength(1);
    expect(statuses(next).at(-1)).toBe('success removes 4 objects, adds 4 · 4 of 4 clusters');
    // Nothing changes any more.
    const [before, statusesBefore] = [edits(), forge.statuses.length];
    await fleet.run(3_600);
    expect([edits(), forge.statuses.length]).toEqual([before, statusesBefore]);
    await forge.merge(pull.number, 'squash');
    await fleet.run(120);
    expect(metrics.render()).toContain('gitfleet_previews 0');
  });

  it('edits a comment at most once a minute, however often the branch moves', async () => {
    const { fleet, forge, push, propose, settled } = bound(await open(dialect));
    fleet.start({ forge });
    await settled();
    const pull = propose('many', dropped);
    await untilSaid(pull.number, 'removes 4');
    for (let second = 0; second < 300; second += 10) {
      push('many', { 'resources/new.yaml': configMap('new', String(second)) });
      await fleet.run(10);
    }
    expect(edits()).toBeGreaterThan(0);
    expect(edits()).toBeLessThanOrEqual(5);
  });

  it('finds its comment again after a restart, and does not write the same again', async () => {
    const { fleet, forge, propose, settled } = bound(await open(dialect));
    const one = fleet.start({ forge });
    await settled();
    const pull = propose('drop', dropped);
    // Whoever writes the marker first does not get its place.
    pull.comments.push({
      id: 9_000,
      user: 'mallory',
      body: '<!-- gitfleet plan -->\nAll is well.',
      updatedAt: forge.now(),
    });
    await untilSaid(pull.number, 'removes 4');
    await fleet.run(30);
    one.kill();
    const [written, shown] = [edits() + asked(/^POST/), structuredClone(texts(pull.number))];
    fleet.start({ forge });
    await fleet.run(600);
    expect(edits() + asked(/^POST/)).toBe(written);
    expect(texts(pull.number)).toEqual(shown);
    expect(shown).toHaveLength(2);
  });

  it('is one comment of two daemons', async () => {
    const { fleet, forge, propose, settled } = bound(await open(dialect));
    for (let count = 0; count < 2; count++) fleet.start({ forge });
    await settled();
    const pull = propose('drop', dropped);
    await untilSaid(pull.number, 'removes 4');
    await fleet.run(300);
    expect(texts(pull.number)).toHaveLength(1);
    const written = edits();
    await fleet.run(1_200);
    expect(edits()).toBe(written);
  });

  it('leaves pull requests of forks alone unless fleet.yaml of the followed branch says so', async () => {
    const { fleet, forge, propose, settled, statuses } = bound(await open(dialect));
    fleet.start({ forge });
    await settled();
    const pull = propose('theirs', { ...dropped, 'fleet.yaml': config(dialect, 'previewForks: true') });
    Object.assign(pull, { fork: true });
    await fleet.run(300);
    expect([texts(pull.number), statuses(pull.headCommit)]).toEqual([[], []]);
    fleet.commit({ 'fleet.yaml': config(dialect, 'previewForks: true') });
    await untilSaid(pull.number, 'removes 4');
  });
});

it('plans with what members reported since the last plan, however long nothing has changed', async () => {
  const { fleet, forge, propose, settled } = bound(await open('github'));
  fleet.start({ forge });
  await settled();
  for (let count = 0; count < 40; count++) {
    await fleet.run(37);
    const pull = propose(`more-${count}`, {
      'more.yaml': placement('more', '{placementType: PickN, numberOfClusters: 2}'),
      'resources/more.yaml': deployment('more', 'more', 'more:1'),
    });
    await untilSaid(pull.number, 'gitfleet plan:');
    expect(texts(pull.number)[0]).toContain('| more | - | - | 4 | 2 | lon, nyc | - |');
    Object.assign(pull, { state: 'closed' });
  }
});

it.each([403, 404])(
  'comments on those of forks where the forge takes no status of their commits (%i)',
  async (status) => {
    const { fleet, forge, propose, settled, statuses } = bound(await open('gitlab', 'previewForks: true'));
    fleet.start({ forge });
    await settled();
    let heads: string[] = [];
    forge.fault = ({ path }) =>
      heads.some((head) => path.includes(head) && path.includes('statuses'))
        ? { status, body: { message: '404 References for commit Not Found' } }
        : undefined;
    const theirs = ['one', 'two'].map((name) => propose(name, { ...dropped, [`${name}.md`]: name }));
    heads = theirs.map(({ headCommit }) => headCommit);
    for (const pull of theirs) Object.assign(pull, { fork: true });
    const ours = propose('ours', dropped);
    for (const { number } of [...theirs, ours]) await untilSaid(number, 'removes 4');
    await fleet.run(1_800);
    expect(statuses(ours.headCommit).at(-1)).toMatch(/^success /);
    expect(asked(/statuses/) - statuses(ours.headCommit).length).toBeLessThan(6);
    expect(fleet.logged.filter((line) => line.includes('no status of commits of forks'))).toHaveLength(1);
    expect(await summary()).not.toContain('code: forge');
  },
);

/** The methods of a world, to be taken apart. */
const bound = (of: PreviewFleet) => ({
  fleet: of.fleet,
  forge: of.forge,
  push: of.push.bind(of),
  propose: of.propose.bind(of),
  settled: of.settled.bind(of),
  statuses: of.statuses.bind(of),
});

it('names the files that conflict', async () => {
  const { fleet, forge, propose, settled, statuses } = bound(await open('github'));
  fleet.start({ forge });
  await settled();
  const pull = propose('both', { 'resources/extra.yaml': configMap('extra', '2') });
  fleet.commit(dropped);
  await untilSaid(pull.number, 'conflicts with main in 1 file');
  expect(texts(pull.number)[0]).toContain('Both branches changed resources/extra.yaml. Merge main into the branch');
  expect(statuses(pull.headCommit).at(-1)).toBe('failure conflicts with main in 1 file');
});

it('fails the status where the two were merged crosswise, so that there is no one common commit', async () => {
  const { fleet, forge, propose, settled, statuses } = bound(await open('github'));
  fleet.start({ forge });
  await settled();
  const pull = propose('crosswise', { 'resources/extra.yaml': configMap('extra', '2') });
  const theirs = pull.headCommit;
  const ours = fleet.commit({ 'other.txt': '1' });
  world.fleet.repo.commit('crosswise', fleet.files, 'Merge main', [theirs, ours]);
  world.fleet.repo.commit('main', fleet.files, 'Merge crosswise', [ours, theirs]);
  await untilSaid(pull.number, 'merged crosswise with main');
  expect(texts(pull.number)[0]).toContain('have 2 newest common commits');
  expect(statuses(world.fleet.repo.tip('crosswise')!).at(-1)).toBe('failure merged crosswise with main');
});

it('fails the status where files are not valid or the guard would refuse', async () => {
  const { fleet, forge, propose, settled, statuses } = bound(await open('github'));
  fleet.start({ forge });
  await settled();
  const invalid = propose('invalid', { 'web.yaml': fleet.files['web.yaml']!.replace('PickAll', 'PickSome') });
  const refused = propose('refused', { 'web.yaml': undefined });
  await untilSaid(refused.number, '⛔ refused');
  await untilSaid(invalid.number, '❌ 1 error');
  expect(texts(invalid.number)[0]).toMatch(/error: `web.yaml:\d+:\d+`/);
  expect(statuses(invalid.headCommit).at(-1)).toMatch(/^failure /);
  expect(statuses(refused.headCommit).at(-1)).toMatch(/^failure ⛔ refused: /);
});

it('cuts a text that the forge does not take, and keeps all of it on the status branch while it is open', async () => {
  const { fleet, forge, propose, settled } = bound(await open('github'));
  fleet.start({ forge });
  await settled();
  const many = Array.from({ length: 300 }, (_, at) => [`resources/c${at}.yaml`, configMap(`c${at}`, 'x'.repeat(300))]);
  const pull = propose('large', { ...dropped, ...Object.fromEntries(many) });
  const path = `previews/${pull.number}.md`;
  const file = async (): Promise<string | undefined> => (await fleet.repo.files('fleet-status'))[path];
  await untilSaid(pull.number, 'The full plan');
  const [text = ''] = texts(pull.number);
  expect(text.length).toBeLessThanOrEqual(65_536);
  expect(text).toContain(`(https://forge.example/acme/fleet/blob/fleet-status/${path})`);
  expect(text).toContain('removes 4 objects, adds 1200');
  await fleet.until('it is on the status branch', async () => (await file()) !== undefined, 60);
  expect((await file())!.length).toBeGreaterThan(65_536);
  const commits = (await fleet.repo.log('fleet-status')).length;
  await fleet.run(1_800);
  expect((await fleet.repo.log('fleet-status')).length).toBe(commits);
  pull.state = 'closed';
  await fleet.until('it is gone', async () => (await file()) === undefined, 120);
  expect(await summary()).not.toContain('newer gitfleet');
});

it('hides values of Secrets, and no text of the repo mentions or refers to anything', async () => {
  const { fleet, forge, propose, settled } = bound(await open('gitlab'));
  fleet.start({ forge });
  await settled();
  const pull = propose('secret', {
    'resources/secret.yaml':
      'apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: web}\nstringData: {password: hunter2hunter2}\n',
    'resources/fix #12 @all !3.yaml': 'kind: Nothing\n/close\n',
  });
  await untilSaid(pull.number, 'adds 4');
  const [text = ''] = texts(pull.number);
  expect(text).not.toContain('hunter2');
  expect(text.replace(/`[^`]*`/g, '')).not.toMatch(/#12|@all|!3|^\//m);
});

it('does not wait for the forge, reports that it is down after a minute, and catches up', async () => {
  const { fleet, forge, propose, settled, statuses } = bound(await open('github'));
  forge.fault = () => 'hangs';
  fleet.start({ forge });
  await settled();
  const pull = propose('drop', dropped);
  fleet.commit({ 'resources/more.yaml': configMap('more', '1') });
  await fleet.until('changes still arrive', () => fleet.stored('ams', '/configmaps', 'web', 'more') !== undefined, 120);
  fleet.close();
  forge.fault = () => 'not sent';
  fleet.start({ forge });
  await fleet.run(40);
  expect(await summary()).not.toContain('code: forge');
  await fleet.run(120);
  expect(await summary()).toContain('previews of pull requests of acme/fleet');
  forge.fault = () => undefined;
  await untilSaid(pull.number, 'removes 4', 600);
  expect(statuses(pull.headCommit).at(-1)).toMatch(/^success /);
  await fleet.until('the problem is gone', async () => !(await summary()).includes('code: forge'), 60);
});

it('comments also where the token may not set a status, and reports that', async () => {
  const { fleet, forge, propose, settled } = bound(await open('github'));
  forge.fault = ({ method, path }) =>
    method === 'POST' && path.includes('/statuses/')
      ? { status: 403, body: { message: 'Resource not accessible' } }
      : undefined;
  fleet.start({ forge });
  await settled();
  const pull = propose('drop', dropped);
  await untilSaid(pull.number, 'removes 4');
  await fleet.until('it is reported', async () => (await summary()).includes('Resource not accessible'), 60);
  expect(await summary()).toContain('check the token and its rights');
});

it('sets the status of an approval, and comments on it only if it does more than approve', async () => {
  const { fleet, forge } = await forgeFleet('github');
  world = new PreviewFleet(fleet, forge);
  fleet.start({ forge });
  await fleet.until('a pull request is open', () => forge.pulls.length > 0, 600);
  await fleet.run(200);
  expect(texts(1)).toEqual([]);
  expect(world.statuses(forge.pull(1).headCommit).at(-1)).toMatch(/^success approves web-1-after-dev: starts /);
  const { 'web.yaml': _, ...files } = await fleet.repo.files(branch);
  fleet.repo.commit(branch, files);
  await untilSaid(1, 'Deployment web/web removed');
});

it('goes on with the others where one cannot be read', async () => {
  const { fleet, forge, propose, settled, statuses } = bound(await open('github', 'previewForks: true'));
  const branches = fleet.repo.branches({ remote: true });
  const obtain: typeof branches.obtain = async (ref, oid) => {
    if (ref.startsWith('refs/pull/')) throw new GitError('unreachable', `fetch ${ref} of memory: not there`);
    return branches.obtain(ref, oid);
  };
  const has: typeof branches.objects.has = async (oid) => oid !== missing && branches.objects.has(oid);
  const missing = fleet.repo.commit('gone', { 'a.md': 'a' });
  fleet.start({ forge, branches: { ...branches, obtain, objects: { ...branches.objects, has } } });
  await settled();
  Object.assign(propose('fork', {}), { fork: true, headCommit: missing });
  const pull = propose('drop', dropped);
  await untilSaid(pull.number, 'removes 4');
  expect(statuses(missing)).toEqual(['pending planning the merge result']);
  await fleet.until('it is reported', async () => (await summary()).includes('its commits cannot be read'), 600);
  expect(await summary()).not.toContain('not there');
});

it('goes on with the others where one cannot be commented on', async () => {
  const { fleet, forge, propose, settled } = bound(await open('gitea'));
  fleet.start({ forge });
  await settled();
  const locked = propose('locked', dropped);
  const other = propose('other', dropped);
  forge.fault = ({ method, path }) =>
    method === 'POST' && path.includes(`issues/${locked.number}/`)
      ? { status: 403, body: { message: 'locked' } }
      : undefined;
  await untilSaid(other.number, 'removes 4');
  expect(texts(locked.number)).toEqual([]);
  forge.fault = () => undefined;
  await untilSaid(locked.number, 'removes 4', 600);
});

it('plans again when the followed branch moves, and edits only if that changes what merging does', async () => {
  const { fleet, forge, propose, settled } = bound(await open('github'));
  fleet.start({ forge });
  await settled();
  const pull = propose('drop', dropped);
  await untilSaid(pull.number, 'removes 4');
  fleet.commit({ 'notes.md': 'Nothing.' });
  await fleet.run(200);
  expect(edits()).toBe(0);
  fleet.commit(dropped);
  await untilSaid(pull.number, 'no change on any cluster');
  expect(edits()).toBe(1);
});
