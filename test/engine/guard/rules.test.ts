import { describe, expect, it } from 'vitest';
import type { Eviction } from '../../../src/api/eviction.ts';
import type { Condition, Manifest } from '../../../src/api/meta.ts';
import type { ClusterObservation } from '../../../src/api/observation.ts';
import type { OverrideSnapshot } from '../../../src/api/override.ts';
import type { Binding } from '../../../src/api/placement-state.ts';
import type { StagedUpdateRun, UpdateRunStatus } from '../../../src/api/staged.ts';
import type { PlannedRun } from '../../../src/engine/plan-document.ts';
import { sighting } from '../sighting.ts';
import { answer, at, bound, cluster, placementOf, Rollout, runOf, stage, strategyOf, workOf } from '../staged/world.ts';
import {
  healthy,
  inputOf,
  member,
  named,
  objects,
  on,
  planned,
  planOf,
  remembered,
  rolling,
  rules,
  target,
} from './world.ts';

const members = (...names: string[]) => names.map((name) => member(name));

describe('targets and removals', () => {
  it('one target per cluster and placement', () => {
    expect(rules(inputOf({}), planOf({ targets: [target('a'), target('b'), target('a', 'other')] }))).toEqual([]);
    expect(rules(inputOf({}), planOf({ targets: [target('a'), target('a')] }))).toEqual(['duplicate-target']);
  });
  it('nothing is removed from where nothing was recorded or seen', () => {
    const input = inputOf({ fleet: { members: members('a'), placements: [rolling()] } });
    const plan = planOf({ placements: { web: [planned('a', 0, 'remove')] } });
    expect(rules(input, plan)).toEqual(['removal-without-binding']);
    const seen = { placement: { kind: 'ClusterResourcePlacement' as const, name: 'web' }, done: true, results: [] };
    const observation = sighting({ placements: [seen] });
    expect(rules({ ...input, observations: new Map([['a', observation]]) }, plan)).toEqual([]);
  });
  describe('a removal under way', () => {
    const namespace = (version = 'v1'): Manifest => ({
      apiVersion: `example.com/${version}`,
      kind: 'Thing',
      metadata: { name: 'it', labels: { 'gitfleet.dev/placement': 'web' } },
    });
    const anothers = {
      ...objects(1)[0]!,
      metadata: { ...objects(1)[0]!.metadata, labels: { 'gitfleet.dev/placement': 'x' } },
    };
    const ref = (name: string) => ({ apiVersion: 'example.com/v2', kind: 'Thing', name });
    const again = { placements: { web: [planned('a', 0, 'add')] } };
    const asking = (name: string) => ({ ...again, targets: [target('a', 'web', { objects: [ref(name)] })] });
    const removing = {
      placements: { web: [planned('a', 0, 'remove')] },
      targets: [target('a', 'web', { remove: true })],
    };
    const going = on('a', 0, { deleting: true });
    const neverGiven: Binding = { targetCluster: 'a', state: 'Scheduled', deleting: true };
    it.each<[string, Parameters<typeof planOf>[0], Partial<ClusterObservation> | undefined, boolean, Binding?]>([
      ['goes on while anything is there', removing, { objects: [namespace()] }, true],
      ['goes on while nobody knows', removing, { reachable: false }, true],
      ['is over where nothing of it is there', again, { objects: [anothers] }, true],
      ['is not over while something is', again, { objects: [anothers, namespace()] }, false],
      [
        'is over where what is left is asked for again, in whatever version',
        asking('it'),
        { objects: [namespace()] },
        true,
      ],
      ['is not over where something else is asked for', asking('other'), { objects: [namespace()] }, false],
      [
        'is not over where a removal lists what is left',
        { targets: [target('a', 'web', { remove: true, objects: [ref('it')] })], ...again },
        { objects: [namespace()] },
        false,
      ],
      ['is not over without a whole look', again, { complete: false }, false],
      ['is not over without an answer', again, { reachable: false }, false],
      ['is not over without any look', again, undefined, false],
      ['of what was never given is over without an answer', again, { reachable: false }, true, neverGiven],
      [
        'of what was never given is not over while something is there',
        again,
        { objects: [namespace()] },
        false,
        neverGiven,
      ],
    ])('%s', (_, plan, look, passes, binding = going) => {
      const input = inputOf({
        fleet: { members: members('a'), placements: [rolling()] },
        placements: [remembered(rolling(), [binding], { 0: objects(1) })],
        observations: look && new Map([['a', sighting(look)]]),
      });
      expect(rules(input, planOf(plan))).toEqual(passes ? [] : ['removal-forgotten']);
      const left = inputOf({ ...input, fleet: { members: [member('a', true)], placements: [rolling()] } });
      expect(rules(left, planOf({ ...plan, targets: [] }))).not.toContain('removal-forgotten');
    });
  });
  it('an eviction may speak of a cluster that is picked in the same plan', () => {
    const evict = (placementName: string, clusterName: string): Eviction => ({
      apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
      kind: 'ClusterResourcePlacementEviction',
      metadata: { name: 'e' },
      spec: { placementName, clusterName },
    });
    const plan = planOf({ placements: { web: [planned('a', 0, 'remove')] } });
    const found = (eviction: Eviction, recorded = new Map<string, Eviction>()) =>
      rules(
        inputOf({
          fleet: { members: members('a'), placements: [rolling()], evictions: [eviction] },
          record: { evictions: recorded },
        }),
        plan,
      );
    expect(found(evict('web', 'a'))).toEqual([]);
    expect(found(evict('web', 'b'))).toEqual(['removal-without-binding']);
    const executed = { conditions: [{ type: 'Executed', status: 'True' as const, reason: 'x' }] };
    const before = new Map([['e', { ...evict('web', 'a'), status: executed }]]);
    expect(found(evict('web', 'a'), before)).toEqual(['removal-without-binding']);
    expect(found(evict('other', 'a'))).toEqual(['removal-without-binding']);
  });
  it('a repo that cannot be read in full removes nothing', () => {
    const record = [remembered(rolling(), [on('a')], { 0: objects(1) })];
    const gone = planOf({ targets: [target('a', 'web', { remove: true })] });
    const fleet = { members: members('a'), placements: [named('other')] };
    expect(
      rules(inputOf({ fleet: { ...fleet, unreadable: ['placements/web.yaml'] }, placements: record }), gone),
    ).toEqual(['unreadable-repo']);
    expect(
      rules(
        inputOf({
          fleet: { ...fleet, refused: [{ apiVersion: '', kind: 'ClusterResourcePlacement', name: 'web' }] },
          placements: record,
        }),
        gone,
      ),
    ).toEqual(['unreadable-repo']);
    expect(rules(inputOf({ fleet, placements: record }), gone)).toEqual([]);
  });
  it('a member whose file cannot be read does not leave', () => {
    const input = inputOf({
      fleet: { members: members('z'), placements: [rolling()], unreadable: ['clusters/a.yaml'] },
      placements: [remembered(rolling(), [on('a')], { 0: objects(1) })],
    });
    expect(rules(input, planOf({ placements: { web: [] } }))).toContain('unreadable-repo');
  });
});

