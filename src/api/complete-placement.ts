import { type Issue, warning } from './issue.ts';
import type { ApplyStrategy, Placement } from './placement.ts';

/**
 * Defaults that depend on another field (KubeFleet's defaulter): force of a ServerSideApply.
 * Preferred terms under PickAll are dropped (docs/compatibility.md). Doing it again changes nothing.
 */
export function completePlacement<T extends Placement>(placement: T): T {
  const { spec } = placement;
  const { strategy } = spec;
  return {
    ...placement,
    spec: {
      ...spec,
      policy: withoutPreferred(spec.policy),
      strategy: { ...strategy, applyStrategy: withForce(strategy.applyStrategy) },
    },
  };
}

/** What {@link completePlacement} drops, so that it is not dropped in silence. */
export function droppedByCompletion({ spec: { policy } }: Placement): Issue[] {
  if (withoutPreferred(policy) === policy) return [];
  return [
    warning(
      'ignored-field',
      ['spec', 'policy', 'affinity', 'clusterAffinity', 'preferredDuringSchedulingIgnoredDuringExecution'],
      'preferred terms have no meaning for PickAll and are ignored',
      'remove them, or use PickN',
    ),
  ];
}

type Policy = Placement['spec']['policy'];

function withoutPreferred(policy: Policy): Policy {
  const { affinity, placementType } = policy;
  const { preferredDuringSchedulingIgnoredDuringExecution: preferred, ...required } = affinity?.clusterAffinity ?? {};
  if (placementType !== 'PickAll' || !preferred?.length) return policy;
  return { ...policy, affinity: { ...affinity, clusterAffinity: required } };
}

const withForce = (strategy: ApplyStrategy): ApplyStrategy =>
  strategy.type === 'ServerSideApply' && !strategy.serverSideApplyConfig
    ? { ...strategy, serverSideApplyConfig: { force: false } }
    : strategy;
