import { expect, it } from 'vitest';
import { fleetKinds } from '../../src/api/kinds.ts';

it('approvals are answered by a condition, by a state, or by being there', () => {
  const answers = fleetKinds.flatMap(({ kind, answeredBy }) =>
    answeredBy === undefined ? [] : [`${kind}: ${answeredBy}`],
  );
  expect(answers).toEqual([
    'ClusterApprovalRequest: condition',
    'ApprovalRequest: condition',
    'RemovalApproval: presence',
    'Gate: state',
  ]);
});
