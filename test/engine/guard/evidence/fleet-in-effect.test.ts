import { describe, expect, it } from 'vitest';
import type { FleetConfig } from '../../../../src/api/gitfleet.ts';
import type { PlacementKey } from '../../../../src/api/meta.ts';
import type { Placement } from '../../../../src/api/placement.ts';
import type { Fleet } from '../../../../src/engine/input.ts';
import { inputOf, members, named, objects, on, planned, planOf, remembered, rolling, rules } from '../world.ts';

const refused = [{ apiVersion: 'gitfleet.dev/v1alpha1', kind: 'FleetConfig', name: 'fleet' }];
const configOf = (spec: FleetConfig['spec']): FleetConfig => ({
  apiVersion: 'gitfleet.dev/v1alpha1',
  kind: 'FleetConfig',
  spec,
});

describe('while fleet.yaml cannot be read', () => {
  const removal = (fleet: Partial<Fleet>, recorded: FleetConfig | undefined) =>
    rules(
      inputOf({
        fleet: { members: members('a', 'b'), placements: [named('other'), rolling()], ...fleet },
        record: { config: recorded },
        placements: [remembered(rolling(), [on('a'), on('b')], { 0: objects(1) })],
      }),
      planOf({ placements: { web: [planned('a', 0, 'remove'), planned('b', 0, 'keep')] } }),
    );
  const strict = configOf({ guard: { maxClusters: 0 } });
  it.each<[string, Partial<Fleet>, FleetConfig | undefined, readonly string[]]>([
    ['the recorded limits hold: its file is invalid', { refused }, strict, ['blast-radius-clusters']],
    [
      'the recorded limits hold: some file is unreadable',
      { unreadable: ['x.yaml'] },
      strict,
      ['blast-radius-clusters'],
    ],
    ['nothing is removed without a recorded one: it may have had a freeze', { refused }, undefined, ['frozen']],
    ['nor where fleet.yaml has nothing that can be read', { unreadable: ['fleet.yaml'] }, undefined, ['frozen']],
    ['another file that cannot be read is no fleet.yaml', { unreadable: ['x.yaml'] }, undefined, []],
    ['nor is an object of a misspelt kind', { refused: [{ ...refused[0]!, name: 'web' }] }, undefined, []],
    ['recorded limits end with the file', {}, strict, []],
    ['a readable file counts', { refused, config: configOf({}) }, strict, []],
    ['another invalid file changes nothing', { refused: [{ ...refused[0]!, kind: 'PriceList' }] }, strict, []],
  ])('%s', (_, fleet, recorded, found) => {
    expect(removal(fleet, recorded)).toEqual(found);
  });

  it.each<[string, Partial<Fleet>, readonly string[]]>([
    ['keeps the recorded one', { withoutStrategy: new Set(['web' as PlacementKey]), refused }, ['budget-broken']],
    ['that names its own keeps that', { withoutStrategy: new Set(), refused }, []],
    [
      'has what the readable file gives',
      { withoutStrategy: new Set(['web' as PlacementKey]), config: configOf({}) },
      [],
    ],
  ])('a placement without a strategy %s', (_, fleet, found) => {
    const usual = { type: 'RollingUpdate' as const };
    const input = inputOf({
      fleet: { members: members('a', 'b'), placements: [rolling('100%')], ...fleet },
      record: { config: configOf({ defaults: { strategy: usual as never } }) },
      placements: [remembered(rolling(1), [on('a'), on('b')], { 0: objects(1), 1: objects(1) })],
    });
    const plan = planOf({ placements: { web: [planned('a', 1, 'update'), planned('b', 1, 'update')] } });
    expect(rules(input, plan)).toEqual(found);
  });
});

describe('a change that keeps the recorded version in effect', () => {
  const placed = (spec: object): Placement => ({ ...rolling(1), spec: { ...rolling(1).spec, ...spec } }) as Placement;
  const policy = rolling().spec.policy;
  const toleration = { key: 'zone', operator: 'Exists' as const };
  const tolerating = { policy: { ...policy, tolerations: [toleration] } };
  const loose = rolling('100%').spec.strategy;
  const fixed = { ...policy, placementType: 'PickFixed', clusterNames: ['a', 'b'] };
  it.each<[string, Placement, object, readonly string[]]>([
    ['a new budget counts', placed({}), { strategy: loose }, []],
    ['with a new placementType it does not', placed({}), { strategy: loose, policy: fixed }, ['budget-broken']],
    ['nor with a toleration taken away', placed(tolerating), { strategy: loose, policy }, ['budget-broken']],
    ['with one added it does', placed({}), { strategy: loose, ...tolerating }, []],
    [
      'nor with another statusReportingScope',
      placed({}),
      { strategy: loose, statusReportingScope: 'NamespaceAccessible' },
      ['budget-broken'],
    ],
    [
      'External stays External',
      placed({ strategy: { ...loose, type: 'External' } }),
      { strategy: loose },
      ['moved-without-run', 'moved-without-run'],
    ],
  ])('%s', (_, recorded, change, found) => {
    const written = { ...recorded, spec: { ...recorded.spec, ...change } } as Placement;
    const input = inputOf({
      fleet: { members: members('a', 'b'), placements: [written] },
      placements: [remembered(recorded, [on('a'), on('b')], { 0: objects(1), 1: objects(1) })],
    });
    const plan = planOf({ placements: { web: [planned('a', 1, 'update'), planned('b', 1, 'update')] } });
    expect(rules(input, plan)).toEqual(found);
  });

  it.each<[string, Partial<Fleet>]>([
    ['its file is invalid', { refused: [{ ...refused[0]!, kind: 'ClusterResourcePlacement', name: 'web' }] }],
    ['some file is unreadable', { unreadable: ['x.yaml'] }],
  ])('the recorded placement is held to its rules where %s', (_, fleet) => {
    const input = inputOf({
      fleet: { members: members('a', 'b'), placements: [named('other')], ...fleet },
      placements: [remembered(rolling(1), [on('a'), on('b', 1)], { 0: objects(1), 1: objects(1) })],
    });
    const plan = planOf({ placements: { web: [planned('a', 1, 'update'), planned('b', 0, 'update')] } });
    expect(rules(input, plan)).toEqual(['older-snapshot', 'budget-broken']);
  });
});
