import { describe, expect, it } from 'vitest';
import type { SimulatedFault } from '../../../src/api/simulated-fleet.ts';
import { crdPath, customDefinition } from '../../support/custom-definition.ts';
import { assignment, configMap, deployment, openWorld, type World } from '../../support/member-world.ts';
import { a, always, dataOf, holding } from './holding.ts';

describe('a member that responds with Retry-After', () => {
  it.each([3, 30])('gets only heartbeats until then (%i s)', async (retryAfterSeconds) => {
    const world = await holding([configMap('a'), configMap('b'), configMap('c')]);
    world.sim.setFaults([{ type: 'TooManyRequests', retryAfterSeconds, verbs: ['patch'], ...always }]);
    world.member.assign([assignment('web', [configMap('a', { a: '2' })])]);
    await world.pass(0.1);
    world.sim.setFaults([]);
    expect(world.sent()).toEqual(['PATCH configmaps/a']);
    await world.pass(retryAfterSeconds - 0.2);
    expect(world.sent()).toEqual([]);
    await world.pass(2);
    expect(world.sent()).toEqual(['PATCH configmaps/a']);
    expect(await dataOf(world)).toEqual({ a: '2' });
  });
});

describe('a member that fills the cache of a new kind', () => {
  it('gets no requests for that kind, and all others', async () => {
    const world = await openWorld();
    await world.user('POST', crdPath, customDefinition('Widget'));
    await world.pass(3);
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w', namespace: 'default' } };
    world.member.assign([assignment('web', [widget])]);
    await world.pass(0.2);
    world.member.assign([assignment('web', [widget]), assignment('other', [configMap('a', { a: '1' })])]);
    world.sent();
    await world.pass(0.2);
    expect(world.sent()).toEqual(['PATCH configmaps/a']);
    await world.pass(2);
    expect(world.sent()).toEqual(['PATCH widgets/w']);
    expect(world.observation()).toMatchObject({ complete: true, placements: [{ done: true }, { done: true }] });
  });
});

describe('a fault that ends', () => {
  const faults: Record<string, SimulatedFault[]> = {
    'throttling with Retry-After': [{ type: 'TooManyRequests', retryAfterSeconds: 3, ...always, untilSeconds: 20 }],
    'half of the requests throttled': [
      { type: 'TooManyRequests', retryAfterSeconds: 1, ...always, probability: 0.5, untilSeconds: 60 },
    ],
    'server errors': [{ type: 'ServerError', status: 500, ...always, untilSeconds: 20 }],
    'a service that is unavailable': [
      { type: 'ServerError', status: 503, ...always, probability: 0.5, untilSeconds: 60 },
    ],
    'answers that break off': [{ type: 'Reset', ...always, probability: 0.5, untilSeconds: 60 }],
    'watches that break off': [{ type: 'Reset', verbs: ['watch'], ...always, untilSeconds: 60 }],
    'connections that are refused': [{ type: 'Unreachable', ...always, untilSeconds: 60 }],
    'requests that hang': [{ type: 'Hang', ...always, untilSeconds: 60 }],
    'watches that fall silent': [{ type: 'SilentWatch', ...always, untilSeconds: 60 }],
    'slow answers': [{ type: 'SlowBody', seconds: 4, ...always, untilSeconds: 60 }],
    'a slow network': [{ type: 'Latency', seconds: 2, ...always, untilSeconds: 60 }],
    'credentials that are not taken': [{ type: 'Unauthorized', ...always, untilSeconds: 60 }],
    'rights that are missing': [{ type: 'Forbidden', ...always, untilSeconds: 60 }],
    'a webhook that denies': [{ type: 'DenyAdmission', message: 'no', ...always, untilSeconds: 60 }],
    'stale reads': [{ type: 'StaleRead', seconds: 30, ...always, untilSeconds: 60 }],
  };

  it.each(Object.entries(faults))('is recovered from: %s, from the start', async (_, list) => {
    const world = await openWorld({ faults: list });
    // As every pass does: objects that were not observed in time wait for the confirmation.
    for (let tens = 0; tens < 90; tens++) {
      world.member.assign([assignment('web', [configMap('a'), deployment('web')])]);
      await world.pass(10);
    }
    expect(world.observation()).toMatchObject({
      reachable: true,
      complete: true,
      placements: [{ done: true, results: [] }],
    });
    expect(await dataOf(world)).toEqual({ a: '1' });
  });

  it.each(Object.entries(faults))('hides no change: %s, later', async (_, list) => {
    const world = await holding();
    world.sim.setFaults(list);
    await world.pass(10);
    await world.user('PATCH', a, { data: { color: 'blue' } });
    await world.pass(900);
    expect(world.observation()).toMatchObject({ reachable: true, complete: true, placements: [{ done: true }] });
    expect(await dataOf(world)).toEqual({ color: 'red' });
  });
});

