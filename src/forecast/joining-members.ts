import type { ClusterName } from '../api/meta.ts';
import type { ClusterObservation } from '../api/observation.ts';
import type { Fleet, PlanInput } from '../engine/input.ts';

/** Clusters of a fleet that another one lacks, and that cannot have been observed yet. */
export const joiningMembers = ({ fleet, observations }: PlanInput, next: Fleet): ClusterName[] => {
  const known = new Set<string>(fleet.members.map(({ metadata }) => metadata.name));
  if (observations === undefined) return [];
  return next.members
    .map(({ metadata }) => metadata.name)
    .filter((name) => !known.has(name) && !observations.has(name));
};

/** An input in which these clusters respond, with nothing of the fleet on them. */
export function withJoining(input: PlanInput, joining: readonly ClusterName[]): PlanInput {
  if (input.observations === undefined || joining.length === 0) return input;
  const observation = (name: ClusterName): ClusterObservation => ({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'ClusterObservation',
    metadata: { name },
    observedAt: input.now,
    reachable: true,
    complete: true,
    placements: [],
    objects: [],
    extras: [],
  });
  const observations = new Map([...input.observations, ...joining.map((name) => [name, observation(name)] as const)]);
  return { ...input, observations };
}
