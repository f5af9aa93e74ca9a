import { describe, expect, it } from 'vitest';
import type { Plan } from '../../src/engine/plan-document.ts';
import { placementTargets } from '../../src/engine/target-kinds.ts';
import { overrideEverywhere } from '../support/override-everywhere.ts';
import { deployment, moves, PaperFleet, placement } from '../support/paper-fleet.ts';
import { files, imageAndCluster, imagesOn, settled, stepsOn } from './four-clusters.ts';

const tellsItsCluster = overrideEverywhere(
  'name',
  '{op: add, path: /metadata/annotations, value: {cluster: "${MEMBER-CLUSTER-NAME}"}}',
);

const runOf = (name: string, index?: string): string =>
  `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStagedUpdateRun\nmetadata: {name: ${name}}\nspec: {placementName: web, stagedRolloutStrategyName: all${index === undefined ? '' : `, resourceSnapshotIndex: "${index}"`}}\n`;

describe('a record that is damaged', () => {
  it('a status branch that was deleted is rebuilt from the members: nothing moves and indexes continue', async () => {
    const paper = await settled();
    paper.files['resources/web.yaml'] = deployment('web', 'web', 'web:2');
    await paper.settle();
    paper.record = new Map();
    const plan = await paper.settle();
    expect(plan.placements[0]?.bindings.map(({ clusterName, state }) => `${clusterName} ${state}`)).toEqual([
      'c Bound',
      'd Bound',
    ]);
    expect(plan.placements[0]?.resourceSnapshotIndex).toBeGreaterThan(1);
    expect(
      [...paper.members]
        .filter(([, held]) => held.size > 0)
        .map(([name]) => name)
        .sort(),
    ).toEqual(['c', 'd']);
  });

  it.each(['with the daemon', 'alone'])(
    'a record that is lost %s moves nothing by itself: what a cluster got by an override stays there, and a newer commit rolls out within its budget',
    async (lost) => {
      const paper = new PaperFleet({
        ...files(),
        'placements/web.yaml': placement(
          'web',
          '{placementType: PickFixed, clusterNames: [a, b, c, d]}',
          '{type: RollingUpdate, rollingUpdate: {maxUnavailable: 1}}',
        ),
        'overrides/name.yaml': tellsItsCluster,
      });
      await paper.settle();
      const latest = () => paper.last!.plan.placements[0]!.resourceSnapshotIndex!;
      const held = () => [...paper.members.values()].map((placements) => imageAndCluster(placements.get('web')));

      paper.files['resources/web.yaml'] = deployment('web', 'web', 'web:2');
      paper.record = new Map();
      if (lost === 'with the daemon') paper.restart();
      const steps = [held()];
      for (let at = 0; at < 6; at++) {
        const { targets } = await paper.plan();
        // Nothing that was read from a member is ever applied: fields of others would become ours.
        expect(
          placementTargets(targets).filter(
            ({ digest, resourceSnapshotIndex = 0 }) => digest && resourceSnapshotIndex < latest(),
          ),
        ).toEqual([]);
        paper.deliver();
        paper.pass(1);
        if (JSON.stringify(held()) !== JSON.stringify(steps.at(-1))) steps.push(held());
      }
      const [old, next] = [(name: string) => `web:1 on ${name}`, (name: string) => `web:2 on ${name}`];
      expect(steps).toEqual([
        [old('a'), old('b'), old('c'), old('d')],
        [next('a'), old('b'), old('c'), old('d')],
        [next('a'), next('b'), old('c'), old('d')],
        [next('a'), next('b'), next('c'), old('d')],
        [next('a'), next('b'), next('c'), next('d')],
      ]);
    },
  );

  it('a disruption budget that binds rollouts keeps what a cluster was found with, before any actor has reported', async () => {
    const paper = new PaperFleet({
      ...files(),
      'placements/web.yaml': placement(
        'web',
        '{placementType: PickFixed, clusterNames: [a]}',
        '{type: RollingUpdate, rollingUpdate: {maxUnavailable: 2}}',
      ),
      'budget.yaml': `apiVersion: placement.kubernetes-fleet.io/v1beta1\nkind: ClusterResourcePlacementDisruptionBudget\nmetadata: {name: web, annotations: {gitfleet.dev/budget-scope: all}}\nspec: {minAvailable: 1}\n`,
    });
    await paper.settle();
    paper.files['resources/web.yaml'] = deployment('web', 'web', 'web:2');
    paper.record = new Map();
    paper.restart();
    const plan = await paper.plan();
    expect(moves(plan)).toEqual(['web a wait Bound 0']);
    delete paper.files['budget.yaml'];
    expect(moves(await paper.plan())).toEqual(['web a update Bound 1']);
  });

  it.each([
    ['the resources cannot be read', { 'resources/web.yaml': 'kind: [\n' }, 'resources/web.yaml'],
    ['another file cannot be read', { 'resources/other.yaml': 'kind: [\n' }, 'resources/other.yaml'],
    [
      'an override is not valid',
      { 'overrides/name.yaml': tellsItsCluster.replace('resourceSelectors', 'selectors') },
      'the file of ResourceOverride web/name',
    ],
  ])(
    'a record that is lost while %s moves nothing and removes nothing before that is fixed',
    async (_what, broken, named) => {
      const good = {
        ...files(),
        'placements/web.yaml': placement(
          'web',
          '{placementType: PickFixed, clusterNames: [a, b, c]}',
          '{type: RollingUpdate, rollingUpdate: {maxUnavailable: 3, maxSurge: 3}}',
        ),
        'overrides/name.yaml': tellsItsCluster,
      };
      const paper = new PaperFleet(good);
      await paper.settle();
      paper.down.add('b');
      good['resources/web.yaml'] = deployment('web', 'web', 'web:2');
      paper.files = { ...good };
      await paper.settle();
      paper.down.clear();
      const held = () => [...paper.members.values()].map((placements) => imageAndCluster(placements.get('web')));
      const before = ['web:2 on a', 'web:1 on b', 'web:2 on c'];
      expect(held()).toEqual(before);

      paper.record = new Map();
      paper.restart();
      paper.files = {
        ...good,
        'placements/web.yaml': good['placements/web.yaml'].replace('b, c', 'b, c, d'),
        ...broken,
      };
      const plan = await paper.settle();
      expect(held()).toEqual(before);
      expect(placementTargets(plan.targets).map(({ clusterName, digest }) => [clusterName, digest])).toEqual([
        ['a', undefined],
        ['b', undefined],
        ['c', undefined],
      ]);
      const [whole, ...each] = plan.holds.filter(({ reason }) => reason === 'RecordLost');
      expect(whole).toEqual({
        subject: { kind: 'ClusterResourcePlacement', name: 'web' },
        reason: 'RecordLost',
        message: `the record was lost, so it is unknown what web should be on a, b, c: nothing is changed there, and drift is not repaired, until ${named} is fixed`,
      });
      expect(each.at(-1)).toEqual({
        subject: { kind: 'ClusterResourcePlacement', name: 'web', clusterName: 'd' },
        reason: 'RecordLost',
        message: `d is added once ${named} is fixed: the record was lost, and with it the last good version of the objects in that file`,
      });

      paper.files = { ...good };
      await paper.settle();
      expect(held()).toEqual(['web:2 on a', 'web:2 on b', 'web:2 on c']);
    },
  );

  it('what members hold of a file that cannot be read is not given to another placement of the same namespace', async () => {
    const good = {
      ...files(),
      'placements/web.yaml': placement('web', '{placementType: PickFixed, clusterNames: [a, b]}'),
      'overrides/name.yaml': tellsItsCluster,
    };
    const paper = new PaperFleet(good);
    await paper.settle();
    paper.record = new Map();
    paper.restart();
    paper.files = {
      ...good,
      'resources/web.yaml': 'kind: [\n',
      'placements/copy.yaml': placement('copy', '{placementType: PickFixed, clusterNames: [c]}', undefined, 'web'),
    };
    const { holds } = await paper.settle();
    expect(paper.members.get('c')!.get('copy')?.objects).toEqual([]);
    expect(holds.filter(({ reason }) => reason === 'LastGoodVersion')).toEqual([]);
  });

  describe.each([
    ['cannot be read', 'kind: [\n', 'placements/web.yaml'],
    [
      'is not valid',
      placement('web', '{placementType: PickFixed, clusterNames: [a, b, c]}').replace('resourceSelectors', 'selectors'),
      'the file of web',
    ],
  ])('a record that is lost while the file of a placement %s', (_what, broken, named) => {
    const good = {
      ...files(),
      'placements/web.yaml': placement(
        'web',
        '{placementType: PickFixed, clusterNames: [a, b, c]}',
        '{type: RollingUpdate, rollingUpdate: {maxUnavailable: 1}}',
      ),
      'placements/other.yaml': placement('other', '{placementType: PickFixed, clusterNames: [a]}'),
      'resources/other.yaml': deployment('other', 'other', 'other:1'),
    };
    const images = (paper: PaperFleet) => imagesOn(paper, ['a', 'b', 'c']);
    const holdsOf = ({ holds }: Plan) =>
      holds.filter(({ reason, subject }) => reason === 'RecordLost' && subject.name === 'web');
    async function lost(): Promise<PaperFleet> {
      const paper = new PaperFleet(good);
      await paper.settle();
      paper.record = new Map();
      paper.restart();
      paper.files = { ...good, 'resources/web.yaml': deployment('web', 'web', 'web:2'), 'placements/web.yaml': broken };
      return paper;
    }

    it('changes nothing on its clusters, and reports that', async () => {
      const paper = await lost();
      const plan = await paper.settle();
      expect(images(paper)).toEqual(['web:1', 'web:1', 'web:1']);
      expect(placementTargets(plan.targets).filter(({ placement: { name } }) => name === 'web')).toEqual([]);
      expect(holdsOf(plan)).toEqual([
        {
          subject: { kind: 'ClusterResourcePlacement', name: 'web' },
          reason: 'RecordLost',
          message: `the record was lost while ${named} could not be read: objects of web on a, b, c are not changed until that file is fixed`,
        },
      ]);
    });

    it('rolls out within its budget once the file is fixed, as over any older version', async () => {
      const paper = await lost();
      await paper.settle();
      paper.files['placements/web.yaml'] = good['placements/web.yaml'];
      expect(await stepsOn(paper, ['a', 'b', 'c'])).toEqual([
        ['web:1', 'web:1', 'web:1'],
        ['web:2', 'web:1', 'web:1'],
        ['web:2', 'web:2', 'web:1'],
        ['web:2', 'web:2', 'web:2'],
      ]);
    });

    it('releases clusters that the fixed file does not list, and adds those that it lists again', async () => {
      const paper = await lost();
      await paper.settle();
      paper.files['placements/web.yaml'] = good['placements/web.yaml'].replace('[a, b, c]', '[c, d]');
      const plan = await paper.settle();
      expect(plan.placements[1]?.bindings.map(({ clusterName, state }) => `${clusterName} ${state}`)).toEqual([
        'c Bound',
        'd Bound',
      ]);
      expect([...paper.members].filter(([, held]) => held.has('web')).map(([name]) => name)).toEqual(['c', 'd']);
    });

    it('moves nothing where the fixed file lists no clusters', async () => {
      const paper = await lost();
      await paper.settle();
      paper.files['placements/web.yaml'] = good['placements/web.yaml'].replace(
        '{placementType: PickFixed, clusterNames: [a, b, c]}',
        '{placementType: PickN, numberOfClusters: 3}',
      );
      const plan = await paper.settle();
      expect(plan.placements[1]?.bindings.map(({ clusterName, state }) => `${clusterName} ${state}`)).toEqual([
        'a Bound',
        'b Bound',
        'c Bound',
      ]);
    });

    it('takes nothing away when the file goes without having been read: it may be of another fleet', async () => {
      const paper = await lost();
      await paper.settle();
      delete paper.files['placements/web.yaml'];
      const plan = await paper.settle();
      expect(images(paper)).toEqual(['web:1', 'web:1', 'web:1']);
      expect(holdsOf(plan)).toEqual([
        {
          subject: { kind: 'ClusterResourcePlacement', name: 'web' },
          reason: 'RecordLost',
          message:
            'the record is lost, the repo has no such placement, and a, b, c hold objects with its label: they are not changed. To remove them, add the placement again, then remove it',
        },
      ]);
    });
  });

  it('a run takes no snapshot while the record is lost and a file cannot be read', async () => {
    const paper = new PaperFleet({
      ...files(),
      'placements/web.yaml': placement('web', '{placementType: PickFixed, clusterNames: [a, b]}', '{type: External}'),
      'strategy.yaml': `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStagedUpdateStrategy\nmetadata: {name: all}\nspec: {stages: [{name: all, labelSelector: {}}]}\n`,
      'run.yaml': runOf('web-1'),
    });
    await paper.settle();
    paper.record = new Map();
    paper.restart();
    paper.files['resources/web.yaml'] = 'kind: [\n';
    await paper.settle();
    paper.files['run.yaml'] = runOf('web-2');
    const held = await paper.settle();
    expect(held.runs.map(({ status }) => status.conditions ?? [])).toEqual([[], []]);
    expect(held.holds.find(({ subject }) => subject.name === 'web-2')).toEqual({
      subject: { kind: 'ClusterStagedUpdateRun', name: 'web-2' },
      reason: 'RecordLost',
      message:
        'run web-2 takes its snapshot once resources/web.yaml is fixed: the record was lost, and with it the last good version of the objects in that file',
    });
    paper.files['resources/web.yaml'] = deployment('web', 'web', 'web:2');
    await paper.settle();
    expect([...paper.members.values()].map((placements) => imageAndCluster(placements.get('web')))).toEqual([
      'web:2 on undefined',
      'web:2 on undefined',
    ]);
  });

  it('a run does not roll back to a snapshot that was lost with the record', async () => {
    const paper = new PaperFleet({
      ...files(),
      'placements/web.yaml': placement('web', '{placementType: PickFixed, clusterNames: [a, b]}', '{type: External}'),
      'overrides/name.yaml': tellsItsCluster,
      'strategy.yaml': `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStagedUpdateStrategy\nmetadata: {name: all}\nspec: {stages: [{name: all, labelSelector: {}}]}\n`,
      'run.yaml': runOf('web-1'),
    });
    await paper.settle();
    paper.record = new Map();
    paper.restart();
    paper.files['run.yaml'] = runOf('web-2', '0');
    const { holds } = await paper.plan();
    expect(holds.find(({ subject }) => subject.name === 'web-2')?.message).toBe(
      'the record was lost, so web-2 may have run before, and snapshot 0 may be gone or another one now: to run it, write an index that gitfleet get snapshots shows with a commit into its file, or leave the index out, which rolls out what the repo holds',
    );
    paper.deliver();
    expect(paper.last?.plan.holds.map(({ reason, subject }) => `${reason} ${subject.kind} ${subject.name}`)).toEqual([
      'RecordLost ClusterResourcePlacement web',
      'RecordLost ClusterStagedUpdateRun web-2',
    ]);
    paper.files['run.yaml'] = runOf('web-3', '0');
    const plan = await paper.plan();
    expect(plan.runs[0]?.status.conditions?.[0]).toMatchObject({
      type: 'Initialized',
      status: 'False',
      message: expect.stringContaining(
        'no resource snapshot with index 0 found: the record was lost; recorded: 1, 2; the next free index is 3',
      ),
    });
  });

  it('an index that an update run names is given to no other snapshot after the record was lost', async () => {
    const paper = new PaperFleet({
      ...files(),
      'placements/web.yaml': placement('web', '{placementType: PickFixed, clusterNames: [a, b]}', '{type: External}'),
      'strategy.yaml': `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStagedUpdateStrategy\nmetadata: {name: all}\nspec: {stages: [{name: all, labelSelector: {}}]}\n`,
    });
    for (const version of ['1', '2', '3']) {
      paper.files['resources/web.yaml'] = deployment('web', 'web', `web:${version}`);
      paper.files['run.yaml'] = runOf(`web-${version}`);
      await paper.settle();
    }
    paper.files['run.yaml'] = runOf('back-to-2', '1');
    await paper.settle();
    expect(imagesOn(paper, ['a', 'b'])).toEqual(['web:2', 'web:2']);

    paper.record = new Map();
    paper.restart();
    await paper.settle();
    paper.files['run.yaml'] = runOf('web-4');
    await paper.settle();
    expect(imagesOn(paper, ['a', 'b'])).toEqual(['web:3', 'web:3']);
    // Index 1 was web:2. It would have been the first new one, with web:3.
    paper.files['run.yaml'] = runOf('back-to-2-again', '1');
    await paper.settle();
    expect(imagesOn(paper, ['a', 'b'])).toEqual(['web:3', 'web:3']);
    expect(paper.last?.plan.placements[0]?.resourceSnapshotIndex).toBe(3);
  });

  it('a cluster that a PickFixed list does not name is released when the record is lost, although it shows the placement', async () => {
    const listed = (...clusters: string[]) =>
      placement('web', `{placementType: PickFixed, clusterNames: [${clusters.join(', ')}]}`);
    const paper = new PaperFleet({ ...files(), 'placements/web.yaml': listed('a', 'b', 'c') });
    await paper.settle();
    paper.record = new Map();
    paper.restart();
    paper.files['placements/web.yaml'] = listed('a', 'b');
    const plan = await paper.settle();
    expect(plan.placements[0]?.bindings.map(({ clusterName, state }) => `${clusterName} ${state}`)).toEqual([
      'a Bound',
      'b Bound',
    ]);
    expect([...paper.members].filter(([, held]) => held.size > 0).map(([name]) => name)).toEqual(['a', 'b']);
  });

  it('objects of a placement that the repo does not have are left alone when the record is lost', async () => {
    const paper = await settled();
    paper.record = new Map();
    delete paper.files['placements/web.yaml'];
    paper.files['placements/api.yaml'] = placement(
      'api',
      '{placementType: PickFixed, clusterNames: [a]}',
      '{type: RollingUpdate}',
      'web',
    );
    const plan = await paper.plan();
    expect(placementTargets(plan.targets).some(({ remove }) => remove)).toBe(false);
    expect(plan.holds.filter(({ reason }) => reason === 'RecordLost').map(({ subject }) => subject.name)).toEqual([
      'web',
    ]);
  });

  it('a file of it that someone broke is a problem, and is written again', async () => {
    const paper = await settled();
    const before = paper.record;
    paper.record = new Map([...before, ['clusters/a.yaml', 'kind: [']]);
    const plan = await paper.plan({ damaged: true });
    expect(plan.problems.map(({ code }) => code)).toEqual(['record-unreadable']);
    expect(paper.record.get('clusters/a.yaml')).toBe(before.get('clusters/a.yaml'));
  });
});