describe('whether a member can be reached', () => {
  it('is not decided by broken watches while heartbeats succeed', async () => {
    const world = await holding();
    world.sim.setFaults([{ type: 'Reset', verbs: ['watch'], ...always }]);
    for (let second = 0; second < 300; second++) {
      await world.pass(1);
      expect(world.observation().reachable).toBe(true);
    }
    expect(world.reported).toEqual([]);
  });

  it('is not decided by one failed probe', async () => {
    const world = await holding();
    world.sim.setFaults([{ type: 'Unreachable', ...always, fromSeconds: 55, untilSeconds: 65 }]);
    for (let second = 0; second < 120; second++) await world.pass(1);
    world.sim.setFaults([]);
  });

  it('is reported with the cause, and again when it responds; its objects are not shown meanwhile', async () => {
    const world = await holding();
    world.sim.setFaults([{ type: 'Unreachable', ...always }]);
    await world.pass(120);
    expect(world.observation()).toMatchObject({
      reachable: false,
      complete: false,
      cause: 'get /readyz on eu-1: connect ECONNREFUSED eu-1',
      objects: [],
      placements: [],
    });
    world.sim.setFaults([]);
    await world.pass(30);
    expect(world.reported).toEqual([
      'eu-1 cannot be reached: get /readyz on eu-1: connect ECONNREFUSED eu-1',
      'eu-1 responds again',
    ]);
  });

  it('probes an unreachable member at most four times a minute, and sends it nothing else', async () => {
    const world = await holding([configMap('a'), configMap('b'), deployment('web')]);
    world.sim.setFaults([{ type: 'Unreachable', ...always }]);
    await world.pass(300);
    const before = world.requests.length;
    await world.pass(600);
    const sent = world.requests.slice(before).map(({ path }) => path);
    expect(new Set(sent)).toEqual(new Set(['/readyz']));
    expect(sent.length).toBeLessThan(120);
  });

  it('stays reachable after one failed probe, and is unreachable after two in a row', async () => {
    const world = await holding();
    const isThere: boolean[] = [];
    for (const misses of [1, 2]) {
      const before = world.requests.length;
      world.sim.setFaults([{ type: 'Unreachable', ...always }]);
      const probes = () => world.requests.slice(before).filter(({ path }) => path === '/readyz').length;
      while (probes() < misses) await world.pass(0.1);
      isThere.push(world.observation().reachable);
      world.sim.setFaults([]);
      await world.pass(60);
    }
    expect([isThere, world.observation().reachable]).toEqual([[true, false], true]);
  });

  it('is unreachable while it rejects credentials, and reachable when it only forbids /readyz', async () => {
    for (const [fault, reachable] of [
      [{ type: 'Unauthorized', ...always }, false],
      [{ type: 'Forbidden', ...always }, true],
    ] as const) {
      const world = await holding();
      world.sim.setFaults([{ ...fault, resources: undefined }]);
      await world.pass(120);
      expect(world.observation().reachable).toBe(reachable);
    }
  });

  it('follows /readyz; the member joined with its first response', async () => {
    const world = await holding();
    const [joined] = world.observation().memberStatus!.agentStatus![0]!.conditions!;
    expect(joined).toMatchObject({ type: 'Joined', lastTransitionTime: expect.any(String) });
    world.sim.setFaults([{ type: 'ServerError', status: 500, ...always, probability: 1, resources: undefined }]);
    await world.pass(120);
    expect(world.observation().memberStatus?.agentStatus?.[0]?.conditions).toMatchObject([
      joined,
      { type: 'Healthy', status: 'False', reason: 'ReadyzFailed' },
    ]);
  });
});

