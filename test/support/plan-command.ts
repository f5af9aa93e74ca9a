import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import type { Manifest } from '../../src/api/meta.ts';
import type {
  NodeTarget,
  PlacementTarget,
  Plan,
  PlannedNodes,
  PlannedPlacement,
} from '../../src/engine/plan-document.ts';
import { filesOf, folder, removeFolders } from './folders.ts';
import { cli } from './run-cli.ts';

afterAll(removeFolders);

/** A plan as `-o json` prints it: the record is text by path. */
export interface PrintedPlan extends Omit<Plan, 'record' | 'targets' | 'nodes'> {
  /** Of fleets without cluster upgrades. */
  readonly targets: readonly PlacementTarget[];
  readonly nodes: readonly (PlannedNodes & { readonly target?: NodeTarget })[];
  readonly record: Readonly<Record<string, string>>;
}

export interface Case {
  /** Files of the fleet repo: text by path. A list is joined to one file of several documents. */
  readonly repo: Readonly<Record<string, string | readonly string[]>>;
  /** ClusterObservations; left out = nothing was observed. */
  readonly observed?: readonly string[] | undefined;
  /** Record of the step before, or one written by hand. */
  readonly recorded?: Readonly<Record<string, string>>;
  readonly now?: string;
}

export interface Planned {
  readonly plan: PrintedPlan;
  readonly code: number;
  /** What `--out-recorded` wrote: the next step's `recorded`. */
  readonly recorded: Readonly<Record<string, string>>;
  /** The only placement, or the one of that name. */
  readonly placement: (name?: string) => PlannedPlacement;
}

export const now = '2026-11-20T10:00:00Z';

/** `gitfleet plan --repo … --observed … --recorded … --now … --out-recorded … -o json`. */
export async function plan(of: Case): Promise<Planned> {
  const { flags, out } = onDisk(of);
  const { text, code } = await printedBy('plan', ...flags, '-o', 'json');
  return planned(text, code, filesOf(out));
}

/** `gitfleet render --cluster X -o json`: the manifests that each of these clusters gets. */
export async function rendered(
  of: Case,
  ...clusters: readonly string[]
): Promise<Readonly<Record<string, Manifest[]>>> {
  const { renderFlags } = onDisk(of);
  const made: Record<string, Manifest[]> = {};
  for (const cluster of clusters) {
    const { text } = await printedBy('render', ...renderFlags, '--cluster', cluster, '-o', 'json');
    made[cluster] = (JSON.parse(text) as { readonly items: Manifest[] }).items;
  }
  return made;
}

async function printedBy(...argv: readonly string[]): Promise<{ readonly text: string; readonly code: number }> {
  const { out: text, err, code } = await cli(...argv);
  if (text === '') throw new Error(err);
  return { text, code };
}

function planned(text: string, code: number, recorded: Planned['recorded']): Planned {
  const printed = JSON.parse(text) as PrintedPlan;
  // A removal that needs an approval is for the test to judge; any other finding is a mistake of the planner.
  expect(printed.guard.filter(({ removalDigest }) => removalDigest === undefined)).toEqual([]);
  return {
    plan: printed,
    code,
    recorded,
    placement(name) {
      const found = printed.placements.filter((placement) => name === undefined || placement.name === name);
      if (found.length !== 1)
        throw new Error(`${found.length} placements, wanted one: ${JSON.stringify(printed.problems)}`);
      return found[0]!;
    },
  };
}

function onDisk({ repo, observed, recorded, now: at = now }: Case) {
  const files = Object.entries(repo).map(([path, text]) => [
    path,
    typeof text === 'string' ? text : text.join('\n---\n'),
  ]);
  const [fleet, record, seen, out] = [
    folder(Object.fromEntries(files) as Record<string, string>),
    folder(recorded),
    folder(observed ? { 'observed.yaml': observed.join('\n---\n') } : {}),
    folder(),
  ];
  const renderFlags = [
    ...['--repo', fleet, '--recorded', recorded ? record : 'none', '--now', at],
    ...(observed ? ['--observed', join(seen, 'observed.yaml')] : []),
  ];
  return { flags: [...renderFlags, '--out-recorded', out], renderFlags, out };
}

const flow = (value: unknown): string => JSON.stringify(value);

/** A MemberCluster as a user writes it. */
export const member = (
  name: string,
  {
    labels,
    annotations,
    taints,
    leaving,
    status,
  }: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly taints?: readonly object[];
    readonly leaving?: boolean;
    readonly status?: object;
  } = {},
): string => `apiVersion: cluster.kubernetes-fleet.io/v1beta1
kind: MemberCluster
metadata:
  name: ${name}
  labels: ${flow(labels ?? {})}
  annotations: ${flow(annotations ?? {})}
${leaving ? `  deletionTimestamp: "${now}"\n` : ''}spec:
  taints: ${flow(taints ?? [])}
${status ? `status: ${flow(status)}\n` : ''}`;

