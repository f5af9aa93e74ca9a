import { describe, expect, it } from 'vitest';
import type { Eviction } from '../../../../src/api/eviction.ts';
import type { Manifest } from '../../../../src/api/meta.ts';
import type { ClusterObservation } from '../../../../src/api/observation.ts';
import type { Binding } from '../../../../src/api/placement-state.ts';
import { memberObservation } from '../../member-observation.ts';
import {
  inputOf,
  member,
  members,
  named,
  objects,
  on,
  planned,
  planOf,
  remembered,
  rolling,
  rules,
  target,
} from '../world.ts';

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
    const observation = memberObservation({ placements: [seen] });
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
      ['continues while anything is there', removing, { objects: [namespace()] }, true],
      ['continues while its cluster is not observed', removing, { reachable: false }, true],
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
      ['is not over without a response', again, { reachable: false }, false],
      ['is not over without any look', again, undefined, false],
      [
        'of a binding that never got resources is over without a response',
        again,
        { reachable: false },
        true,
        neverGiven,
      ],
      ['of what was never given is over whatever is there', again, { objects: [namespace()] }, true, neverGiven],
    ])('%s', (_, plan, look, passes, binding = going) => {
      const input = inputOf({
        fleet: { members: members('a'), placements: [rolling()] },
        placements: [remembered(rolling(), [binding], { 0: objects(1) })],
        observations: look && new Map([['a', memberObservation(look)]]),
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
