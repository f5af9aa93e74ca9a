import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments, parseDocument } from 'yaml';
import { asMade, emitYaml } from '../../../src/repo/yaml/emit-yaml.ts';
import {
  positionsInDocument,
  readBounded,
  readBoundedDocuments,
  type Sizes,
} from '../../../src/repo/yaml/read-bounded.ts';
import { drawn } from '../../support/law-runs.ts';

/** So small that every text is divided as often as it can be. */
const tiny: Sizes = { whole: 0, piece: 1 };

const parts = [
  ...[
    'a: ',
    'b:',
    '- ',
    '-',
    'c: |',
    'd: >',
    '"',
    "'",
    '{',
    '}',
    '[',
    ']',
    ', ',
    '# x',
    '? ',
    '&a ',
    '*a',
    'e',
    ': ',
    '...',
  ],
  ...[
    '\n',
    '\n',
    '\n  ',
    '\n    ',
    '\n---\n',
    '\n- ',
    '\na: ',
    '\nf:\n  ',
    '\n  - ',
    'null: ',
    '<<: ',
    '\r\n',
    '\t',
    '1',
  ],
];
const anyText = fc.array(fc.constantFrom(...parts), { maxLength: 20 }).map((list) => list.join(''));

/** What the parser makes of a text; undefined if it refuses it. */
function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    const document = parseDocument(text, { prettyErrors: false, logLevel: 'silent' });
    return document.errors.length > 0 ? undefined : { value: document.toJS() };
  } catch {
    return undefined;
  }
}

describe('a text that is parsed in pieces', () => {
  it('has the value that it has as a whole, or is refused', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const read = readBounded(text, tiny);
        if ('value' in read) expect(read).toEqual(parsed(text));
      }),
      drawn(3000),
    );
  });

  it('is not refused as gitfleet writes it', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 })), (value) => {
        const text = emitYaml(value, asMade);
        expect(readBounded(text, tiny)).toEqual(parsed(text));
      }),
      drawn(),
    );
  });

  it('has the same documents', () => {
    fc.assert(
      fc.property(fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), { minLength: 1 }), (values) => {
        const text = values.map((value) => emitYaml(value, asMade)).join('---\n');
        // A merge key without a map is an error.
        fc.pre(!text.includes('<<'));
        const read = [...readBoundedDocuments(text, tiny)].map((one) => 'value' in one && one.value.value);
        const whole = parseAllDocuments(text, { merge: true });
        expect(read).toEqual(whole.map((document) => document.toJS()));
      }),
      drawn(30),
    );
  });

  it.each([
    ['a key twice', 'a: 1\nb: 2\na: 3\n', 10],
    ['an alias', 'a: &x 1\nb: *x\n', 11],
    ['a list that does not end', 'a: 1\nb: [1\nc: 2\n', 11],
  ])('tells the offset of %s', (_, text, offset) => {
    expect(readBounded(text, tiny)).toMatchObject({ fault: { offset } });
  });

  it('has positions of paths', () => {
    const bindings = Array.from(
      { length: 5_000 },
      (_, at) => `  - {targetCluster: c-${at}, state: ${'x'.repeat(100)}}\n`,
    );
    const positions = positionsInDocument(`kind: PlacementState\nstatus:\n  a: 1\nbindings:\n${bindings.join('')}`);
    expect([positions(['bindings', 4_999, 'state']), positions(['status', 'a', 'b']), positions(['gone'])]).toEqual([
      { line: 5_004, column: 3 },
      { line: 3, column: 3 },
      { line: 1, column: 1 },
    ]);
  });
});
