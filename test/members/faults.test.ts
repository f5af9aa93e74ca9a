import { describe, expect, it } from 'vitest';
import type { SimulatedFault } from '../../src/api/simulated-fleet.ts';
import { crdPath, widgets } from './widgets.ts';
import { assignment, configMap, deployment, namespace, openWorld, simulated, type World } from './world.ts';

const a = '/api/v1/namespaces/default/configmaps/a';
const dataOf = async (world: World, path = a): Promise<unknown> => (await world.user('GET', path))['data'];
const always = { fromSeconds: 0, probability: 1 } as const;

async function holding(manifests = [configMap('a', { color: 'red' })], spec: object = {}): Promise<World> {
  const world = await openWorld(spec);
  world.member.assign([assignment('web', manifests)]);
  await world.pass(1);
  world.sent();
  world.said.length = 0;
  return world;
}

describe('a member that asks to be left alone', () => {
  it.each([3, 30])('gets no request but heartbeats for as long as it says (%i s)', async (retryAfterSeconds) => {
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

  it.each(Object.entries(faults))('leaves nothing undone: %s, from the first moment', async (_, list) => {
    const world = await openWorld({ faults: list });
    // As every pass says it anew: what cannot be looked at in time waits for that.
    for (let tens = 0; tens < 90; tens++) {
      world.member.assign([assignment('web', [configMap('a'), deployment('web')])]);
      await world.pass(10);
    }
    expect(world.sighting()).toMatchObject({
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
    expect(world.sighting()).toMatchObject({ reachable: true, complete: true, placements: [{ done: true }] });
    expect(await dataOf(world)).toEqual({ color: 'red' });
  });
});

describe('whether a member can be reached', () => {
  it('is not decided by broken watches while heartbeats get answers', async () => {
    const world = await holding();
    world.sim.setFaults([{ type: 'Reset', verbs: ['watch'], ...always }]);
    for (let second = 0; second < 300; second++) {
      await world.pass(1);
      expect(world.sighting().reachable).toBe(true);
    }
    expect(world.said).toEqual([]);
  });

  it('is not decided by one probe that gets no answer', async () => {
    const world = await holding();
    world.sim.setFaults([{ type: 'Unreachable', ...always, fromSeconds: 55, untilSeconds: 65 }]);
    for (let second = 0; second < 120; second++) await world.pass(1);
    world.sim.setFaults([]);
  });

  it('is told with the cause, and told again when it answers; its objects are not shown meanwhile', async () => {
    const world = await holding();
    world.sim.setFaults([{ type: 'Unreachable', ...always }]);
    await world.pass(120);
    expect(world.sighting()).toMatchObject({
      reachable: false,
      complete: false,
      cause: 'ask /readyz on eu-1: connect ECONNREFUSED eu-1',
      objects: [],
      placements: [],
    });
    world.sim.setFaults([]);
    await world.pass(30);
    expect(world.said).toEqual([
      'eu-1 cannot be reached: ask /readyz on eu-1: connect ECONNREFUSED eu-1',
      'eu-1 answers again',
    ]);
  });

  it('asks a member that is gone at most four times a minute, and sends it nothing else', async () => {
    const world = await holding([configMap('a'), configMap('b'), deployment('web')]);
    world.sim.setFaults([{ type: 'Unreachable', ...always }]);
    await world.pass(300);
    const before = world.requests.length;
    await world.pass(600);
    const sent = world.requests.slice(before).map(({ path }) => path);
    expect(new Set(sent)).toEqual(new Set(['/readyz']));
    expect(sent.length).toBeLessThan(120);
  });

  it('says that it is not healthy when /readyz says so, and goes on', async () => {
    const world = await holding();
    world.sim.setFaults([{ type: 'ServerError', status: 500, ...always, probability: 1, resources: undefined }]);
    await world.pass(120);
    expect(world.sighting().memberStatus?.agentStatus?.[0]?.conditions).toMatchObject([
      { type: 'Joined', status: 'True' },
      { type: 'Healthy', status: 'False', reason: 'ReadyzFailed' },
    ]);
  });
});

describe('a sighting', () => {
  it('is never older than it says, even while a watch hangs half open', async () => {
    const world = await holding(undefined, { faults: [{ type: 'SilentWatch' }] });
    await world.pass(30);
    await world.user('PATCH', a, { data: { color: 'blue' } });
    const changedAt = world.clock.now();
    let stale = 0;
    while (JSON.stringify(await dataOf(world)) === '{"color":"blue"}') {
      const { objects, observedAt } = world.sighting();
      expect(objects).toMatchObject([{ data: { color: 'red' } }]);
      expect(Date.parse(observedAt!)).toBeLessThanOrEqual(changedAt);
      stale++;
      await world.pass(1);
    }
    expect(stale).toBeGreaterThan(60);
    expect(stale).toBeLessThan(180);
  });

  it('is not complete while a list cannot be read, and a person hears why, once', async () => {
    const world = await holding();
    world.sim.setFaults([{ type: 'Forbidden', verbs: ['list', 'watch'], resources: ['configmaps'], ...always }]);
    await world.pass(600);
    expect(world.sighting()).toMatchObject({ reachable: true, complete: false });
    expect(world.said).toEqual([
      'watch /api/v1/configmaps on eu-1: 403, api/v1/configmaps is forbidden: User "gitfleet" cannot watch it',
    ]);
  });

  it('is the same value as long as nothing changed', async () => {
    const world = await holding();
    const before = world.sighting();
    await world.pass(5);
    expect(world.sighting()).toBe(before);
  });
});

describe('what the member refuses', () => {
  it.each<[string, SimulatedFault[], string]>([
    [
      'a webhook',
      [{ type: 'DenyAdmission', message: 'not on Fridays', ...always }],
      'apply ConfigMap default/b on eu-1: 403, admission webhook "simulated.gitfleet.dev" denied the request: not on Fridays',
    ],
    [
      'missing rights',
      [{ type: 'Forbidden', verbs: ['patch'], ...always }],
      'apply ConfigMap default/b on eu-1: 403, api/v1/namespaces/default/configmaps/b is forbidden: User "gitfleet" cannot patch it',
    ],
  ])('is said object by object, and the others are applied: %s', async (_, faults, message) => {
    const world = await holding();
    world.sim.setFaults(faults.map((fault) => ({ ...fault, resources: ['configmaps'] })));
    world.member.assign([assignment('web', [configMap('a', { color: 'red' }), configMap('b'), deployment('web')])]);
    await world.pass(2);
    expect(world.results()).toEqual([
      {
        object: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'b' },
        result: 'ManifestApplyFailed',
        message,
      },
    ]);
    expect(world.sighting().placements[0]?.done).toBe(true);
  });

  it('is tried again after 5 s, then less and less often up to every 5 min', async () => {
    const world = await openWorld({ faults: [{ type: 'DenyAdmission', ...always }] });
    world.member.assign([assignment('web', [configMap('a')])]);
    const at: number[] = [];
    for (let second = 0; second < 3600; second++) {
      await world.pass(1);
      if (world.sent().some((line) => line.startsWith('PATCH'))) at.push(second);
    }
    const waits = at.slice(1).map((second, index) => second - at[index]!);
    expect(waits[0]).toBeLessThanOrEqual(6);
    expect(waits.every((wait, index) => index === 0 || wait >= waits[index - 1]! * 0.74 - 1)).toBe(true);
    expect(waits.at(-1)).toBeGreaterThan(220);
  }, 120_000);

  it('of an immutable field stays refused: nothing is removed to apply it', async () => {
    const world = await holding([deployment('web')]);
    const changed = deployment('web');
    const spec = changed['spec'] as { selector: object; template: { metadata: object } };
    const labels = { app: 'other' };
    const manifest = {
      ...changed,
      spec: { ...spec, selector: { matchLabels: labels }, template: { ...spec.template, metadata: { labels } } },
    };
    world.member.assign([assignment('web', [manifest])]);
    await world.pass(60);
    expect(world.results()).toMatchObject([
      { result: 'ManifestApplyFailed', message: expect.stringMatching(/422.*immutable/) },
    ]);
    expect(world.sent().filter((line) => line.startsWith('DELETE'))).toEqual([]);
  });

  it('since its strict validation finds an unknown field is said with the field', async () => {
    const world = await openWorld();
    world.member.assign([
      assignment('web', [{ ...deployment('web'), spec: { ...(deployment('web')['spec'] as object), replicsa: 1 } }]),
    ]);
    await world.pass(2);
    expect(world.results()).toMatchObject([
      { result: 'ManifestApplyFailed', message: expect.stringContaining('replicsa') },
    ]);
  });
});

describe('a quota that is exceeded', () => {
  it('is said as the member says it, and the object is applied when there is room', async () => {
    let full = true;
    const message =
      'configmaps "b" is forbidden: exceeded quota: few, requested: count/configmaps=1, used: 1, limited: 1';
    const world = await openWorld(
      {},
      {
        intercept: ({ method, path }) =>
          full && method === 'PATCH' && path.includes('/configmaps/b')
            ? { status: 403, body: { kind: 'Status', status: 'Failure', code: 403, reason: 'Forbidden', message } }
            : undefined,
      },
    );
    world.member.assign([assignment('web', [configMap('a'), configMap('b')])]);
    await world.pass(2);
    expect(world.results()).toMatchObject([
      {
        object: { name: 'b' },
        result: 'ManifestApplyFailed',
        message: `apply ConfigMap default/b on eu-1: 403, ${message}`,
      },
    ]);
    full = false;
    await world.pass(20);
    expect(world.results()).toEqual([]);
  });
});

describe('a list of several pages whose continue token expires', () => {
  it.each([1, 3, 8])('is read from the beginning, and nothing is missing (%i times)', async (times) => {
    let expired = 0;
    const world = await openWorld(
      {},
      {
        intercept: ({ path }) =>
          path.includes('continue=') && expired++ < times
            ? {
                status: 410,
                body: { kind: 'Status', status: 'Failure', code: 410, reason: 'Expired', message: 'too old' },
              }
            : undefined,
      },
    );
    const first = assignment('web', [configMap('a')]);
    const many = Array.from({ length: 1_200 }, (_, at) => configMap(`a-${at}`));
    const items = assignment('web', many).manifests;
    for (const { manifest } of items) await world.user('POST', '/api/v1/namespaces/default/configmaps', manifest);
    world.member.assign([{ ...first, manifests: [...first.manifests, ...items], prunable: [] }]);
    await world.pass(30);
    expect(world.sighting()).toMatchObject({ complete: true });
    expect(world.sighting().objects).toHaveLength(1_201);
  });
});

describe('a kind that the member does not serve', () => {
  const widget = {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'w', namespace: 'default' },
    spec: { size: 1 },
  };
  const path = '/apis/example.com/v1/namespaces/default/widgets/w';

  it('is said, with what to do', async () => {
    const world = await holding([widget]);
    expect(world.results()).toEqual([
      {
        object: { apiVersion: 'example.com/v1', kind: 'Widget', namespace: 'default', name: 'w' },
        result: 'DecodingErred',
        message: 'the member serves no Widget of example.com/v1: install its CRD, or place it first',
      },
    ]);
  });

  it('is applied soon after somebody installed its CRD', async () => {
    const world = await holding([widget]);
    await world.user('POST', crdPath, widgets);
    await world.pass(30);
    expect(await world.user('GET', path)).toMatchObject({ spec: { size: 1 } });
    expect(world.results()).toEqual([]);
  });

  it('is watched also where its CRD came while the placement was being applied', async () => {
    const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const notFound = { kind: 'Status', status: 'Failure', code: 404, reason: 'NotFound', message: '' };
    let established = false;
    const world = await openWorld(
      {},
      {
        intercept({ method, path: asked }) {
          if (established || asked.startsWith(crds)) return undefined;
          if (method === 'PATCH') {
            established = true;
            void world.user('PATCH', `${crds}/${crd.metadata.name}`, { metadata: { annotations: { late: 'yes' } } });
          }
          if (asked === '/apis') return { status: 200, body: { kind: 'APIGroupList', groups: [] } };
          return asked.startsWith('/apis/example.com/v1') ? { status: 404, body: notFound } : undefined;
        },
      },
    );
    world.member.assign([assignment('crds', [crd])]);
    await world.pass(5);
    established = false;
    world.member.assign([assignment('crds', [crd]), assignment('web', [configMap('a'), widget])]);
    await world.pass(2);
    expect(await world.user('GET', path)).toMatchObject({ spec: { size: 1 } });
    await world.user('PATCH', path, { spec: { size: 9 } });
    await world.pass(2);
    expect(await world.user('GET', path)).toMatchObject({ spec: { size: 1 } });
  });

  it('is applied as soon as another placement brought its CRD and it is established', async () => {
    const world = await openWorld();
    world.member.assign([assignment('widgets', [widget])]);
    await world.pass(300);
    world.member.assign([assignment('widgets', [widget]), assignment('crds', [widgets])]);
    await world.pass(3);
    expect(world.sighting().placements.map(({ done, results }) => ({ done, results }))).toEqual([
      { done: true, results: [] },
      { done: true, results: [] },
    ]);
  });

  it('comes back with its CRD when somebody removes that', async () => {
    const world = await holding([widgets, widget]);
    await world.pass(20);
    expect(world.results()).toEqual([]);
    await world.user('DELETE', `${crdPath}/widgets.example.com`);
    await world.pass(60);
    expect(await world.user('GET', path)).toMatchObject({ spec: { size: 1 } });
    expect(world.sighting()).toMatchObject({ complete: true, placements: [{ done: true }] });
  });
});

describe('two placements that claim one object', () => {
  it('share it with nobody: the first holds it, the second says who does, and gets it when it is free', async () => {
    const world = await openWorld();
    const first = assignment('first', [configMap('a', { of: 'first' })]);
    const second = assignment('second', [configMap('a', { of: 'second' })]);
    world.member.assign([first]);
    await world.pass(1);
    world.member.assign([first, second]);
    await world.pass(60);
    expect(world.sighting().placements.map(({ results }) => results)).toEqual([
      [],
      [
        {
          object: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'a' },
          result: 'FailedToTakeOver',
          message: 'the object is already placed by first: two placements may not share an object',
        },
      ],
    ]);
    world.member.assign([{ ...first, remove: true, manifests: [] }, second]);
    await world.pass(60);
    expect(await dataOf(world)).toEqual({ of: 'second' });
  });
});

describe('a member that is replaced by an empty cluster of the same name', () => {
  it('gets everything anew, and nobody is told a state of the old one', async () => {
    const world = await holding([namespace('shop'), configMap('a', { color: 'red' }, 'shop')]);
    world.sim = await simulated({ name: 'successor' }, world.clock);
    await world.pass(120);
    expect(await dataOf(world, '/api/v1/namespaces/shop/configmaps/a')).toEqual({ color: 'red' });
    expect(world.said).toEqual(['eu-1 is another cluster than before: everything is applied anew']);
    expect(world.sighting()).toMatchObject({ complete: true, placements: [{ done: true, results: [] }] });
    const uid = (await world.user('GET', '/api/v1/namespaces/shop'))['metadata'] as { uid: string };
    expect(world.sighting().objects.map(({ metadata }) => metadata['uid'])).toContain(uid.uid);
  });
});

describe('a namespace that is being removed', () => {
  it('is said to be, and everything returns when it is gone', async () => {
    const world = await holding([namespace('shop'), configMap('a', { color: 'red' }, 'shop')]);
    await world.user('PATCH', '/api/v1/namespaces/shop/configmaps/a', {
      metadata: { finalizers: ['example.com/slow'] },
    });
    await world.user('DELETE', '/api/v1/namespaces/shop');
    await world.pass(20);
    expect(world.results().find(({ object }) => object.kind === 'Namespace')).toMatchObject({
      result: 'ManifestApplyFailed',
      message: expect.stringContaining('the object is being removed since 2026-11-20T10:00:'),
    });
    await world.user('PATCH', '/api/v1/namespaces/shop/configmaps/a', { metadata: { finalizers: null } });
    await world.pass(60);
    expect(await dataOf(world, '/api/v1/namespaces/shop/configmaps/a')).toEqual({ color: 'red' });
  });
});

describe('a member whose clock is wrong', () => {
  it.each([-86_400, 86_400])('is delivered to and watched like any other (%s s)', async (clockSkewSeconds) => {
    const world = await holding([configMap('a', { color: 'red' })], { clockSkewSeconds });
    await world.user('PATCH', a, { data: { color: 'blue' } });
    await world.pass(1);
    expect(await dataOf(world)).toEqual({ color: 'red' });
    expect(world.sighting().observedAt!.slice(0, 10)).toBe('2026-11-20');
  });
});

describe('a member that lies about generation', () => {
  it('is not asked again and again', async () => {
    const world = await holding([deployment('web')]);
    const status = '/apis/apps/v1/namespaces/default/deployments/web/status';
    for (const observedGeneration of [99, 1, 0]) {
      await world.user('PATCH', status, { status: { observedGeneration } });
      await world.pass(10);
    }
    expect(world.sent()).toEqual([]);
    expect(world.results()).toEqual([]);
  });
});
