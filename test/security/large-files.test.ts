import { expect, it } from 'vitest';
import { loadFleet } from '../../src/repo/fleet/load-fleet.ts';
import { placeProblems } from '../../src/repo/fleet/place-problems.ts';
import { treeOf } from '../support/paper-fleet.ts';

/** Milliseconds that a task takes, and the longest time in which nothing else had its turn. */
async function measured(task: () => Promise<unknown>): Promise<{ readonly total: number; readonly longest: number }> {
  const began = performance.now();
  let [last, longest] = [began, 0];
  const look = (): void => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  };
  const timer = setInterval(look, 1);
  await task();
  look();
  clearInterval(timer);
  return { total: last - began, longest };
}

const configMap = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: big, namespace: web}\n';
const items = (count: number): string =>
  Array.from({ length: count }, (_, at) => `- {apiVersion: v1, kind: ConfigMap, metadata: {name: c-${at}}}\n`).join('');

it.each([
  ['one document', `${configMap}data:\n${Array.from({ length: 40_000 }, (_, at) => `  k${at}: "${at}"\n`).join('')}`],
  ['one document with a finding in it', `${configMap}x:\n${'- {}\n'.repeat(80_000)}`],
  ['a List', `apiVersion: v1\nkind: List\nitems:\n${items(8_000)}`],
])('probes are answered while a large file is read: %s', async (_, text) => {
  const tree = treeOf({ 'resources/big.yaml': text });
  const { total, longest } = await measured(() => loadFleet(tree));
  expect(longest).toBeLessThan(total / 2);
});

it('probes are answered while a problem in a large file gets its line', async () => {
  const text = `${configMap}data:\n${Array.from({ length: 40_000 }, (_, at) => `  k${at}: "${at}"\n`).join('')}`;
  const file = 'resources/big.yaml';
  const problem = { severity: 'warning', code: 'unused', file, line: 1, path: 'data.k39999', message: 'm' } as const;
  const placed: unknown[] = [];
  const { total, longest } = await measured(async () => {
    placed.push(...(await placeProblems([problem as never], async () => treeOf({ [file]: text }))));
  });
  expect(placed).toMatchObject([{ line: 40_004, column: 3 }]);
  expect(longest).toBeLessThan(total / 2);
});
