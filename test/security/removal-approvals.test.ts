import { afterEach, describe, expect, it } from 'vitest';
import { sha256 } from '../../src/repo/sha256.ts';
import { images, names, settledFleet, settles, smallFleet } from '../support/small-fleet.ts';
import type { VirtualDaemon, VirtualFleet } from '../support/virtual-fleet.ts';

let fleet: VirtualFleet;
let one: VirtualDaemon;
afterEach(() => fleet.close());

type Files = Record<string, string | undefined>;

const settled = async (files = smallFleet()): Promise<void> => {
  ({ fleet, one } = await settledFleet({}, files));
};

/** Digest of a removal that is refused, after so many approvals of it. */
const digestOf = (lines: readonly string[], used = 0): string =>
  `sha256:${sha256([...(used > 0 ? [`used: ${used}`] : []), ...lines.toSorted()].join('\n'))}`;

const approval = (digest: string): Files => ({
  [`approvals/${digest.slice('sha256:'.length, 'sha256:'.length + 12)}.yaml`]: `apiVersion: gitfleet.dev/v1alpha1\nkind: RemovalApproval\nmetadata: {name: tidy-${digest.slice(-6)}}\nspec: {removalDigest: "${digest}"}\n`,
});

const branchOf = (digest: string): string => `gitfleet/approve/removal-${digest.slice(7, 19)}`;

/** Merges the branch that requests the approval. */
async function approve(digest: string): Promise<void> {
  await fleet.until(`it asks for ${digest}`, () => fleet.repo.tip(branchOf(digest)) !== undefined, 300);
  const asked = await fleet.repo.files(branchOf(digest));
  fleet.commit(Object.fromEntries(Object.entries(asked).filter(([path]) => path.startsWith('approvals/'))));
}

async function refuses(digest: string): Promise<void> {
  await fleet.run(120);
  expect(one.plan().guard.map(({ removalDigest }) => removalDigest)).toEqual([digest]);
}

const early = (): string[] =>
  one
    .plan()
    .problems.filter(({ code }) => code === 'early-approval')
    .map(({ severity, message }) => `${severity}: ${message}`);

const removals = async (): Promise<string[]> =>
  Object.entries(await fleet.repo.files('fleet-status'))
    .filter(([path]) => path.startsWith('removals/'))
    .map(([, text]) => text);

const present = (): unknown[] => names.map((name) => fleet.stored(name, '/configmaps', 'web', 'extra')?.metadata.name);

describe('an approval of a removal that the guard refuses', () => {
  const everything = names.flatMap((name) => [
    `${name} web apps/v1/Deployment web/web`,
    `${name} web v1/Namespace web`,
  ]);
  const vanished: Files = { 'placements/web.yaml': undefined };
  const restored: Files = { 'placements/web.yaml': smallFleet()['placements/web.yaml'] };
  const restore = async (): Promise<void> => {
    await fleet.run(60);
    fleet.commit(restored);
    await settles(fleet, one);
  };
  const all = names.map(() => 'web:1');
  const none = names.map(() => undefined);

  it('is used once: the same removal is requested again, with another digest', async () => {
    await settled();
    fleet.commit(vanished);
    await approve(digestOf(everything));
    await fleet.until('it is removed', () => images(fleet).join() === none.join(), 300);
    await restore();
    expect(await removals()).toHaveLength(1);

    fleet.commit(vanished);
    await refuses(digestOf(everything, 1));
    expect(images(fleet)).toEqual(all);
    await approve(digestOf(everything, 1));
    await fleet.until('it is removed again', () => images(fleet).join() === none.join(), 300);
    expect(await removals()).toHaveLength(2);
    expect(early()).toEqual([]);
  });

  it('that is gone from the repo is forgotten, and given again it counts again', async () => {
    await settled();
    fleet.commit(vanished);
    await approve(digestOf(everything));
    await fleet.until('it is removed', () => images(fleet).join() === none.join(), 300);
    const files = Object.keys(fleet.files).filter((path) => path.startsWith('approvals/'));
    fleet.commit({ ...restored, ...Object.fromEntries(files.map((path) => [path, undefined])) });
    await settles(fleet, one);
    expect(await removals()).toEqual([]);
    fleet.commit(vanished);
    await refuses(digestOf(everything));
  });

  it('that comes with the removal is refused, and the next one is requested', async () => {
    await settled();
    fleet.commit({ ...vanished, ...approval(digestOf(everything)) });
    await refuses(digestOf(everything, 1));
    expect(images(fleet)).toEqual(all);
    expect(early()).toEqual([
      expect.stringMatching(
        /^error: RemovalApproval tidy-\w+: it was on main before gitfleet requested it: it is refused$/,
      ),
    ]);
    await approve(digestOf(everything, 1));
    await fleet.until('it is removed', () => images(fleet).join() === none.join(), 300);
  });

  it('that comes with the removal is accepted with a warning where approvals may be written by hand, once', async () => {
    const handWritten =
      'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {approvals: {handWritten: true}}\n';
    await settled({ ...smallFleet(), 'fleet.yaml': handWritten });
    fleet.commit({ ...vanished, ...approval(digestOf(everything)) });
    await fleet.until('it is removed', () => images(fleet).join() === none.join(), 300);
    const warned = one.passes.flatMap((pass) => (pass.kind === 'moved' ? [] : pass.plan.problems));
    expect(warned.filter(({ code }) => code === 'early-approval').map(({ severity }) => severity)).toContain('warning');
    await restore();
    fleet.commit(vanished);
    await refuses(digestOf(everything, 1));
  });

  it.each<[string, (files: Record<string, string>) => void]>([
    ['an edit of the status branch forgets it', (files) => delete files[Object.keys(files).find(isRemoval)!]],
    [
      'the status branch is lost',
      (files) => {
        for (const path of Object.keys(files)) delete files[path];
      },
    ],
  ])('is not used again where %s', async (_, edit) => {
    await settled();
    fleet.commit(vanished);
    await approve(digestOf(everything));
    await fleet.until('it is removed', () => images(fleet).join() === none.join(), 300);
    await restore();
    one.kill();
    const files = await fleet.repo.files('fleet-status');
    edit(files);
    fleet.repo.commit('fleet-status', files, 'Attack');
    one = fleet.start();
    await settles(fleet, one);
    fleet.commit(vanished);
    await refuses(digestOf(everything, 1));
    expect(images(fleet)).toEqual(all);
  });

  const isRemoval = (path: string): boolean => path.startsWith('removals/');

  it('counts once what keeps the removal from starting is over, also after a restart', async () => {
    const freeze = (spec: string) => `apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: ${spec}\n`;
    await settled();
    fleet.commit(vanished);
    await fleet.until('it asks', () => fleet.repo.tip(branchOf(digestOf(everything))) !== undefined, 300);
    const frozen = freeze('{freeze: [{name: all, schedule: "* * * * *", duration: 1h}]}');
    fleet.commit({ ...approval(digestOf(everything)), 'fleet.yaml': frozen });
    await fleet.run(60);
    expect(images(fleet)).toEqual(all);
    one.kill();
    one = fleet.start();
    await fleet.run(60);
    fleet.commit({ 'fleet.yaml': undefined });
    await fleet.until('it is removed', () => images(fleet).join() === none.join(), 600);
    expect(early()).toEqual([]);
  });
});

