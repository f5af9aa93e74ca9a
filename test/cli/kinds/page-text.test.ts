import { expect, it } from 'vitest';
import { conditionTable, tableOrNone } from '../../../src/cli/kinds/page-text.ts';
import { is } from './world.ts';

it('conditions are in columns, with instants of whole seconds', () => {
  const approved = { ...is('Approved', 'True', 0, 'by Ann'), lastTransitionTime: '2026-11-20T11:00:00.123Z' };
  expect(conditionTable([approved]).split('\n')).toEqual([
    'TYPE       STATUS   REASON           SINCE                  MESSAGE',
    'Approved   True     ApprovedReason   2026-11-20T11:00:00Z   by Ann',
  ]);
});

it('a table without rows has no headings either', () => {
  expect([conditionTable(undefined), tableOrNone(['KIND', 'NAME'], [])]).toEqual(['<none>', '<none>']);
});
