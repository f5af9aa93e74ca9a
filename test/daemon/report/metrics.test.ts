import { readFileSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { metrics } from '../../../src/daemon/report/metrics.ts';
import { placement } from '../../support/paper-fleet.ts';
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
  const rows = readFileSync('docs/operations.md', 'utf8').matchAll(
    /^\| `(\w+)` \| (counter|gauge|histogram) \| ((?:`\w+`(?:, )?)*).* \|$/gm,
  );
  const documented = new Map(
    [...rows].map(([, name, type, label = '']) => [name, { type, label: label.replace(/[` ]/g, '') }]),
  );
  const reported = lines.flatMap((line) => {
    const [, name, type] = /^# TYPE (\w+) (\w+)$/.exec(line) ?? [];
    if (name === undefined) return [];
    // Nothing is wrong with most placements of this fleet, and the repository in memory counts no requests to a server.
    const label = [...(labels.get(name) ?? documented.get(name)?.label.split(',') ?? [])].join();
    return [[name, { type, label }] as const];
  });
  expect(new Map(reported)).toEqual(documented);
});

it('per placement: clusters by state, missing clusters, last success, and runs', async () => {
  const world = await settledFleet();
  fleet = world.fleet;
  fleet.commit({
    'placements/many.yaml': placement('many', '{placementType: PickN, numberOfClusters: 5}'),
    'rollouts/run.yaml': stringify({
      apiVersion: 'placement.kubernetes-fleet.io/v1',
      kind: 'ClusterStagedUpdateRun',
      metadata: { name: 'web-1' },
      spec: { placementName: 'web', stagedRolloutStrategyName: 'none' },
    }),
  });
  await fleet.run(60);
  const of = (name: string) => world.one.metrics.render().match(new RegExp(`^${name}\\{.*$`, 'gm'));
  expect(of('gitfleet_placement_clusters')).toContain(
    'gitfleet_placement_clusters{placement="web",state="available"} 3',
  );
  expect(of('gitfleet_placement_missing_clusters')).toEqual([
    'gitfleet_placement_missing_clusters{placement="many"} 2',
  ]);
  // `many` never had all of its clusters.
  const [success, ...more] = of('gitfleet_placement_last_success_timestamp_seconds') ?? [];
  expect(more).toEqual([]);
  expect(Number(/\{placement="web"\} (\S+)$/.exec(success!)?.[1])).toBeGreaterThan(fleet.clock.now() / 1000 - 15);
  expect(of('gitfleet_staged_run_state')).toEqual([expect.stringMatching(/\{run="web-1",reason="\w+"\} 1$/)]);
  expect(of('gitfleet_build_info')).toEqual([expect.stringMatching(/version="\d+\.\d+\.\d+",node="2\d/)]);
});

it('dashboard and alerts of deploy/monitoring use only metrics and labels that there are', () => {
  const known = new Set(
    [
      ...metrics()
        .render()
        .matchAll(/^# TYPE (\w+)/gm),
    ].map(([, name]) => name),
  );
  for (const file of ['grafana-dashboard.json', 'prometheusrule.yaml']) {
    const text = readFileSync(`deploy/monitoring/${file}`, 'utf8');
    const used = [...text.matchAll(/\b((?:gitfleet|process|nodejs)_\w+?)(?:_bucket)?\b(?![./-])/g)].map(
      ([, name]) => name,
    );
    expect(used.length).toBeGreaterThan(5);
    expect(used.filter((name) => !known.has(name))).toEqual([]);
  }
});

it('a member that cannot be reached is logged as a warning with its cause, its return as information', async () => {
  const world = await settledFleet();
  fleet = world.fleet;
  fleet.fault('b', { type: 'Unreachable' });
  await fleet.run(60);
  fleet.fault('b');
  await fleet.run(60);
  const lines = fleet.logged
    .map((line) => JSON.parse(line) as { level: string; cluster?: string; msg: string })
    .filter(({ cluster, msg }) => cluster === 'b' && /reached|responds/.test(msg));
  expect(lines.map(({ level, msg }) => `${level} ${msg}`)).toEqual([
    expect.stringMatching(/^warn b cannot be reached: \S/),
    'info b responds again',
  ]);
});