describe('versions', () => {
  const record = (index: number) => [remembered(rolling(), [on('a', index)], { 0: objects(1), 1: objects(1) })];
  it('RollingUpdate puts no older snapshot back', () => {
    const fleet = { members: members('a'), placements: [rolling()] };
    expect(
      rules(inputOf({ fleet, placements: record(1) }), planOf({ placements: { web: [planned('a', 0, 'update')] } })),
    ).toEqual(['older-snapshot']);
    expect(
      rules(inputOf({ fleet, placements: record(0) }), planOf({ placements: { web: [planned('a', 1, 'update')] } })),
    ).toEqual([]);
  });
  it('of two bindings on one cluster, in whatever order, none has gone back', () => {
    const other = { clusterResourceOverrideSnapshots: ['by-zone-0'] };
    const two = [on('a', 1), on('a', 0, { state: 'Unscheduled', previousState: 'Bound', ...other })];
    const fleet = { members: members('a'), placements: [rolling()] };
    const after = [planned('a', 1, 'keep'), planned('a', 0, 'wait', { state: 'Unscheduled' })];
    for (const before of [two, two.toReversed()])
      for (const bindings of [after, after.toReversed()]) {
        const placements = [remembered(rolling(), before, { 0: objects(1), 1: objects(1) })];
        expect(rules(inputOf({ fleet, placements }), planOf({ placements: { web: bindings } }))).toEqual([]);
      }
  });
  it('an External placement moves by a run alone', () => {
    const input = inputOf({ fleet: { members: members('a'), placements: [placementOf()] }, placements: record(0) });
    expect(rules(input, planOf({ placements: { web: [planned('a', 1, 'update')] } }))).toEqual(['moved-without-run']);
    const started: UpdateRunStatus = {
      resourceSnapshotIndexUsed: '1',
      stagesStatus: [
        {
          stageName: 's',
          clusters: [{ clusterName: 'a', conditions: [{ type: 'Started', status: 'True', reason: 'x' }] }],
        },
      ],
    };
    const run: PlannedRun = { kind: 'ClusterStagedUpdateRun', name: 'web-1', status: started };
    const withRun = { ...input, fleet: { ...input.fleet, runs: [runOf()] } };
    expect(rules(withRun, planOf({ placements: { web: [planned('a', 1, 'update')] }, runs: [run] }))).toEqual([]);
    expect(
      rules(
        withRun,
        planOf({
          placements: { web: [planned('a', 1, 'update')] },
          runs: [{ ...run, status: { ...started, resourceSnapshotIndexUsed: '0' } }],
        }),
      ),
    ).toEqual(['moved-without-run']);
  });
});

