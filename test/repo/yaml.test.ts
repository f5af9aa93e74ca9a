import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseYaml } from '../../src/repo/parse-yaml.ts';

const read = (text: string) => {
  const { documents, problems } = parseYaml(text, 'f.yaml');
  return {
    values: documents.map(({ value }) => value),
    codes: problems.map(({ code, line, column }) => `${code}@${line}:${column}`),
  };
};

describe('what kubectl reads differently is refused with its place', () => {
  it.each([
    ['a: yes', 'ambiguous-scalar@1:4'],
    ['a: on', 'ambiguous-scalar@1:4'],
    ['a: n', 'ambiguous-scalar@1:4'],
    ['n: 1', 'ambiguous-scalar@1:1'],
    ['on: 1', 'ambiguous-scalar@1:1'],
    ['a: 017', 'ambiguous-scalar@1:4'],
    ['a: 0o17', 'ambiguous-scalar@1:4'],
    ['a: 1_000', 'ambiguous-scalar@1:4'],
    ['a: .inf', 'not-json@1:4'],
    ['a: 12345678901234567890', 'number-too-large@1:4'],
    ['1: a', 'non-string-key@1:1'],
    ['a: !custom b', 'yaml-tag@1:12'],
    ['a: 1\na: 2', 'duplicate-key@2:1'],
    ['a: {b: 1', 'yaml-syntax@1:9'],
  ])('%s', (text, code) => {
    expect(read(text).codes).toContain(code);
  });
});

describe('what means the same to everybody is read', () => {
  it.each([
    ['a: "yes"', { a: 'yes' }],
    ['a: 1:30', { a: '1:30' }],
    ['a: 2026-11-20', { a: '2026-11-20' }],
    ['a: true', { a: true }],
    ['base: &b {x: 1}\na: {<<: *b, z: 2}', { base: { x: 1 }, a: { x: 1, z: 2 } }],
    ['\uFEFFa: 1\r\nb: 2\r\n', { a: 1, b: 2 }],
    ['{"a": [1, null]}', { a: [1, null] }],
  ])('%s', (text, value) => {
    expect(read(text)).toEqual({ values: [value], codes: [] });
  });

  it('an alias that is used two hundred times', () => {
    const text = `base: &b {x: 1}\nlist:\n${'  - *b\n'.repeat(200)}`;
    expect(read(text).codes).toEqual([]);
  });
});

describe('what would hurt is refused', () => {
  it('an alias bomb, with a place', () => {
    const levels = Array.from(
      { length: 9 },
      (_, at) => `l${at + 1}: &l${at + 1} [${Array.from({ length: 9 }, () => `*l${at}`).join(', ')}]`,
    );
    expect(read(`l0: &l0 [x]\n${levels.join('\n')}\n`).codes).toEqual(['yaml-alias@7:50']);
  });

  it('deep nesting', () => {
    expect(read(`a: ${'['.repeat(300)}${']'.repeat(300)}`).codes[0]).toMatch(/^too-deep@1:/);
  });

  it('a file of more than a megabyte', () => {
    expect(read(`a: ${'x'.repeat(1_100_000)}`).codes).toEqual(['file-too-large@1:1']);
  });

  it('an LFS pointer', () => {
    expect(read('version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n').codes).toEqual([
      'lfs-pointer@1:1',
    ]);
  });

  it('never throws, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => parseYaml(text, 'f.yaml') !== undefined),
    );
  });
});
