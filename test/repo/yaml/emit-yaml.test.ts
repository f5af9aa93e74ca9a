import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { asMade, emitYaml, type Layout, readBack, recurring } from '../../../src/repo/yaml/emit-yaml.ts';
import { drawn } from '../../support/law-runs.ts';

/** Texts with a meaning in YAML at their start, end or middle. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '',
    ' ',
    'yes',
    'NULL',
    '~',
    '1e3',
    '0x1f',
    '.5',
    '- a',
    'a: b',
    'a #b',
    '? a',
    '<<',
    '*a',
    '---',
    '__proto__',
    "it's",
  ),
  fc.constantFrom(
    'a\nb',
    'a\n',
    '\n',
    '  a\n b\n\n',
    '\ta',
    'a, b',
    '[a]',
    '{a}',
    '2026-11-20T10:00:00Z',
    'a\u2028b',
    '\u0000',
  ),
  fc.stringMatching(/^[-A-Za-z0-9 :#,.'"\n]{1,60}$/),
);
/** Without those that the package cannot read back from its own text. */
const usual = text.filter((written) => !/^\n*[ \t]+\n/.test(written));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    fc.boolean(),
    fc.constant(null),
    tie('map'),
    tie('list'),
  ),
  map: fc.dictionary(text, tie('value'), { maxKeys: 5 }),
  list: fc.array(tie('value'), { maxLength: 4 }),
}));
const map = fc.dictionary(text, value, { maxKeys: 6 });
const name = fc.stringMatching(/^[a-zA-Z][-a-zA-Z0-9/.]{0,20}$/);
const onOneLine: Layout = { ...asMade, onOneLine: () => true };

describe('YAML of JSON values', () => {
  it('is what the yaml package writes', () => {
    fc.assert(
      fc.property(
        fc.dictionary(name, fc.dictionary(name, fc.array(fc.oneof(usual, fc.dictionary(name, usual))))),
        (object) => {
          expect(emitYaml(object, asMade)).toBe(stringify(object, { lineWidth: 0, aliasDuplicateObjects: false }));
        },
      ),
      drawn(),
    );
  });

  it('is read back unchanged, with any content', () => {
    fc.assert(
      fc.property(map, (object) => {
        expect(parse(emitYaml(object, asMade))).toEqual(object);
      }),
      drawn(1000),
    );
  });

  it('means the same on one line', () => {
    fc.assert(
      fc.property(map, (object) => {
        const written = emitYaml({ list: [object], object }, onOneLine);
        expect(parse(written)).toEqual({ list: [object], object });
        expect(written.split('\n')).toHaveLength(4);
      }),
      drawn(1000),
    );
  });

  it('is the same where maps come again and again', () => {
    const object = fc.oneof(map, fc.constantFrom({ a: 1 }, { a: 2 }));
    fc.assert(
      fc.property(fc.array(object, { maxLength: 5 }), (list) => {
        const again = { ...onOneLine, under: () => recurring(asMade) };
        expect(emitYaml({ list: [...list, ...list] }, again)).toBe(emitYaml({ list: [...list, ...list] }, onOneLine));
      }),
      drawn(),
    );
    const asked: object[] = [];
    const keys = (of: object) => {
      asked.push(of);
      return Object.keys(of);
    };
    const counting = recurring({ keys, under: () => asMade });
    const one = { a: 1 };
    const written = emitYaml({ list: [one, { a: 1 }, one] }, { ...onOneLine, under: () => counting });
    expect(written).toBe('list:\n  - {a: 1}\n  - {a: 1}\n  - {a: 1}\n');
    expect(asked).toHaveLength(2);
  });

  it('is read back without the reading, in the same order', () => {
    const backwards: Layout = { keys: (object) => Object.keys(object).reverse(), under: () => backwards };
    fc.assert(
      fc.property(fc.dictionary(name, value), (object) => {
        expect(JSON.stringify(readBack(object, backwards))).toBe(JSON.stringify(parse(emitYaml(object, backwards))));
      }),
      drawn(1000),
    );
  });

  it('leaves out what is undefined', () => {
    expect(emitYaml({ a: undefined, b: [{ c: undefined, d: 1 }] }, asMade)).toBe('b:\n  - d: 1\n');
  });
});