describe('budgets of rolling updates', () => {
  const names = ['a', 'b', 'c', 'd'];
  const sick: Condition[] = [{ type: 'Applied', status: 'False', reason: 'NotAllWorkHaveBeenApplied' }];
  const roll = (
    maxUnavailable: number | string,
    moves: string,
    states = 'hhhh',
    more: Parameters<typeof planOf>[0] = {},
  ) => {
    const conditions = (place: number) => (states[place] === 'h' ? healthy : sick);
    const input = inputOf({
      fleet: { members: members(...names), placements: [rolling(maxUnavailable)] },
      placements: [
        remembered(
          rolling(maxUnavailable),
          names.map((name, place) => on(name, 0, { conditions: conditions(place) })),
          { 0: objects(1), 1: objects(1) },
        ),
      ],
    });
    const bindings = names.map((name, place) =>
      moves[place] === 'u'
        ? planned(name, 1, 'update')
        : moves[place] === 'r'
          ? planned(name, 0, 'remove', { state: 'Unscheduled' })
          : moves[place] === 'R'
            ? planned(name, 0, 'remove')
            : planned(name, 0, 'wait', { conditions: conditions(place) }),
    );
    return rules(input, planOf({ placements: { web: bindings }, ...more }));
  };
  it.each<[string, number | string, string, string, boolean]>([
    ['one of four at 25%', '25%', 'u...', 'hhhh', false],
    ['two of four at 25%', '25%', 'uu..', 'hhhh', true],
    ['percentages round up: two of four at 26%', '26%', 'uu..', 'hhhh', false],
    ['none at 0', 0, 'u...', 'hhhh', true],
    ['a sick cluster may always move', 0, 'u...', 'shhh', false],
    ['a sick cluster uses up the room of a healthy one', 1, '.u..', 'shhh', true],
    ['a sick and a healthy one together', 1, 'uu..', 'shhh', true],
    ['all of four at 100%', '100%', 'uuuu', 'hhhh', false],
    ['a removal counts like an update', 0, 'ur..', 'hhhh', true],
    ['what is no longer wanted may go', 0, 'r...', 'hhhh', false],
  ])('%s', (_, maxUnavailable, moves, states, broken) => {
    expect(roll(maxUnavailable, moves, states).includes('budget-broken')).toBe(broken);
  });
  it('what was said of a binding before it changed does not make it healthy', () => {
    const broken = (bindingAt: number, saidOf: number) => {
      const conditions = healthy.map((condition) => ({ ...condition, observedGeneration: saidOf }));
      const fleet = { members: members('a'), placements: [rolling(0)] };
      const binding = on('a', 0, { conditions, observedGeneration: bindingAt });
      const placements = [remembered(rolling(0), [binding], { 0: objects(1), 1: objects(1) })];
      return rules(inputOf({ fleet, placements }), planOf({ placements: { web: [planned('a', 1, 'update')] } }));
    };
    expect([broken(1, 1), broken(2, 1)]).toEqual([['budget-broken'], []]);
  });
  it('an eviction has a budget of its own', () => {
    const evicted = {
      name: 'e',
      placementName: 'web',
      clusterName: 'a',
      status: { conditions: [{ type: 'Executed', status: 'True' as const, reason: 'x' }] },
    };
    expect(roll(0, 'R...', 'hhhh', { evictions: [evicted] })).not.toContain('budget-broken');
    expect(roll(0, 'R...')).toContain('budget-broken');
  });
  it('a re-apply of the same version is no move', () => {
    const input = inputOf({
      fleet: { members: members('a'), placements: [rolling(0)] },
      placements: [remembered(rolling(0), [on('a')], { 0: objects(1) })],
    });
    expect(rules(input, planOf({ placements: { web: [planned('a', 0, 'update')] } }))).toEqual([]);
  });
  it('what is seen on the member counts, not what was recorded', () => {
    const down = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd', namespace: 'web' },
      spec: { replicas: 2 },
      status: { availableReplicas: 1, unavailableReplicas: 1 },
    };
    const up = { ...down, status: { availableReplicas: 2, updatedReplicas: 2 } };
    const behind = {
      ...up,
      metadata: { ...up.metadata, generation: 2 },
      status: { ...up.status, observedGeneration: 1 },
    };
    const updating = { ...up, status: { ...up.status, updatedReplicas: 1 } };
    const conditions = healthy.map((condition) => ({ ...condition, lastTransitionTime: at(-10) }));
    const labelled = (zone: string) => ({ ...member('a'), metadata: { name: 'a', labels: { zone } } });
    const web = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd', namespace: 'web' } };
    const taken = (kind: OverrideSnapshot['kind'], index: number) => ({ kind, index }) as OverrideSnapshot;
    const found = (live: object, heardAt = at(0), zone = 'a', overrides: Partial<Binding> = {}, contents = [web]) => {
      const seen = {
        placement: { kind: 'ClusterResourcePlacement' as const, name: 'web' },
        resourceSnapshotIndex: 0,
        done: true,
        heardAt,
        results: [],
      };
      const observation = sighting({ placements: [seen], objects: [live as never] });
      const input = inputOf({
        observations: new Map([['a', observation]]),
        fleet: { members: [labelled('a')], placements: [rolling(0)] },
        record: {
          clusters: new Map([['a', labelled(zone)]]),
          overrides: new Map([
            ['by-zone', [taken('ClusterResourceOverrideSnapshot', 0)]],
            ['web.size', [taken('ResourceOverrideSnapshot', 0), taken('ResourceOverrideSnapshot', 12)]],
          ]),
        },
        placements: [
          remembered(rolling(0), [on('a', 0, { conditions, ...overrides })], { 0: contents, 1: objects(1) }),
        ],
      });
      return rules(input, planOf({ placements: { web: [planned('a', 1, 'update')] } })).includes('budget-broken');
    };
    expect([found(up), found(down)]).toEqual([true, false]);
    // Not available for who plans, and nothing that the guard could be certain of.
    expect([found(behind), found(updating)]).toEqual([false, false]);
    // Nobody wrote down what the snapshot holds: only who plans knows what is taken for it.
    expect(found(up, at(0), 'a', {}, [])).toBe(false);
    // What was heard before somebody recorded that it is available says nothing of how it is.
    expect(found(down, at(-20))).toBe(true);
    // A member whose labels changed keeps what they had it given until a rollout comes to it.
    expect(found(up, at(0), 'b', { clusterResourceOverrideSnapshots: ['by-zone-0'] })).toBe(true);
    expect(found(up, at(0), 'b')).toBe(true);
    // Overrides of which nobody knows what they were fail, and what fails spends nothing.
    const size = (name: string) => ({ resourceOverrideSnapshots: [{ namespace: 'web', name }] });
    expect(['size-0', 'size-12'].map((name) => found(up, at(0), 'a', size(name)))).toEqual([true, true]);
    for (const lost of [
      { clusterResourceOverrideSnapshots: ['by-zone-0', 'by-zone-1'] },
      { clusterResourceOverrideSnapshots: ['web.size-0'] },
      size('size-1'),
    ])
      expect(found(up, at(0), 'a', lost)).toBe(false);
  });
});

