import { readFileSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { metrics } from '../../../src/daemon/report/metrics.ts';
import { settledFleet, web } from '../../support/small-fleet.ts';
import type { VirtualFleet } from '../../support/virtual-fleet.ts';

let fleet: VirtualFleet | undefined;
afterEach(() => fleet?.close());

it('counters, gauges and histograms are rendered as Prometheus reads them', () => {
  const measured = metrics();
  measured.count('gitfleet_git_request_total', { type: 'fetch' });
  measured.count('gitfleet_git_request_total', { type: 'fetch' }, 2);
  measured.setEach('gitfleet_plan_holds', 'reason', new Map([['say "no"\n', 3]]));
  measured.setEach('gitfleet_plan_holds', 'reason', new Map([['Freeze', 1]]));
  measured.observe('gitfleet_reconcile_duration_seconds', 0.3);
  const lines = measured.render().split('\n');
  const of = (name: string) => lines.filter((line) => line.startsWith(name));
  expect(of('gitfleet_git_request_total')).toEqual(['gitfleet_git_request_total{type="fetch"} 3']);
  expect(of('gitfleet_plan_holds')).toEqual(['gitfleet_plan_holds{reason="Freeze"} 1']);
  expect(of('gitfleet_reconcile_duration_seconds')).toEqual([
    ...['0.005', '0.01', '0.025', '0.05', '0.1', '0.25'].map(
      (le) => `gitfleet_reconcile_duration_seconds_bucket{le="${le}"} 0`,
    ),
    ...['0.5', '1', '2.5', '5', '10', '+Inf'].map((le) => `gitfleet_reconcile_duration_seconds_bucket{le="${le}"} 1`),
    'gitfleet_reconcile_duration_seconds_sum 0.3',
    'gitfleet_reconcile_duration_seconds_count 1',
  ]);
});

it('every metric, with its type and its labels, is in the table of docs/operations.md, and nothing else', async () => {
  const world = await settledFleet();
  fleet = world.fleet;
  fleet.fault('b', { type: 'Unreachable' });
  fleet.commit({ ...web('web:2'), 'clusters/c.yaml': 'kind: [' });
  await fleet.run(120);
  const lines = world.one.metrics.render().split('\n');
  const labels = new Map<string, Set<string>>();
  for (const line of lines) {
    const [, name = '', inner = ''] = /^(\w+?)(?:_bucket|_sum|_count)?(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    const names = [...inner.matchAll(/(\w+)="/g)].map(([, label]) => label!).filter((label) => label !== 'le');
    labels.set(name, new Set([...(labels.get(name) ?? []), ...names]));
  }
  const reported = lines.flatMap((line) => {
    const [, name, type] = /^# TYPE (\w+) (\w+)$/.exec(line) ?? [];
    return name === undefined ? [] : [`${name} ${type} ${[...(labels.get(name) ?? [])].join()}`];
  });
  const rows = readFileSync('docs/operations.md', 'utf8').matchAll(
    /^\| `(gitfleet_\w+)` \| (\w+) \| (?:`(\w+)`)?.* \|$/gm,
  );
  const documented = [...rows].map(([, name, type, label = '']) => `${name} ${type} ${label}`);
  // The repository in memory counts no requests to a server.
  const here = (line: string) =>
    line.replace(/^gitfleet_git_request_total counter $/, 'gitfleet_git_request_total counter type');
  expect(reported.map(here).sort()).toEqual(documented.sort());
});
