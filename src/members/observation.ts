import type { ClusterName, Manifest } from '../api/meta.ts';
import type { ClusterObservation, PlacementObservation } from '../api/observation.ts';
import { withoutValues } from '../engine/bindings/conditions/secret-values.ts';
import type { ActorObservation } from './actor.ts';
import type { Reachability } from './contact-state.ts';
import type { NodeObservation } from './nodes/node-watch.ts';
import type { Properties } from './properties.ts';
import type { UpgradeObservation } from './upgrade/upgrade-watch-state.ts';

type Reachable = Extract<Reachability, { kind: 'reachable' }>;

/**
 * The observation of a member, whose parts are all from `asOf` (milliseconds) or later. If `complete` is false, a missing object may
 * exist. Values of Secrets are omitted.
 */
export function observationOf(input: {
  readonly name: ClusterName;
  readonly reachability: Reachable;
  readonly asOf: number;
  readonly complete: boolean;
  readonly properties: Properties;
  readonly placements: readonly PlacementObservation[];
  readonly objects: readonly Manifest[];
  readonly podCauses: ClusterObservation['podCauses'];
  /** Undefined when nothing upgrades it: then its versions are those that it reports itself. */
  readonly upgraded?: UpgradeObservation | undefined;
  /** What was read before an upgrade; undefined = nothing yet. */
  readonly preflight?: Pick<ActorObservation, 'preflight' | 'extras'> | undefined;
  /** Undefined when nothing needs its nodes. */
  readonly nodes?: NodeObservation | undefined;
  /** Of the launch provider, where commands may launch nodes. */
  readonly launches?: Pick<ClusterObservation, 'launches' | 'launchesNotRead'> | undefined;
}): ClusterObservation {
  const { reachability, properties } = input;
  return {
    ...head(input.name, input.asOf),
    reachable: true,
    complete: input.complete,
    memberStatus: {
      ...properties.status,
      agentStatus: [
        {
          type: 'MemberAgent',
          lastReceivedHeartbeat: instant(reachability.heartbeat),
          conditions: [
            {
              type: 'Joined',
              status: 'True',
              reason: 'ContactEstablished',
              lastTransitionTime: instant(reachability.joined),
            },
            {
              type: 'Healthy',
              status: reachability.healthy ? 'True' : 'False',
              reason: reachability.healthy ? 'ReadyzSucceeded' : 'ReadyzFailed',
              ...(reachability.trouble === undefined ? {} : { message: reachability.trouble }),
              lastTransitionTime: instant(reachability.since),
            },
          ],
        },
      ],
    },
    placements: [...input.placements],
    objects: input.objects.map(withoutValues),
    ...(input.podCauses && { podCauses: input.podCauses }),
    ...input.nodes,
    ...(input.upgraded && { preflight: input.preflight?.preflight ?? unread }),
    ...(input.preflight?.extras && { extras: [...(input.nodes?.extras ?? []), ...input.preflight.extras] }),
    ...(properties.restarts && { restarts: properties.restarts }),
    ...input.launches,
    ...(input.upgraded ?? { versions: properties.versions }),
  };
}

/** It is read when a plan would start an upgrade. */
const unread: NonNullable<ClusterObservation['preflight']> = { done: false, requestedApis: [], findings: [] };

/** The observation of a member of which only the last contact and the cause are known. */
export function unobserved(name: ClusterName, lastContact: number | undefined, cause: string): ClusterObservation {
  return { ...head(name, lastContact ?? 0), reachable: false, cause, complete: false };
}

const head = (name: ClusterName, at: number) => ({
  apiVersion: 'gitfleet.dev/v1alpha1' as const,
  kind: 'ClusterObservation' as const,
  metadata: { name },
  observedAt: instant(at),
  placements: [],
  objects: [],
  extras: [],
});

const instant = (ms: number): string => new Date(ms).toISOString();
