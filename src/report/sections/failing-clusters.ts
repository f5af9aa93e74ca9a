import { memberAgentOf } from '../../api/member-cluster.ts';
import type { ClusterName } from '../../api/meta.ts';
import { findCondition } from '../../engine/kernel/condition.ts';
import { recordedObjects } from '../../repo/record/recorded-objects.ts';
import { unreachableText } from '../unreachable-text.ts';
import { type SectionSource, todoList } from './section.ts';

/** Clusters that do not respond. */
export const notResponding: SectionSource = ({ unreachable }) =>
  todoList(
    'Not responding',
    [...unreachable].map(([name, member]) => ({ line: [`${name} ${unreachableText(member)}`] })),
    { intro: 'The tables show the last observation of these clusters. Their objects stay.' },
  );

/** Clusters that respond, and report on `/readyz` that something is wrong. */
export const notHealthy: SectionSource = ({ plan, unreachable }) =>
  todoList(
    'Not healthy',
    [...recordedObjects('clusters', plan).values()].flatMap(({ value: { metadata, status } }) => {
      const healthy = findCondition(memberAgentOf(status)?.conditions, 'Healthy');
      if (healthy?.status !== 'False' || unreachable.has(metadata.name as ClusterName)) return [];
      // Each daemon dates this itself, and a refused plan records no date for the others: they would correct each other for ever.
      const at = plan.guard.length > 0 ? undefined : healthy.lastTransitionTime;
      const since = at === undefined ? '' : `, since ${at}`;
      return [{ line: [`${metadata.name}${since}: ${healthy.message ?? healthy.reason ?? ''}`] }];
    }),
    { intro: 'After five minutes unhealthy, a cluster gets no new placements.' },
  );
