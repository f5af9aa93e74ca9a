import { isLeaving, type MemberCluster, memberAgentOf } from '../../../api/member-cluster.ts';
import { formatInstant } from '../../../engine/kernel/instant.ts';
import { amountText } from '../../../engine/placement/amount-text.ts';
import { evaluateEligibility } from '../../../engine/placement/eligibility.ts';
import { taintText } from '../../../engine/placement/taint-text.ts';
import { allMembers, isInFlight } from '../../../engine/upgrade/tree.ts';
import type { UnreachableMember } from '../../../repo/record/daemon-memory.ts';
import { snapshotText } from '../../../report/applied-snapshot.ts';
import { conditionOf } from '../../../report/condition-of.ts';
import { unreachableText } from '../../../report/unreachable-text.ts';
import { versionChange } from '../../../report/upgrades/progress.ts';
import { failedObjects, whyNotSettled } from '../../../report/waits/why-late.ts';
import { knownPlacements } from '../../status/known-placements.ts';
import type { Status } from '../../status/open-status.ts';
import { plural } from '../../terminal/plural.ts';
import { table } from '../../terminal/table.ts';
import { objectIssues } from '../bindings/object-issues.ts';
import { statusOf } from '../listing.ts';
import { ageSince, conditionTable, fields, indent, titled } from '../page-text.ts';

/** A member: whether it is eligible, its properties and resources, and its placements. */
export function clusterPage(cluster: MemberCluster, status: Status): string[] {
  const { properties = {}, conditions } = cluster.status ?? {};
  return [
    head(cluster, status),
    filled(
      'Properties',
      ['NAME', 'VALUE'],
      Object.entries(properties).map(([name, { value }]) => [name, value]),
    ),
    resources(cluster),
    titled(
      'Conditions',
      conditionTable([...(conditions ?? []), ...(memberAgentOf(cluster.status)?.conditions ?? [])], status.now),
    ),
    ...placementLines(cluster.metadata.name, status),
  ];
}

function head(cluster: MemberCluster, { record, now, ...of }: Status): string {
  const { metadata, spec, status } = cluster;
  const { labels = {}, deletionTimestamp } = metadata;
  const unreachable = of.unreachable.get(metadata.name);
  return fields([
    ['Name', metadata.name],
    [
      'Labels',
      Object.entries(labels)
        .map(([key, value]) => `${key}=${value}`)
        .join(', '),
    ],
    ['Taints', (spec.taints ?? []).map(taintText).join(', ')],
    deletionTimestamp == null ? undefined : ['Leaving', `for ${ageSince(deletionTimestamp, now) ?? 'an unknown time'}`],
    ['Eligible', eligibility(cluster, unreachable, now)],
    ['Joined', statusOf(memberAgentOf(cluster.status)?.conditions, 'Joined') ?? 'Unknown'],
    ['Healthy', health(cluster, now)],
    ['Heartbeat', unreachable ? unreachableText(unreachable) : `every ${spec.heartbeatPeriodSeconds}s, responding`],
    ['Version', status?.properties?.['k8s.io/k8s-version']?.value],
    ...upgradesOf(metadata.name, record).map((text) => ['Upgrade', text] as const),
  ]);
}

/** `run k8s-1-31, v1.30.9 → v1.31.5, since 2026-11-20T10:00:00Z`, while one is in progress. */
const upgradesOf = (name: string, { upgrades }: Status['record']): string[] =>
  [...upgrades.values()].flatMap((run) =>
    (run.status ? allMembers(run.status) : [])
      .filter((member) => member.name === name && isInFlight(member))
      .map((member) =>
        [`run ${run.metadata.name}`, versionChange(member), `since ${member.status.startTime}`]
          .filter((part) => part !== undefined)
          .join(', '),
      ),
  );

/** Heartbeats are not committed: a member that is not reported as unreachable has one now. */
function eligibility(cluster: MemberCluster, unreachable: UnreachableMember | undefined, now: number): string {
  const lastContact = unreachable === undefined ? formatInstant(now) : (unreachable.lastContact ?? formatInstant(0));
  const verdict = evaluateEligibility(
    isLeaving(cluster),
    {
      ...cluster.status,
      agentStatus: cluster.status?.agentStatus?.map((agent) => ({ lastReceivedHeartbeat: lastContact, ...agent })),
    },
    now,
  );
  return verdict.eligible ? 'yes' : `no, ${verdict.reason}`;
}

function health(cluster: MemberCluster, now: number): string {
  const healthy = conditionOf(memberAgentOf(cluster.status)?.conditions, 'Healthy');
  if (!healthy) return 'Unknown';
  const age = ageSince(healthy.lastTransitionTime, now);
  return `${healthy.status}${age === undefined ? '' : ` for ${age}`}${healthy.reason === undefined ? '' : `, ${healthy.reason}`}`;
}

/** A table under its title, or `<none>`. */
const filled = (title: string, headings: readonly string[], rows: Rows): string =>
  rows.length === 0 ? `${title}:  <none>` : titled(title, table(headings, rows));

type Rows = Parameters<typeof table>[1];

/** The title names the time: usage changes with every pod, and is not committed for that alone. */
function resources({ status }: MemberCluster): string {
  const { capacity = {}, allocatable = {}, available = {} } = status?.resourceUsage ?? {};
  const names = [...new Set([capacity, allocatable, available].flatMap((list) => Object.keys(list)))].sort();
  const rows = names.map((name) => [
    name,
    ...[capacity, allocatable, available].map(({ [name]: amount }) => amount && amountText(name, amount)),
  ]);
  const title = rows.length === 0 ? 'Resources' : 'Resources at the last change of this record';
  return filled(title, ['RESOURCE', 'CAPACITY', 'ALLOCATABLE', 'AVAILABLE'], rows);
}

/** Placements that the cluster has or is to get, and their objects that fail or differ. */
function placementLines(name: string, status: Status): string[] {
  const held = knownPlacements(status.record).flatMap((placement) =>
    placement.state.bindings
      .filter(({ targetCluster }) => targetCluster === name)
      .map((binding) => ({ placement, title: placement.title, binding })),
  );
  const rows = held.map(({ placement, title, binding }) => [
    title,
    binding.deleting ? 'Deleting' : binding.state,
    snapshotText(binding, status.unreachable.has(name)),
    statusOf(binding.conditions, 'Applied'),
    statusOf(binding.conditions, 'Available'),
    waitOf({ placement, binding }, status),
  ]);
  const wrong = held.flatMap(({ title, binding }) => {
    const lines = objectIssues(binding);
    return lines.length === 0 ? [] : [title, ...lines.map(indent)];
  });
  return [
    filled('Placements', ['PLACEMENT', 'STATE', 'SNAPSHOT', 'APPLIED', 'AVAILABLE', 'WAITS FOR'], rows),
    ...(wrong.length === 0 ? [] : [titled('Not as desired', wrong.join('\n'))]),
  ];
}

/** What the page says elsewhere, of the cluster above and of objects below, is not repeated for each placement. */
function waitOf(bound: Parameters<typeof whyNotSettled>[0], status: Status): string | undefined {
  const why = whyNotSettled(bound, status);
  const { targetCluster, failedPlacements = [] } = bound.binding;
  if (why !== undefined && status.unreachable.has(targetCluster)) return 'the cluster to respond';
  return why !== undefined && why === failedObjects(bound.binding)
    ? `${plural(failedPlacements.length, 'object')} that ${failedPlacements.length === 1 ? 'fails' : 'fail'}, below`
    : why;
}
