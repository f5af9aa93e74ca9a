import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Placement } from '../../../../src/api/placement.ts';
import { listRows } from '../../../../src/engine/placement/compiled/bits.ts';
import { compileFleet } from '../../../../src/engine/placement/compiled/compile-fleet.ts';
import type { Member } from '../../../../src/engine/placement/members.ts';
import { compilePolicy } from '../../../../src/engine/placement/rules/compile-policy.ts';
import { presentCycle } from '../../../../src/engine/placement/rules/cycle.ts';
import { facetsOf } from '../../../../src/engine/placement/rules/rules.ts';
import { drawn } from '../../../support/law-runs.ts';
import { digest, worlds } from '../worlds.ts';

const facetsIn = (placement: Placement, members: readonly Member[]) =>
  facetsOf(placement).map((facet) => compileFleet(members).facetDigest(facet, digest));

function verdictsIn(placement: Placement, members: readonly Member[]) {
  const index = compileFleet(members);
  const compiled = compilePolicy(placement, index);
  const cycle = presentCycle(placement.spec.policy, index, [0, 1, 2].slice(0, members.length));
  return {
    passing: listRows(compiled.passing),
    scores: [...compiled.affinity()],
    reasons: members.map((_, row) => compiled.filters.map(({ filter }) => filter?.reasons(row, cycle) ?? [])),
  };
}

test('rules read nothing of a member that is not in their facets', () => {
  const part = fc.constantFrom('labels', 'taints', 'properties', 'namespaces', 'eligibility');
  fc.assert(
    fc.property(worlds, worlds, part, ({ placement, members }, other, changed) => {
      const changedMembers = members.map((member, at) => ({
        ...member,
        [changed]: other.members[at]?.[changed] ?? member[changed],
      }));
      fc.pre(JSON.stringify(facetsIn(placement, members)) === JSON.stringify(facetsIn(placement, changedMembers)));
      expect(verdictsIn(placement, changedMembers)).toEqual(verdictsIn(placement, members));
    }),
    drawn(500),
  );
});
