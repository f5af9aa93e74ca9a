import { describe, expect, it } from 'vitest';
import type { Condition } from '../../../../src/api/meta.ts';
import type { OverrideSnapshot } from '../../../../src/api/override.ts';
import type { Binding } from '../../../../src/api/placement-state.ts';
import { memberObservation } from '../../member-observation.ts';
import { at } from '../../staged/world.ts';
import {
  healthy,
  inputOf,
  member,
  members,
  objects,
  on,
  planned,
  planOf,
  remembered,
  rolling,
  rules,
} from '../world.ts';

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
  it('conditions of a binding from before its change do not make it healthy', () => {
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
      const observation = memberObservation({ placements: [seen], objects: [live as never] });
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
    // Overrides that are lost fail, and what fails spends nothing.
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