export interface Observed {
  readonly properties?: Readonly<Record<string, string>>;
  readonly usage?: Readonly<Record<'capacity' | 'allocatable' | 'available', Readonly<Record<string, string>>>>;
  readonly at?: string;
  readonly reachable?: boolean;
  readonly more?: object;
  readonly [field: string]: unknown;
}

/** A ClusterObservation of a member that is well at `at`, with these properties. */
export const seen = (name: string, { properties, usage, at = now, reachable, more, ...rest }: Observed = {}): string =>
  flow({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'ClusterObservation',
    metadata: { name },
    observedAt: at,
    reachable: reachable ?? true,
    memberStatus: {
      ...(properties && {
        properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, { value }])),
      }),
      ...(usage && { resourceUsage: usage }),
      ...more,
    },
    ...rest,
  });

/** Observations of these members when each has exactly what the plan assigned. */
export function carriedOut({ plan: { targets } }: Planned, names: readonly string[], at = now): string[] {
  return names.map((name) => {
    const own = targets.filter(({ clusterName, remove }) => clusterName === name && !remove);
    return seen(name, {
      at,
      placements: own.map(({ placement: ref, resourceSnapshotIndex, digest }) => ({
        placement: ref,
        resourceSnapshotIndex,
        digest,
        at,
        done: true,
        results: [],
      })),
      objects: own.flatMap(({ placement: ref, objects }) =>
        objects.map(({ apiVersion, kind, name: object, namespace }) => ({
          apiVersion,
          kind,
          metadata: {
            name: object,
            ...(namespace && { namespace }),
            labels: { 'gitfleet.dev/placement': ref.namespace ? `${ref.namespace}.${ref.name}` : ref.name },
          },
        })),
      ),
    });
  });
}

/** A hub with one namespace and one ConfigMap. */
export const shop = `apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: prices, namespace: shop}
data: {apple: "1"}
`;

/** A ClusterResourcePlacement of namespace shop; `policy` and `rest` are YAML indented by two. */
export const placement = (policy: string, rest = ''): string => `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterResourcePlacement
metadata:
  name: web
spec:
  resourceSelectors:
    - {group: "", version: v1, kind: Namespace, name: shop}
${policy && `  policy:\n${indent(policy, 4)}\n`}${rest && `${indent(rest, 2)}\n`}`;

export const indent = (text: string, by: number): string =>
  text
    .replace(/^\n+|\s+$/g, '')
    .split('\n')
    .map((line) => ' '.repeat(by) + line)
    .join('\n');

/** `name affinity/spread` of the selected, in order. */
export const picked = ({ decisions }: PlannedPlacement): string[] =>
  decisions
    .filter(({ selected }) => selected)
    .map(
      ({ clusterName, clusterScore: score }) =>
        clusterName + (score ? ` ${score.affinityScore}/${score.topologySpreadScore}` : ''),
    );

/** `name affinity/spread` of those that passed all filters and were not selected, best first. */
export const outscored = ({ decisions }: PlannedPlacement): string[] =>
  decisions
    .filter(({ selected, clusterScore }) => !selected && clusterScore)
    .map(
      ({ clusterName, clusterScore: score }) => `${clusterName} ${score!.affinityScore}/${score!.topologySpreadScore}`,
    );

/** Names of the clusters that a filter refused, in order. */
export const filtered = ({ decisions }: PlannedPlacement): string[] =>
  decisions.filter(({ selected, clusterScore }) => !selected && !clusterScore).map(({ clusterName }) => clusterName);

export const reasonOf = ({ decisions }: PlannedPlacement, cluster: string): string | undefined =>
  decisions.find(({ clusterName }) => clusterName === cluster)?.reason;

/** `name state move` of every binding. */
export const bindings = ({ bindings: all }: PlannedPlacement): string[] =>
  all.map(({ clusterName, state, move }) => `${clusterName} ${state} ${move}`);

/** `type status reason`, without the prefix of a placement's own conditions. */
export const conditionLines = (
  conditions: readonly { readonly type: string; readonly status: string; readonly reason: string }[] = [],
): string[] =>
  conditions.map(
    ({ type, status, reason }) => `${type.replace(/^(Cluster)?ResourcePlacement/, '')} ${status} ${reason}`,
  );
