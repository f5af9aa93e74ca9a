import { expect, it } from 'vitest';
import type { ClusterName } from '../../../src/api/meta.ts';
import type { ClusterObservation } from '../../../src/api/observation.ts';
import { noMemberReached, notEveryMemberReached } from '../../../src/cli/run/no-member-reached.ts';

const silent = (...names: string[]) => new Map(names.map((name) => [name as ClusterName, `${name} is down`]));

it.each([
  [false, silent('a'), undefined],
  [true, silent(), 'no member could be reached'],
  [true, silent('a'), 'no member could be reached: a: a is down'],
  [true, silent('a', 'b', 'c'), 'no member could be reached: a: a is down (and 2 more)'],
])('where no member responds (%s) the first cause is reported', (noneSeen, unreachable, expected) => {
  expect(noMemberReached({ noneSeen: () => noneSeen, unreachable: () => unreachable })).toBe(expected);
});

const seen = (reachable: boolean, ...names: string[]) =>
  names.map((name): [ClusterName, ClusterObservation] => [name as ClusterName, { reachable } as ClusterObservation]);

it.each([
  [false, [], silent(), undefined],
  [false, ['a'], silent('a'), '1 member does not respond: a: a is down'],
  [false, ['a'], silent(), '1 member does not respond: a'],
  [false, ['a', 'b'], silent(), '2 members do not respond: a, b'],
  [false, ['a', 'b', 'c'], silent('a', 'b', 'c'), '3 members do not respond: a: a is down (and 2 more)'],
  [true, ['a'], silent('a'), 'no member could be reached: a: a is down'],
])('with --strict a member that does not respond is an error too (none: %s, silent: %s)', (none, names, down, text) => {
  const observations = new Map([...seen(true, ...(none ? [] : ['z'])), ...seen(false, ...names)]);
  const members = { noneSeen: () => none, unreachable: () => down, observations: () => observations };
  expect(notEveryMemberReached(members)).toBe(text);
});
