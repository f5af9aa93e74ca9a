import { expect, it } from 'vitest';
import { folder } from '../../support/folders.ts';
import { cli } from '../../support/run-cli.ts';
import { app, at, holds, member, members, placement, rolling, Story } from '../rollout/world.ts';

const all = '{placementType: PickAll}';
const external = '{type: External}';
const unlabelled =
  '{placementType: PickAll, affinity: {clusterAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {clusterSelectorTerms: [{labelSelector: {matchExpressions: [{key: env, operator: DoesNotExist}]}}]}}}}';

/** Two clusters that hold what they should. */
async function settled(policy = all, strategy = rolling('100%', 1)): Promise<Story> {
  const story = new Story({
    ...members('a b'),
    'web.yaml': placement(policy, strategy),
    'resources/web.yaml': app('web:1'),
  });
  story.seen = {};
  await story.plan();
  story.seen = { a: holds(0), b: holds(0) };
  await story.plan(10);
  return story;
}

it.each<[string, number, (files: Record<string, string>) => void]>([
  ['nothing is another', 0, () => {}],
  ['the contents change', 1, (files) => (files['resources/web.yaml'] = app('web:2'))],
  ['a cluster joins', 1, (files) => (files['clusters/c.yaml'] = member('c'))],
  [
    'a cluster is unpicked',
    1,
    (files) => {
      files['web.yaml'] = placement(unlabelled, rolling('100%', 1));
      files['clusters/b.yaml'] = member('b', { env: 'prod' });
    },
  ],
  ['a member leaves and its objects stay', 1, (files) => delete files['clusters/b.yaml']],
  [
    'only the way to apply changes',
    1,
    (files) =>
      (files['web.yaml'] = files['web.yaml']!.replace(
        'RollingUpdate,',
        'RollingUpdate, applyStrategy: {type: ServerSideApply},',
      )),
  ],
  ['only a number of the rollout changes', 0, (files) => (files['web.yaml'] = placement(all, rolling('50%', 1)))],
  ['only labels of a member change', 0, (files) => (files['clusters/b.yaml'] = member('b', { env: 'prod' }))],
  [
    'a placement picks clusters for runs to come',
    0,
    (files) => {
      files['later.yaml'] = placement(all, external).replace('{name: web}', '{name: later}');
    },
  ],
])('the exit code is that of what members have to do: %s: %i', async (_, code, change) => {
  const story = await settled();
  change(story.files);
  expect((await story.plan(20)).code).toBe(code);
  story.seen = { a: holds(0), b: {} };
  expect((await story.plan(30)).code).toBe(0);
});

it('what waits for its turn is nothing to do', async () => {
  const story = await settled(all, rolling(0, 1));
  story.files['resources/web.yaml'] = app('web:2');
  const step = await story.plan(20);
  expect([step.plan.placements[0].bindings.map(({ move }: { move: string }) => move), step.code]).toEqual([
    ['wait', 'wait'],
    0,
  ]);
});

it('the last line counts what the exit code is about, also of removed placements and members', async () => {
  const story = await settled();
  const reported = async () => {
    const [repo, recorded] = [folder(story.files), folder(story.record)];
    const { out } = await cli('plan', '--repo', repo, '--recorded', recorded, '--now', at(20));
    return /Plan: (.*)\. Commit/.exec(out)?.[1];
  };
  story.files['web.yaml'] = story.files['web.yaml']!.replace(
    'RollingUpdate,',
    'RollingUpdate, applyStrategy: {type: ServerSideApply},',
  );
  delete story.files['clusters/b.yaml'];
  expect(await reported()).toBe(
    '0 to add, 0 to update, 0 to remove, 1 to reapply, 1 to release, 0 waiting, 0 unchanged',
  );
  delete story.files['web.yaml'];
  expect(await reported()).toBe('0 to add, 0 to update, 1 to remove, 1 to release, 0 waiting, 0 unchanged');
});
