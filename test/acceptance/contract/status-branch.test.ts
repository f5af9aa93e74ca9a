import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { type Document, type Files, folder, removeFolders } from '../../support/folders.ts';
import { cli } from '../../support/run-cli.ts';
import { app, at, eviction, members, placement, rolling, type Step, Story, T0, twoReplicas } from '../rollout/world.ts';
import { approval, canary, delivered, handWritten, held, prod, runWords, staged } from '../staged/world.ts';

afterEach(removeFolders);

const kindsOf = (record: Files): string[] =>
  Object.entries(record)
    .map(
      ([path, text]) =>
        `${path} ${
          path.endsWith('.md')
            ? '-'
            : parseAllDocuments(text)
                .map((it) => it.get('kind'))
                .join(' ')
        }`,
    )
    .sort();

describe('the files of the record', () => {
  it('are named after what they remember', async () => {
    const story = staged([`${canary}, beforeStageTasks: [{type: Approval}]`, prod]);
    Object.assign(story.files, { 'override.yaml': twoReplicas, 'eviction.yaml': eviction('out', 'nowhere') });
    const { plan } = await story.plan();
    expect(kindsOf(plan.record)).toEqual([
      'README.md -',
      'approvals/web-1-before-canary.yaml ClusterApprovalRequest',
      'clusters/eu-1.yaml MemberCluster',
      'clusters/us-1.yaml MemberCluster',
      'clusters/us-2.yaml MemberCluster',
      'clusters/us-3.yaml MemberCluster',
      'evictions/out.yaml ClusterResourcePlacementEviction',
      'overrides/web.less/0.yaml ResourceOverrideSnapshot',
      'placements/web/snapshots/0.yaml Namespace Deployment',
      'placements/web/state.yaml PlacementState',
      'placements/web/status.yaml ClusterResourcePlacement',
      'runs/web-1.yaml ClusterStagedUpdateRun',
      'summary.yaml FleetSummary',
    ]);
  });

  it('shard by the first two hex digits of the name’s sha-256 beyond 1,000 in a directory, and are read back', async () => {
    const names = Array.from({ length: 1001 }, (_, index) => `m${index}`);
    const story = new Story(members(names.join(' ')));
    const { plan } = await story.plan();
    const shard = createHash('sha256').update('m7').digest('hex').slice(0, 2);
    expect(Object.keys(plan.record).filter((path) => path.endsWith('/m7.yaml'))).toEqual([`clusters/${shard}/m7.yaml`]);
  });

  it('status.yaml is the placement with its status, state.yaml has one binding on a line', async () => {
    const story = new Story({
      ...members('a b'),
      'web.yaml': placement('{placementType: PickAll}', rolling(1, 1)),
      'resources/web.yaml': app('web:1'),
    });
    const step = await story.plan();
    const status = step.file('placements/web/status.yaml');
    expect(Object.keys(status)).toEqual(['apiVersion', 'kind', 'metadata', 'spec', 'status']);
    expect(status.status.conditions).toEqual(step.plan.placements[0].conditions);
    const lines = (step.plan.record['placements/web/state.yaml'] as string).split('\n');
    expect(lines.filter((line) => line.includes('targetCluster: '))).toHaveLength(2);
    expect(Object.keys(step.file('placements/web/state.yaml'))).toEqual([
      ...['apiVersion', 'kind', 'metadata', 'policySnapshots', 'resourceSnapshots', 'bindings'],
    ]);
    const [policy] = step.file('placements/web/state.yaml').policySnapshots;
    expect(policy).toMatchObject({
      index: 0,
      latest: true,
      policyHash: expect.any(String),
      policy: { placementType: 'PickAll' },
    });
    const [snapshot] = step.file('placements/web/state.yaml').resourceSnapshots;
    expect(snapshot).toEqual({
      index: 0,
      latest: true,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      commit: step.plan.commit,
      createdAt: T0,
    });
  });

  it('summary.yaml lists in one small file what needs attention', async () => {
    const story = staged([`${canary}, beforeStageTasks: [{type: Approval}]`, prod]);
    const step = await story.plan();
    expect(step.file('summary.yaml')).toEqual({
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'FleetSummary',
      branch: 'main',
      commit: step.plan.commit,
      planDigest: step.plan.digest,
      counts: {
        placements: 1,
        clusters: 4,
        bindings: 4,
        available: 0,
        scheduled: 4,
        leaving: 0,
        holds: step.plan.holds.length,
        approvalsWaiting: 1,
      },
      guard: [],
      problems: [],
    });
  });

  it('README.md lists what waits for approval since when, and how to merge it', async () => {
    const story = staged([`${canary}, beforeStageTasks: [{type: Approval}]`, prod]);
    const first = await story.plan();
    const later = await story.plan(3600);
    expect(later.plan.record['README.md']).toBe(first.plan.record['README.md']);
    expect(first.plan.record['README.md']).toMatch(
      /web-1.*canary.*since 2026-11-20T10:00:00Z.*gitfleet\/approve\/web-1-before-canary/,
    );
  });

  it('clusters/ rewrites usage only together with another change', async () => {
    const story = new Story(members('a'));
    const observe =
      (cpu: string, nodes: string) =>
      async (seconds: number): Promise<Document> => {
        const seen = {
          apiVersion: 'gitfleet.dev/v1alpha1',
          kind: 'ClusterObservation',
          metadata: { name: 'a' },
          observedAt: at(seconds),
          memberStatus: { resourceUsage: { available: { cpu } }, properties: { 'x/n': { value: nodes } } },
        };
        const [repo, recorded, dir] = [
          folder(story.files),
          folder(story.record),
          folder({ 'a.json': JSON.stringify(seen) }),
        ];
        const { out } = await cli(
          ...['plan', '--repo', repo, '--recorded', recorded, '--observed', dir, '--now', at(seconds), '-o', 'json'],
        );
        story.record = JSON.parse(out).record;
        return parse(story.record['clusters/a.yaml']!).status;
      };
    expect((await observe('4', '1')(0)).resourceUsage.available.cpu).toBe('4');
    const quiet = story.record;
    expect((await observe('3', '1')(10)).resourceUsage.available.cpu).toBe('4');
    expect(story.record).toEqual(quiet);
    expect((await observe('2', '5')(20)).resourceUsage.available.cpu).toBe('2');
  });

  it('an eviction’s result stands when its file is gone', async () => {
    const story = staged([canary, prod]);
    story.files['eviction.yaml'] = eviction('out', 'nowhere');
    const first = await story.plan();
    expect(first.plan.evictions[0].status.conditions).not.toEqual([]);
    const { 'eviction.yaml': _, ...rest } = story.files;
    story.files = rest;
    const later = await story.plan(60);
    expect(later.plan.evictions).toEqual(first.plan.evictions);
    expect(later.plan.record['evictions/out.yaml']).toBe(first.plan.record['evictions/out.yaml']);
  });
});

