import { describe, expect, it } from 'vitest';
import { deployment, member, moves, PaperFleet, placement } from './fleet.ts';

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

  it('is told of as long as it cannot be replaced', async () => {
    const paper = fleet();
    await paper.plan();
    lose(paper);
    paper.files['fleet.yaml'] =
      'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {freeze: [{name: always, schedule: "* * * * *", duration: 1m}]}\n';
    const { problems } = await paper.plan();
    expect(problems.map(({ code, message }) => `${code} ${message}`)).toEqual([
      'lost-snapshot ClusterResourcePlacement web: the record has lost what is to be on a, b, c: resource snapshot 0 is not remembered any more, and the cluster shows nothing of it',
    ]);
  });
});
