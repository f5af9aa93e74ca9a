import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Document, type Files, folder, removeFolders } from '../../support/folders.ts';
import { cli } from '../../support/run-cli.ts';
import { app, at, members, placement, rolling, Story, T0 } from '../rollout/world.ts';
import { approval, canary, delivered, prod, run, staged } from '../staged/world.ts';
import { checkShape } from './shape.ts';

afterEach(removeFolders);

const plan = async (files: Files, ...flags: string[]): Promise<Document> => {
  const { out } = await cli('plan', '--repo', folder(files), '--now', T0, '-o', 'json', ...flags);
  return JSON.parse(out);
};

describe('the plan document', () => {
  it('of an empty repo has every list, and nothing in them', async () => {
    const document = await plan({});
    checkShape(document);
    const { commit, digest, record, ...rest } = document;
    expect(rest).toEqual({
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'Plan',
      now: T0,
      ...{ placements: [], targets: [], holds: [], runs: [], approvals: [], evictions: [] },
      ...{ upgrades: [], nodes: [], guard: [], problems: [] },
    });
    expect(commit).toMatch(/^[0-9a-f]{40,64}$/);
    expect(Object.keys(record)).toEqual(['summary.yaml', 'README.md']);
  });

  it('of the example keeps its shape', async () => {
    const { out } = await cli('plan', '--repo', 'fleet-repo-example', '--now', T0, '-o', 'json');
    checkShape(JSON.parse(out));
  });

  it('of a rolling update under way, of a removal and of a refusal keeps its shape', async () => {
    const story = new Story({
      ...members('a b c'),
      'web.yaml': placement('{placementType: PickAll}', rolling(1, 1)),
      'resources/web.yaml': app('web:1'),
    });
    checkShape((await story.plan()).plan);
    story.files['resources/web.yaml'] = app('web:2');
    checkShape((await story.plan(60)).plan);
    story.files['clusters/c.yaml'] = story.files['clusters/c.yaml']!.replace('spec: {}', 'spec: {taints: [{}]}');
    const faulty = (await story.plan(61)).plan;
    checkShape(faulty);
    expect(faulty.problems).not.toEqual([]);
    story.files = { 'clusters/a.yaml': story.files['clusters/a.yaml']! };
    const refused = (await story.plan(62, { refused: true })).plan;
    checkShape(refused);
    expect(refused.guard).not.toEqual([]);
  });

  it('of a run through gates and an eviction keeps its shape', async () => {
    const story = staged([`${canary}, afterStageTasks: [{type: Approval}, {type: TimedWait, waitTime: 1h}]`, prod]);
    const first = await story.plan();
    checkShape(first.plan);
    story.seen = delivered(first);
    const waiting = await story.plan(10);
    checkShape(waiting.plan);
    expect(waiting.plan.approvals).toHaveLength(1);
    const review = waiting.plan.approvals[0].reviewDigest;
    story.files['approvals/web.yaml'] = approval('web-1-after-canary', 'canary', { review });
    story.files['evict.yaml'] = `
apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterResourcePlacementEviction
metadata: {name: out}
spec: {placementName: web, clusterName: eu-1}
`;
    const evicting = await story.plan(20);
    checkShape(evicting.plan);
    expect(evicting.plan.evictions).toHaveLength(1);
  });

  it('names ResourcePlacements, their runs and approvals with their namespace', async () => {
    const namespaced = (text: string): string =>
      text.replace('kind: Cluster', 'kind: ').replace('metadata: {name:', 'metadata: {namespace: web, name:');
    const document = await plan({
      ...members('a'),
      'web.yaml': `
apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ResourcePlacement
metadata: {name: conf, namespace: web}
spec:
  resourceSelectors: [{group: "", version: v1, kind: ConfigMap, name: conf}]
  strategy: {type: External}
`,
      'strategy.yaml': namespaced(`
apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterStagedUpdateStrategy
metadata: {name: careful}
spec: {stages: [{name: all, labelSelector: {}, beforeStageTasks: [{type: Approval}]}]}
`),
      'run.yaml': namespaced(run('conf-1').replace('placementName: web', 'placementName: conf')),
      'resources/web.yaml': `${app('web:1')}\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: conf, namespace: web}}\n`,
    });
    checkShape(document);
    const ref = { kind: 'ResourcePlacement', name: 'conf', namespace: 'web' };
    expect(document.problems).toEqual([]);
    expect(document.placements[0]).toMatchObject(ref);
    expect(document.runs[0]).toMatchObject({ kind: 'StagedUpdateRun', name: 'conf-1', namespace: 'web' });
    expect(document.approvals[0]).toMatchObject({
      ...{ kind: 'ApprovalRequest', name: 'conf-1-before-all', namespace: 'web' },
      spec: { parentStageRollout: 'conf-1', targetStage: 'all' },
    });
    expect(Object.keys(document.record)).toEqual([
      'approvals/web.conf-1-before-all.yaml',
      'clusters/a.yaml',
      'placements/web.conf/snapshots/0.yaml',
      'placements/web.conf/state.yaml',
      'placements/web.conf/status.yaml',
      'runs/web.conf-1.yaml',
      'summary.yaml',
      'README.md',
    ]);
  });

  it('is the same value in YAML', async () => {
    const repo = folder({ ...members('a'), 'web.yaml': placement('{placementType: PickAll}') });
    const text = async (format: string) => (await cli('plan', '--repo', repo, '--now', T0, '-o', format)).out;
    expect(parse(await text('yaml'))).toEqual(JSON.parse(await text('json')));
  });

  it('prints its record as text by path, exactly what --out-recorded writes', async () => {
    // Story compares both for every plan of every acceptance case.
    const story = new Story({ ...members('a'), 'web.yaml': placement('{placementType: PickAll}') });
    const { plan: document } = await story.plan();
    expect(parse(document.record['placements/web/state.yaml'])).toMatchObject({ kind: 'PlacementState' });
    expect(document.now).toBe(at(0));
  });
});
