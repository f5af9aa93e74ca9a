import { describe, expect, it } from 'vitest';
import type { FleetConfig } from '../../../../src/api/gitfleet.ts';
import type { Binding } from '../../../../src/api/placement-state.ts';
import type { PlannedBinding } from '../../../../src/engine/plan-document.ts';
import { inputOf, member, objects, on, planned, planOf, remembered, rolling, rules, target } from '../world.ts';

// Now is 2026-11-20T10:00:00Z, a Friday.
const window = (schedule: string, duration = '1h', timeZone?: string) => ({
  name: 'release',
  schedule,
  duration,
  ...(timeZone ? { timeZone } : {}),
});

const frozen = (freeze: ReturnType<typeof window>): FleetConfig => ({
  apiVersion: 'gitfleet.dev/v1alpha1',
  kind: 'FleetConfig',
  spec: { freeze: [freeze] },
});

function findings(
  freeze: ReturnType<typeof window>,
  before: Binding[],
  after: PlannedBinding[],
  remove: readonly string[] = [],
): string[] {
  const input = inputOf({
    fleet: {
      members: ['a', 'b'].map((name) => member(name)),
      placements: [rolling()],
      config: frozen(freeze),
    },
    placements: [remembered(rolling(), before, { 0: objects(1), 1: objects(1, 1) })],
  });
  const targets = remove.map((clusterName) => ({
    clusterName,
    placement: { kind: 'ClusterResourcePlacement' as const, name: 'web' },
    remove: true,
    objects: [],
  }));
  return rules(input, planOf({ placements: { web: after }, targets })).filter((rule) => rule === 'frozen');
}

describe('in a freeze', () => {
  const open = window('0 10 * * 5');
  it.each<[rule: string, before: Binding[], after: PlannedBinding[], remove: string[], found: string[]]>([
    ['nothing moves', [on('a')], [planned('a', 0, 'keep')], [], []],
    ['no cluster is updated', [on('a')], [planned('a', 1, 'update')], [], ['frozen']],
    ['no cluster is added', [on('a')], [planned('a', 0, 'keep'), planned('b', 0, 'add')], [], ['frozen']],
    ['one may be scheduled', [on('a')], [planned('a', 0, 'keep'), planned('b', undefined, 'wait')], [], []],
    ['none is cleaned up', [on('a'), on('b')], [planned('a', 0, 'keep'), planned('b', 0, 'remove')], ['b'], ['frozen']],
    [
      'a clean-up continues',
      [on('a'), on('b', 0, { deleting: true })],
      [planned('a', 0, 'keep'), planned('b', 0, 'remove')],
      ['b'],
      [],
    ],
  ])('%s', (_, before, after, remove, found) => {
    expect(findings(open, before, after, remove)).toEqual(found);
  });

  it.each([
    ['a cluster of which it is unknown what it should hold stays as it is', {}, []],
    ['a cluster that was not observed gets nothing new', { digest: 'sha256:1' }, ['frozen']],
  ])('%s', (_, told, found) => {
    const fleet = { members: [member('a')], placements: [rolling()], config: frozen(open) };
    const targets = [target('a', 'web', { resourceSnapshotIndex: 0, ...told })];
    const plan = planOf({ placements: { web: [planned('a', 0, 'wait')] }, targets });
    expect(rules(inputOf({ fleet, placements: [remembered(rolling(), [], {})] }), plan)).toEqual(found);
  });

  it('a fleet that is frozen until something happens starts nothing, whatever its FleetConfig says', () => {
    const fleet = { members: [member('a')], placements: [rolling()], frozenUntil: 'the branch is back' };
    const input = inputOf({
      fleet,
      placements: [remembered(rolling(), [on('a')], { 0: objects(1), 1: objects(1, 1) })],
    });
    expect(rules(input, planOf({ placements: { web: [planned('a', 1, 'update')] } }))).toContain('frozen');
  });

  it.each([
    ['to the last instant', window('1 9 * * 5'), ['frozen']],
    ['not at its end', window('0 9 * * 5'), []],
    ['not on another day', window('0 10 * * 4'), []],
    ['in its zone', window('0 5 * * 5', '1h', 'America/New_York'), ['frozen']],
    ['not at that hour of UTC', window('0 10 * * 5', '1h', 'America/New_York'), []],
    ['also when its window is invalid', window('soon'), ['frozen']],
  ])('%s', (_, freeze, found) => {
    expect(findings(freeze, [on('a')], [planned('a', 1, 'update')])).toEqual(found);
  });
});
