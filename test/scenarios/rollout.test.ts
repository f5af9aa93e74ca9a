import { describe, expect, it } from 'vitest';
import { placementKey } from '../../src/api/placement.ts';
import { targetContent } from '../../src/engine/delivery/target-content.ts';
import { placementTargets } from '../../src/engine/target-kinds.ts';
import { readRecord } from '../../src/repo/record/read.ts';
import { deployment, member, moves, PaperFleet, placement } from '../support/paper-fleet.ts';
import { disruptionBudget, eviction, frozen } from './texts.ts';

const members = {
  'clusters/a.yaml': member('a', { env: 'dev' }),
  'clusters/b.yaml': member('b', { env: 'prod' }),
  'clusters/c.yaml': member('c', { env: 'prod' }),
};

describe('a rolling update', () => {
  const fleet = () =>
    new PaperFleet({
      ...members,
      'placements/web.yaml': placement(
        'web',
        '{placementType: PickAll}',
        '{type: RollingUpdate, rollingUpdate: {maxUnavailable: 1, maxSurge: 1}}',
      ),
      'resources/web.yaml': deployment('web', 'web', 'web:1'),
    });

  it('installs no more clusters at once than the surge allows', async () => {
    const paper = fleet();
    expect(moves(await paper.plan())).toEqual(['web a add Bound 0', 'web b add Bound 0', 'web c add Bound 0']);
  });

  it('updates one cluster at a time, in the order of their names', async () => {
    const paper = fleet();
    await paper.settle();
    paper.files['resources/web.yaml'] = deployment('web', 'web', 'web:2');
    expect(moves(await paper.plan())).toEqual(['web a update Bound 1', 'web b wait Bound 0', 'web c wait Bound 0']);
    expect(moves(await paper.plan())).toEqual(['web a keep Bound 1', 'web b wait Bound 0', 'web c wait Bound 0']);
    paper.deliver();
    expect(moves(await paper.plan())).toEqual(['web a keep Bound 1', 'web b update Bound 1', 'web c wait Bound 0']);
    paper.deliver();
    const done = await paper.settle();
    expect(moves(done)).toEqual(['web a keep Bound 1', 'web b keep Bound 1', 'web c keep Bound 1']);
    expect(done.placements[0]?.conditions.map(({ type, status }) => `${type}=${status}`)).toEqual([
      'ClusterResourcePlacementScheduled=True',
      'ClusterResourcePlacementRolloutStarted=True',
      'ClusterResourcePlacementOverridden=True',
      'ClusterResourcePlacementWorkSynchronized=True',
      'ClusterResourcePlacementApplied=True',
      'ClusterResourcePlacementAvailable=True',
    ]);
  });

  it('stops at a cluster that does not become available, and a newer version overtakes it', async () => {
    const paper = fleet();
    await paper.settle();
    paper.broken.add('a/Deployment/web');
    paper.files['resources/web.yaml'] = deployment('web', 'web', 'web:2');
    await paper.settle();
    expect(moves(await paper.plan())).toEqual(['web a keep Bound 1', 'web b wait Bound 0', 'web c wait Bound 0']);
    paper.broken.clear();
    paper.files['resources/web.yaml'] = deployment('web', 'web', 'web:3');
    expect(moves(await paper.plan())).toEqual(['web a update Bound 2', 'web b wait Bound 0', 'web c wait Bound 0']);
    expect(moves(await paper.settle())).toEqual(['web a keep Bound 2', 'web b keep Bound 2', 'web c keep Bound 2']);
  });

  it('waits while the file of its disruption budget cannot be read: it may bind rollouts too', async () => {
    const paper = fleet();
    await paper.settle();
    paper.files['budget.yaml'] = disruptionBudget('web', '{minAvailable: [1]}');
    paper.files['resources/web.yaml'] = deployment('web', 'web', 'web:2');
    const plan = await paper.plan();
    expect(moves(plan)).toEqual(['web a wait Bound 0', 'web b wait Bound 0', 'web c wait Bound 0']);
    expect(plan.holds[0]?.message).toBe(
      'a is updated once the disruption budget allows it (its file is not valid: the budget blocks until it is fixed)',
    );
    paper.files['budget.yaml'] = disruptionBudget('web', '{minAvailable: 3}');
    expect(moves(await paper.plan())).toEqual(['web a update Bound 1', 'web b wait Bound 0', 'web c wait Bound 0']);
  });

  it.each([
    ['a file that is gone', undefined],
    ['a deletionTimestamp', member('a').replace('labels:', 'deletionTimestamp: 2026-11-20T10:00:00Z\n  labels:')],
  ])(
    'lets go at once of a cluster that leaves by %s, whatever the budget: nothing is removed there',
    async (_, file) => {
      const paper = fleet();
      paper.files['placements/web.yaml'] = placement(
        'web',
        '{placementType: PickAll}',
        '{rollingUpdate: {maxUnavailable: 0}}',
      );
      for (const cluster of ['a', 'b', 'c']) paper.broken.add(`${cluster}/Deployment/web`);
      await paper.settle();
      if (file === undefined) delete paper.files['clusters/a.yaml'];
      else paper.files['clusters/a.yaml'] = file;
      const plan = await paper.plan();
      expect(moves(plan)).toEqual(['web b keep Bound 0', 'web c keep Bound 0']);
      expect(plan.holds).toEqual([]);
      expect(plan.targets.map(({ clusterName }) => clusterName)).toEqual(['b', 'c']);
    },
  );

  it('leaves what an unreachable member has, and continues when it comes back', async () => {
    const paper = fleet();
    await paper.settle();
    paper.down.add('a');
    paper.files['resources/web.yaml'] = deployment('web', 'web', 'web:2');
    await paper.settle();
    expect(paper.members.get('a')?.get('web')?.index).toBe(0);
    paper.down.delete('a');
    await paper.settle();
    expect([...paper.members.values()].map((held) => held.get('web')?.index)).toEqual([1, 1, 1]);
  });
});

