import { afterEach, describe, expect, it } from 'vitest';
import { type Document, removeFolders } from '../../support/folders.ts';
import {
  app,
  deployment,
  member,
  namespace,
  placement,
  placementEntry,
  rolling,
  Story,
  twoReplicas,
} from '../rollout/world.ts';
import { canary, prod, run, strategy } from '../staged/world.ts';

afterEach(removeFolders);

const named = (text: string, name: string): string => text.replaceAll('web', name);
/** Two placements that run everywhere; the broken file is the first one's, and the second one is changed with it. */
const fleet = async (): Promise<Story> => {
  const story = new Story({
    'clusters/a.yaml': member('a', { env: 'canary' }),
    'clusters/b.yaml': member('b', { env: 'prod' }),
    'web.yaml': placement('{placementType: PickAll}', rolling(1, 1)),
    'override.yaml': twoReplicas,
    'resources/web.yaml': app('web:1'),
    'api.yaml': named(placement('{placementType: PickAll}', '{type: External}'), 'api'),
    'resources/api.yaml': named(app('web:1'), 'api'),
    'strategy.yaml': strategy(`${canary}, beforeStageTasks: [{type: Approval}]`, prod),
    'run.yaml': run('api-1').replace('placementName: web', 'placementName: api'),
    'other.yaml': named(placement('{placementType: PickAll}', rolling('100%', '100%')), 'other'),
    'resources/other.yaml': named(app('web:1'), 'other'),
  });
  story.seen = {};
  await story.plan();
  const both = {
    placements: [
      placementEntry(0),
      { ...placementEntry(0), placement: { kind: 'ClusterResourcePlacement', name: 'other' } },
    ],
    objects: [
      namespace,
      deployment(2),
      ...[namespace, deployment(2)].map((it) => JSON.parse(named(JSON.stringify(it), 'other'))),
    ],
  };
  story.seen = { a: both, b: both };
  await story.plan(1);
  return story;
};

const without = ({ placements, targets }: Document, name: string): Document => ({
  placements: placements.filter((it: Document) => it.name !== name),
  targets: targets.filter((it: Document) => it.placement.name !== name),
});

describe.each([
  ['broken YAML', (text: string) => `${text.trimEnd()}\n  ]: {`],
  ['a value that is not allowed', (text: string) => text.replace(/^metadata: .*$/m, (line) => `${line}\nstray: 1`)],
])('%s holds the object of its file at its last good version, and all else continues:', (_, broken) => {
  it.each([
    ['a member', 'clusters/a.yaml', 'MemberCluster a'],
    ['a placement', 'web.yaml', 'ClusterResourcePlacement web'],
    ['an override', 'override.yaml', 'ResourceOverride less'],
    ['a run', 'run.yaml', 'ClusterStagedUpdateRun api-1'],
  ])('%s', async (_, path, subject) => {
    const story = await fleet();
    const before = (await story.plan(2)).plan;
    story.files[path] = broken(story.files[path]!);
    story.files['resources/other.yaml'] = story.files['resources/other.yaml']!.replace('other:1', 'other:2');
    const step = await story.plan(3);
    expect(step.code).toBe(2);
    expect([...new Set(step.plan.problems.map(({ severity, file }: Document) => `${severity} ${file}`))]).toEqual([
      `error ${path}`,
    ]);
    expect(
      step.plan.holds
        .filter(({ reason }: Document) => reason === 'LastGoodVersion')
        .map(({ subject: { kind, name } }: Document) => `${kind} ${name}`),
    ).toEqual([subject]);
    expect(without(step.plan, 'other')).toEqual(without(before, 'other'));
    expect(step.plan.runs).toEqual(before.runs);
    const other = step.plan.placements.find(({ name }: Document) => name === 'other');
    expect(other.bindings.map(({ clusterName, move }: Document) => `${clusterName} ${move}`)).toEqual([
      'a update',
      'b update',
    ]);
  });
});

it.each([
  ['broken YAML', ' ]: {'],
  ['a limit that is not a number', '\n  guard: {maxClusters: many}\n'],
])('a fleet.yaml with %s: its freeze continues', async (_, fault) => {
  const story = await fleet();
  const config =
    'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec:\n  freeze: [{name: day, schedule: "0 0 * * *", duration: 24h}]';
  story.files['fleet.yaml'] = config;
  await story.plan(2);
  story.files['resources/other.yaml'] = story.files['resources/other.yaml']!.replace('other:1', 'other:2');
  story.files['fleet.yaml'] = config + fault;
  const step = await story.plan(3);
  expect(step.code).toBe(2);
  expect(step.plan.holds.map(({ reason }: Document) => reason)).toEqual(
    expect.arrayContaining(['LastGoodVersion', 'Freeze']),
  );
  expect(
    step.plan.placements.flatMap(({ bindings }: Document) => bindings.map(({ move }: Document) => move)),
  ).not.toContain('update');
  const { 'fleet.yaml': gone, ...rest } = story.files;
  story.files = rest;
  const after = await story.plan(4);
  expect([gone, after.code, after.plan.record['fleet.yaml']]).toEqual([config + fault, 1, undefined]);
});

