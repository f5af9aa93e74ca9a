import { expect, it } from 'vitest';
import { narrate, planInEffect } from '../../../src/cli/demo/narrate.ts';
import { isSettled } from '../../../src/cli/demo/settled.ts';
import type { Plan } from '../../../src/engine/plan-document.ts';

const plan = (given: object): Plan =>
  ({
    placements: [],
    targets: [],
    runs: [],
    approvals: [],
    evictions: [],
    guard: [],
    problems: [],
    holds: [],
    upgrades: [],
    nodes: [],
    record: new Map(),
    ...given,
  }) as unknown as Plan;
const web = {
  kind: 'ClusterResourcePlacement',
  name: 'web',
  decisions: [{ clusterName: 'eu-1', selected: true }],
  bindings: [{ clusterName: 'eu-1', move: 'keep', conditions: [{ type: 'Available', status: 'True' }] }],
};
const there = plan({ placements: [web] });
const refused = plan({ guard: [{ rule: 'blast-radius-clusters', message: 'too much' }] });

it('a refused plan is reported once, without its contents or the plan that stays in effect', () => {
  const after = planInEffect(there, { kind: 'refused', plan: refused });
  expect(narrate(there, after)).toEqual([{ tone: 'bad', subject: 'guard', text: 'too much' }]);
  expect(narrate(after, planInEffect(after, { kind: 'refused', plan: refused }))).toEqual([]);
  expect(narrate(after, planInEffect(after, { kind: 'published', plan: there }))).toEqual([
    { tone: 'good', subject: 'guard', text: 'the plan is no longer refused' },
  ]);
});

it('a first plan that is refused is reported as refused only', () => {
  const first = planInEffect(undefined, { kind: 'refused', plan: plan({ ...refused, placements: [web] }) });
  expect(narrate(undefined, first)).toEqual([{ tone: 'bad', subject: 'guard', text: 'too much' }]);
});

it('a fleet is not settled while its plan is refused', () => {
  expect([there, planInEffect(there, { kind: 'refused', plan: refused })].map(isSettled)).toEqual([true, false]);
});
