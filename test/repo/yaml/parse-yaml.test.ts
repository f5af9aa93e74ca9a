import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseYaml } from '../../../src/repo/yaml/parse-yaml.ts';
import { drawn } from '../../support/law-runs.ts';

const read = (text: string) => {
  const { documents, problems } = parseYaml(text, 'f.yaml');
  return {
    values: documents.map(({ value }) => value),
    codes: problems.map(({ code, line, column }) => `${code}@${line}:${column}`),
  };
};

const tokens = [
  ...[
    'a',
    'yes',
    '0',
    '~',
    ': ',
    '- ',
    '? ',
    '\n',
    '\n  ',
    '\n    ',
    '\t',
    '\r\n',
    ', ',
    '{',
    '}',
    '[',
    ']',
    '"',
    "'",
    '|',
    '>',
  ],
  ...[
    '<<',
    '<<: ',
    '&x ',
    '*x',
    '&y ',
    '*y',
    '!t ',
    '!!str ',
    '!!map ',
    '!!merge ',
    '!!set ',
    '!!binary ',
    ' #c',
    '=',
    '@',
  ],
  ...['\n---\n', '\n...\n', '%YAML 1.2\n', '__proto__', 'constructor', 'kind: Secret\n'],
];

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
    ['a: {<<: text}', 'yaml-merge@1:9'],
    ['a:\n  <<:\n  b: 1', 'yaml-merge@2:6'],
    ['a: {<<: [{b: 1}, 2]}', 'yaml-merge@1:18'],
    ['base: &b [{x: 1}]\na: {<<: *b}', 'yaml-merge@2:9'],
    ['a: [?b]', 'ambiguous-scalar@1:5'],
    ['a: "\\ud83d"', 'half-character@1:4'],
    ['a: b\rc: d', 'forbidden-character@1:5'],
    ['a: 1\n...\nb: 2', 'yaml-document@3:1'],
  ])('%s', (text, code) => {
    expect(read(text).codes).toContain(code);
  });
});

it.each([
  ['a: 1\na: 2', 'keep one of the two'],
  ['kind: A\nkind: A', 'keep one of the two, or write --- between two objects'],
  ['a: {b: 1', 'close the { with }'],
  ['a: [1, 2\nb: 3', 'close the [ with ]'],
  ['a: {b: 1\nc: 2\n', 'close the { with }'],
  ['defaultMode: 0755', 'write "0755" for the string, or 493 for the number'],
  [
    'kind: Secret\n---\ndefaultMode: 0755',
    'write it in quotes, or as a decimal number: 420 for the file mode 0644, 493 for 0755 (no value is shown of a file that may hold a Secret)',
  ],
])('%j has a fix', (text, fix) => {
  expect(parseYaml(text, 'a.yaml').problems.map((problem) => problem.fix)).toContain(fix);
});

it.each([
  ['{{- if .Values.on }}\na: 1\nb:\n  c: {{ include "x" . }}\n{{- end }}\n', 'template@1:2'],
  ['a: 1\nb: {{ .Values.b }}\nc: {{ .Values.c }}\n', 'template@2:5'],
  ['kind: Secret\ndata: {{ toYaml .Values.data }}\n', 'template@2:8'],
])('a template is one problem: %j', (text, code) => {
  expect(read(text).codes).toEqual([code]);
});

it('later errors of the parser after a mistake are not reported', () => {
  expect(read('a: {b\nc: 1\nd: [2, 3]\ne: f\n').codes).toHaveLength(1);
});

