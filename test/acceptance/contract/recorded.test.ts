import { afterEach, describe, expect, it } from 'vitest';
import { type Document, type Files, filesOf, folder, removeFolders } from '../../support/folders.ts';
import {
  app,
  deployment,
  members,
  moves,
  namespace,
  placement,
  placementEntry,
  rolling,
  Story,
} from '../rollout/world.ts';
import { otherPlacement, plan, shop, state } from './recorded-plan.ts';

afterEach(removeFolders);

describe('a record', () => {
  it('may hold only some files: what is missing is not remembered', async () => {
    const first = await plan(shop, {});
    const { record } = first.plan;
    expect((await plan(shop, record)).code).toBe(0);
    const only = (...paths: string[]): Files => Object.fromEntries(paths.map((path) => [path, record[path]]));
    const kept = await plan(shop, only('placements/web/state.yaml'));
    expect(kept.plan.placements[0].bindings.map(({ move }: Document) => move)).toEqual(['keep', 'keep']);
    expect(kept.plan.problems).toEqual([]);
    const forgotten = await plan(shop, only('placements/web/status.yaml', 'placements/web/snapshots/0.yaml'));
    expect(forgotten.plan.placements[0].bindings.map(({ move }: Document) => move)).toEqual(['add', 'add']);
  });

  it('is written whole, unchanged files too, and a step on it writes the same', async () => {
    const out = folder();
    const first = await plan(shop, {}, '--out-recorded', out);
    expect(filesOf(out)).toEqual(first.plan.record);
    const next = folder();
    const second = await plan(shop, first.plan.record, '--out-recorded', next);
    expect(filesOf(next)).toEqual(first.plan.record);
    expect(second.plan.digest).toBe(first.plan.digest);
  });

  it('gives an object back as it is whose kind ends in List', async () => {
    const office =
      'apiVersion: example.com/v1\nkind: AllowList\nmetadata: {name: office, namespace: web}\nitems: [a, b]\n';
    const listed = { ...shop, 'resources/office.yaml': office };
    const first = await plan(listed, {});
    const again = await plan(listed, first.plan.record);
    expect([again.plan.problems, again.code]).toEqual([first.plan.problems, 0]);
    expect(again.plan.record).toEqual(first.plan.record);
  });

  const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `c${at}`);
  const bound = (count: number): Files =>
    state(
      `bindings:\n${names(count)
        .map((name) => `- {targetCluster: ${name}, state: Bound, resourceSnapshotIndex: 3}\n`)
        .join('')}`,
    );
  const resources = { 'resources/web.yaml': app('web:1') };
  const approved = (digest: string): Files => ({
    'approvals/yes.yaml': `apiVersion: gitfleet.dev/v1alpha1\nkind: RemovalApproval\nmetadata: {name: x}\nspec: {removalDigest: "${digest}"}\n`,
  });
  it.each<[what: string, Files, clusters: number, rules: string[]]>([
    ['the placement that vanished was the only one', { ...members('c0'), ...resources }, 1, ['everything-vanished']],
    ['the repo is empty', {}, 1, ['everything-vanished']],
    [
      'more than ten clusters are emptied',
      { ...members(names(11).join(' ')), ...resources, 'other.yaml': otherPlacement },
      11,
      ['blast-radius-clusters'],
    ],
    [
      'ten clusters are emptied',
      { ...members(names(10).join(' ')), ...resources, 'other.yaml': otherPlacement },
      10,
      [],
    ],
  ])(
    'that does not know what a placement held lets the guard count it all the same: %s',
    async (_, files, count, reported) => {
      const step = await plan(files, bound(count));
      expect([step.plan.guard.map(({ rule }: Document) => rule), step.code]).toEqual([
        reported,
        reported.length > 0 ? 4 : 1,
      ]);
      const [finding] = step.plan.guard;
      if (finding)
        expect((await plan({ ...files, ...approved(finding.removalDigest) }, bound(count))).plan.guard).toEqual([]);
    },
  );

  it('is lost only when it has no placements/ at all while members carry our label', async () => {
    const repo = { ...shop, 'web.yaml': placement('{placementType: PickAll}', rolling(1, 1)) };
    const carried = { placements: [placementEntry(4)], objects: [namespace, deployment(2)] };
    const lost = new Story(repo);
    lost.seen = { 'eu-1': carried, 'eu-2': carried, 'us-1': carried };
    const rebuilt = await lost.plan();
    expect(moves(rebuilt)).toEqual(['eu-1 Bound 5 update', 'eu-2 Bound 4 wait', 'us-1 Bound 4 wait']);
    expect(rebuilt.plan.placements[0].resourceSnapshotIndex).toBe(5);
    const known = new Story(repo, {
      'placements/other/state.yaml': state('')['placements/web/state.yaml']!.replace('web', 'other'),
    });
    known.seen = lost.seen;
    const forgotten = await known.plan();
    expect(moves(forgotten)).toEqual(['eu-1 Bound 5 add', 'eu-2 Bound 5 add', 'us-1 Bound 5 add']);
  });

  it('a placement whose state is in it and whose file is gone is being deleted', async () => {
    const story = new Story({
      ...shop,
      'other.yaml': otherPlacement,
    });
    story.seen = {};
    await story.plan();
    const carried = { placements: [placementEntry(0)], objects: [namespace, deployment(2)] };
    const { 'web.yaml': _, ...rest } = story.files;
    story.files = rest;
    story.seen = { 'eu-2': carried, 'us-1': carried };
    const step = await story.plan(1);
    expect(step.plan.placements.map(({ name }: Document) => name)).toEqual(['other']);
    expect(step.plan.targets.filter(({ placement: { name } }: Document) => name === 'web')).toEqual([
      expect.objectContaining({ clusterName: 'eu-2', remove: true, objects: [] }),
      expect.objectContaining({ clusterName: 'us-1', remove: true, objects: [] }),
    ]);
  });

  it('with nothing but the state of such a placement leaves a record that can be read', async () => {
    const { 'web.yaml': _, ...rest } = shop;
    const gone = { ...rest, 'other.yaml': otherPlacement };
    const first = await plan(
      gone,
      state('bindings:\n- {targetCluster: eu-1, state: Bound, resourceSnapshotIndex: 3}\n'),
    );
    const second = await plan(gone, first.plan.record);
    for (const { plan: step } of [first, second]) {
      expect(step.problems).toEqual([]);
      expect(step.targets.filter(({ remove }: Document) => remove)).toEqual([
        expect.objectContaining({ clusterName: 'eu-1', objects: [] }),
      ]);
    }
    expect(second.plan.record).toEqual(first.plan.record);
  });
});