describe('an approval file', () => {
  const waiting = async () => {
    const story = staged([`${canary}, beforeStageTasks: [{type: Approval}]`, prod]);
    const first = await story.plan();
    expect(held(first)).toContain('WaitingForApproval web-1/canary');
    return { story, first };
  };
  const passes = async (files: Files): Promise<boolean> => {
    const { story } = await waiting();
    Object.assign(story.files, files);
    return (await story.plan(1)).plan.targets.length === 1;
  };

  it('is what the record holds, with the answer', async () => {
    const { first } = await waiting();
    const { status, ...asked } = first.file('approvals/web-1-before-canary.yaml');
    expect(asked).toEqual({
      apiVersion: 'placement.kubernetes-fleet.io/v1',
      kind: 'ClusterApprovalRequest',
      metadata: {
        name: 'web-1-before-canary',
        labels: {
          'kubernetes-fleet.io/targetUpdateRun': 'web-1',
          'kubernetes-fleet.io/targetUpdatingStage': 'canary',
          'kubernetes-fleet.io/taskType': 'beforeStage',
          'kubernetes-fleet.io/isLatestUpdateRunApproval': 'true',
        },
        annotations: { 'gitfleet.dev/review': first.plan.approvals[0].reviewDigest },
      },
      spec: { parentStageRollout: 'web-1', targetStage: 'canary' },
    });
    expect(status).toEqual({ conditions: [] });
    const yes = { ...asked, status: { conditions: [{ type: 'Approved', status: 'True' }] } };
    expect(await passes({ 'approvals/web-1-before-canary.yaml': JSON.stringify(yes) })).toBe(true);
  });

  const reviewed = async (review?: string) => {
    const { first } = await waiting();
    return approval('web-1-before-canary', 'canary', { review: review ?? first.plan.approvals[0].reviewDigest });
  };
  const problems = ({ plan }: Step) => plan.problems.map(({ severity, code }: Document) => `${severity} ${code}`);

  it('counts below approvals/ alone, under any file name, in v1 and v1beta1', async () => {
    const text = await reviewed();
    expect(await passes({ 'approvals/deep/down/x.yml': text })).toBe(true);
    expect(await passes({ 'approvals/x.yaml': text.replace('/v1\n', '/v1beta1\n') })).toBe(true);
    expect(await passes({ 'approvals/.github/x.yaml': text })).toBe(false);
    for (const path of ['x.yaml', 'resources/x.yaml', 'teams/approvals/x.yaml']) {
      const { story } = await waiting();
      story.files[path] = text;
      const step = await story.plan(1);
      expect(step.plan.targets).toEqual([]);
      expect(step.code).toBe(2);
      expect(step.plan.problems[0]).toMatchObject({
        severity: 'error',
        code: 'approval-outside-folder',
        file: path,
        fix: 'move it to approvals/x.yaml, or merge the approval branch',
      });
    }
  });

  it('counts in the folder that fleet.yaml names, and no other file can name one', async () => {
    const config = (path: string) =>
      `apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {approvals: {path: ${path}}}\n`;
    const text = await reviewed();
    expect(await passes({ 'fleet.yaml': config('gates/yes'), 'gates/yes/x.yaml': text })).toBe(true);
    expect(await passes({ 'fleet.yaml': config('gates/'), 'approvals/x.yaml': text })).toBe(false);
    expect(await passes({ 'team/fleet.yaml': config('team/'), 'team/x.yaml': text })).toBe(false);
    for (const path of ['"/"', '""', '../up', '.hidden', 'a//b']) {
      const { story } = await waiting();
      story.files['fleet.yaml'] = config(path);
      expect(problems(await story.plan(1))).toContain('error invalid-value');
    }
  });

  it('of another review is stale and asked again', async () => {
    const { story } = await waiting();
    story.files['approvals/a.yaml'] = await reviewed(`sha256:${'0'.repeat(64)}`);
    const stale = await story.plan(1);
    expect(stale.plan.targets).toEqual([]);
    expect(held(stale).filter((line) => line.startsWith('Approval'))).toEqual(['ApprovalStale web-1/canary']);
  });

  it('without a review is refused, unless the fleet allows approvals that are written by hand', async () => {
    const { story } = await waiting();
    story.files['approvals/a.yaml'] = approval('web-1-before-canary', 'canary');
    const refused = await story.plan(2);
    expect(refused.plan.targets).toEqual([]);
    expect(held(refused)).toContain('WaitingForApproval web-1/canary');
    expect(problems(refused)).toEqual(['error approval-without-review']);
    expect(refused.code).toBe(2);
    Object.assign(story.files, handWritten);
    const given = await story.plan(3);
    expect(given.plan.targets).toHaveLength(1);
    expect(problems(given)).toEqual(['warning approval-without-review']);
    expect(given.code).toBe(1);
  });

  it('that comes with its run is refused until it is removed and given again', async () => {
    const yes = { 'approvals/a.yaml': await reviewed() };
    const gated = () => staged([`${canary}, beforeStageTasks: [{type: Approval}]`, prod]);
    const story = gated();
    Object.assign(story.files, yes);
    for (const seconds of [0, 10]) {
      const step = await story.plan(seconds);
      expect(step.plan.targets).toEqual([]);
      expect(problems(step)).toEqual(['error early-approval']);
    }
    const { 'approvals/a.yaml': _, ...without } = story.files;
    story.files = without;
    expect(problems(await story.plan(20))).toEqual([]);
    Object.assign(story.files, yes);
    expect((await story.plan(30)).plan.targets).toHaveLength(1);

    const allowed = gated();
    Object.assign(allowed.files, yes, handWritten);
    const step = await allowed.plan();
    expect(step.plan.targets).toHaveLength(1);
    expect(problems(step)).toEqual(['warning early-approval']);
  });

  it('that rejects ends the run', async () => {
    const { story } = await waiting();
    story.files['approvals/a.yaml'] = approval('web-1-before-canary', 'canary', { status: 'False' });
    expect(runWords(await story.plan(1))).toBe(
      'Initialized=True/UpdateRunInitializedSuccessfully Progressing=False/ApprovalRejected Succeeded=False/ApprovalRejected',
    );
  });
});

