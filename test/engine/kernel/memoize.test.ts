import { expect, it } from 'vitest';
import { memoize, memoizePair, memoizeRecent } from '../../../src/engine/kernel/memoize.ts';

const lengths = () => {
  const asked: (readonly string[])[] = [];
  const tell = (list: readonly string[], more: readonly string[] | undefined = []) => {
    asked.push(list);
    return list.length + more.length;
  };
  return { asked, tell };
};

it('a result is computed once per value, and again for an equal value', () => {
  const { asked, tell } = lengths();
  const length = memoize((list: readonly string[]) => tell(list));
  const list = ['a', 'b'];
  expect([length(list), length(list), length(['a', 'b']), length([])]).toEqual([2, 2, 2, 0]);
  expect(asked.filter((it) => it === list)).toHaveLength(1);
  expect(asked).toHaveLength(3);
});

it('undefined is memoized too', () => {
  let asked = 0;
  const tell = memoize((_: object) => void asked++);
  const value = {};
  expect([tell(value), tell(value), asked]).toEqual([undefined, undefined, 1]);
});

it('a result of two values is computed again when either is another one', () => {
  const { asked, tell } = lengths();
  const length = memoizePair(tell);
  const [list, more] = [['a'], ['b', 'c']];
  expect([length(list, more), length(list, more)]).toEqual([3, 3]);
  expect(asked).toHaveLength(1);
  expect([length(list, undefined), length(list, undefined), length(list, more), length([], more)]).toEqual([
    1, 1, 3, 2,
  ]);
  expect(asked).toHaveLength(4);
});

it('recent results are memoized, until there are too many', () => {
  const { asked, tell } = lengths();
  const length = memoizeRecent((list: readonly string[]) => tell(list), 2);
  const [a, b, c] = [['a'], ['b', 'b'], ['c', 'c', 'c']];
  expect([a, b, a, b].map(length)).toEqual([1, 2, 1, 2]);
  expect(asked).toEqual([a, b]);
  expect([c, c, a].map(length)).toEqual([3, 3, 1]);
  expect(asked).toEqual([a, b, c, a]);
});
