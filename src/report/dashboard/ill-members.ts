import { memberAgentOf } from '../../api/member-cluster.ts';
import type { ClusterName } from '../../api/meta.ts';
import { findCondition } from '../../engine/kernel/condition.ts';
import type { Plan } from '../../engine/plan-document.ts';
import { markdownText } from '../../repo/markdown-text.ts';
import type { Silence } from '../../repo/record/daemon-memory.ts';
import { recordedObjects } from '../../repo/record/recorded-objects.ts';
import { mostRows } from './rows.ts';

/** Members that do not answer. */
export function notReached(unreachable: ReadonlyMap<ClusterName, Silence>): readonly string[] {
  if (unreachable.size === 0) return [];
  const rows = [...unreachable].slice(0, mostRows).map(([name, { cause, lastContact }]) => {
    const since = lastContact === undefined ? '' : `, silent since ${lastContact}`;
    return `- ${markdownText(name)}${since}: ${markdownText(cause)}`;
  });
  return ['What is said of these clusters is what was seen of them last. What they have stays.', '', ...rows];
}

/** Members that answer, and say on `/readyz` that something is wrong. */
export function notHealthy(plan: Plan, unreachable: ReadonlyMap<ClusterName, Silence>): readonly string[] {
  const rows = [...recordedObjects('clusters', plan).values()].flatMap(({ value: { metadata, status } }) => {
    const healthy = findCondition(memberAgentOf(status)?.conditions, 'Healthy');
    if (healthy?.status !== 'False' || unreachable.has(metadata.name as ClusterName)) return [];
    const since = healthy.lastTransitionTime === undefined ? '' : `, since ${healthy.lastTransitionTime}`;
    return [`- ${markdownText(metadata.name)}${since}: ${markdownText(healthy.message ?? healthy.reason ?? '')}`];
  });
  if (rows.length === 0) return [];
  return [
    'Nothing new is placed on these clusters once it has been so for five minutes.',
    '',
    ...rows.slice(0, mostRows),
  ];
}