it('an approval of objects that a rollout removes counts for all of its steps, and for no later rollout', async () => {
  const extra = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: extra, namespace: web}\ndata: {a: b}\n';
  const config = 'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {guard: {maxObjectsPerCluster: 0}}\n';
  const lines = names.map((name) => `${name} web v1/ConfigMap web/extra`);
  await settled({ ...smallFleet(), 'fleet.yaml': config, 'resources/extra.yaml': extra });
  expect(present()).toEqual(['extra', 'extra', 'extra']);
  fleet.commit({ 'resources/extra.yaml': undefined });
  await approve(digestOf(lines));
  await settles(fleet, one);
  expect(present()).toEqual([undefined, undefined, undefined]);
  expect((await removals()).map((text) => text.includes('underWay'))).toEqual([false]);
  const asked = new Set(
    one.passes
      .flatMap((pass) => (pass.kind === 'moved' ? [] : pass.plan.guard))
      .map(({ removalDigest }) => removalDigest),
  );
  expect(asked).toEqual(new Set([digestOf(lines)]));

  fleet.commit({ 'resources/extra.yaml': extra });
  await settles(fleet, one);
  expect(present()).toEqual(['extra', 'extra', 'extra']);
  fleet.commit({ 'resources/extra.yaml': undefined });
  await refuses(digestOf(lines, 1));
  expect(present()).toEqual(['extra', 'extra', 'extra']);
});

it('an approval to remove a namespace with contents of others is used once', async () => {
  const pick = (clusters: string) => ({
    'placements/web.yaml': smallFleet()['placements/web.yaml']!.replace(
      '{placementType: PickAll}',
      `{placementType: PickFixed, clusterNames: [${clusters}]}`,
    ),
  });
  await settled({ ...smallFleet(), ...pick('a, b, c') });
  const theirs = () =>
    fleet.ask('c', 'POST', '/api/v1/namespaces/web/configmaps', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'theirs' },
    });
  const namespace = async () => (await fleet.ask('c', 'GET', '/api/v1/namespaces/web')).status;
  const held = () => one.plan().holds.find(({ reason }) => reason === 'ContainsForeignObjects')?.removalDigest;
  await theirs();
  fleet.commit(pick('a, b'));
  await fleet.until('it is held', () => held() !== undefined, 300);
  const first = held()!;
  await approve(first);
  await fleet.until('the namespace is gone', async () => (await namespace()) === 404, 600);
  await settles(fleet, one);
  await fleet.run(60);
  expect((await removals()).map((text) => text.includes('underWay'))).toEqual([false]);

  fleet.commit(pick('a, b, c'));
  await settles(fleet, one);
  await theirs();
  fleet.commit(pick('a, b'));
  await fleet.until('it is held again', () => held() !== undefined, 300);
  expect(held()).not.toBe(first);
  await fleet.run(300);
  expect(await namespace()).toBe(200);
  await approve(held()!);
  await fleet.until('the namespace is gone again', async () => (await namespace()) === 404, 600);
});
