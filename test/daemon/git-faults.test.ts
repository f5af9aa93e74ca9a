import { afterEach, describe, expect, it } from 'vitest';
import { GitError } from '../../src/git/git-error.ts';
import { generations, images, names, settledFleet, settles, smallFleet, web } from '../support/small-fleet.ts';
import type { VirtualDaemon, VirtualFleet } from '../support/virtual-fleet.ts';

const open: VirtualFleet[] = [];
afterEach(() => {
  for (const fleet of open.splice(0)) fleet.close();
});

async function settled(options: Parameters<typeof settledFleet>[0] = {}) {
  const world = await settledFleet(options);
  open.push(world.fleet);
  return world;
}

const codes = (daemon: VirtualDaemon): string[] =>
  daemon
    .plan()
    .problems.filter(({ severity }) => severity === 'error')
    .map(({ code }) => code);

const writes = (fleet: VirtualFleet, since: number): string[] =>
  fleet.requests.slice(since).filter((request) => / (PATCH|POST|PUT|DELETE) /.test(request));

const all = (image: string): string[] => names.map(() => image);

describe('an emptied repo', () => {
  it('is refused: nothing is removed, and restoring it changes nothing', async () => {
    const { fleet, one } = await settled();
    const before = fleet.requests.length;
    fleet.commit(Object.fromEntries(Object.keys(fleet.files).map((path) => [path, undefined])));
    await fleet.run(60);
    expect(one.passes.at(-1)!.kind).toBe('refused');
    expect(writes(fleet, before)).toEqual([]);
    expect(images(fleet)).toEqual(all('web:1'));
    expect((await fleet.repo.files('fleet-status'))['README.md']).toContain('## Refused');
    const status = fleet.repo.tip('fleet-status');
    await fleet.run(600);
    expect(fleet.repo.tip('fleet-status')).toBe(status);
    fleet.commit(smallFleet());
    await settles(fleet, one);
    expect(writes(fleet, before)).toEqual([]);
  });

  it.each<[what: string, kept: RegExp, left: (string | undefined)[]]>([
    ['all placements, which takes them from the members', /^(clusters|resources)/, all('').map(() => undefined)],
    ['everything: members that leave keep what they run', /^$/, all('web:1')],
  ])('removing %s, happens when its approval branch is merged', async (_what, kept, left) => {
    const { fleet, one } = await settled();
    fleet.commit(
      Object.fromEntries(Object.keys(fleet.files).flatMap((path) => (kept.test(path) ? [] : [[path, undefined]]))),
    );
    const asking = () =>
      [...fleet.repo.refs.keys()].find((ref) => ref.startsWith('refs/heads/gitfleet/approve/removal-'));
    await fleet.until('a branch asks', () => asking() !== undefined);
    expect(one.passes.at(-1)!.kind).toBe('refused');
    expect(images(fleet)).toEqual(all('web:1'));
    const branch = Object.entries(await fleet.repo.files(asking()!.slice('refs/heads/'.length)));
    const asked = branch.filter(([path]) => path.startsWith('approvals/'));
    expect(asked.map(([path]) => path)).toEqual([expect.stringMatching(/^approvals\/removal-/)]);
    fleet.commit(Object.fromEntries(asked));
    await fleet.until(
      'it has happened',
      () => one.passes.at(-1)!.kind !== 'refused' && one.plan().placements.length === 0,
    );
    await fleet.run(60);
    expect(images(fleet)).toEqual(left);
    expect(asking()).toBeUndefined();
    expect((await fleet.repo.files('fleet-status'))['README.md']).not.toContain('## Refused');
  });

  it('a deleted clusters/ folder is refused: nothing leaves a member', async () => {
    const { fleet, one } = await settled();
    const before = fleet.requests.length;
    fleet.commit(Object.fromEntries(names.map((name) => [`clusters/${name}.yaml`, undefined])));
    await fleet.run(60);
    expect(one.passes.at(-1)!.kind).toBe('refused');
    expect(writes(fleet, before)).toEqual([]);
    expect(images(fleet)).toEqual(all('web:1'));
  });

  it('broken YAML in one file holds that object, and the rest continues', async () => {
    const { fleet, one } = await settled();
    fleet.commit({ 'placements/web.yaml': 'kind: [', ...web('web:2') });
    await settles(fleet, one);
    expect(images(fleet)).toEqual(all('web:2'));
    expect(codes(one)).toEqual(['yaml-syntax']);
  });

  it('a missing main is waited for', async () => {
    const { fleet, one } = await settled();
    const main = fleet.repo.tip('main')!;
    fleet.repo.refs.delete('refs/heads/main');
    await fleet.run(60);
    expect(one.daemon.notReady()).toBe(
      'reconciliation failed, needs user action: memory has no branch main, only fleet-status: commit to it, or name another --branch',
    );
    expect(images(fleet)).toEqual(all('web:1'));
    fleet.repo.refs.set('refs/heads/main', main);
    await fleet.run(20);
    expect(one.daemon.notReady()).toBeUndefined();
  });
});

