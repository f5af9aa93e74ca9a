import { expect, it } from 'vitest';
import { forecastParts } from '../../src/report/forecast/lines.ts';

it('a stage without changes to come has no count of clusters', () => {
  const placement = { kind: 'ClusterResourcePlacement', name: 'web' } as const;
  const [part] = forecastParts({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'Forecast',
    from: '2026-11-20T10:00:00Z',
    until: '2026-11-27T10:00:00Z',
    end: 'settled',
    rollouts: [{ placement, run: 'web-1', stages: [{ name: 'dev', clusters: [], waits: [] }], waits: [] }],
    upgrades: [],
    nodes: [],
    proposals: [],
    shortages: [],
    guard: [],
  });
  expect(part!.rows.map((row) => row.slice(0, 2))).toEqual([['dev', '-']]);
});
