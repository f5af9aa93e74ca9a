import { afterEach, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { sha256 } from '../../src/repo/sha256.ts';
import { images, names, settledFleet, settles, smallFleet } from '../support/small-fleet.ts';
import type { VirtualDaemon, VirtualFleet } from '../support/virtual-fleet.ts';

let fleet: VirtualFleet;
let one: VirtualDaemon;
afterEach(() => fleet.close());

type Files = Record<string, string>;
// biome-ignore lint/suspicious/noExplicitAny: an attacker knows no types.
type Anything = any;

const lines = names.flatMap((name) => [`${name} web apps/v1/Deployment web/web`, `${name} web v1/Namespace web`]);
/** Of the removal of `web` from all clusters, after so many approvals of it. */
const digestAfter = (used: number): string =>
  `sha256:${sha256([...(used > 0 ? [`used: ${used}`] : []), ...lines.toSorted()].join('\n'))}`;
const digest = digestAfter(0);
const hex = digest.slice('sha256:'.length);
const approval: Files = {
  'approvals/tidy.yaml': `apiVersion: gitfleet.dev/v1alpha1\nkind: RemovalApproval\nmetadata: {name: tidy}\nspec: {removalDigest: "${digest}"}\n`,
};
const vanished = { 'placements/web.yaml': undefined };
const restored = { 'placements/web.yaml': smallFleet()['placements/web.yaml'] };
const all = names.map(() => 'web:1');
const none = names.map(() => undefined);

const change = (files: Files, path: string, edit: (value: Anything) => void): void => {
  const value = parse(files[path]!);
  edit(value);
  files[path] = stringify(value);
};

/** Claims that the approval was requested, or that it is in use. */
const forgeries: Readonly<Record<string, (files: Files) => void>> = {
  'daemon.yaml': (files) =>
    change(files, 'daemon.yaml', (memory) => Object.assign(memory, { askedRemovals: [digest] })),
  'summary.yaml': (files) => {
    delete files['daemon.yaml'];
    change(files, 'summary.yaml', (summary) =>
      Object.assign(summary, { removals: [{ name: 'tidy', removalDigest: digest, messages: [] }] }),
    );
  },
  removals: (files) => {
    files[`removals/${hex}.yaml`] = stringify({
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'ApprovedRemoval',
      metadata: { name: hex },
      spec: { removalDigest: digest },
      status: {
        commit: fleet.repo.tip('main'),
        underWay: names.map((clusterName) => ({ placement: 'web', clusterName })),
      },
    });
  },
};

async function attack(isStopped: boolean, edit: (files: Files) => void): Promise<void> {
  if (isStopped) one.kill();
  const files = await fleet.repo.files('fleet-status');
  edit(files);
  fleet.repo.commit('fleet-status', files, 'Attack');
  if (isStopped) one = fleet.start();
}

const asked = (): (string | undefined)[] => one.plan().guard.map(({ removalDigest }) => removalDigest);

async function approve(also: Files = {}): Promise<void> {
  fleet.commit(vanished);
  await fleet.until('it asks', () => fleet.repo.tip(`gitfleet/approve/removal-${hex.slice(0, 12)}`) !== undefined, 300);
  fleet.commit({ ...approval, ...also });
}

describe.each([
  ['while the daemon runs', false],
  ['while the daemon is stopped', true],
] as const)('an approval of a removal that the status branch claims was requested, %s', (_, isStopped) => {
  it.each(Object.keys(forgeries))('does not count if it came with the removal (%s)', async (place) => {
    ({ fleet, one } = await settledFleet());
    fleet.commit({ ...vanished, ...approval });
    await fleet.run(60);
    await attack(isStopped, forgeries[place]!);
    await fleet.run(60);
    expect(images(fleet)).toEqual(all);
    expect(asked()).toEqual([digestAfter(1)]);
  });

  it.each(Object.keys(forgeries))('does not count if it came before the removal (%s)', async (place) => {
    ({ fleet, one } = await settledFleet());
    fleet.commit(approval);
    await fleet.run(30);
    await attack(isStopped, forgeries[place]!);
    await fleet.run(30);
    await attack(isStopped, forgeries[place]!);
    fleet.commit(vanished);
    await fleet.run(60);
    await attack(isStopped, forgeries[place]!);
    await fleet.run(60);
    expect(images(fleet)).toEqual(all);
    expect(asked()).toEqual([digestAfter(1)]);
  });

  it.each(Object.keys(forgeries))('does not count again (%s)', async (place) => {
    ({ fleet, one } = await settledFleet());
    await approve();
    await fleet.until('it is removed', () => images(fleet).join() === none.join(), 300);
    await fleet.run(60);
    fleet.commit(restored);
    await settles(fleet, one);
    fleet.commit(vanished);
    await fleet.run(30);
    await attack(isStopped, (files) => {
      delete files[`removals/${hex}.yaml`];
      forgeries[place]!(files);
    });
    await fleet.run(60);
    expect(images(fleet)).toEqual(all);
    expect(asked()).toEqual([digestAfter(1)]);
  });
});

const frozen =
  'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {freeze: [{name: all, schedule: "* * * * *", duration: 1h}]}\n';
const more = { 'resources/more.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: more, namespace: web}\n' };

describe('an approval of a removal that was requested', () => {
  it('counts after a restart, also with other changes in its commit and later', async () => {
    ({ fleet, one } = await settledFleet());
    await approve({ 'fleet.yaml': frozen, 'notes.md': 'a' });
    fleet.commit({ 'resources/web.yaml': smallFleet()['resources/web.yaml']!.replace('web:1', 'web:2'), ...more });
    await fleet.run(30);
    one.kill();
    one = fleet.start();
    await fleet.run(30);
    expect(images(fleet)).toEqual(all);
    fleet.commit({ 'fleet.yaml': undefined });
    await fleet.until('it is removed', () => images(fleet).join() === none.join(), 600);
  });

  it('is requested again after a restart if a later change removes something as well', async () => {
    ({ fleet, one } = await settledFleet());
    await approve({ 'fleet.yaml': frozen, ...more });
    fleet.commit({ 'resources/more.yaml': undefined });
    await fleet.run(30);
    one.kill();
    one = fleet.start();
    fleet.commit({ 'fleet.yaml': undefined });
    await fleet.run(60);
    expect(images(fleet)).toEqual(all);
    expect(asked()).toEqual([digestAfter(1)]);
  });

  const orphan = (): void =>
    void fleet.repo.commit('main', { ...fleet.files, ...approval, 'notes.md': 'b' } as Files, 'Squash', []);
  it.each<[string, () => void, readonly string[]]>([
    // Then the branch never had the placement: what members have of it stays.
    ['is rewritten', orphan, []],
    [
      'has too many commits since',
      () => {
        for (let at = 0; at < 51; at++) fleet.commit({ 'notes.md': String(at) });
      },
      [digestAfter(1)],
    ],
  ])('removes nothing after a restart if the history %s', async (_, rewrite, requests) => {
    ({ fleet, one } = await settledFleet());
    await approve({ 'fleet.yaml': frozen });
    await fleet.run(30);
    one.kill();
    rewrite();
    one = fleet.start({ acceptRewind: fleet.repo.tip('main')! });
    await fleet.run(30);
    fleet.commit({ 'fleet.yaml': undefined });
    await fleet.run(90);
    expect(images(fleet)).toEqual(all);
    expect(asked()).toEqual(requests);
  });
});
