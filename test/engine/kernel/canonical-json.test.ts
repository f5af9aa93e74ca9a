import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, canonicalList, canonicalMap } from '../../../src/engine/kernel/canonical-json.ts';
import { drawn } from '../../support/law-runs.ts';

const key = fc.oneof(fc.string(), fc.constantFrom('10', '9', '__proto__', 'a', 'b', 'Z', '1a'));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(fc.jsonValue(), fc.dictionary(key, tie('value'), { noNullPrototype: true }), fc.array(tie('value'))),
}));

/** The same value with the members of every object made in the opposite order. */
function backwards(of: unknown): unknown {
  if (Array.isArray(of)) return of.map(backwards);
  if (typeof of !== 'object' || of === null) return of;
  const members = Object.entries(of).reverse();
  return Object.fromEntries(members.map(([name, item]) => [name, backwards(item)]));
}

describe('canonical JSON', () => {
  it('is JSON of the value, and the same for equal values', () => {
    fc.assert(
      fc.property(value, (of) => {
        expect(canonicalJson(backwards(of))).toBe(canonicalJson(of));
        // V8 13.6 takes a key that is a quote for one that is a backslash, once it has parsed such a one.
        if (!canonicalJson(of).includes(String.raw`\\`))
          expect(JSON.parse(canonicalJson(of))).toEqual(JSON.parse(JSON.stringify(of)));
      }),
      drawn(1000),
    );
  });

  it('of a list or a map is built from that of its parts', () => {
    fc.assert(
      fc.property(fc.dictionary(key, value, { noNullPrototype: true }), (of) => {
        expect(canonicalMap(of, (item) => canonicalJson(item))).toBe(canonicalJson(of));
        const items = Object.values(of);
        expect(canonicalList(items.map(canonicalJson))).toBe(canonicalJson(items));
      }),
      drawn(),
    );
    expect(canonicalMap({ a: undefined, b: 1 }, (item, name) => `${name}${item}`)).toBe('{"b":b1}');
  });

  it.each([
    [{ b: 1, a: 2, B: 3 }, '{"B":3,"a":2,"b":1}'],
    [{ 9: 1, 10: 2, a: { c: 1, b: 1 } }, '{"10":2,"9":1,"a":{"b":1,"c":1}}'],
    [{ a: undefined, b: [undefined, null] }, '{"b":[null,null]}'],
    [undefined, 'null'],
    ['a\n"', '"a\\n\\""'],
  ])('%j', (of, text) => {
    expect(canonicalJson(of)).toBe(text);
  });
});
