import { type Issue, warning } from './issue.ts';
import type { ApplyStrategy, Placement } from './placement.ts';

/**
 * Defaults that depend on another field (KubeFleet's defaulter): force of a ServerSideApply.
 * Preferred terms under PickAll are dropped (docs/compatibility.md). Idempotent.
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

/** Warnings about what {@link completePlacement} drops. */
export function droppedByCompletion({ spec: { policy } }: Placement): Issue[] {
  if (withoutPreferred(policy) === policy) return [];
  return [
    warning(
      'ignored-field',
      ['spec', 'policy', 'affinity', 'clusterAffinity', 'preferredDuringSchedulingIgnoredDuringExecution'],
      'preferred terms have no effect with PickAll and are ignored',
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
