import { afterEach, describe, expect, it } from 'vitest';
import { type NewObject, newCommit, newObject, newTree } from '../../src/git/objects/new-objects.ts';
import { AttackedFleet, type Files, gate, gatedFleet, names, run } from './attacked-fleet.ts';
import { attacked, modes } from './record-edits.ts';

let world: AttackedFleet;
afterEach(() => world.close());

/** The status branch of a fleet with other contents, which were rolled out there. */
async function evilRecord(): Promise<Files> {
  const other = await AttackedFleet.open({
    ...gatedFleet('evil:1'),
    'resources/tools.yaml': gatedFleet('evil:1')['resources/tools.yaml']!.replace('tools:1', 'evil:1'),
  });
  await other.untilGate();
  await other.approve();
  await other.fleet.until('it is everywhere', () => other.images().join() === 'evil:1,evil:1,evil:1', 300);
  const files = await other.fleet.repo.files('fleet-status');
  other.close();
  return files;
}

function expectNoEvil(): void {
  expect([...world.imagesSent()].filter((image) => image.startsWith('evil'))).toEqual([]);
  expect(world.images().slice(1)).toEqual([undefined, undefined]);
  expect(world.images('tools')).toEqual(['tools:1', 'tools:1', 'tools:1']);
}

/** People start over what counts as lost, and it converges. */
async function expectToContinue(): Promise<void> {
  const next = gatedFleet('web:2');
  world.fleet.commit({
    'runs/web-1.yaml': undefined,
    'runs/web-2.yaml': run('web-2'),
    'resources/web.yaml': next['resources/web.yaml']!,
    'resources/tools.yaml': next['resources/tools.yaml']!.replace('tools:1', 'tools:2'),
  });
  const second = gate.replace('web-1', 'web-2');
  await world.untilGate(second);
  await world.approve(second);
  const done = [names.map(() => 'web:2'), names.map(() => 'tools:2')].join();
  await world.fleet.until('it is everywhere', () => [world.images(), world.images('tools')].join() === done, 1200);
}

/** A commit with the files of the status branch, some of them as links, submodules and executables. */
async function pushForeignModes(evil: (text: string) => string): Promise<void> {
  const { repo, clock } = world.fleet;
  const files = await repo.files('fleet-status');
  const objects: NewObject[] = [];
  const added = (object: NewObject): string => {
    objects.push(object);
    return object.oid;
  };
  const blob = (text: string): string => added(newObject('blob', Buffer.from(text)));
  const replaced: Readonly<Record<string, () => { mode: string; oid: string }>> = {
    'placements/web/state.yaml': () => ({ mode: '120000', oid: blob('../../../../../../etc/passwd') }),
    'placements/web/snapshots/0.yaml': () => ({
      mode: '100755',
      oid: blob(evil(files['placements/web/snapshots/0.yaml']!)),
    }),
    'placements/tools': () => ({ mode: '160000', oid: repo.tip('main')! }),
    'runs/web-1.yaml': () => ({ mode: '120000', oid: blob('runs/web-1.yaml') }),
  };
  const build = (prefix: string): string => {
    const inside = Object.keys(files).filter((path) => path.startsWith(prefix));
    const entries = [...new Set(inside.map((path) => path.slice(prefix.length).split('/')[0]!))].map((name) => {
      const path = prefix + name;
      if (replaced[path]) return { name, ...replaced[path]() };
      if (files[path] !== undefined) return { name, mode: '100644', oid: blob(files[path]) };
      return { name, mode: '40000', oid: build(`${path}/`) };
    });
    return added(newTree(entries));
  };
  const from = repo.tip('fleet-status')!;
  const author = { name: 'x', email: 'x@x' };
  const commit = newCommit({ tree: build(''), parents: [from], message: 'x', author, at: clock.now() });
  const ref = 'refs/heads/fleet-status';
  await repo.branches().change({ ref, from, to: commit.oid, objects: [...objects, commit] });
}

/** Names beside those that gitfleet writes. */
const foreignNames = [
  'WEB',
  'wéb',
  '__proto__',
  'constructor',
  'web.',
  'web\u200b',
  'w\u202eeb',
  'CON',
  'a'.repeat(300),
];

function addForeignNames(files: Files): void {
  const kinds = ['placements/web/', 'runs/web-1', 'clusters/prod-1'];
  const originals = Object.entries(files).filter(([path]) => kinds.some((kind) => path.startsWith(kind)));
  for (const name of foreignNames)
    for (const [path, text] of originals)
      files[path.replace(/(web-1|web|prod-1)/, name)] = text
        .replaceAll(/name: (web|prod-1|web-1)$/gm, `name: ${JSON.stringify(name)}`)
        .replaceAll('web:1', 'evil:1');
}

describe.each(modes)('a status branch that somebody replaces %s', (_, stopped) => {
  const replace = async (files: Files): Promise<void> => {
    if (stopped) world.daemon.kill();
    world.fleet.repo.commit('fleet-status', files, 'Orphan', []);
    if (stopped) world.start();
    await world.fleet.run(120);
  };

  it('by the record of another fleet brings nothing of it to members', async () => {
    const evil = await evilRecord();
    world = await AttackedFleet.atGate();
    await replace(evil);
    expectNoEvil();
    world.daemon.kill();
    world.start({ acceptRewind: world.fleet.repo.tip('main')! });
    await world.fleet.run(60);
    expectNoEvil();
    await expectToContinue();
  });

  it('by such a record with commits of the followed branch brings nothing of it either', async () => {
    const evil = await evilRecord();
    world = await AttackedFleet.atGate();
    const tip = world.fleet.repo.tip('main')!;
    const named = Object.entries(evil).map(([path, text]) => [path, text.replaceAll(/\b[0-9a-f]{40}\b/g, tip)]);
    await replace(Object.fromEntries(named));
    expectNoEvil();
    await expectToContinue();
  });

  it('by links, submodules and executables brings nothing of them to members', async () => {
    world = await AttackedFleet.atGate();
    if (stopped) world.daemon.kill();
    await pushForeignModes((text) => text.replaceAll('web:1', 'evil:1'));
    if (stopped) world.start();
    await world.fleet.run(120);
    expectNoEvil();
    await expectToContinue();
  });

  it('by files with foreign names brings nothing of them to members', async () => {
    world = await AttackedFleet.atGate();
    await attacked(world, { stopped }, addForeignNames);
    expectNoEvil();
    await expectToContinue();
  });
});

it.each([
  [3, 7],
  [6, 0],
  [1, 2],
])(
  'a status branch that is removed and, %i s later, put back, again after %i s and again, passes no gate',
  async (before, after) => {
    world = await AttackedFleet.atGate();
    for (let at = 0; at < 6; at++) {
      const files = await world.fleet.repo.files('fleet-status');
      world.fleet.repo.refs.delete('refs/heads/fleet-status');
      await world.fleet.run(before);
      if (at % 2) world.fleet.repo.commit('fleet-status', files, 'Back', []);
      await world.fleet.run(after);
    }
    // A run that comes before the record is written again may have run before, and is held as lost.
    await world.fleet.run(60);
    expectNoEvil();
    await expectToContinue();
  },
);