describe('an override that names no placement', () => {
  const override = (value: string, only = '') =>
    `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterResourceOverride\nmetadata: {name: note}\nspec:\n  clusterResourceSelectors: [{group: "", version: v1, kind: Namespace, name: web}]\n  policy: {overrideRules: [{clusterSelector: {clusterSelectorTerms: [${only}]}, jsonPatchOverrides: [{op: add, path: /metadata/annotations, value: {note: ${value}}}]}]}\n`;
  const onlyProd = '{labelSelector: {matchLabels: {env: prod}}}';
  const resting = ['web a keep Bound 0', 'web b keep Bound 0', 'web c keep Bound 0'];
  const carried = (paper: PaperFleet) => {
    const [state] = [...paper.record].filter(([path]) => path === 'placements/web/state.yaml');
    return [...state![1].matchAll(/note-\d/g)].map(([id]) => id);
  };
  const fleet = async () => {
    const paper = new PaperFleet({
      ...members,
      'placements/web.yaml': placement('web', '{placementType: PickAll}', '{rollingUpdate: {maxUnavailable: 100%}}'),
      'resources/web.yaml': deployment('web', 'web', 'web:1'),
    });
    await paper.settle();
    return paper;
  };

  it('starts no rollout, new or edited, and is included in the next', async () => {
    const paper = await fleet();
    for (const value of ['one', 'two']) {
      paper.files['overrides/note.yaml'] = override(value);
      expect(moves(await paper.settle())).toEqual(resting);
      expect(carried(paper)).toEqual([]);
    }
    paper.files['resources/web.yaml'] = deployment('web', 'web', 'web:2');
    await paper.settle();
    // Of the snapshot, and of each binding.
    expect(carried(paper)).toEqual(['note-1', 'note-1', 'note-1', 'note-1']);
    paper.files['overrides/note.yaml'] = override('three');
    await paper.settle();
    expect(carried(paper)).toEqual(['note-1', 'note-1', 'note-1', 'note-1']);
  });

  /** Overrides that the record says were last used with the latest snapshot. */
  const used = (paper: PaperFleet): readonly string[] => {
    const { record } = readRecord(paper.record);
    return (
      record.placements.get(placementKey({ name: 'web' }))!.state.resourceSnapshots.find(({ latest }) => latest)!
        .overrides ?? []
    );
  };
  const all = '{placementType: PickAll}';
  const version = { 'resources/web.yaml': deployment('web', 'web', 'web:2') };
  const rolling = (more: string) => ({
    'placements/web.yaml': placement('web', all, `{rollingUpdate: {maxUnavailable: 100%}, ${more}}`),
  });
  const onlyProdPicked =
    '{placementType: PickAll, affinity: {clusterAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {clusterSelectorTerms: [{labelSelector: {matchLabels: {env: prod}}}]}}}}';
  const drained = {
    'clusters/a.yaml': member('a', { env: 'dev' }, 'taints: [{key: out, effect: NoSchedule}]'),
    'evict.yaml': eviction('e', 'web', 'a'),
  };
  const freezing = {
    'fleet.yaml': frozen,
  };
  it.each<[string, Record<string, string>, string[]]>([
    ['nothing else happens', {}, []],
    ['how to apply changes', rolling('applyStrategy: {whenToApply: IfNotDrifted}'), []],
    ['a cluster is drained', drained, []],
    [
      'a version waits for its budget',
      { ...version, 'placements/web.yaml': placement('web', all, '{rollingUpdate: {maxUnavailable: 0}}') },
      [],
    ],
    ['a version waits for the end of a freeze', { ...version, ...freezing }, []],
    ['a version comes to a cluster', version, ['note-0']],
    [
      'a version comes to one cluster and waits for others',
      { ...version, 'placements/web.yaml': placement('web', all, '{rollingUpdate: {maxUnavailable: 1}}') },
      ['note-0'],
    ],
    ['a cluster joins', { 'clusters/d.yaml': member('d', { env: 'prod' }) }, ['note-0']],
    [
      'a cluster is not picked any more',
      {
        'placements/web.yaml': placement('web', onlyProdPicked, '{rollingUpdate: {maxUnavailable: 100%}}'),
      },
      ['note-0'],
    ],
  ])('is recorded as used with a snapshot only when something rolls out: %s', async (_, files, expected) => {
    const paper = await fleet();
    Object.assign(paper.files, { 'overrides/note.yaml': override('one') }, files);
    await paper.plan();
    expect(used(paper)).toEqual(expected);
    await paper.settle();
    expect(used(paper)).toEqual(expected);
  });

  it('rolls out at once to a cluster whose labels start to match, where it is in use already', async () => {
    const paper = await fleet();
    paper.files['overrides/note.yaml'] = override('one', onlyProd);
    paper.files['resources/web.yaml'] = deployment('web', 'web', 'web:2');
    await paper.settle();
    paper.files['clusters/a.yaml'] = member('a', { env: 'prod' });
    expect(moves(await paper.plan())).toEqual(['web a update Bound 1', 'web b keep Bound 1', 'web c keep Bound 1']);
  });
});

