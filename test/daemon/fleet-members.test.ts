import { describe, expect, it } from 'vitest';
import type { MemberCluster } from '../../src/api/member-cluster.ts';
import type { SimulatedFault } from '../../src/api/simulated-fleet.ts';
import { type FleetMembers, fleetMembers } from '../../src/daemon/members.ts';
import { emptyFleet } from '../../src/engine/input.ts';
import type { TransportRequest } from '../../src/members/api-server/transport.ts';
import { manualClock } from '../../src/simulator/clock.ts';
import { openMember } from '../../src/simulator/member.ts';
import { inProcessTransport } from '../../src/simulator/transport.ts';
import { assignment, begin, configMap, deployment, pass } from '../support/member-world.ts';

interface Fleet {
  readonly members: FleetMembers;
  readonly requests: ReadonlyMap<string, readonly TransportRequest[]>;
  readonly messages: readonly string[];
  pass(seconds: number): Promise<void>;
  /** Seconds after which each member had its first assignment, undefined for those that do not yet. */
  settled(limitSeconds: number): Promise<Map<string, number | undefined>>;
}

async function open(
  faultsOf: Readonly<Record<string, SimulatedFault[]>>,
  watchMembers = 1_000,
  /** Whose cluster the kubeconfig of a member is of; undefined: no kubeconfig has it. */
  clusterOf: (name: string) => string | undefined = (name) => name,
): Promise<Fleet> {
  const clock = manualClock(begin);
  const requests = new Map<string, TransportRequest[]>();
  const messages: string[] = [];
  const names = Object.keys(faultsOf);
  const simulated = new Map(
    await Promise.all(
      names.map(async (name) => [name, await openMember({ name, faults: faultsOf[name] }, clock)] as const),
    ),
  );
  const members = fleetMembers({
    recordAgeMs: 0,
    connect: async (name) => {
      if (clusterOf(name) === undefined) return undefined;
      requests.set(name, []);
      return (request) => {
        requests.get(name)!.push(request);
        return inProcessTransport(simulated.get(clusterOf(name)!)!)(request);
      };
    },
    clock,
    pace: clock,
    contexts: ['other', ...names.map((name) => clusterOf(name) ?? `kind-${name}`)],
    changed(_, message) {
      if (message !== undefined) messages.push(message);
    },
    conflict: () => {},
    watchMembers,
  });
  await members.follow(
    names.map((name) => ({ metadata: { name }, spec: { heartbeatPeriodSeconds: 60 } }) as MemberCluster),
    emptyFleet,
  );
  const wanted = assignment(
    'web',
    Array.from({ length: 30 }, (_, at) => configMap(`c-${at}`)).concat(deployment('web')),
  );
  members.assign(new Map(names.map((name) => [name, [wanted]])));
  return {
    members,
    requests,
    messages,
    pass: (seconds) => pass(clock, seconds),
    async settled(limitSeconds) {
      const at = new Map<string, number | undefined>(names.map((name) => [name, undefined]));
      for (let second = 0; second < limitSeconds * 10; second++) {
        for (const [name, observation] of members.observations())
          if (observation.placements[0]?.done && at.get(name) === undefined) at.set(name, second / 10);
        await pass(clock, 0.1);
      }
      return at;
    },
  };
}

const fleet = (faults: SimulatedFault[]): Record<string, SimulatedFault[]> =>
  Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`m-${at}`, at % 5 === 0 ? faults : []]));
const always = { fromSeconds: 0, probability: 1 } as const;

describe('a fleet in which every fifth member fails', () => {
  it.each<[string, SimulatedFault[]]>([
    ['hangs', [{ type: 'Hang', ...always }]],
    ['is down', [{ type: 'Unreachable', ...always }]],
    ['answers slowly', [{ type: 'SlowBody', seconds: 20, ...always }]],
    ['throttles everything', [{ type: 'TooManyRequests', retryAfterSeconds: 30, ...always }]],
  ])('finishes the others as soon as without faults: one %s', async (_, faults) => {
    const well = await (await open(fleet([]))).settled(10);
    const ill = await (await open(fleet(faults))).settled(10);
    for (const [name, seconds] of well) {
      expect(seconds).toBeDefined();
      expect(ill.get(name)).toBe(Number(name.slice(2)) % 5 === 0 ? undefined : seconds);
    }
  });
});