it.each([
  ['broken YAML', ' ]: {', 'fleet.yaml'],
  ['a limit that is not a number', '\n  guard: {maxClusters: many}\n', 'fleet.yaml'],
  ['a limit that is not a number, under another name,', '\n  guard: {maxClusters: many}\n', 'settings.yaml'],
])('a fleet.yaml with %s that was never valid: nothing new starts until it is fixed', async (_, fault, file) => {
  const story = await fleet();
  story.files['resources/other.yaml'] = story.files['resources/other.yaml']!.replace('other:1', 'other:2');
  story.files[file] = `apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec:${fault}`;
  const { code, plan } = await story.plan(2);
  const found = plan.holds.find(({ subject: { kind } }: Document) => kind === 'FleetConfig');
  expect([code, plan.guard, found]).toEqual([
    2,
    [],
    {
      subject: { kind: 'FleetConfig', name: 'fleet' },
      reason: 'Freeze',
      message: `anything new starts once ${file} is fixed: its freezes and limits are unknown, since it is not valid and no earlier version of it is recorded`,
    },
  ]);
  const moves = ({ placements }: Document) =>
    placements.flatMap(({ bindings }: Document) => bindings.map(({ move }: Document) => move));
  expect(moves(plan)).not.toContain('update');
  const { [file]: gone, ...rest } = story.files;
  story.files = rest;
  expect([gone, moves((await story.plan(3)).plan)]).toEqual([expect.any(String), expect.arrayContaining(['update'])]);
});

it('broken YAML among resources holds its objects at their last good versions', async () => {
  const story = await fleet();
  const before = (await story.plan(2)).plan;
  story.files['resources/web.yaml'] = `${app('web:2').split('---')[0]}---\n${app('web:2').split('---')[1]!}]: {}`;
  story.files['resources/other.yaml'] = named(app('web:1'), 'other').replace('other:1', 'other:2');
  const step = await story.plan(3);
  expect(step.code).toBe(2);
  expect(without(step.plan, 'other')).toEqual(without(before, 'other'));
  expect(step.plan.placements.find(({ name }: Document) => name === 'other').resourceSnapshotIndex).toBe(1);
});

describe('broken YAML in fleet.yaml', () => {
  const config = (guard: string, usual: string) => `apiVersion: gitfleet.dev/v1alpha1
kind: FleetConfig
spec: {guard: ${guard}, defaults: {strategy: ${usual}}}
`;
  const onlyCanary =
    '{placementType: PickAll, affinity: {clusterAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {clusterSelectorTerms: [{labelSelector: {matchLabels: {env: canary}}}]}}}}';
  const holds = ({ plan }: Document): string[] =>
    plan.holds
      .filter(({ reason }: Document) => reason === 'LastGoodVersion')
      .map(({ subject: { kind, name } }: Document) => `${kind} ${name}`)
      .sort();

  it('holds what relies on its strategy; a placement that names its own continues', async () => {
    const story = await fleet();
    story.files['fleet.yaml'] = config('{}', '{type: RollingUpdate, rollingUpdate: {maxUnavailable: 1}}');
    story.files['more.yaml'] = named(placement('{placementType: PickAll}', ''), 'more').replace(
      / {2}strategy:.*\n/,
      '',
    );
    story.files['resources/more.yaml'] = named(app('web:1'), 'more');
    await story.plan(2);
    story.files['fleet.yaml'] = `${story.files['fleet.yaml']}]`;
    story.files['more.yaml'] = story.files['more.yaml'].replace('{placementType: PickAll}', onlyCanary);
    const step = await story.plan(3);
    expect(step.code).toBe(2);
    expect(holds(step)).toEqual(['ClusterResourcePlacement more', 'FleetConfig fleet']);
    const more = step.plan.placements.find(({ name }: Document) => name === 'more');
    expect(more.bindings.map(({ clusterName }: Document) => clusterName)).toEqual(['a', 'b']);
  });

  it('keeps its limits', async () => {
    const story = await fleet();
    story.files['fleet.yaml'] = config('{maxClusters: 0}', '{}');
    await story.plan(2);
    story.files['fleet.yaml'] = `${story.files['fleet.yaml']}]`;
    story.files['web.yaml'] = placement(onlyCanary, rolling(1, 1));
    const step = await story.plan(3, { refused: true });
    expect(step.plan.guard.map(({ rule }: Document) => rule)).toEqual(['blast-radius-clusters']);
  });
});
