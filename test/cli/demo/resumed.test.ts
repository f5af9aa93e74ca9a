import { afterAll, expect, it } from 'vitest';
import { narrate, planInEffect } from '../../../src/cli/demo/narrate.ts';
import { readPlanInput } from '../../../src/cli/plan/input.ts';
import { planFleet } from '../../../src/engine/plan.ts';
import { readRecord } from '../../../src/repo/record/read.ts';
import { folder, removeFolders } from '../../support/folders.ts';
import { renderRecord } from '../../support/render-record.ts';
import { shop } from '../../support/shop.ts';

afterAll(removeFolders);

it('a resumed demo does not repeat what the earlier one has recorded', async () => {
  const { plan } = planFleet(await readPlanInput({ repo: folder(shop), now: '2026-11-20T10:00:00Z' }));
  const picks = (lines: ReturnType<typeof narrate>) => lines.filter(({ tone }) => tone === 'decided');
  const { record } = readRecord(renderRecord(plan.record));
  expect(picks(narrate(undefined, plan)).length).toBeGreaterThan(0);
  expect(picks(narrate(undefined, plan, { start: record }))).toEqual([]);
  const guard = [{ rule: 'frozen', message: 'too much' }] as const;
  const refused = planInEffect(undefined, { kind: 'refused', plan: { ...plan, guard } });
  expect(narrate(undefined, refused, { start: record }).map(({ tone }) => tone)).toEqual(['bad']);
  expect(picks(narrate(refused, plan, { start: record }))).toEqual([]);
});