describe('a main that was rewound', () => {
  async function rewound(options: Parameters<typeof settledFleet>[0] = {}) {
    const world = await settled(options);
    const { fleet, one } = world;
    const old = fleet.repo.tip('main')!;
    const newer = fleet.commit(web('web:2'));
    await settles(fleet, one);
    fleet.repo.refs.set('refs/heads/main', old);
    return { ...world, old, newer };
  }

  it('is refused and reported: the fleet stays where it was, and drift is still repaired', async () => {
    const { fleet, one, newer, old } = await rewound();
    await fleet.run(30);
    expect(codes(one)).toEqual(['rewound']);
    expect(one.plan().commit).toBe(newer);
    expect((await fleet.repo.files('fleet-status'))['README.md']).toContain(`--accept-rewind ${old}`);
    expect(images(fleet)).toEqual(all('web:2'));
    await fleet.ask('a', 'DELETE', '/apis/apps/v1/namespaces/web/deployments/web');
    await fleet.run(60);
    expect(images(fleet)).toEqual(all('web:2'));
  });

  it('is followed again when it contains the accepted commit', async () => {
    const { fleet, one, newer } = await rewound();
    await fleet.run(30);
    fleet.repo.refs.set('refs/heads/main', newer);
    fleet.commit(web('web:3'));
    await settles(fleet, one);
    expect(images(fleet)).toEqual(all('web:3'));
    expect(codes(one)).toEqual([]);
  });

  it('is accepted once by --accept-rewind, and a second rewind is refused again', async () => {
    const { fleet, one, old } = await rewound();
    await fleet.run(30);
    one.kill();
    const two = fleet.start({ acceptRewind: old });
    await settles(fleet, two);
    expect(images(fleet)).toEqual(all('web:1'));
    fleet.files = smallFleet();
    const third = fleet.commit(web('web:3'));
    await settles(fleet, two);
    fleet.repo.refs.set('refs/heads/main', old);
    await fleet.run(30);
    expect(codes(two)).toEqual(['rewound']);
    expect(two.plan().commit).toBe(third);
    expect(images(fleet)).toEqual(all('web:3'));
  });

  it('whose accepted commit is lost with the cache is reported too, and clusters keep what they have', async () => {
    const { fleet, one, newer, old } = await rewound();
    await fleet.run(30);
    one.kill();
    const before = fleet.requests.length;
    const two = fleet.start({ branches: fleet.repo.branches({ lost: new Set([newer]) }) });
    await fleet.run(60);
    expect(two.daemon.notReady()).toBeUndefined();
    expect(new Set(codes(two))).toEqual(new Set(['rewound', 'record-mismatch']));
    expect(images(fleet)).toEqual(all('web:2'));
    expect(writes(fleet, before)).toEqual([]);
    const status = fleet.repo.tip('fleet-status');
    await fleet.run(300);
    expect(fleet.repo.tip('fleet-status')).toBe(status);
    await fleet.ask('a', 'DELETE', '/apis/apps/v1/namespaces/web/deployments/web');
    await fleet.run(60);
    // Only the record has web:2, and it is not trusted alone: nothing is repaired either.
    expect(images(fleet)).toEqual([undefined, 'web:2', 'web:2']);
    two.kill();
    const three = fleet.start({ branches: fleet.repo.branches({ lost: new Set([newer]) }), acceptRewind: old });
    await settles(fleet, three);
    expect(images(fleet)).toEqual(all('web:1'));
  });
});

