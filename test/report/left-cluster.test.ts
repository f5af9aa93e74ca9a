import { describe, expect, it } from 'vitest';
import type { PlacementKey } from '../../src/api/meta.ts';
import { upOf } from '../../src/cli/kinds/placements/reason.ts';
import { runPage } from '../../src/cli/kinds/runs/page.ts';
import type { PlanInput } from '../../src/engine/input.ts';
import { removedInRecord } from '../../src/forecast/run-removals.ts';
import { renderDashboard } from '../../src/report/dashboard.ts';
import { approvedTexts } from '../../src/report/effect/answers-text.ts';
import { effectText } from '../../src/report/effect/effect-text.ts';
import { summaryOf } from '../../src/report/summary.ts';
import { approvalStarts } from '../../src/report/waits/approval-starts.ts';
import { stagesDone } from '../../src/report/waits/progress-text.ts';
import { stageTasks } from '../../src/report/waits/stage-tasks.ts';
import { statusWith } from '../cli/kinds/world.ts';
import { effectOf, type Files } from '../forecast/effect-of.ts';
import { deployment, member, PaperFleet, placement } from '../support/paper-fleet.ts';

const staged = 'apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStaged';
const run = (name: string): Files => ({
  'run.yaml': `${staged}UpdateRun\nmetadata: {name: ${name}}\nspec: {placementName: web, stagedRolloutStrategyName: steps}\n`,
});
const policy = (name: string): Files => ({
  'web.yaml': placement('web', `{placementType: PickFixed, clusterNames: [${name}]}`, '{type: External}'),
});
const files: Files = {
  ...Object.fromEntries(['a1', 'b1', 'b2'].map((name) => [`clusters/${name}.yaml`, member(name, { in: name[0]! })])),
  ...policy('a1, b1, b2'),
  'steps.yaml': `${staged}UpdateStrategy\nmetadata: {name: steps}\nspec: {stages: [{name: first, labelSelector: {matchLabels: {in: a}}, afterStageTasks: [{type: Approval}]}, {name: rest, maxConcurrency: 2, labelSelector: {matchLabels: {in: b}}}]}\n`,
  'resources/web.yaml': deployment('web', 'web', 'web:1'),
};

async function follow(paper: PaperFleet, more: Files = {}): Promise<PlanInput> {
  paper.files = { ...paper.files, ...more };
  for (let step = 0; step < 6; step++) {
    await paper.plan();
    paper.deliver();
    paper.pass(60);
  }
  return paper.input();
}

async function leave(paper: PaperFleet): Promise<PlanInput> {
  const { 'clusters/b2.yaml': _, ...rest } = paper.files;
  paper.files = rest;
  return follow(paper, policy('a1, b1'));
}

/** What the approval of a run starts that has updated a1, and the answer. */
async function asked(paper: PaperFleet, name: string) {
  const { record } = await follow(paper, run(name));
  const asks = record.runs.get(name as PlacementKey)!;
  const task = stageTasks(asks).find(({ isOpen }) => isOpen)!;
  const starts = approvalStarts(asks, task, { isRemovedFrom: removedInRecord(asks, record) });
  const answer = { 'approvals/it.yaml': JSON.stringify(paper.last!.plan.approvals[0]!.file!.object) };
  return { starts, answer, preview: approvedTexts(await effectOf(paper, { ...paper.files, ...answer })) };
}

describe('an approval starts no removal', () => {
  const withoutRemoval = {
    starts: ['stage rest, 1 cluster, at most 2 at once: b1'],
    preview: ['approves web-1-after-first: starts rest (1 cluster)'],
  };

  it('from a cluster that was never given anything', async () => {
    const paper = new PaperFleet(files);
    await follow(paper);
    await follow(paper, policy('a1, b1'));
    const preview = effectText(await effectOf(paper, { ...paper.files, ...run('web-1') }));
    expect(preview.rollout[0]).toBe('web: by update run web-1: first (1 cluster), then rest (1 cluster)');
    expect(preview.forecast).toMatch(/^Everything is done /);
    expect(await asked(paper, 'web-1')).toMatchObject(withoutRemoval);
  });

  it('from a cluster that left the fleet', async () => {
    const paper = await installed();
    await leave(paper);
    expect(await asked(paper, 'web-1')).toMatchObject(withoutRemoval);
  });

  it('except from a cluster that has something', async () => {
    const paper = await installed();
    await follow(paper, policy('a1, b1'));
    expect(await asked(paper, 'web-1')).toMatchObject({
      starts: [...withoutRemoval.starts, 'then the removal from 1 cluster: b2'],
      preview: ['approves web-1-after-first: starts removal from 1 cluster, rest (1 cluster)'],
    });
  });
});

/** A run has brought it to all clusters. */
async function installed(): Promise<PaperFleet> {
  const paper = new PaperFleet(files);
  const { answer } = await asked(paper, 'web-0');
  await follow(paper, answer);
  paper.files = { ...files, 'resources/web.yaml': deployment('web', 'web', 'web:2') };
  await follow(paper);
  return paper;
}

it('a cluster that left is in no count, although its binding stays until the next run', async () => {
  const paper = await installed();
  const { fleet, record } = await leave(paper);
  const { plan } = paper.last!;
  const input = {
    branch: 'main',
    unreachable: new Map(),
    notRolledOut: [],
    before: { record, files: paper.record },
    fleet,
  };
  const dashboard = renderDashboard(plan, input);
  expect(dashboard).toContain('# ✅ all 2 clusters as desired\n');
  expect(dashboard).toContain('| 2 / 2 |');
  expect(dashboard).not.toContain('b2');
  expect(summaryOf(plan, input)).toMatchObject({ counts: { clusters: 2, bindings: 3, available: 2, leaving: 1 } });
  expect(upOf(record.placements.get('web' as PlacementKey)!.state)).toBe('2/2');
});

it('a cluster that left a run is not done', async () => {
  const paper = new PaperFleet(files);
  await asked(paper, 'web-1');
  const { record } = await leave(paper);
  const left = record.runs.get('web-1')!;
  expect(stagesDone(left.status!)).toBe('first 1/1, rest 0/1');
  expect(runPage(left, statusWith([left])).join('\n')).toContain('Stage rest: 0/1 clusters done, 1 skipped\n');
});