describe('update runs', () => {
  const wait = { afterStageTasks: [{ type: 'TimedWait' as const, waitTime: '1h' }, { type: 'Approval' as const }] };
  /** A run in which the first stage is done and soaks, and its approval is asked for. */
  const soaking = () => {
    const rollout = new Rollout(workOf({ bindings: [bound('c-1'), bound('p-1'), bound('p-2')], snapshots: [0] }), {
      strategies: [strategyOf(stage('canary', wait), stage('prod', { beforeStageTasks: [{ type: 'Approval' }] }))],
      clusters: [cluster('c-1', 'canary'), cluster('p-1', 'prod'), cluster('p-2', 'prod')],
    });
    return rollout.plan().ready('c-1').plan(10);
  };
  const judged = (
    rollout: Rollout,
    change: (status: UpdateRunStatus) => UpdateRunStatus,
    files = rollout.input.approvals,
    recorded?: StagedUpdateRun,
  ) => {
    const input = inputOf({
      now: at(rollout.now),
      fleet: { members: members('c-1', 'p-1', 'p-2'), placements: [placementOf()], runs: [runOf()], approvals: files },
      record: { runs: recorded ? new Map([['web-1', recorded]]) : new Map() },
    });
    const [run] = rollout.outcome.runs;
    return rules(
      input,
      planOf({ runs: [{ ...run!, status: change(run!.status) }], approvals: rollout.outcome.approvals }),
    );
  };
  const yes: Condition = { type: 'Succeeded', status: 'True', reason: 'x', lastTransitionTime: at(10) };
  const edit = (
    status: UpdateRunStatus,
    place: number,
    change: (one: NonNullable<UpdateRunStatus['stagesStatus']>[number]) => object,
  ): UpdateRunStatus => ({
    ...status,
    stagesStatus: status.stagesStatus!.map((one, which) =>
      which === place ? ({ ...one, ...change(one) } as typeof one) : one,
    ),
  });
  const start = (status: UpdateRunStatus, ...which: string[]) =>
    edit(status, 1, (one) => ({
      clusters: one.clusters.map((it) =>
        which.includes(it.clusterName) ? { ...it, conditions: [{ type: 'Started', status: 'True', reason: 'x' }] } : it,
      ),
    }));
  const approve = (status: UpdateRunStatus, place: number, list: 'afterStageTaskStatus' | 'beforeStageTaskStatus') =>
    edit(status, place, (one) => ({
      [list]: one[list]!.map((task) =>
        task.type === 'Approval'
          ? { ...task, conditions: [{ type: 'ApprovalRequestApproved', status: 'True', reason: 'x' }] }
          : task,
      ),
    }));
  const files = [
    answer({ name: 'web-1-after-canary', stage: 'canary' }),
    answer({ name: 'web-1-before-prod', stage: 'prod' }),
  ];

  it('what advanceRuns plans passes at every step', () => {
    const rollout = soaking();
    expect(judged(rollout, (it) => it)).toEqual([]);
    rollout.merge('web-1-after-canary').plan(3700);
    expect(judged(rollout, (it) => it)).toEqual([]);
    rollout.merge('web-1-before-prod').plan(3800);
    expect(judged(rollout, (it) => it)).toEqual([]);
  });
  it('a later stage does not start while an earlier one is not done', () => {
    const opened = (it: UpdateRunStatus) => approve(start(it, 'p-1'), 1, 'beforeStageTaskStatus');
    expect(judged(soaking(), opened, files)).toEqual(['stage-order']);
  });
  it('a stage is not done before its clusters are', () => {
    expect(judged(soaking(), (it) => edit(it, 1, () => ({ conditions: [yes] })), files)).toContain('stage-order');
  });
  it('a stage with a gate does not start without its approval', () => {
    const rollout = soaking().merge('web-1-after-canary').plan(3700);
    expect(judged(rollout, (it) => start(it, 'p-1'))).toEqual(['gate-not-approved']);
    expect(judged(rollout, (it) => approve(start(it, 'p-1'), 1, 'beforeStageTaskStatus'))).toEqual([
      'gate-not-approved',
    ]);
    expect(judged(rollout, (it) => approve(start(it, 'p-1'), 1, 'beforeStageTaskStatus'), files)).toEqual([]);
  });
  it('a gate counted as passed has an approval of the same review on main', () => {
    const stale = [answer({ name: 'web-1-after-canary', stage: 'canary', review: 'sha256:other' })];
    expect(judged(soaking(), (it) => approve(it, 0, 'afterStageTaskStatus'), stale)).toEqual(['gate-not-approved']);
    expect(
      judged(soaking(), (it) => approve(it, 0, 'afterStageTaskStatus'), [
        answer({ name: 'web-1-after-canary', stage: 'canary', status: 'False' }),
      ]),
    ).toEqual(['gate-not-approved']);
  });
  it('a gate passed in an earlier plan needs its file no more', () => {
    const rollout = soaking().merge('web-1-after-canary').plan(20);
    expect(judged(rollout, (it) => it, [])).toEqual(['gate-not-approved']);
    expect(judged(rollout, (it) => it, [], rollout.outcome.recorded[0])).toEqual([]);
  });
  it('a soak is not cut short', () => {
    const rollout = soaking().merge('web-1-after-canary').plan(20);
    expect(judged(rollout, (it) => edit(it, 0, () => ({ conditions: [yes] })))).toEqual(['soak-cut-short']);
  });
  it('no more clusters at once than the stage allows', () => {
    const rollout = soaking().merge('web-1-after-canary').plan(3700);
    expect(judged(rollout, (it) => approve(start(it, 'p-1', 'p-2'), 1, 'beforeStageTaskStatus'), files)).toEqual([
      'stage-concurrency',
    ]);
  });
});