describe('a RemovalApproval', () => {
  it('with the digest that the refusal names lets exactly that removal pass', async () => {
    const story = new Story({
      ...members('a b'),
      'web.yaml': placement('{placementType: PickAll}', rolling(1, 1)),
      'resources/web.yaml': app('web:1'),
    });
    await story.plan();
    story.files = { ...members('a b') };
    const refused = await story.plan(1, { refused: true });
    const digest = refused.plan.guard[0].removalDigest;
    const file = (of: string) =>
      `apiVersion: gitfleet.dev/v1alpha1\nkind: RemovalApproval\nmetadata: {name: tidy}\nspec: {removalDigest: "${of}"}\n`;
    story.files['approvals/no.yaml'] = file(`sha256:${'0'.repeat(64)}`);
    expect((await story.plan(2, { refused: true })).code).toBe(4);
    story.files['approvals/no.yaml'] = file(digest);
    const allowed = await story.plan(3);
    expect(allowed.plan.targets.map(({ clusterName, remove }: Document) => [clusterName, remove])).toEqual([
      ['a', true],
      ['b', true],
    ]);
  });
});

describe('fleet.yaml', () => {
  const config = (spec: string): Files => ({
    'fleet.yaml': `apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: ${spec}\n`,
  });
  const problems = async (spec: string): Promise<string[]> => {
    const { out } = await cli(
      'plan',
      '--repo',
      folder({ ...config(spec), ...members('a') }),
      '--now',
      T0,
      '-o',
      'json',
    );
    return JSON.parse(out).problems.map(({ severity, path }: Document) => `${severity} ${path}`);
  };

  it.each([
    '{}',
    '{guard: {maxClusters: 3, maxObjectsPerCluster: 10%, maxLeaving: 1}}',
    '{freeze: [{name: weekend, schedule: "0 18 * * 5", duration: 62h, timeZone: Europe/Berlin}]}',
    '{defaults: {strategy: {type: RollingUpdate, rollingUpdate: {maxUnavailable: 1}}}}',
    '{forge: {kind: none}}',
  ])('may say %s', async (spec) => {
    expect(await problems(spec)).toEqual([]);
  });

  it.each([
    ['{guards: {}}', 'error spec.guards'],
    ['{guard: {maxClusters: many}}', 'error spec.guard.maxClusters'],
    ['{forge: {kind: sourceforge}}', 'error spec.forge.kind'],
  ])('may not say %s', async (spec, problem) => {
    expect(await problems(spec)).toEqual([problem]);
  });
});

it('the record of a run lists what it delivered', async () => {
  const story = staged([canary, prod]);
  story.seen = delivered(await story.plan());
  const step = await story.plan(1);
  expect(step.file('runs/web-1.yaml').status).toEqual(step.plan.runs[0].status);
});