describe('a member that responds to /readyz with 429', () => {
  const health = (world: World) => world.observation().memberStatus?.agentStatus?.[0]?.conditions?.[1];
  const busy = {
    type: 'TooManyRequests',
    retryAfterSeconds: 1,
    ...always,
    probability: 1,
    resources: undefined,
  } as const;
  const gone = { type: 'Unreachable', ...always } as const;
  const probes = (world: World) => world.requests.filter(({ path }) => path === '/readyz').length;

  it('is probed again at once, and its health does not change', async () => {
    const world = await holding();
    const before = health(world);
    world.sim.setFaults([busy]);
    const asked = probes(world);
    while (probes(world) === asked) await world.pass(0.1);
    world.sim.setFaults([]);
    await world.pass(2);
    expect(probes(world)).toBeGreaterThanOrEqual(asked + 2);
    expect(health(world)).toEqual(before);
    expect(before).toMatchObject({ type: 'Healthy', status: 'True' });
  });

  it.each<[string, SimulatedFault[]]>([
    ['before', [busy, gone]],
    ['after', [gone, busy]],
  ])('stays reachable with the same health, also when one probe %s that fails', async (_, faults) => {
    const world = await holding();
    const before = health(world);
    for (const fault of faults) {
      world.sim.setFaults([fault]);
      const asked = probes(world);
      while (probes(world) === asked) await world.pass(0.1);
      await world.pass(0.1);
      expect(world.observation().reachable).toBe(true);
      expect(health(world)).toEqual(before);
    }
    world.sim.setFaults([]);
    await world.pass(4);
    expect(world.observation().reachable).toBe(true);
    expect(health(world)).toEqual(before);
  });

  it('is not healthy when that lasts', async () => {
    const world = await holding();
    world.sim.setFaults([busy]);
    await world.pass(120);
    expect(health(world)).toMatchObject({
      status: 'False',
      reason: 'ReadyzFailed',
      message: expect.stringMatching('429'),
    });
  });
});

describe('an observation', () => {
  it('is never older than its observedAt, even while a watch is half-open', async () => {
    const world = await holding(undefined, { faults: [{ type: 'SilentWatch' }] });
    await world.pass(30);
    await world.user('PATCH', a, { data: { color: 'blue' } });
    const changedAt = world.clock.now();
    let stale = 0;
    while (JSON.stringify(await dataOf(world)) === '{"color":"blue"}') {
      const { objects, observedAt } = world.observation();
      expect(objects).toMatchObject([{ data: { color: 'red' } }]);
      expect(Date.parse(observedAt!)).toBeLessThanOrEqual(changedAt);
      stale++;
      await world.pass(1);
    }
    expect(stale).toBeGreaterThan(60);
    expect(stale).toBeLessThan(180);
  });

  it('stays complete while watches are silent, and is renewed every few minutes', async () => {
    const world = await holding(undefined, { faults: [{ type: 'SilentWatch', ...always }] });
    const kinds = () => world.requests.filter(({ path }) => /configmaps\?.*limit=/.test(path)).length;
    await world.pass(1);
    const before = kinds();
    for (let minute = 0; minute < 60; minute++) {
      await world.pass(60);
      expect(world.observation()).toMatchObject({ reachable: true, complete: true });
    }
    expect(world.reported).toEqual([]);
    // Every 125 to 155 seconds.
    expect(kinds() - before).toBeGreaterThanOrEqual(22);
    expect(kinds() - before).toBeLessThanOrEqual(29);
  });

  it('is not complete while nothing can be read, which is reported once', async () => {
    const world = await holding();
    world.sim.setFaults([{ type: 'Forbidden', verbs: ['get', 'list', 'watch'], resources: ['configmaps'], ...always }]);
    await world.pass(600);
    expect(world.observation()).toMatchObject({ reachable: true, complete: false });
    expect(world.reported).toEqual([
      'read ConfigMap default/a on eu-1: 403, api/v1/namespaces/default/configmaps/a is forbidden: User "gitfleet" cannot get it',
    ]);
  });

  it('is the same value as long as nothing changed', async () => {
    const world = await holding();
    const before = world.observation();
    await world.pass(5);
    expect(world.observation()).toBe(before);
  });
});