describe('removal', () => {
  describe('of an object that the repo dropped', () => {
    const configMap = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: old, namespace: web}\ndata: {a: b}\n';
    const fleet = () =>
      new PaperFleet({
        ...members,
        'placements/web.yaml': `${placement('web', '{placementType: PickAll}', '{rollingUpdate: {maxUnavailable: 100%}}')}  revisionHistoryLimit: 1\n`,
        'resources/web.yaml': deployment('web', 'web', 'web:1'),
        'resources/old.yaml': configMap,
      });
    const version = async (paper: PaperFleet, number: number) => {
      paper.files['resources/web.yaml'] = deployment('web', 'web', `web:${number}`);
      return paper.settle();
    };
    const snapshots = (paper: PaperFleet) =>
      [...paper.record.keys()].filter((path) => path.includes('/snapshots/')).map((path) => path.split('/').at(-1));
    const prunable = (paper: PaperFleet, cluster: string) => {
      const { plan, contents } = paper.last!;
      const target = placementTargets(plan.targets).find(({ clusterName }) => clusterName === cluster)!;
      return targetContent(contents, target)!.prunable.map(({ kind, name }) => `${kind} ${name}`);
    };

    it('is not forgotten while a member that may hold it is away, however many versions pass', async () => {
      const paper = fleet();
      await paper.settle();
      paper.down.add('a');
      delete paper.files['resources/old.yaml'];
      for (const number of [2, 3, 4, 5]) await version(paper, number);
      expect(snapshots(paper)).toEqual(['0.yaml', '3.yaml', '4.yaml']);
      paper.down.delete('a');
      await paper.plan();
      expect(prunable(paper, 'a')).toEqual(['Namespace web', 'ConfigMap old', 'Deployment web']);
    });

    it('is not forgotten while a member still shows it', async () => {
      const paper = fleet();
      await paper.settle();
      const [held] = paper.members
        .get('a')!
        .get('web')!
        .objects.filter(({ kind }) => kind === 'ConfigMap');
      delete paper.files['resources/old.yaml'];
      for (const number of [2, 3, 4]) {
        await version(paper, number);
        const web = paper.members.get('a')!.get('web')!;
        paper.members.get('a')!.set('web', { ...web, objects: [...web.objects, held!] });
      }
      await version(paper, 5);
      expect(prunable(paper, 'a')).toContain('ConfigMap old');
    });

    it('is forgotten once no member holds it', async () => {
      const paper = fleet();
      await paper.settle();
      paper.down.add('a');
      delete paper.files['resources/old.yaml'];
      await version(paper, 2);
      paper.down.delete('a');
      for (const number of [3, 4, 5]) await version(paper, number);
      expect(snapshots(paper)).toEqual(['3.yaml', '4.yaml']);
      expect(prunable(paper, 'a')).toEqual(['Namespace web', 'Deployment web']);
    });
  });

  it('a removed placement goes from its members, and its record when they are clean', async () => {
    const paper = new PaperFleet({
      ...members,
      'placements/web.yaml': placement('web', '{placementType: PickAll}'),
      'placements/api.yaml': placement('api', '{placementType: PickFixed, clusterNames: [a]}'),
      'resources/web.yaml': deployment('web', 'web', 'web:1'),
      'resources/api.yaml': deployment('api', 'api', 'api:1'),
    });
    await paper.settle();
    delete paper.files['placements/web.yaml'];
    const plan = await paper.plan();
    expect(
      placementTargets(plan.targets)
        .filter(({ remove }) => remove)
        .map(({ clusterName }) => clusterName),
    ).toEqual(['a', 'b', 'c']);
    await paper.settle();
    expect([...paper.members.values()].map((held) => [...held.keys()])).toEqual([['api'], [], []]);
    expect([...paper.record.keys()].filter((path) => path.startsWith('placements/web'))).toEqual([]);
  });

  it('an emptied repo is refused and removes nothing', async () => {
    const paper = new PaperFleet({
      ...members,
      'placements/web.yaml': placement('web', '{placementType: PickAll}'),
      'resources/web.yaml': deployment('web', 'web', 'web:1'),
    });
    await paper.settle();
    paper.files = {};
    await paper.plan({ refused: true });
  });

  it('a broken file holds its placement at the last good version', async () => {
    const paper = new PaperFleet({
      ...members,
      'placements/web.yaml': placement('web', '{placementType: PickAll}'),
      'resources/web.yaml': deployment('web', 'web', 'web:1'),
    });
    await paper.settle();
    paper.files['placements/web.yaml'] += '  strategy: {type: [}\n';
    const plan = await paper.plan();
    expect(moves(plan)).toEqual(['web a keep Bound 0', 'web b keep Bound 0', 'web c keep Bound 0']);
    expect(plan.holds.map(({ reason, subject }) => `${reason} ${subject.name}`)).toEqual(['LastGoodVersion web']);
    expect(
      plan.problems.some(
        ({ severity, file, line }) => severity === 'error' && file === 'placements/web.yaml' && (line ?? 0) > 1,
      ),
    ).toBe(true);
  });

  it('a broken manifest keeps its last good version while the rest continues', async () => {
    const paper = new PaperFleet({
      ...members,
      'placements/web.yaml': placement('web', '{placementType: PickAll}'),
      'resources/web.yaml': deployment('web', 'web', 'web:1'),
      'resources/extra.yaml':
        'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: extra\n  namespace: web\ndata: {a: "1"}\n',
    });
    await paper.settle();
    paper.files['resources/extra.yaml'] =
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: extra\n  namespace: web\ndata: {a: "1"\n';
    paper.files['resources/web.yaml'] = deployment('web', 'web', 'web:2');
    await paper.settle();
    expect(
      paper.members
        .get('a')
        ?.get('web')
        ?.objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
    ).toEqual(['Namespace web', 'ConfigMap extra', 'Deployment web']);
  });
});

