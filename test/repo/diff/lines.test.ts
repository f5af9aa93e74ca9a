import { describe, expect, it } from 'vitest';
import { lineDiff } from '../../../src/repo/diff/lines.ts';

const lines = (count: number, text: (at: number) => string): string[] =>
  Array.from({ length: count }, (_, at) => text(at));

describe('a diff of lines', () => {
  it('has three lines of context around each change', () => {
    const before = lines(20, (at) => `line ${at}`);
    const after = before.with(4, 'other').toSpliced(15, 1);
    expect(lineDiff(before.join('\n'), after.join('\n'))).toBe(
      [
        ...[
          '  …',
          ...lines(3, (at) => `  line ${at + 1}`),
          '- line 4',
          '+ other',
          ...lines(3, (at) => `  line ${at + 5}`),
        ],
        ...['  …', ...lines(3, (at) => `  line ${at + 12}`), '- line 15', ...lines(3, (at) => `  line ${at + 16}`)],
      ].join('\n'),
    );
  });

  it('of 60,000 rewritten lines removes and adds all of them, but for equal ones at both ends', () => {
    const text = (letter: string) => ['first', ...lines(60_000, (at) => `${letter}${at}`), 'last'];
    expect(lineDiff(text('a').join('\n'), text('b').join('\n')).split('\n')).toEqual([
      '  first',
      ...lines(60_000, (at) => `- a${at}`),
      ...lines(60_000, (at) => `+ b${at}`),
      '  last',
    ]);
  });

  it('of 60,000 lines with one change is that change', () => {
    const before = lines(60_000, (at) => `line ${at}`);
    expect(lineDiff(before.join('\n'), before.with(0, 'new').join('\n'))).toBe(
      ['- line 0', '+ new', '  line 1', '  line 2', '  line 3'].join('\n'),
    );
  });
});
