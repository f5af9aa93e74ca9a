import { describe, expect, it } from 'vitest';
import { deployment, member, PaperFleet, placement } from '../support/paper-fleet.ts';

const names = ['a', 'b', 'c', 'd', 'e', 'f'];
const runOf = (name: string, state = 'Run'): string =>
  `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStagedUpdateRun\nmetadata: {name: ${name}}\nspec: {placementName: web, stagedRolloutStrategyName: all, state: ${state}}\n`;

const settled = async (): Promise<PaperFleet> => {
  const paper = new PaperFleet({
    ...Object.fromEntries(names.map((name) => [`clusters/${name}.yaml`, member(name)])),
    'resources/web.yaml': deployment('web', 'web', 'web:1'),
    'web.yaml': placement('web', '{placementType: PickAll}', '{type: External}'),
    'strategy.yaml':
      'apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStagedUpdateStrategy\nmetadata: {name: all}\nspec: {stages: [{name: all, labelSelector: {}, maxConcurrency: 6}]}\n',
    'run-1.yaml': runOf('run-1'),
  });
  await paper.settle();
  return paper;
};

/** Bindings of clusters that left stay until a run comes to them: that they go then is not that the clusters leave. */
describe('members that leave an External placement', () => {
  it('are counted when they leave: too many at once are refused', async () => {
    const paper = await settled();
    for (const name of ['a', 'b', 'c']) delete paper.files[`clusters/${name}.yaml`];
    const plan = await paper.plan({ refused: true });
    expect(plan.guard.map(({ rule, message }) => `${rule}: ${message}`)).toEqual([
      'blast-radius-leaving: 3 members with placements would leave, at most 2 may at once: a, b, c',
    ]);
  });

  it('one after the other have left by then: the run that drops their bindings continues', async () => {
    const paper = await settled();
    for (const name of ['a', 'b', 'c']) {
      delete paper.files[`clusters/${name}.yaml`];
      await paper.settle();
    }
    paper.files['run-2.yaml'] = runOf('run-2');
    const plan = await paper.settle();
    expect(plan.placements[0]?.bindings.map(({ clusterName }) => clusterName)).toEqual(['d', 'e', 'f']);
  });

  it('are released once: a second run of the same plan waits for nothing', async () => {
    const paper = await settled();
    delete paper.files['clusters/a.yaml'];
    await paper.settle();
    for (const name of ['run-2', 'run-3']) paper.files[`${name}.yaml`] = runOf(name, 'Initialize');
    await paper.settle();
    for (const name of ['run-2', 'run-3']) paper.files[`${name}.yaml`] = runOf(name);
    const plan = await paper.plan();
    const ends = plan.runs.map(({ name, status }) => `${name} ${status.conditions?.at(-1)?.reason}`);
    expect(ends).toEqual(['run-1 UpdateRunSucceeded', 'run-2 UpdateRunSucceeded', 'run-3 UpdateRunSucceeded']);
  });

  it('by a deletionTimestamp are counted once', async () => {
    const paper = await settled();
    const leave = (name: string) => {
      const text = member(name).replace('metadata:\n', 'metadata:\n  deletionTimestamp: 2026-11-20T10:00:00Z\n');
      paper.files[`clusters/${name}.yaml`] = text;
    };
    for (const name of ['a', 'b', 'c', 'd']) {
      leave(name);
      await paper.settle();
    }
    leave('e');
    leave('f');
    const plan = await paper.plan({ refused: true });
    expect(plan.guard.map(({ rule }) => rule)).toEqual(['everything-vanished']);
  });
});
