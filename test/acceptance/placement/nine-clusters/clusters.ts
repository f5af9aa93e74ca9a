import {
  filtered,
  member,
  outscored,
  type Planned,
  picked,
  placement,
  plan,
  seen,
  shop,
} from '../../../support/plan-command.ts';

/*
 * The fleet on which KubeFleet's own scheduler suite (test/scheduler) runs: seven clusters over three regions and two
 * environments, one whose heartbeat is long gone and one that leaves. What is expected here is what that suite expects.
 */

export interface Facts {
  readonly region: string;
  readonly env: string;
  readonly nodes?: string;
  readonly rating?: string;
  /** Total, allocatable, available. */
  readonly cpu?: readonly [string, string, string];
  /** Likewise, in Gi. */
  readonly memory?: readonly [number, number, number];
}

export const facts: Readonly<Record<string, Facts>> = {
  c1: { region: 'east', env: 'prod', nodes: '2', rating: '100', cpu: ['4', '3', '2'], memory: [4, 3, 2] },
  c2: { region: 'east', env: 'prod', nodes: '4', rating: '60', cpu: ['8', '7', '4'], memory: [8, 7, 4] },
  c3: { region: 'east', env: 'canary', nodes: '6', rating: '40', cpu: ['12', '11', '6'], memory: [12, 11, 6] },
  c4: { region: 'central', env: 'prod', nodes: '2', rating: '80', cpu: ['8', '6', '2'], memory: [4, 2, 1] },
  c5: { region: 'central', env: 'prod', nodes: '8', rating: '40', cpu: ['32', '30', '8'], memory: [16, 14, 4] },
  c6: { region: 'west', env: 'prod', nodes: '2', rating: '60', cpu: ['4', '2', '1'], memory: [8, 6, 4] },
  c7: { region: 'west', env: 'canary', nodes: '8', rating: '20', cpu: ['16', '14', '4'], memory: [32, 30, 16] },
  left: { region: 'central', env: 'prod' },
  stale: { region: 'east', env: 'prod', nodes: '1', rating: '100', cpu: ['8', '6', '0'], memory: [8, 6, 0] },
};
export const names = Object.keys(facts);
export const all = 'left stale';

export const members = names.map((name) => {
  const { region, env } = facts[name]!;
  return member(name, { labels: { region, env }, ...(name === 'left' && { leaving: true }) });
});

export const observation = (name: string, extra: Readonly<Record<string, string>> = {}): string => {
  const { nodes, rating, cpu, memory } = facts[name]!;
  const list = (at: 0 | 1 | 2) => ({ cpu: cpu![at], memory: `${memory![at]}Gi` });
  return seen(name, {
    properties: {
      ...(nodes && { 'kubernetes-fleet.io/node-count': nodes }),
      ...(rating && { 'example.com/energy-efficiency-rating': rating }),
      ...extra,
    },
    ...(cpu && { usage: { capacity: list(0), allocatable: list(1), available: list(2) } }),
    more: {
      agentStatus: [
        {
          type: 'MemberAgent',
          conditions: [
            { type: 'Joined', status: 'True', reason: 'Joined' },
            { type: 'Healthy', status: 'True', reason: 'Healthy' },
          ],
          lastReceivedHeartbeat: name === 'stale' ? '2026-11-19T09:00:00Z' : '2026-11-20T10:00:00Z',
        },
      ],
    },
  });
};

export const decide = (
  policy: object,
  rest: { readonly recorded?: Planned['recorded']; readonly extra?: Readonly<Record<string, string>> } = {},
): Promise<Planned> =>
  plan({
    repo: {
      'clusters/all.yaml': members,
      'resources/shop.yaml': shop,
      'placements/web.yaml': placement(JSON.stringify(policy)),
    },
    observed: names.map((name) => observation(name, rest.extra)),
    ...(rest.recorded && { recorded: rest.recorded }),
  });

export const outcome = ({ placement: found }: Planned) => {
  const decided = found();
  return {
    scheduled: `${decided.scheduled.status} ${decided.scheduled.reason}`,
    picked: picked(decided).join(', '),
    outscored: outscored(decided).join(', '),
    filtered: filtered(decided).join(' '),
  };
};

export const zero = (clusters: string): string =>
  clusters
    .split(' ')
    .map((name) => `${name} 0/0`)
    .join(', ');
export const fulfilled = 'True SchedulingPolicyFulfilled';
export const short = 'False SchedulingPolicyUnfulfilled';

export const where = (matchLabels: object, key?: string, operator?: string, value?: string) => ({
  labelSelector: { matchLabels, ...(key && { matchExpressions: [{ key, operator, values: [value] }] }) },
});
export const pickN = (
  numberOfClusters: number,
  more: {
    readonly required?: readonly object[];
    readonly preferred?: readonly (readonly [weight: number, preference: object])[];
    readonly spread?: readonly (readonly [key: string, mode: 'hard' | 'soft', maxSkew?: number])[];
  } = {},
) => ({
  placementType: 'PickN',
  numberOfClusters,
  ...((more.required || more.preferred) && {
    affinity: {
      clusterAffinity: {
        ...(more.required && {
          requiredDuringSchedulingIgnoredDuringExecution: { clusterSelectorTerms: more.required },
        }),
        ...(more.preferred && {
          preferredDuringSchedulingIgnoredDuringExecution: more.preferred.map(([weight, preference]) => ({
            weight,
            preference,
          })),
        }),
      },
    },
  }),
  ...(more.spread && {
    topologySpreadConstraints: more.spread.map(([topologyKey, mode, maxSkew = 1]) => ({
      topologyKey,
      maxSkew,
      whenUnsatisfiable: mode === 'hard' ? 'DoNotSchedule' : 'ScheduleAnyway',
    })),
  }),
});