describe('what means the same to everybody is read', () => {
  it.each([
    ['a: "yes"', { a: 'yes' }],
    ['a: 1:30', { a: '1:30' }],
    ['a: 2026-11-20', { a: '2026-11-20' }],
    ['a: true', { a: true }],
    ['base: &b {x: 1}\na: {<<: *b, z: 2}', { base: { x: 1 }, a: { x: 1, z: 2 } }],
    [
      'p: &p {a: 1}\nq: &q {a: 2, b: 3}\nr: {<<: [*p, *q], c: 4}',
      { p: { a: 1 }, q: { a: 2, b: 3 }, r: { a: 1, b: 3, c: 4 } },
    ],
    ['a: {"<<": {b: 1}}', { a: { '<<': { b: 1 } } }],
    ['a: 1\n...\n', { a: 1 }],
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
    expect(read(`a: ${'['.repeat(300)}${']'.repeat(300)}`).codes).toEqual([expect.stringMatching(/^too-deep@1:/)]);
    expect(read(`a: ${'['.repeat(2000)}${']'.repeat(2000)}`).codes).toEqual([expect.stringMatching(/^too-deep@1:/)]);
  });

  it('a file of more than four megabytes', () => {
    expect(read(`a: ${'x'.repeat(4_200_000)}`).codes).toEqual(['file-too-large@1:1']);
  });

  it('an object larger than a cluster accepts, while a file and a List may have many objects', () => {
    const object = (length: number) => `kind: ConfigMap\ndata: {a: "${'x'.repeat(length)}"}\n`;
    expect(read(`${object(900_000)}---\n${object(1_600_000)}---\n${object(900_000)}`).codes).toEqual([
      'object-too-large@4:1',
    ]);
    expect(read(object(1_500_000)).codes).toEqual([]);
    expect(read(`${object(900_000)}---\n${object(900_000)}`).codes).toEqual([]);
    expect(read(`kind: List\nitems:\n- data: "${'x'.repeat(1_600_000)}"\n`).codes).toEqual([]);
    expect(read(`kind: ConfigMap\ndata: {a: "${'ä'.repeat(800_000)}"}\n`).codes).toEqual(['object-too-large@1:1']);
  });

  it('a large object at any place, and nothing else of its file', () => {
    const large = `kind: ConfigMap\nmetadata: {name: big}\ndata:\n  a: |\n    ---\n    ...\n    ${'x'.repeat(1_600_000)}\n`;
    const small = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;
    for (const [text, code] of [
      [`${large}---\n${small('b')}`, 'object-too-large@1:1'],
      [`${large}...\n---\n${small('b')}`, 'object-too-large@1:1'],
      [`${small('b')}---\n# two\n${large}`, 'object-too-large@5:1'],
      [`${small('b')}--- \n${large}---\n`, 'object-too-large@5:1'],
      [
        `${JSON.stringify({ kind: 'ConfigMap', data: { a: 'x'.repeat(1_600_000) } })}\n---\n${small('b')}`,
        'object-too-large@1:1',
      ],
    ] as const) {
      const parsed = parseYaml(text, 'f.yaml');
      expect(parsed.problems.map(({ code, line, column }) => `${code}@${line}:${column}`)).toEqual([code]);
      expect(parsed.documents.map(({ value }) => (value as { metadata: object }).metadata)).toEqual([{ name: 'b' }]);
      expect(parsed.broken?.tooLarge).toBe(true);
    }
  });

  it('a document of more tokens than the limit, a List too', () => {
    const codes = (text: string) =>
      parseYaml(text, 'f.yaml', { maxTokens: 1000 }).problems.map(({ code, line }) => `${code}@${line}`);
    const numbers = `kind: NumberList\nitems: [${'1,'.repeat(600)}]\n`;
    expect(codes(numbers)).toEqual(['object-too-large@1']);
    expect(codes(`a: 1\n---\n${numbers}`)).toEqual(['object-too-large@3']);
    expect(codes('a: 1\n---\n'.repeat(400))).toEqual([]);
  });

  it('no List of ordinary objects that a file has room for', { timeout: 60_000 }, () => {
    const item = (at: number) =>
      `- apiVersion: apps/v1\n  kind: Deployment\n  metadata: {name: web-${at}, namespace: shop}\n  spec:\n    replicas: 3\n    template:\n      spec:\n        containers:\n        - name: web\n          image: web:1\n`;
    const text = `apiVersion: v1\nkind: List\nitems:\n${Array.from({ length: 20_000 }, (_, at) => item(at)).join('')}`;
    expect(text.length).toBeGreaterThan(3_500_000);
    expect(read(text).codes).toEqual([]);
  });

  it('the same key twice among very many, without comparing each with each', () => {
    const keys = Array.from({ length: 50_000 }, (_, at) => `k${at}: v\n`).join('');
    expect(read(`${keys}k7: w\n`).codes).toEqual(['duplicate-key@50001:1']);
  });

  it('an LFS pointer', () => {
    expect(read('version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n').codes).toEqual([
      'lfs-pointer@1:1',
    ]);
  });

  it('never throws for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => parseYaml(text, 'f.yaml') !== undefined),
      drawn(),
    );
  });

  it('never throws for any combination of YAML tokens', () => {
    const pieces = fc.array(fc.constantFrom(...tokens), { maxLength: 14 }).map((chosen) => chosen.join(''));
    fc.assert(
      fc.property(pieces, (text) => parseYaml(text, 'f.yaml') !== undefined),
      drawn(3000),
    );
  });
});

it.each([
  ['lines that follow a misplaced one', 'a:\n  - b: 1\n  c: 2\n  d: 3\n', ['yaml-syntax@3:1']],
  ['an alias that is a pattern', 'a: * * * *\n', ['yaml-alias@1:4']],
  ['two aliases', 'a: [*b, *c]\n', ['yaml-alias@1:5', 'yaml-alias@1:9']],
])('%s have one finding for each cause', (_, text, codes) => {
  expect(read(text).codes).toEqual(codes);
});
