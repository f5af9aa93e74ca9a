import { describe, expect, test } from 'vitest';
import { overrideSnapshot } from '../../../src/api/override.ts';
import { overrideDocuments, snapshotOverrides } from '../../../src/engine/overrides/snapshots.ts';
import { digest } from '../selection/world.ts';
import { addLabel, cro, everywhere, historyOf, ro } from './world.ts';

const version = (label: string) =>
  cro('tidy', { selects: [{ kind: 'Namespace', name: 'shop' }], rules: [{ ...everywhere, ...addLabel(label) }] });
const namespaced = ro('shop/web', {
  selects: [{ group: 'apps', kind: 'Deployment', name: 'web' }],
  rules: [{ ...everywhere, ...addLabel('a') }],
});
const shape = (history: ReturnType<typeof historyOf>, folder = 'tidy') =>
  (history.get(folder) ?? []).map(({ index, latest }) => (latest ? `${index} latest` : `${index}`));

test('the first snapshot has index 0 and is a document of the status branch', () => {
  const documents = overrideDocuments(historyOf([version('a'), namespaced]), new Set());
  expect(documents.map(([path]) => path)).toEqual(['overrides/shop.web/0.yaml', 'overrides/tidy/0.yaml']);
  expect(documents[0]![1]).toMatchObject({
    kind: 'object',
    value: {
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'ResourceOverrideSnapshot',
      metadata: { name: 'web-0', namespace: 'shop' },
      index: 0,
      latest: true,
      overrideSpec: namespaced.spec,
    },
  });
  for (const [, document] of documents) expect(overrideSnapshot.parse(document.value)).toEqual(document.value);
});

test('an unchanged override takes no snapshot', () => {
  const history = historyOf([version('a')]);
  expect(historyOf([version('a')], history)).toEqual(history);
});

test('an empty list or map in a label selector is no change', () => {
  const selecting = (labelSelector: object) =>
    cro('tidy', {
      selects: [{ kind: 'Namespace', name: 'shop' }],
      rules: [{ clusterSelector: { clusterSelectorTerms: [{ labelSelector }] }, ...addLabel('a') }],
    });
  const exists = { key: 'env', operator: 'Exists' };
  const history = historyOf([selecting({ matchExpressions: [exists] })]);
  const padded = selecting({ matchLabels: {}, matchExpressions: [{ ...exists, values: [] }] });
  expect(historyOf([padded], history)).toEqual(history);
});

test('a changed override takes one, also when it is reverted', () => {
  const second = historyOf([version('b')], historyOf([version('a')]));
  expect(shape(second)).toEqual(['0', '1 latest']);
  expect(shape(historyOf([version('a')], second))).toEqual(['0', '1', '2 latest']);
});

test('ten are kept, and those in use', () => {
  let history = historyOf([]);
  const inUse = new Set(['tidy-1']);
  for (let round = 0; round < 15; round++) {
    history = snapshotOverrides({
      commit: 'c0ffee',
      overrides: [version(`v${round}`)],
      recorded: history,
      digest,
      refused: [],
      unreadable: [],
      inUse,
    });
  }
  expect(shape(history)).toEqual(['1', '5', '6', '7', '8', '9', '10', '11', '12', '13', '14 latest']);
});

describe('a deleted override', () => {
  const before = historyOf([version('a')]);
  test('has no latest', () => expect(shape(historyOf([], before))).toEqual(['0']));
  test('is removed when nothing lists its snapshots any more', () => {
    const paths = (...inUse: string[]) =>
      overrideDocuments(historyOf([], before), new Set(inUse)).map(([path]) => path);
    expect(paths()).toEqual([]);
    expect(paths('tidy-0')).toEqual(['overrides/tidy/0.yaml']);
  });
  test('that is added again unchanged is marked latest again', () => {
    expect(historyOf([version('a')], historyOf([], before))).toEqual(before);
  });
  test('that is added again changed continues its indexes', () => {
    expect(shape(historyOf([version('b')], historyOf([], before)))).toEqual(['0', '1 latest']);
  });
  test.each([
    ['its file is refused', { refused: [{ apiVersion: 'x', kind: 'ClusterResourceOverride', name: 'tidy' }] }],
    ['some file cannot be read', { unreadable: ['overrides/all.yaml'] }],
  ])('is none while %s', (_, broken) => {
    expect(
      snapshotOverrides({
        commit: 'c0ffee',
        overrides: [],
        recorded: before,
        digest,
        refused: [],
        unreadable: [],
        inUse: new Set(),
        ...broken,
      }),
    ).toEqual(before);
  });
});

test('a record written by hand needs no hash, no latest and no snapshot name', () => {
  const recorded = new Map([
    [
      'tidy',
      [
        {
          ...historyOf([version('a')]).get('tidy')![0]!,
          metadata: { name: 'tidy' },
          latest: undefined,
          hash: undefined,
        },
      ],
    ],
  ]);
  expect(historyOf([version('a')], recorded)).toEqual(historyOf([version('a')]));
});

test('a cluster override and a namespaced one of the same folder count on together', () => {
  const cluster = cro('shop.web', { selects: [{ kind: 'Namespace', name: 'shop' }], rules: [everywhere] });
  const history = historyOf([cluster, namespaced]);
  expect(history.get('shop.web')!.map(({ kind, metadata, latest }) => ({ kind, metadata, latest }))).toEqual([
    { kind: 'ClusterResourceOverrideSnapshot', metadata: { name: 'shop.web-0' }, latest: true },
    { kind: 'ResourceOverrideSnapshot', metadata: { name: 'web-1', namespace: 'shop' }, latest: true },
  ]);
  expect(historyOf([cluster, namespaced], history)).toEqual(history);
});
