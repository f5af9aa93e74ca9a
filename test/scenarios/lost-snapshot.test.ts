import { describe, expect, it } from 'vitest';
import { deployment, member, moves, PaperFleet, placement } from '../support/paper-fleet.ts';
import { frozen } from './texts.ts';

const rolling = '{type: RollingUpdate, rollingUpdate: {maxUnavailable: 1, maxSurge: 1}}';

const fleet = (): PaperFleet =>
  new PaperFleet({
    ...Object.fromEntries(['a', 'b', 'c'].map((name) => [`clusters/${name}.yaml`, member(name)])),
    'resources/web.yaml': deployment('web', 'web', 'web:1'),
    'web.yaml': placement('web', '{placementType: PickAll}', rolling),
  });

/** The file of a snapshot is gone from the record, when the next version is there already. */
function lose(paper: PaperFleet): void {
  paper.record = new Map([...paper.record].filter(([path]) => path !== 'placements/web/snapshots/0.yaml'));
  paper.files['resources/web.yaml'] = deployment('web', 'web', 'web:2');
  paper.pass(1);
}

describe('a snapshot whose file is gone from the record', () => {
  it('that no cluster has yet holds up no rollout: there is nothing that could be lost by the next', async () => {
    const paper = fleet();
    await paper.plan();
    lose(paper);
    expect(moves(await paper.plan())).toEqual(['web a update Bound 1', 'web b update Bound 1', 'web c update Bound 1']);
  });

  it('that clusters have is replaced within the budget, also by a daemon that knows nothing of what was done there', async () => {
    const paper = fleet();
    await paper.settle();
    paper.restart();
    lose(paper);
    const steps: string[][] = [];
    for (let step = 0; step < 4; step++) {
      const plan = await paper.plan();
      steps.push(plan.placements[0]!.bindings.map(({ resourceSnapshotIndex }) => String(resourceSnapshotIndex)));
      paper.deliver();
      paper.pass(1);
    }
    expect(steps).toEqual([
      ['1', '0', '0'],
      ['1', '1', '0'],
      ['1', '1', '1'],
      ['1', '1', '1'],
    ]);
  });

  it('is reported as long as it cannot be replaced', async () => {
    const paper = fleet();
    await paper.plan();
    lose(paper);
    paper.files['fleet.yaml'] = frozen;
    const { problems } = await paper.plan();
    expect(problems.map(({ code, message }) => `${code} ${message}`)).toEqual([
      'lost-snapshot ClusterResourcePlacement web: the record has lost the snapshot for a, b, c: resource snapshot 0 is no longer recorded, and the cluster shows no objects of it',
    ]);
  });
});

describe('an update run under way', () => {
  const started = async (): Promise<PaperFleet> => {
    const paper = fleet();
    paper.files['web.yaml'] = placement('web', '{placementType: PickAll}', '{type: External}');
    paper.files['strategy.yaml'] =
      'apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStagedUpdateStrategy\nmetadata: {name: all}\nspec: {stages: [{name: all, labelSelector: {}}]}\n';
    paper.files['run.yaml'] =
      'apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStagedUpdateRun\nmetadata: {name: run}\nspec: {placementName: web, stagedRolloutStrategyName: all}\n';
    await paper.plan();
    return paper;
  };

  it('continues with its snapshot where only the state of the placement is gone', async () => {
    const paper = await started();
    paper.record = new Map([...paper.record].filter(([path]) => path !== 'placements/web/state.yaml'));
    const plan = await paper.settle();
    expect(moves(plan)).toEqual(['web a keep Bound 0', 'web b keep Bound 0', 'web c keep Bound 0']);
    expect(plan.runs[0]?.status.conditions?.at(-1)?.reason).toBe('UpdateRunSucceeded');
  });

  it('of objects that clusters already have, though they are not recorded, is over at once', async () => {
    const paper = await started();
    await paper.settle();
    paper.record = new Map([...paper.record].filter(([path]) => path !== 'placements/web/state.yaml'));
    paper.files['run-2.yaml'] = paper.files['run.yaml']!.replace('name: run}', 'name: run-2}');
    const { runs } = await paper.plan();
    expect(runs.map(({ status }) => status.conditions?.at(-1)?.reason)).toEqual([
      'UpdateRunSucceeded',
      'UpdateRunSucceeded',
    ]);
  });

  it('ends when its snapshot is gone: no cluster could get it', async () => {
    const paper = await started();
    lose(paper);
    const { runs } = await paper.plan();
    expect(runs[0]?.status.conditions?.at(-1)).toMatchObject({
      reason: 'UpdateRunFailed',
      message: 'resource snapshot 0, which the run rolls out, was lost with the record',
    });
  });
});
