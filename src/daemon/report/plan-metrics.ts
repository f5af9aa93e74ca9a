import type { Plan } from '../../engine/plan-document.ts';
import type { FleetMembers } from '../members.ts';
import { count } from './count.ts';
import type { Metrics } from './metrics.ts';

/** Sets the gauges of the last plan. */
export function reportPlan(plan: Plan, metrics: Metrics): void {
  const moves = plan.placements.flatMap(({ bindings }) => bindings.map(({ move }) => move));
  metrics.setEach('gitfleet_plan_changes', 'action', count(moves, ['add', 'update', 'remove', 'wait', 'keep']));
  metrics.setEach('gitfleet_plan_holds', 'reason', count(plan.holds.map(({ reason }) => reason)));
  const severities = plan.problems.map(({ severity }) => severity);
  metrics.setEach('gitfleet_problems', 'severity', count(severities, ['error', 'warning', 'info']));
}

/** Sets the gauges of members, also while passes fail. */
export function reportMembers(members: FleetMembers, metrics: Metrics): void {
  const states = [...members.observations().values()].map(({ reachable }) => (reachable ? 'reachable' : 'unreachable'));
  metrics.setEach('gitfleet_cluster_connection_status', 'state', count(states, ['reachable', 'unreachable']));
  metrics.set('gitfleet_queue_depth', members.busy());
  metrics.set('gitfleet_member_requests_total', members.requests());
}
