import { expect, it } from 'vitest';
import { forecastParts, forecastSummary, refusalNotes, rolloutTitle } from '../../src/report/forecast/lines.ts';
import { nodeCommandRows, nodeParts } from '../../src/report/forecast/node-lines.ts';

it('a stage without changes to come has no count of clusters, and waits that are over are no news', () => {
  const soak = (to: string) => ({ kind: 'soak', from: '2026-11-20T08:00:00Z', to: `2026-11-20T${to}:00Z` }) as const;
  const placement = { kind: 'ClusterResourcePlacement', name: 'web' } as const;
  const [part] = forecastParts({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'Forecast',
    from: '2026-11-20T10:00:00Z',
    until: '2026-11-27T10:00:00Z',
    end: 'settled',
    rollouts: [
      {
        placement,
        run: 'web-1',
        stages: [{ name: 'dev', clusters: [], notStarted: 0, waits: ['09:00', '10:00', '11:00'].map(soak) }],
        waits: [],
      },
    ],
    upgrades: [],
    reapplied: [],
    nodes: [],
    proposals: [],
    shortages: [],
    notRolledOut: [],
    guard: [],
    refusals: [],
  });
  expect(part!.rows.map((row) => row.slice(0, 2))).toEqual([['dev', '-']]);
  expect(part!.notes).toEqual(['stage dev: soaks 2026-11-20 08:00 UTC to 2026-11-20 11:00 UTC']);
});

it('rollouts are done before nodes are, and a command names every pool of its nodes', () => {
  const at = '2026-11-20T10:00:00Z';
  const nodes = ['general', 'batch'].map((pool) => ({ name: `${pool}-1`, pool }));
  const command = { method: 'Emptiness', from: at, to: '2026-11-20T10:02:00Z', nodes, replacements: [] };
  const forecast = {
    rollouts: [{ placement: { kind: 'ClusterResourcePlacement', name: 'web' }, stages: [], waits: [] }],
    upgrades: [],
    reapplied: [],
    nodes: [{ clusterName: 'eu-1', mode: 'plan', commands: [command], waits: [], blocked: [], isObserved: true }],
    proposals: [],
    shortages: [],
    guard: [],
    end: 'settled',
    doneAt: at,
  } as never;
  expect(forecastSummary(forecast, { approveAfterMs: undefined })).toBe(
    'All rollouts are done at 2026-11-20 10:00 UTC.',
  );
  expect(nodeParts(forecast)[0]!.rows[0]!.cells[0]).toBe('general, batch');
  expect(nodeCommandRows(forecast)[0]).toContain('general, batch');
});

it('names clusters that failed in a run that goes on', () => {
  const at = '2026-11-20T10:00:00Z';
  const span = { clusterName: 'p2', action: 'update', from: at, to: at, failed: true };
  const stages = [{ name: 'prod', clusters: [span], notStarted: 0, waits: [], from: at, to: at }];
  const rollout = {
    ...{ placement: { kind: 'ClusterResourcePlacement', name: 'web' }, run: 'web-1', stages, waits: [], to: at },
    state: { type: 'Succeeded', status: 'True' },
  } as never;
  const found = {
    rollouts: [rollout],
    upgrades: [],
    reapplied: [],
    nodes: [],
    proposals: [],
    shortages: [],
    guard: [],
    doneAt: at,
  };
  const says = 'done at 2026-11-20 10:00 UTC; p2 failed, which max-failures allows';
  expect(forecastSummary({ ...found, from: at } as never, { approveAfterMs: undefined })).toBe(
    `Everything is ${says}.`,
  );
  expect(rolloutTitle(rollout)).toBe(`web-1 (placement web): ${says}`);
});

it('an approval is given, not given, or no longer needed', () => {
  const [from, to] = ['2026-11-20T10:00:00Z', '2026-11-20T11:00:00Z'];
  const refusal = { message: 'too many', rule: 'blast-radius-clusters', removalDigest: 'sha256:1', from } as const;
  const ends = [{ to, approved: true }, { to }, {}] as const;
  expect(
    refusalNotes({ refusals: ends.map((end) => ({ ...refusal, ...end })) }).map((note) => note.split(', ').at(-1)),
  ).toEqual(['given at 2026-11-20 11:00 UTC', 'no longer needed at 2026-11-20 11:00 UTC', 'not given']);
});
