import { expect, it } from 'vitest';
import type { FolderRow } from '../../../src/repo/record/folders/row.ts';
import { readRecord } from '../../../src/repo/record/read.ts';

const member = 'apiVersion: cluster.kubernetes-fleet.io/v1\nkind: MemberCluster\nmetadata: {name: eu-1}\n';

it('a folder that this version does not know is never read as one that it knows', () => {
  const { record, problems } = readRecord(
    new Map([
      ['later/eu-1.yaml', member],
      ['later/eu-2.yaml', member],
      ['.github/CODEOWNERS', '* @ann\n'],
      ['notes.txt', 'mine\n'],
    ]),
  );
  expect([...record.clusters.keys(), ...record.runs.keys(), ...record.evictions.keys()]).toEqual([]);
  expect(problems.map(({ severity, code, file }) => `${severity} ${code} ${file}`)).toEqual([
    'info unknown-record-folder (status branch) later/',
  ]);
});

it('a folder with the reader of another folder does not compile', () => {
  const evictions = new Map([['a', { kind: 'ClusterResourcePlacementEviction' }]]);
  // @ts-expect-error: evictions are no members.
  const values: ReturnType<FolderRow<'clusters'>['open']>['values'] = () => evictions;
  expect(values().size).toBe(1);
});
