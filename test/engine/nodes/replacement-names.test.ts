import { describe, expect, it } from 'vitest';
import { areNamedFor, replacementNames } from '../../../src/engine/nodes/commands.ts';

const id = '1f2e3d4c5b6a';
const pools = (...names: string[]) => names.map((pool) => ({ pool }));

it.each<[string, string[], string[], string[]]>([
  ['that nothing has', [], ['a'], ['a-1f2e3d4c']],
  ['of several replacements', [], ['a', 'b', 'a'], ['a-1f2e3d4c', 'b-1f2e3d4c-2', 'a-1f2e3d4c-3']],
  ['where a late node has the first', ['a-1f2e3d4c'], ['a'], ['a-1f2e3d4c-2']],
  ['where late nodes have two', ['a-1f2e3d4c', 'a-1f2e3d4c-3'], ['a', 'a'], ['a-1f2e3d4c-2', 'a-1f2e3d4c-4']],
])('names of replacements: those %s', (_, used, of, expected) => {
  const names = replacementNames(id, pools(...of), new Set(used));
  expect(names).toEqual(expected);
  const named = names.map((name, at) => ({ name, pool: of[at]! }));
  expect(areNamedFor(id, named)).toBe(true);
});

describe('a replacement', () => {
  it.each<[string, string[]]>([
    ['of another command', ['a-1f2e3d4d']],
    ['of another pool', ['b-1f2e3d4c']],
    ['without its dash', ['a-1f2e3d4c2']],
    ['with the first number written', ['a-1f2e3d4c-1']],
    ['with no number', ['a-1f2e3d4c-x']],
    ['with a fraction', ['a-1f2e3d4c-2.5']],
    ['with a number in another form', ['a-1f2e3d4c-02']],
    ['with a number below one', ['a-1f2e3d4c--2']],
    ['with the name of another', ['a-1f2e3d4c', 'a-1f2e3d4c']],
  ])('is not named for the command %s', (_, names) => {
    const named = names.map((name) => ({ name, pool: 'a' }));
    expect(areNamedFor(id, named)).toBe(false);
  });
});
