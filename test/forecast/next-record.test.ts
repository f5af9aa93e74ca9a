import { expect, it } from 'vitest';
import type { RecordDocument } from '../../src/engine/plan-document.ts';
import { nextRecord } from '../../src/forecast/next-record.ts';
import { recordFolders } from '../../src/repo/record/folders/rows.ts';
import { PaperFleet } from '../support/paper-fleet.ts';
import { shop } from '../support/shop.ts';

it('the next record has what the plan writes to every folder, and nothing of the folders before', async () => {
  const paper = new PaperFleet(shop);
  const plan = await paper.planOn();
  const { record } = await paper.input();
  const folders = recordFolders.filter((folder) => folder !== 'placements' && folder !== 'overrides');
  const written = folders.map((folder): [string, RecordDocument] => [
    `${folder}/x.yaml`,
    { kind: 'object', value: { metadata: { name: folder } } },
  ]);
  const next = nextRecord({ ...plan, record: new Map(written) }, record);
  const after = nextRecord({ ...plan, record: new Map() }, next);
  expect(folders.map((folder) => [folder, [...next[folder].values()]])).toEqual(
    folders.map((folder) => [folder, [{ metadata: { name: folder } }]]),
  );
  expect(folders.filter((folder) => after[folder].size > 0)).toEqual([]);
});