describe('a staged run', () => {
  const strategy = `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterStagedUpdateStrategy
metadata: {name: careful}
spec:
  stages:
    - {name: dev, labelSelector: {matchLabels: {env: dev}}, afterStageTasks: [{type: TimedWait, waitTime: 1m}, {type: Approval}]}
    - {name: prod, labelSelector: {matchLabels: {env: prod}}}
`;
  const run = `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterStagedUpdateRun
metadata: {name: web-1}
spec: {placementName: web, stagedRolloutStrategyName: careful}
`;
  const fleet = () =>
    new PaperFleet({
      ...members,
      'placements/web.yaml': placement('web', '{placementType: PickAll}', '{type: External}'),
      'rollouts/careful.yaml': strategy,
      'rollouts/run.yaml': run,
      'resources/web.yaml': deployment('web', 'web', 'web:1'),
    });

  it('soaks, requests approval, waits until the answer is merged, and continues stage by stage', async () => {
    const paper = fleet();
    expect(moves(await paper.plan())).toEqual(['web a add Bound 0', 'web b wait Scheduled', 'web c wait Scheduled']);
    paper.deliver();
    const soaking = await paper.settle();
    expect(soaking.holds.map(({ reason }) => reason).sort()).toEqual(['WaitingForApproval', 'WaitingForTime']);
    expect(soaking.wakeAt).toBeDefined();
    paper.pass(3600);
    const asking = await paper.settle();
    expect(asking.holds.map(({ reason }) => reason)).toEqual(['WaitingForApproval']);
    const [request] = asking.approvals;
    expect(request?.planned).toMatchObject({
      name: 'web-1-after-dev',
      spec: { parentStageRollout: 'web-1', targetStage: 'dev' },
    });
    paper.files['approvals/web.yaml'] =
      `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterApprovalRequest\nmetadata: {name: web-1-after-dev, annotations: {gitfleet.dev/review: "${request!.planned.reviewDigest}"}}\nspec: {parentStageRollout: web-1, targetStage: dev}\nstatus: {conditions: [{type: Approved, status: "True", reason: Approved}]}\n`;
    expect(moves(await paper.plan())).toEqual(['web a keep Bound 0', 'web b add Bound 0', 'web c wait Scheduled']);
    const done = await paper.settle();
    expect(moves(done)).toEqual(['web a keep Bound 0', 'web b keep Bound 0', 'web c keep Bound 0']);
    expect(done.runs[0]?.status.conditions?.map(({ type, status, reason }) => `${type}=${status} ${reason}`)).toEqual([
      'Initialized=True UpdateRunInitializedSuccessfully',
      'Progressing=False UpdateRunSucceeded',
      'Succeeded=True UpdateRunSucceeded',
    ]);
  });
});
