import { afterEach, expect, it } from 'vitest';
import { noMemory, paperSigning } from '../support/paper-signature.ts';
import { AttackedFleet, type Files } from './attacked-fleet.ts';

let world: AttackedFleet;
afterEach(() => world.close());

const memory = noMemory();

/** A fleet with a signed record, at its gate. */
async function signedFleet(): Promise<AttackedFleet> {
  world = await AttackedFleet.open(undefined, { signing: paperSigning({ memory }) });
  await world.untilGate();
  await world.fleet.run(60);
  return world;
}

/** The record without what reports on it. */
async function record(): Promise<Files> {
  const { 'README.md': _readme, 'summary.yaml': _summary, ...files } = await world.fleet.repo.files('fleet-status');
  return files;
}

const refusals = (): string[] =>
  world.daemon
    .plan()
    .problems.filter(({ code }) => code === 'foreign-status-commit')
    .map(({ message }) => message);

const attacks: [what: string, edit: (files: Files) => void][] = [
  [
    'other contents of a snapshot',
    (files) => {
      const path = 'placements/web/snapshots/0.yaml';
      files[path] = files[path]!.replaceAll('web:1', 'evil:1');
    },
  ],
  ['a placement that is forgotten', (files) => void delete files['placements/web/state.yaml']],
  ['a run that is forgotten', (files) => void delete files['runs/web-1.yaml']],
  [
    'nothing at all',
    (files) => {
      for (const path of Object.keys(files)) delete files[path];
    },
  ],
  ['a page of a pull request', (files) => void Object.assign(files, { 'previews/7.md': 'merge it' })],
  ['a file of its own', (files) => void Object.assign(files, { 'evil/file.yaml': 'a: b' })],
  ['no change', () => {}],
];

it.each(attacks.flatMap(([what, edit]) => (['running', 'stopped'] as const).map((when) => ({ what, edit, when }))))(
  'a commit of others with $what, while the daemon is $when, changes nothing and is written over',
  async ({ edit, when }) => {
    await signedFleet();
    const before = await record();
    const sent = world.sent.length;
    if (when === 'stopped') world.daemon.kill();
    await world.edit(edit);
    const foreign = world.fleet.repo.tip('fleet-status')!;
    if (when === 'stopped') world.start({ signing: paperSigning({ memory }) });
    await world.fleet.run(60);
    expect(await record()).toEqual(before);
    expect(world.sent.slice(sent).filter(({ body }) => body.includes('evil'))).toEqual([]);
    expect(refusals()).toEqual([
      expect.stringMatching(
        new RegExp(
          `^commit ${foreign.slice(0, 12)} of fleet-status is refused: it is not signed. The record is that of`,
        ),
      ),
    ]);
    expect((await world.fleet.repo.files('fleet-status'))['README.md']).toContain('is refused: it is not signed');
    expect(world.daemon.metrics.render()).toContain('gitfleet_record_mismatch_total 1\n');
    expect(world.fleet.logged.filter((line) => line.includes('is refused'))).not.toEqual([]);
    // It is at rest, and stays reported until the next commit of the followed branch.
    const { length } = world.fleet.repo.pushes;
    await world.fleet.run(600);
    expect(world.fleet.repo.pushes).toHaveLength(length);
    await world.approve();
    await world.fleet.until('it is everywhere', () => world.images().join() === 'web:1,web:1,web:1', 600);
    await world.fleet.run(60);
    expect(refusals()).toEqual([]);
  },
);

it.each(['running', 'stopped'] as const)(
  'a rewind to an earlier signed commit, while the daemon is %s, starts nothing again',
  async (when) => {
    await signedFleet();
    const old = world.fleet.repo.tip('fleet-status')!;
    await world.approve();
    await world.fleet.until('it is everywhere', () => world.images().join() === 'web:1,web:1,web:1', 600);
    await world.fleet.run(60);
    const before = await record();
    if (when === 'stopped') world.daemon.kill();
    world.fleet.repo.refs.set('refs/heads/fleet-status', old);
    if (when === 'stopped') world.start({ signing: paperSigning({ memory }) });
    await world.fleet.run(120);
    expect(world.images()).toEqual(['web:1', 'web:1', 'web:1']);
    expect(refusals()).toEqual([
      expect.stringMatching(
        when === 'running'
          ? /that this daemon knows. The record is that of what this daemon published last/
          : /that this daemon knows. The record counts as lost/,
      ),
    ]);
    if (when === 'running') expect(await record()).toEqual(before);
  },
);

it('two daemons with the key work together, and one reports what the other refused', async () => {
  await signedFleet();
  const first = world.daemon;
  const second = world.start({ signing: paperSigning({ memory: noMemory() }) });
  await world.fleet.run(60);
  await world.edit((files) => void Object.assign(files, { 'evil/file.yaml': 'a: b' }));
  await world.fleet.run(120);
  const { length } = world.fleet.repo.pushes;
  await world.fleet.run(600);
  expect(world.fleet.repo.pushes).toHaveLength(length);
  const reported = (): string[][] =>
    [first, second].map(({ plan }) =>
      plan()
        .problems.filter(({ code }) => code === 'foreign-status-commit')
        .map(({ message }) => message.split(' ')[1]!),
    );
  expect(reported()[0]).toHaveLength(1);
  expect(reported()[1]).toEqual(reported()[0]);
  // Of many only the last one is reported.
  await world.edit((files) => void Object.assign(files, { 'evil/file.yaml': 'a: c' }));
  const last = world.fleet.repo.tip('fleet-status')!.slice(0, 12);
  await world.fleet.run(120);
  expect(reported()).toEqual([[last], [last]]);
  await world.approve();
  await world.fleet.until('it is everywhere', () => world.images().join() === 'web:1,web:1,web:1', 600);
});

it('a branch that was never signed holds the fleet until its commit is accepted', async () => {
  world = await AttackedFleet.open();
  await world.untilGate();
  await world.fleet.run(60);
  const before = await record();
  world.daemon.kill();
  const tip = world.fleet.repo.tip('fleet-status')!;
  const fresh = noMemory();
  world.start({ signing: paperSigning({ memory: fresh }) });
  await world.fleet.run(120);
  expect(world.fleet.repo.tip('fleet-status')).toBe(tip);
  expect(world.fleet.logged.some((line) => line.includes(`start once with --accept-status ${tip};`))).toBe(true);
  world.daemon.kill();
  world.start({ signing: paperSigning({ memory: fresh, accepted: tip }) });
  await world.fleet.run(60);
  expect(await record()).toEqual(before);
  expect(refusals()).toEqual([]);
  world.daemon.kill();
  world.start({ signing: paperSigning({ memory: fresh }) });
  await world.fleet.run(60);
  expect(await record()).toEqual(before);
});