describe('a fleet at rest', () => {
  it('sends nothing in a pass but heartbeats', async () => {
    const { members, requests, pass } = await open(fleet([]));
    await pass(20);
    const before = members.requests();
    for (let passes = 0; passes < 100; passes++) {
      members.observations();
      await pass(0.1);
    }
    expect(members.requests()).toBe(before);
    const seen = requests.get('m-1')!.length;
    await pass(65);
    expect(
      requests
        .get('m-1')!
        .slice(seen)
        .map(({ path }) => path.split('?')[0]),
    ).toEqual(expect.arrayContaining(['/readyz']));
  });
});

describe('a fleet with more members than --watch-members', () => {
  it('lists the objects of the rest every minute', async () => {
    const { requests, pass, members } = await open(fleet([]), 15);
    await pass(200);
    const of = (name: string, wanted: RegExp) => requests.get(name)!.filter(({ path }) => wanted.test(path)).length;
    const lists = /configmaps\?.*limit=/;
    expect([of('m-14', /watch=true/) > 0, of('m-15', /watch=true/)]).toEqual([true, 0]);
    expect([of('m-14', lists), of('m-15', lists)]).toEqual([1, expect.toSatisfy((count) => count >= 3 && count <= 5)]);
    expect(members.observations().get('m-15')).toMatchObject({
      complete: true,
      placements: [{ done: true, results: [] }],
    });
  });
});

describe('a member whose cluster is also another member', () => {
  const wanted = (): ReadonlyMap<string, ReturnType<typeof assignment>[]> =>
    new Map([
      ['eu-1', [assignment('web', [configMap('a')])]],
      ['us-1', []],
    ]);
  const changes = ({ requests }: Fleet): number =>
    [...requests.values()].flat().filter(({ method }) => method !== 'GET').length;
  const seen = ({ members }: Fleet) =>
    [...members.observations().values()].map(({ metadata, reachable, cause }) => [metadata.name, reachable, cause]);

  it('counts as not responding, and so does the other: nothing is changed there until a kubeconfig is corrected', async () => {
    let cluster = 'eu-1';
    const fleet = await open({ 'eu-1': [], 'us-1': [] }, 1_000, (name) => (name === 'us-1' ? cluster : name));
    await fleet.pass(5);
    const cause = (other: string) =>
      `it is the same cluster as ${other}: correct the kubeconfig that is wrong, or remove the MemberCluster that is too many`;
    const both = [
      ['eu-1', false, cause('us-1')],
      ['us-1', false, cause('eu-1')],
    ];
    expect(seen(fleet)).toEqual(both);
    expect(fleet.messages).toEqual([
      `eu-1: nothing is changed there, since ${cause('us-1')}`,
      `us-1: nothing is changed there, since ${cause('eu-1')}`,
    ]);
    const before = changes(fleet);
    fleet.members.assign(wanted(), () => true);
    await fleet.pass(120);
    expect([seen(fleet), changes(fleet)]).toEqual([both, before]);
    cluster = 'us-1';
    await fleet.pass(65);
    // What was applied before is unknown until there is an assignment again.
    expect(seen(fleet)).toEqual([
      ['eu-1', false, 'nothing assigned yet'],
      ['us-1', false, 'nothing assigned yet'],
    ]);
    fleet.members.assign(wanted());
    await fleet.pass(5);
    expect(seen(fleet)).toEqual([
      ['eu-1', true, undefined],
      ['us-1', true, undefined],
    ]);
  });

  it('is changed again once the other one is removed', async () => {
    const fleet = await open({ 'eu-1': [], 'us-1': [] }, 1_000, () => 'eu-1');
    await fleet.pass(5);
    const eu = { metadata: { name: 'eu-1' }, spec: { heartbeatPeriodSeconds: 60 } } as MemberCluster;
    await fleet.members.follow([eu], emptyFleet);
    fleet.members.assign(wanted());
    await fleet.pass(5);
    expect(seen(fleet)).toEqual([['eu-1', true, undefined]]);
  });
});

it('members without a kubeconfig are reported once, with contexts of other names', async () => {
  const { messages, members } = await open({ 'eu-1': [], 'us-1': [] }, 1_000, () => undefined);
  const cause = 'no kubeconfig has this member: add a context (or a file) with its name to what --members names';
  expect(messages).toEqual([
    `eu-1, us-1 cannot be reached: ${cause}`,
    'the kubeconfig has other, kind-eu-1, kind-us-1, and no MemberCluster of such a name: gitfleet join kind-eu-1 --name eu-1 writes a kubeconfig of the right name to kubeconfigs/',
  ]);
  expect(members.unreachable().size).toBe(2);
});
