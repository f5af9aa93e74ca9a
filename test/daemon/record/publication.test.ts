import { expect, it } from 'vitest';
import { statusFiles } from '../../../src/daemon/record/publication.ts';
import { readRecord } from '../../../src/repo/record/read.ts';
import { PaperFleet } from '../../support/paper-fleet.ts';
import { shop } from '../../support/shop.ts';

it('a folder that a newer gitfleet wrote stays on the status branch, and other unknown files are removed', async () => {
  const paper = new PaperFleet(shop);
  const plan = await paper.planOn();
  const { fleet } = await paper.input();
  const before = new Map([
    ['later/eu-1.yaml', 'kind: Upgrade\n'],
    ['notes.txt', 'mine\n'],
    ['runs/gone/x.yaml', 'x\n'],
  ]);
  const files = statusFiles(plan, before, {
    branch: 'main',
    unreachable: new Map(),
    notRolledOut: [],
    before: { record: readRecord(before).record, files: before },
    fleet,
  });
  expect([...before.keys()].filter((path) => files.has(path))).toEqual(['later/eu-1.yaml']);
});
