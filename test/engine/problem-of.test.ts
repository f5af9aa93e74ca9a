import { expect, it } from 'vitest';
import { isProblemOf, problemOf } from '../../src/engine/problem-of.ts';

it('a problem is of the object that its message names, and of none with a longer name', () => {
  const web = { kind: 'ClusterResourcePlacement', name: 'web' };
  const problem = problemOf({}, web, { severity: 'error', code: 'invalid', message: 'no field there' });
  expect(isProblemOf(problem, web)).toBe(true);
  for (const other of [
    { ...web, name: 'web-2' },
    { ...web, name: 'we' },
    { ...web, namespace: 'shop' },
  ])
    expect(isProblemOf(problem, other)).toBe(false);
});
