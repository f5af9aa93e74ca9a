import type { PriceList } from '../../src/api/gitfleet.ts';
import type { ClusterName, Manifest, ObjectRef } from '../../src/api/meta.ts';
import type { ClusterObservation, PlacementObservation } from '../../src/api/observation.ts';
import { type ApplyStrategy, placementKey } from '../../src/api/placement.ts';
import { simulatedFleet } from '../../src/api/simulated-fleet.ts';
import { marked, placementLabelValue } from '../../src/engine/overrides/ownership.ts';
import { sharedLimits } from '../../src/members/api-server/shared-limits.ts';
import type { Transport, TransportRequest } from '../../src/members/api-server/transport.ts';
import type { PlacementAssignment } from '../../src/members/assignment.ts';
import { type FewAtOnce, fewAtOnce } from '../../src/members/few-at-once.ts';
import { type Member, openMember } from '../../src/members/member.ts';
import type { Currency } from '../../src/members/property-reading.ts';
import type { OpenProviders } from '../../src/members/upgrade/upgrade-watch.ts';
import { sha256 } from '../../src/repo/sha256.ts';
import { type ManualClock, manualClock } from '../../src/simulator/clock.ts';
import { openFleet } from '../../src/simulator/fleet.ts';
import type { SimulatedMember } from '../../src/simulator/member.ts';
import { serve } from '../../src/simulator/serve/api-server.ts';
import { inProcessTransport } from '../../src/simulator/transport.ts';

export const begin = Date.parse('2026-11-20T10:00:00Z');

/** Runs all pending promises: in-process responses need no timers. */
export async function turn(): Promise<void> {
  for (let round = 0; round < 4; round++) await new Promise((resolve) => setImmediate(resolve));
}