describe('a status branch that was edited', () => {
  const state = 'placements/web/state.yaml';
  const bindings = (daemon: VirtualDaemon): string[] =>
    daemon
      .plan()
      .placements.flatMap((placement) =>
        placement.bindings.map(({ clusterName, move, state }) => `${clusterName} ${move} ${state}`),
      );
  const kept = names.map((name) => `${name} keep Bound`);

  it.each(['while the daemon runs', 'while no daemon runs'])(
    'is rebuilt after it was deleted %s: nothing moves, indexes continue',
    async (when) => {
      const { fleet, one } = await settled();
      fleet.commit(web('web:2'));
      await settles(fleet, one);
      const before = fleet.requests.length;
      const generationsBefore = generations(fleet);
      if (when === 'while no daemon runs') one.kill();
      fleet.repo.refs.delete('refs/heads/fleet-status');
      const now = when === 'while no daemon runs' ? fleet.start() : one;
      await fleet.run(30);
      await settles(fleet, now);
      expect(bindings(now)).toEqual(kept);
      expect(now.plan().placements[0]!.resourceSnapshotIndex).toBeGreaterThanOrEqual(1);
      expect(generations(fleet)).toEqual(generationsBefore);
      expect(writes(fleet, before).filter((request) => request.includes('DELETE'))).toEqual([]);
      fleet.commit(web('web:3'));
      await settles(fleet, now);
      expect(images(fleet)).toEqual(all('web:3'));
    },
  );

  it.each([
    ['a broken file', { [state]: 'bindings: [' }],
    ['a deleted file', { [state]: undefined }],
    ['a foreign file', { 'notes.txt': 'hello\n' }],
    ['a summary without a commit', { 'summary.yaml': 'commit: -x\n' }],
    ['a memory without a commit', { 'daemon.yaml': 'commit: -x\n' }],
    ['a memory that is gone', { 'daemon.yaml': undefined, 'summary.yaml': 'commit: -x\n' }],
    ['a dashboard that was edited', { 'README.md': '# mine\n' }],
  ])('by hand (%s) is written again on top, and nothing is removed anywhere', async (_what, edit) => {
    const { fleet, one } = await settled();
    const good = await fleet.repo.files('fleet-status');
    const generationsBefore = generations(fleet);
    const before = fleet.requests.length;
    const edited = Object.fromEntries(
      Object.entries({ ...good, ...edit }).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    const foreign = fleet.repo.commit('fleet-status', edited, 'By hand');
    await fleet.run(60);
    await settles(fleet, one);
    expect(images(fleet)).toEqual(all('web:1'));
    expect(writes(fleet, before).filter((request) => request.includes('DELETE'))).toEqual([]);
    expect(await fleet.repo.log('fleet-status')).toContain('By hand');
    expect(await fleet.repo.objects.isAncestor(foreign, fleet.repo.tip('fleet-status')!)).toBe(true);
    const files = await fleet.repo.files('fleet-status');
    // The contents of an unlisted snapshot are rebuilt from the members, under the next index.
    const paths = Object.keys(files).map((path) => path.replace('snapshots/1.yaml', 'snapshots/0.yaml'));
    expect([...new Set(paths)].sort()).toEqual(Object.keys(good).sort());
    expect(generations(fleet)).toEqual(generationsBefore);
    expect(bindings(one)).toEqual(kept);
    const quiet = fleet.repo.tip('fleet-status');
    await fleet.run(300);
    expect(fleet.repo.tip('fleet-status')).toBe(quiet);
  });

  it('rewound to an older commit by force applies nothing older to a member', async () => {
    const { fleet, one } = await settled();
    const old = fleet.repo.tip('fleet-status')!;
    fleet.commit(web('web:2'));
    await settles(fleet, one);
    const seen = new Set<string>();
    for (const member of fleet.members.values())
      member.cluster.store.subscribe('apps/deployments', () => seen.add(images(fleet).join()));
    fleet.repo.refs.set('refs/heads/fleet-status', old);
    await fleet.run(60);
    await settles(fleet, one);
    expect(images(fleet)).toEqual(all('web:2'));
    expect([...seen].filter((shown) => shown.includes('web:1'))).toEqual([]);
  });
});

describe('a git server', () => {
  it('that is down only delays: members keep their state, and later commits roll out', async () => {
    let down = false;
    const { fleet, one } = await settledRemote(() => {
      if (down) throw new GitError('unreachable', 'list: ECONNREFUSED');
    });
    down = true;
    fleet.commit(web('web:2'));
    await fleet.run(300);
    expect(one.daemon.notReady()).toBe('reconciliation failed, will retry: list: ECONNREFUSED');
    expect(one.daemon.stuck()).toBeUndefined();
    await fleet.ask('a', 'DELETE', '/apis/apps/v1/namespaces/web/deployments/web');
    await fleet.run(30);
    expect(images(fleet)).toEqual(all('web:1'));
    down = false;
    await settles(fleet, one);
    expect(images(fleet)).toEqual(all('web:2'));
    expect(one.daemon.notReady()).toBeUndefined();
  });

  it('whose hook refuses a push once is retried, and nothing is lost', async () => {
    let refusals = 0;
    const { fleet, one } = await settledRemote(({ kind }) => {
      if (kind === 'push' && refusals > 0) {
        refusals--;
        throw new GitError('push-refused', 'push: freeze until noon');
      }
    });
    refusals = 1;
    fleet.commit(web('web:2'));
    await settles(fleet, one);
    expect(refusals).toBe(0);
    expect(images(fleet)).toEqual(all('web:2'));
  });

  it('whose hook refuses every push starts nothing: unrecorded plans are not applied', async () => {
    let refusing = false;
    const { fleet, one } = await settledRemote(({ kind }) => {
      if (refusing && kind === 'push') throw new GitError('push-refused', 'push: this branch is protected');
    });
    refusing = true;
    const before = fleet.requests.length;
    fleet.commit(web('web:2'));
    await fleet.run(600);
    expect(writes(fleet, before)).toEqual([]);
    expect(images(fleet)).toEqual(all('web:1'));
    expect(one.daemon.notReady()).toBe('reconciliation failed, will retry: push: this branch is protected');
    refusing = false;
    await settles(fleet, one);
    expect(images(fleet)).toEqual(all('web:2'));
  });

  it('that refuses approval branches does not block published plans', async () => {
    const { fleet, one } = await settledRemote(({ kind, ref }) => {
      if (kind === 'push' && ref.includes('approve')) throw new GitError('push-refused', 'push: no such branches');
    });
    fleet.commit({ ...web('web:2'), 'resources/other.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: {name: x}\n' });
    await settles(fleet, one);
    expect(images(fleet)).toEqual(all('web:2'));
  });

  async function settledRemote(asked: NonNullable<Parameters<VirtualFleet['repo']['branches']>[0]>['asked']) {
    const world = await settled();
    world.one.kill();
    const one = world.fleet.start({ branches: world.fleet.repo.branches({ remote: true, asked }) });
    await settles(world.fleet, one);
    return { fleet: world.fleet, one };
  }
});
