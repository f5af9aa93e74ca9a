import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pointerToken, pointerTokens } from '../../../src/engine/kernel/json-pointer.ts';
import { drawn } from '../../support/law-runs.ts';

describe('a JSON pointer', () => {
  it.each([
    ['', []],
    ['/', ['']],
    ['/spec/containers/0', ['spec', 'containers', '0']],
    ['/metadata/annotations/a.io~1b', ['metadata', 'annotations', 'a.io/b']],
    ['/~01', ['~1']],
    ['/a//b', ['a', '', 'b']],
  ])('%s goes through %j', (pointer, tokens) => {
    expect(pointerTokens(pointer)).toEqual(tokens);
  });

  it('resolves to the names it was built from', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom('~', '/', '0', '1', 'a') })), (names) => {
        expect(pointerTokens(names.map((name) => `/${pointerToken(name)}`).join(''))).toEqual(names);
      }),
      drawn(),
    );
  });
});
