import { expect, it } from 'vitest';
import type { FleetRecord } from '../../src/engine/input.ts';
import type { RecordDocument } from '../../src/engine/plan-document.ts';
import { nextRecord } from '../../src/forecast/next-record.ts';
import { recordFolders } from '../../src/repo/record/folders/rows.ts';
import { readRecord } from '../../src/repo/record/read.ts';
import { PaperFleet } from '../support/paper-fleet.ts';
import { renderRecord } from '../support/render-record.ts';
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

it('the next record has the same entries in every folder as reading its texts gives', async () => {
  const paper = new PaperFleet(shop);
  const plan = await paper.planOn();
  const { record } = await paper.input();
  const read = readRecord(renderRecord(plan.record)).record;
  const next = nextRecord(plan, record);
  const keysOf = (of: FleetRecord) => recordFolders.map((folder) => [folder, [...of[folder].keys()].sort()]);
  expect(keysOf(next)).toEqual(keysOf(read));
  expect([...next.placements.values()].map(({ snapshots }) => snapshots)).toEqual(
    [...read.placements.values()].map(({ snapshots }) => snapshots),
  );
  expect(next.placements.size).toBeGreaterThan(0);
});
