import type { ClusterName, Manifest } from '../api/meta.ts';
import type { ClusterObservation, PlacementSighting } from '../api/observation.ts';
import { withoutValues } from '../engine/bindings/conditions/secret-values.ts';
import type { Standing } from './contact.ts';
import type { Properties } from './properties.ts';

type Reachable = Extract<Standing, { kind: 'reachable' }>;

/**
 * A member as it looked at `asOf`, milliseconds, or later: nothing in it is older than it says. `complete` is false while
 * something that is missing may be there all the same. What Secrets hold stays on the member.
 */
export function observationOf(input: {
  readonly name: ClusterName;
  readonly standing: Reachable;
  readonly asOf: number;
  readonly complete: boolean;
  readonly properties: Properties;
  readonly placements: readonly PlacementSighting[];
  readonly objects: readonly Manifest[];
}): ClusterObservation {
  const { standing, properties } = input;
  return {
    ...head(input.name, input.asOf),
    reachable: true,
    complete: input.complete,
    memberStatus: {
      ...properties.status,
      agentStatus: [
        {
          type: 'MemberAgent',
          lastReceivedHeartbeat: instant(standing.heartbeat),
          conditions: [
            {
              type: 'Joined',
              status: 'True',
              reason: 'ContactEstablished',
              lastTransitionTime: instant(standing.joined),
            },
            {
              type: 'Healthy',
              status: standing.healthy ? 'True' : 'False',
              reason: standing.healthy ? 'ReadyzSucceeded' : 'ReadyzFailed',
              ...(standing.trouble === undefined ? {} : { message: standing.trouble }),
              lastTransitionTime: instant(standing.since),
            },
          ],
        },
      ],
    },
    placements: [...input.placements],
    objects: input.objects.map(withoutValues),
    versions: properties.versions,
  };
}

/** A member of which nothing is known but when it was last heard of, and why not since. */
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
  nodes: [],
  pods: [],
  extras: [],
});

const instant = (ms: number): string => new Date(ms).toISOString();
