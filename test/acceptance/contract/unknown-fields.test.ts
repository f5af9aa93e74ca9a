import { afterEach, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Problem } from '../../../src/api/problem.ts';
import { folder, removeFolders } from '../../support/folders.ts';
import { cli } from '../../support/run-cli.ts';
import { members, placement, T0 } from '../rollout/world.ts';

afterEach(removeFolders);

const strange = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'web', futureMeta: { deep: [1, { two: null }] } },
  spec: {
    replicas: 2,
    futureField: { int: 9007199254740991, float: 0.1, text: '007', off: 'no', empty: {}, none: [], zero: 0, nil: null },
    template: { spec: { containers: [{ name: 'main', image: 'web:1', futureOfContainers: true }] } },
  },
  futureTop: 'kept',
};
const custom = {
  apiVersion: 'acme.io/v7beta3',
  kind: 'Widget',
  metadata: { name: 'w', namespace: 'web' },
  anything: { goes: ['here', { '': 'also an empty key' }] },
};

it('a field that no type of ours knows reaches the snapshot and the member as it is', async () => {
  const repo = folder({
    ...members('a'),
    'web.yaml': placement('{placementType: PickAll}'),
    'resources/web.json': JSON.stringify({
      apiVersion: 'v1',
      kind: 'List',
      items: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'web' } }, strange, custom],
    }),
  });
  const { out } = await cli('plan', '--repo', repo, '--now', T0, '-o', 'json');
  const { record, problems } = JSON.parse(out);
  expect(problems.map(({ severity, path }: Problem) => `${severity} ${path}`)).toEqual([
    'warning metadata.futureMeta',
    'warning spec.futureField',
    'warning spec.template.spec.containers.0.futureOfContainers',
    'warning futureTop',
  ]);
  const snapshot = parseAllDocuments(record['placements/web/snapshots/0.yaml']).map((document) => document.toJS());
  expect(snapshot.slice(1)).toEqual([strange, custom]);
  const rendered = await cli('render', '--repo', repo, '--cluster', 'a', '--now', T0, '-o', 'yaml');
  const sent = parseAllDocuments(rendered.out).map((document) => document.toJS());
  const items = sent.flatMap((value) => value.items ?? [value]);
  for (const whole of [strange, custom]) {
    const found = items.find(({ kind }) => kind === whole.kind);
    const { labels, annotations, ...metadata } = found.metadata;
    expect({ ...found, metadata }).toEqual(whole);
    expect(Object.keys({ ...labels, ...annotations })).toEqual(['gitfleet.dev/placement', 'gitfleet.dev/digest']);
  }
});