/** Moves time on in small steps, with a turn after each. */
export async function pass(clock: ManualClock, seconds: number): Promise<void> {
  await turn();
  for (let left = seconds * 1000; left > 0; left -= 100) {
    clock.advance(Math.min(left, 100));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await turn();
}

export const simulated = async (spec: object, clock: ManualClock): Promise<SimulatedMember> => {
  const fleet = simulatedFleet.parse({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'SimulatedFleet',
    metadata: { name: 'test' },
    spec: { members: [{ name: 'eu-1', ...spec }] },
  });
  return [...(await openFleet(fleet, clock)).values()][0]!;
};

/** One member over a simulated cluster, on a clock that is moved by hand. */
export interface World {
  readonly clock: ManualClock;
  sim: SimulatedMember;
  readonly member: Member;
  /** Every request that the member sent, `PATCH /api/v1/…`, without heartbeats and queries. */
  readonly requests: TransportRequest[];
  /** The messages for users. */
  readonly reported: string[];
  /** How often the member requested that the record is read again. */
  readonly conflict: () => number;
  pass(seconds: number): Promise<void>;
  /** A request of another client, without faults. */
  user(method: string, path: string, body?: object, manager?: string): Promise<Record<string, unknown>>;
  observation(): ClusterObservation;
  /** The first placement's observation without times. */
  results(): PlacementObservation['results'];
  /** Requests since the last call, in order, as `PATCH configmaps/a`. */
  sent(): string[];
}

/** The answer of something between us and the member, or of an admission plugin; undefined lets the request through. */
export type Intercept = (request: TransportRequest) => { status: number; body: object } | undefined;

export async function openWorld(
  spec: object = {},
  {
    intercept,
    ...more
  }: {
    pollMs?: number;
    intercept?: Intercept;
    knownAt?: () => number;
    fewAtOnce?: FewAtOnce;
    priceLists?: () => readonly PriceList[];
    needsProperties?: () => Currency;
    providers?: OpenProviders;
  } = {},
): Promise<World> {
  const clock = manualClock(begin);
  const requests: TransportRequest[] = [];
  const reported: string[] = [];
  let conflict = 0;
  const world = { sim: await simulated(spec, clock) } as { sim: SimulatedMember };
  const transport: Transport = (request) => {
    requests.push(request);
    const answer = intercept?.(request);
    if (answer) return Promise.resolve({ ...answer, headers: {}, body: text(JSON.stringify(answer.body)) });
    return inProcessTransport(world.sim)(request);
  };
  const member = openMember({
    name: 'eu-1',
    transport,
    clock,
    fewAtOnce: fewAtOnce(clock),
    shared: sharedLimits(),
    heartbeatMs: 60_000,
    priceLists: () => [],
    needsProperties: () => 'hour',
    knownAt: () => Number.NEGATIVE_INFINITY,
    events: {
      changed: (_: ClusterName, message?: string) => {
        if (message !== undefined) reported.push(message);
      },
      conflict: () => {
        conflict++;
      },
      identified: () => {},
    },
    ...more,
  });
  let told = 0;
  await turn();
  return Object.assign(world, {
    clock,
    member,
    requests,
    reported,
    conflict: () => conflict,
    pass: (seconds: number) => pass(clock, seconds),
    async user(method: string, path: string, body?: object, manager = 'kubectl-edit') {
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      const response = await serve(world.sim.cluster, {
        method,
        path,
        query: new URLSearchParams(method === 'GET' || method === 'DELETE' ? {} : { fieldManager: manager }),
        headers: { 'content-type': type },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      await turn();
      return JSON.parse(String(response.body)) as Record<string, unknown>;
    },
    observation: () => member.observation(),
    results: () => member.observation().placements[0]?.results ?? [],
    sent() {
      const fresh = requests.slice(told).map(shortly);
      told = requests.length;
      return fresh.filter((line) => !/readyz|version|nodes|pods$|kube-system|WATCH|LIST|GET apis?\b/.test(line));
    },
  });
}

async function* text(body: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(body);
}

function shortly({ method, path }: TransportRequest): string {
  const [name = '', query = ''] = path.split('?');
  const short = name.replace(/^\/(api\/v1|apis\/[^/]+\/[^/]+)(\/namespaces\/[^/]+(?=\/))?\//, '');
  const verb = method !== 'GET' ? method : /watch=true/.test(query) ? 'WATCH' : /limit=/.test(query) ? 'LIST' : 'GET';
  return `${verb}${query.includes('dryRun') ? ' dry' : ''} ${short.replace(/^\//, '')}`;
}

const strategy: ApplyStrategy = {
  type: 'ClientSideApply',
  comparisonOption: 'PartialComparison',
  whenToApply: 'Always',
  whenToTakeOver: 'Always',
  allowCoOwnership: false,
};

/** A placement's target on the member, as the planner renders it. */
export function assignment(
  name: string,
  manifests: readonly Manifest[],
  more: Partial<Omit<PlacementAssignment, 'strategy'>> & { strategy?: Partial<ApplyStrategy> } = {},
): PlacementAssignment {
  const placement = { kind: 'ClusterResourcePlacement' as const, name };
  const items = manifests.map((manifest) => ({ manifest: marked(manifest, placement, sha256) }));
  return {
    placement,
    key: placementKey(placement),
    label: placementLabelValue(placement, sha256),
    isPlaced: () => true,
    approvedRemovals: [],
    handedOver: [],
    adopted: false,
    pushed: true,
    leaveAlone: false,
    abandons: false,
    undoes: false,
    resourceSnapshotIndex: 0,
    digest: sha256(JSON.stringify(items)),
    remove: false,
    manifests: items,
    prunable: manifests.map(refOf),
    ...more,
    kind: 'placement',
    strategy: { ...strategy, ...more.strategy },
  };
}

export const refOf = ({ apiVersion, kind, metadata }: Manifest): ObjectRef => ({
  apiVersion,
  kind,
  ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
  name: metadata.name,
});

export const configMap = (
  name: string,
  data: Record<string, string> = { a: '1' },
  namespace = 'default',
): Manifest => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data,
});

export const namespace = (name: string): Manifest => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

export const deployment = (name: string, replicas = 1, image = 'web:1', namespace = 'default'): Manifest => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'web', image, resources: { requests: { cpu: 0.5 } } }] },
    },
  },
});
