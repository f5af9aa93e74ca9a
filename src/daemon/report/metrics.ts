import { version } from '../package-version.ts';

/** Prometheus text format, written by hand: a dozen metrics do not justify a client library with its own registry. */
export interface Metrics {
  count(name: string, labels?: Readonly<Record<string, string>>, by?: number): void;
  set(name: string, value: number, labels?: Readonly<Record<string, string>>): void;
  /** Replaces every series of a gauge with one label: a label that is no longer counted is removed. */
  setEach(name: string, label: string, values: ReadonlyMap<string, number>): void;
  /** Replaces every series of a gauge. */
  setSeries(name: string, samples: readonly Sample[]): void;
  observe(name: string, seconds: number): void;
  render(): string;
}

/** One series of a gauge. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const results = ['published', 'unchanged', 'gathering', 'refused', 'moved', 'failed'];

const forgeResults = ['ok', 'unreachable', 'limited', 'unauthorized', 'not-found', 'exists', 'refused'];

const help: Readonly<Record<string, readonly [type: 'counter' | 'gauge' | 'histogram', help: string]>> = {
  gitfleet_reconcile_total: ['counter', `Reconciliations by result (${results.join(', ')}).`],
  gitfleet_reconcile_duration_seconds: ['histogram', 'Duration of a reconciliation.'],
  gitfleet_last_success_timestamp_seconds: ['gauge', 'When the last reconciliation finished, seconds since 1970.'],
  gitfleet_git_request_total: ['counter', 'Requests to the git server by type (list, fetch, push).'],
  gitfleet_forge_requests_total: ['counter', `Requests to the forge by result (${forgeResults.join(', ')}).`],
  gitfleet_pull_requests: ['gauge', 'Open pull requests for approvals.'],
  gitfleet_previews: ['gauge', 'Open pull requests with a plan of what merging them does.'],
  gitfleet_git_push_conflicts_total: ['counter', 'Status pushes that another writer made stale.'],
  gitfleet_record_mismatch_total: [
    'counter',
    'Claims of the status branch that the followed branch did not confirm, and its commits that were refused.',
  ],
  gitfleet_unverified_commits: [
    'gauge',
    'Commits of the followed branch that are not acted on, since one is not verified.',
  ],
  gitfleet_cluster_connection_status: ['gauge', 'Members by state (reachable, unreachable).'],
  gitfleet_queue_depth: ['gauge', 'Members with work in progress.'],
  gitfleet_plan_changes: ['gauge', 'Bindings of the last plan by move.'],
  gitfleet_plan_holds: ['gauge', 'Holds of the last plan by reason.'],
  gitfleet_problems: ['gauge', 'Problems of the last load by severity.'],
  gitfleet_upgrade_runs: ['gauge', 'Cluster update runs by state.'],
  gitfleet_upgrade_members: ['gauge', 'Members of cluster update runs that are not over, by state.'],
  gitfleet_upgrade_version_skew: ['gauge', 'Kubernetes minors between the oldest and the newest control plane.'],
  gitfleet_upgrade_end_of_support_days: [
    'gauge',
    'Days until the first end of support of a version that a member runs; NaN without a VersionCatalog that has one.',
  ],
  gitfleet_nodes: ['gauge', 'Nodes that the budgets of NodePools count, on all members.'],
  gitfleet_nodes_disrupting: ['gauge', 'Those of them that are not ready or on their way out.'],
  gitfleet_nodes_leaving: ['gauge', 'Nodes of commands, proposed or under way, by reason.'],
  gitfleet_nodes_blocked: ['gauge', 'Nodes that may not go, by reason.'],
  gitfleet_node_commands: ['gauge', 'Commands about nodes by phase.'],
  gitfleet_node_savings_per_hour: ['gauge', 'What those commands save an hour, in the currency of the PriceLists.'],
  gitfleet_member_requests_total: ['counter', 'Requests sent to members.'],
  gitfleet_placement_clusters: ['gauge', 'Clusters of a placement by state.'],
  gitfleet_placement_missing_clusters: ['gauge', 'Clusters that a placement requires and the scheduler did not find.'],
  gitfleet_placement_failed_objects: ['gauge', 'Objects of a placement that could not be applied, on all clusters.'],
  gitfleet_placement_drifted_objects: ['gauge', 'Objects of a placement that differ and are not repaired.'],
  gitfleet_placement_last_success_timestamp_seconds: [
    'gauge',
    'When a placement was last available on all of its clusters, seconds since 1970.',
  ],
  gitfleet_staged_run_state: ['gauge', 'Staged update runs, 1 each, with the reason of their last condition.'],
  gitfleet_build_info: ['gauge', 'Always 1; the version of gitfleet and of Node.'],
  process_start_time_seconds: ['gauge', 'When the process started, seconds since 1970.'],
  process_cpu_seconds_total: ['counter', 'Processor time of the process.'],
  process_resident_memory_bytes: ['gauge', 'Resident memory of the process.'],
  nodejs_heap_size_used_bytes: ['gauge', 'Used heap of JavaScript.'],
};

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Counters and gauges of this process; those that may never be set start at 0. */
export function metrics(): Metrics {
  const values = new Map<string, Map<string, number>>();
  function seriesOf(name: string): Map<string, number> {
    const series = values.get(name) ?? new Map<string, number>();
    values.set(name, series);
    return series;
  }
  function add(name: string, labels: string, by: number): void {
    const series = seriesOf(name);
    series.set(labels, (series.get(labels) ?? 0) + by);
  }
  // A counter that appears only with its first event shows no increase.
  add('gitfleet_git_push_conflicts_total', '', 0);
  add('gitfleet_record_mismatch_total', '', 0);
  add('gitfleet_build_info', labelText({ version, node: process.versions.node }), 1);
  for (const result of results) add('gitfleet_reconcile_total', labelText({ result }), 0);
  for (const result of forgeResults) add('gitfleet_forge_requests_total', labelText({ result }), 0);
  return {
    count: (name, labels = {}, by = 1) => add(name, labelText(labels), by),
    set: (name, value, labels = {}) => void seriesOf(name).set(labelText(labels), value),
    setEach(name, label, each) {
      values.set(name, new Map([...each].map(([key, value]) => [labelText({ [label]: key }), value])));
    },
    setSeries(name, samples) {
      values.set(name, new Map(samples.map(({ labels, value }) => [labelText(labels), value])));
    },
    observe(name, seconds) {
      for (const bound of [...buckets, Number.POSITIVE_INFINITY]) {
        const le = bound === Number.POSITIVE_INFINITY ? '+Inf' : String(bound);
        add(`${name}_bucket`, labelText({ le }), seconds <= bound ? 1 : 0);
      }
      add(`${name}_sum`, '', seconds);
      add(`${name}_count`, '', 1);
    },
    render() {
      for (const [name, value] of ofProcess()) seriesOf(name).set('', value);
      const lines: string[] = [];
      for (const [name, [type, text]] of Object.entries(help)) {
        lines.push(`# HELP ${name} ${text}`, `# TYPE ${name} ${type}`);
        for (const suffix of type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']) {
          for (const [labels, value] of values.get(name + suffix) ?? [])
            lines.push(`${name}${suffix}${labels} ${value}`);
        }
      }
      return `${lines.join('\n')}\n`;
    },
  };
}

/** By the names that clients of Prometheus give them. */
const ofProcess = (): readonly (readonly [string, number])[] => {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  return [
    ['process_start_time_seconds', performance.timeOrigin / 1000],
    ['process_cpu_seconds_total', (user + system) / 1e6],
    ['process_resident_memory_bytes', rss],
    ['nodejs_heap_size_used_bytes', heapUsed],
  ];
};

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
