import { expect, it } from 'vitest';
import { loadFleet } from '../../../src/repo/fleet/load-fleet.ts';
import { member, treeOf } from '../../support/paper-fleet.ts';

const load = async (kind: string, data: string) => {
  const text = `apiVersion: v1\nkind: ${kind}\nmetadata: {name: web, namespace: shop}\n${data}\n`;
  const { resources, problems } = await loadFleet(
    treeOf({ 'clusters/a.yaml': member('a'), 'resources/web.yaml': text }),
  );
  return [
    resources.length,
    ...problems.map(({ line, column, code, message, value, fix }) => [
      `${line}:${column} ${code}`,
      message,
      value,
      fix,
    ]),
  ];
};

it.each([
  ['ConfigMap', 'data: {port: "8080", empty: , text: "a b"}'],
  ['ConfigMap', 'binaryData: {logo: iVBORw0KGgo=}'],
  ['ConfigMap', 'immutable: true'],
  ['Secret', 'data: {token: U0VDUkVU, empty: "", lines: "U0VD\\nUkVU\\n"}'],
  ['Secret', 'stringData: {password: "0815"}'],
])('data that API servers take: %s, %s', async (kind, data) => {
  expect(await load(kind, data)).toEqual([1]);
});

it.each([
  ['ConfigMap', 'data: {port: 8080}', '4:8 wrong-type', 'data.port must be a string', '8080', 'write it in quotes'],
  [
    'ConfigMap',
    'data: {on-top: [a]}',
    '4:8 wrong-type',
    'data.on-top must be a string',
    undefined,
    'write it in quotes',
  ],
  [
    'ConfigMap',
    'binaryData: {a: "?"}',
    '4:14 invalid',
    'binaryData.a must be base64',
    '?',
    'encode it, or put it under data',
  ],
  [
    'Secret',
    'stringData: {pin: 4711}',
    '4:14 wrong-type',
    'stringData.pin must be a string',
    undefined,
    'write it in quotes',
  ],
  [
    'Secret',
    'data: {pw: hunter22!}',
    '4:8 invalid',
    'data.pw must be base64',
    undefined,
    'encode it, or put it under stringData',
  ],
  [
    'Secret',
    'data: {pw: abc}',
    '4:8 invalid',
    'data.pw must be base64',
    undefined,
    'encode it, or put it under stringData',
  ],
])(
  'data that no API server takes, of a Secret without its value: %s, %s',
  async (kind, data, at, message, value, fix) => {
    expect(await load(kind, data)).toEqual([0, [at, `${kind} shop/web: ${message}`, value, fix]]);
  },
);
