import { expect, it } from 'vitest';
import { silentIn } from '../../../src/repo/record/summary.ts';

it('tells of silent members the last contact that was written for them, whatever their names', () => {
  expect(
    silentIn({
      unreachable: { constructor: 'connection refused', 'eu-1': 'timed out' },
      lastContact: { 'eu-1': '2026-01-01T00:00:00Z' },
    }),
  ).toEqual(
    new Map([
      ['constructor', { cause: 'connection refused' }],
      ['eu-1', { cause: 'timed out', lastContact: '2026-01-01T00:00:00Z' }],
    ]),
  );
});
