import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { connectionsOf } from '../../src/members/api-server/kubeconfig.ts';
import { loadFleet } from '../../src/repo/fleet/load-fleet.ts';
import { readObservations } from '../../src/repo/read-observations.ts';
import { readRecord } from '../../src/repo/record/read.ts';
import { placedStructureFault } from '../../src/repo/yaml/structure-fault.ts';
import { folder, removeFolders } from '../support/folders.ts';
import { member, treeOf } from '../support/paper-fleet.ts';

afterAll(removeFolders);

const levels = Array.from({ length: 12 }, (_, at) => `l${at + 1}: &l${at + 1} [${`*l${at}, `.repeat(10)}]\n`).join('');
const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;

/** Text below the first lines of a document, and the expected findings by line. */
const attacks: readonly (readonly [what: string, text: string, line: number, message: RegExp])[] = [
  ['a map inside itself', 'spec: &a\n  x: 1\n  inner: *a\n', 3, /contains itself/],
  ['a list inside itself', 'spec: &a [1, *a]\n', 1, /contains itself/],
  ['itself by way of another', 'spec: &a\n  b: &b {c: *a}\n', 2, /contains itself/],
  ['aliases of aliases', `l0: &l0 [xxxxxxxxxxxxxxxxxxxx]\n${levels}`, 4, /too large when its aliases|aliases in one/],
  ['five thousand levels', `spec: ${deep}\n`, 1, /levels deep|nested too deep/],
];

const header = 'apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterResourcePlacement\nmetadata: {name: web}\n';
const headerLines = 3;

describe.each(attacks)('%s', (_, text, line, message) => {
  it('in the fleet repo is a problem of that file, and the members are read', async () => {
    const fleet = await loadFleet(treeOf({ 'a.yaml': member('eu-1'), 'web.yaml': header + text }));
    expect(fleet.problems[0]).toMatchObject({ file: 'web.yaml', message: expect.stringMatching(message) });
    expect(fleet.members).toHaveLength(1);
  });

  it.each([
    'placements/web/state.yaml',
    'placements/web/snapshots/1.yaml',
    'clusters/eu-1.yaml',
    'runs/web.yaml',
    'summary.yaml',
    'daemon.yaml',
    'fleet.yaml',
  ])('in %s of the status branch is a problem with line and column, whenever it is read', (path) => {
    for (let start = 0; start < 2; start++) {
      const { problems } = readRecord(new Map([[path, header + text]]));
      const found = problems.find(({ code }) => code === 'record-unreadable');
      expect(found).toMatchObject({ file: `(status branch) ${path}`, message: expect.stringMatching(message) });
      if (!/levels deep|nested too deep/.test(found!.message) && line < 4)
        expect([found!.line, found!.column! > 1]).toEqual([headerLines + line, true]);
    }
  });

  it('in a kubeconfig names the file with line and column', async () => {
    const dir = folder({ 'eu-1.yaml': `apiVersion: v1\nkind: Config\n${text}` });
    const { open } = await connectionsOf(dir, placedStructureFault);
    await expect(open('eu-1')).rejects.toThrow(new RegExp(`eu-1\\.yaml:\\d+:\\d+: .*(${message.source})`));
  });

  it('in an observation is a problem of that file', async () => {
    const dir = folder({ 'eu-1.yaml': `apiVersion: gitfleet.dev/v1alpha1\nkind: ClusterObservation\n${text}` });
    const { problems } = await readObservations(join(dir, 'eu-1.yaml'));
    expect(problems[0]).toMatchObject({ file: join(dir, 'eu-1.yaml'), message: expect.stringMatching(message) });
  });
});

/** Files of which parsing takes gigabytes or minutes, with the place where a limit is passed. */
const floods: readonly (readonly [what: string, text: () => string, message: RegExp, line: number])[] = [
  ['a list of 340,000 numbers on a line', () => `a: 1\nb: [${'1,'.repeat(340_000)}]\n`, /more than 1000000 tokens/, 2],
  ['lists in lists', () => `b: [${'[{}],'.repeat(210_000)}]\n`, /more than 1000000 tokens/, 1],
  ['a quarter of a million keys', () => keys(250_000, 'v'), /more than 200000 keys/, 200_001],
  ['a key twice among many', () => `${keys(6_000, 'v'.repeat(100))}k7: w\n`, /occurs twice/, 6_001],
  ['eight million empty lines', () => `a: 1\n${'\n'.repeat(8_000_000)}`, /more values than/, 8_000_000],
];
const keys = (count: number, value: string): string =>
  Array.from({ length: count }, (_, at) => `k${at}: ${value}\n`).join('');

it.each(floods)('%s in the status branch: one problem with line and column', (_, textOf, message, line) => {
  const text = textOf();
  const before = process.memoryUsage.rss();
  const { problems, record } = readRecord(
    new Map([
      ['placements/web/state.yaml', text],
      ['clusters/eu-1.yaml', member('eu-1')],
    ]),
  );
  expect(problems).toEqual([
    expect.objectContaining({ severity: 'error', code: 'record-unreadable', message: expect.stringMatching(message) }),
  ]);
  expect(problems[0]!.line).toBe(line);
  expect(problems[0]!.column).toBeGreaterThan(0);
  expect([[...record.unread!.placements.keys()], [...record.clusters.keys()]]).toEqual([['web'], ['eu-1']]);
  expect(process.memoryUsage.rss() - before).toBeLessThan(700 * 1024 ** 2);
});

it.each([
  [
    'numbers, before another document',
    () => `spec: [${'1,'.repeat(670_000)}]\n---\n${member('eu-2')}spec: 1\n`,
    'object-too-large',
    1,
  ],
  ['errors on a line', () => `spec: [${'@,'.repeat(130_000)}]\n`, 'yaml-syntax', 100],
  ['booleans of YAML 1.1', () => `spec: [${'yes,'.repeat(20_000)}]\n`, 'ambiguous-scalar', 100],
] as const)(
  'a flood of %s in the fleet repo is at most a hundred problems of that file',
  async (_, text, code, most) => {
    const fleet = await loadFleet(treeOf({ 'a.yaml': member('eu-1'), 'web.yaml': header + text() }));
    expect(fleet.problems[0]).toMatchObject({ code, file: 'web.yaml' });
    expect(fleet.problems.filter((problem) => problem.code === code)).toHaveLength(most);
    expect(new Set(fleet.problems.map(({ file }) => file))).toEqual(new Set(['web.yaml']));
    expect(fleet.members.map(({ metadata }) => metadata.name)).toEqual(['eu-1']);
  },
);

it('a thousand unreadable files of the status branch are at most two hundred problems', () => {
  const files = Array.from({ length: 1_000 }, (_, at) => [`placements/p-${at}/state.yaml`, '['] as const);
  const { problems, record } = readRecord(new Map(files));
  expect(problems).toHaveLength(200);
  expect(problems.at(-1)).toMatchObject({
    severity: 'error',
    message: '801 more problems of the status branch are left out',
  });
  expect(record.unread!.placements.size).toBe(1_000);
});
