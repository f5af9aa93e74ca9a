import { describe, expect, it } from 'vitest';
import { assignment, configMap, deployment, namespace, openWorld, type World } from '../world.ts';

const path = '/api/v1/namespaces/default/configmaps/a';

async function holding(more: Parameters<typeof assignment>[2] = {}, spec: object = {}): Promise<World> {
  const world = await openWorld(spec);
  world.member.assign([assignment('web', [configMap('a', { color: 'red' }), deployment('web')], more)]);
  await world.pass(1);
  world.sent();
  return world;
}

const dataOf = async (world: World): Promise<unknown> => (await world.user('GET', path))['data'];

describe('an object that somebody changes', () => {
  it('is put right at once, and the status names the field, both values and who did it', async () => {
    const world = await holding();
    await world.user('PATCH', path, { data: { color: 'blue' } });
    await world.pass(0.1);
    expect(await dataOf(world)).toEqual({ color: 'red' });
    expect(world.sent()).toEqual(['PATCH configmaps/a']);
    expect(world.results()).toEqual([
      {
        object: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'a' },
        result: 'Applied',
        details: [
          { path: '/data/color', valueInMember: 'blue', valueInHub: 'red', manager: 'kubectl-edit', repaired: true },
        ],
        repairedAt: '2026-11-20T10:00:01Z',
      },
    ]);
    expect(world.said).toEqual(['ConfigMap default/a was changed by kubectl-edit and has been put right: /data/color']);
    expect(world.sighting().placements[0]?.done).toBe(true);
  });

  it('by deleting it comes back at once; a third time in short order is told as a fight', async () => {
    const world = await holding();
    for (const _ of [1, 2, 3]) {
      await world.user('DELETE', path);
      await world.pass(5);
      expect(await dataOf(world)).toEqual({ color: 'red' });
    }
    expect(world.said).toEqual([
      'ConfigMap default/a was deleted and has been put back',
      'ConfigMap default/a was deleted and has been put back',
      'ConfigMap default/a is deleted again and again: it is put right less often each time, in the end every 5 minutes',
    ]);
  });

  it('by deleting a namespace, which goes only when what is in it has gone, is told like any that is deleted', async () => {
    const world = await openWorld({});
    world.member.assign([assignment('web', [namespace('shop'), configMap('a', { color: 'red' }, 'shop')])]);
    await world.pass(5);
    await world.user('DELETE', '/api/v1/namespaces/shop');
    await world.pass(60);
    expect(world.said.toSorted()).toEqual([
      'ConfigMap shop/a was deleted and has been put back',
      'Namespace shop was deleted and has been put back',
    ]);
    const whole = { path: '/', valueInHub: '(the whole object)', repaired: true };
    expect(world.results()).toMatchObject([
      { object: { kind: 'ConfigMap' }, result: 'Applied', details: [whole] },
      { object: { kind: 'Namespace' }, result: 'Applied', details: [whole] },
    ]);
  });

  it('by taking our label off is no deletion: the label is put back and the object keeps its identity', async () => {
    const world = await holding();
    const { metadata: before } = await world.user('GET', path);
    await world.user('PATCH', path, { metadata: { labels: { 'gitfleet.dev/placement': null } } });
    await world.pass(5);
    const { metadata } = await world.user('GET', path);
    expect(metadata).toMatchObject({
      uid: (before as { uid: string }).uid,
      labels: { 'gitfleet.dev/placement': 'web' },
    });
    expect(world.said).toEqual(['ConfigMap default/a was changed and has been put right: labels or annotations']);
  });

  it('is reported for ten minutes after it was put right', async () => {
    const world = await holding();
    await world.user('PATCH', path, { data: { color: 'blue' } });
    await world.pass(599);
    expect(world.results()).toHaveLength(1);
    await world.pass(2);
    expect(world.results()).toEqual([]);
  });

  it('whoever changed an object last is not named as the one who deleted it', async () => {
    const world = await holding();
    await world.user('PATCH', path, { data: { color: 'blue' } });
    await world.pass(1);
    await world.user('DELETE', path);
    await world.pass(3);
    expect(world.said).toEqual([
      'ConfigMap default/a was changed by kubectl-edit and has been put right: /data/color',
      'ConfigMap default/a was deleted and has been put back',
    ]);
    expect(world.results()[0]?.details).toEqual([{ path: '/', valueInHub: '(the whole object)', repaired: true }]);
  });

  it('in several ways is not said to be done one of them again and again', async () => {
    const world = await holding();
    const color = (manager: string) => world.user('PATCH', path, { data: { color: 'blue' } }, manager);
    for (const act of [() => color('one'), () => color('two'), () => color('one')]) {
      await act();
      await world.pass(5);
    }
    await world.user('DELETE', path);
    await world.pass(10);
    const ending = 'again and again: it is put right less often each time, in the end every 5 minutes';
    expect(world.said.slice(2)).toEqual([
      `ConfigMap default/a is changed by one, two ${ending}`,
      `ConfigMap default/a is changed or deleted ${ending}`,
    ]);
  });

  it('keeps fields that we do not name', async () => {
    const world = await holding();
    await world.user('PATCH', path, { data: { size: 'large' } });
    await world.pass(1);
    expect(await dataOf(world)).toEqual({ color: 'red', size: 'large' });
    expect(world.results()).toEqual([]);
  });

  it('again and again is put right less and less often, and the status goes on naming who', async () => {
    const world = await holding();
    const repaired: number[] = [];
    for (let second = 0; second < 3600; second++) {
      if ((await dataOf(world)) !== undefined && JSON.stringify(await dataOf(world)) === '{"color":"red"}') {
        repaired.push(second);
        await world.user('PATCH', path, { data: { color: `blue-${second}` } }, 'other-controller');
      }
      await world.pass(1);
    }
    const waits = repaired.slice(1).map((at, index) => at - repaired[index]!);
    expect(waits.slice(3, 8)).toEqual([4, 8, 16, 32, 64]);
    expect(Math.max(...waits)).toBeGreaterThan(290);
    expect(world.results()[0]?.details).toMatchObject([{ path: '/data/color', manager: 'other-controller' }]);
    expect(world.said.at(-1)).toBe(
      'ConfigMap default/a is changed by other-controller again and again: it is put right less often each time, in the end every 5 minutes',
    );
  }, 120_000);

  it('and that waits to be put right again is told as it is now, with who fights back', async () => {
    const world = await holding();
    const change = (color: string) => world.user('PATCH', path, { data: { color } }, 'other-controller');
    for (const color of ['one', 'two', 'three']) {
      await change(color);
      await world.pass(3);
    }
    await world.user('PATCH', path, { data: { color: 'four' }, metadata: { labels: { 'app.kubernetes.io/x': 'y' } } });
    await world.pass(0.1);
    const told = (detail: object, more: object = {}) => [
      {
        object: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'a' },
        result: 'Applied',
        message: expect.stringMatching(
          /^ConfigMap default\/a is changed by other-controller, kubectl-edit again and again: it is put right/,
        ),
        details: [{ path: '/data/color', valueInHub: 'red', manager: 'kubectl-edit', ...detail }],
        ...more,
      },
    ];
    expect(await dataOf(world)).toEqual({ color: 'four' });
    expect(world.results()).toEqual(told({ valueInMember: 'four' }));
    await world.pass(5);
    expect(await dataOf(world)).toEqual({ color: 'red' });
    expect(world.results()).toEqual(
      told({ valueInMember: 'four', repaired: true }, { repairedAt: '2026-11-20T10:00:11Z' }),
    );
    await change('five');
    await world.pass(0.1);
    expect(world.results()[0]?.details).toMatchObject([{ valueInMember: 'five', manager: 'other-controller' }]);
    // Whoever fights may also give in.
    await change('red');
    await world.pass(0.1);
    expect(world.results()[0]?.details).toMatchObject([{ valueInMember: 'four', repaired: true }]);
  });

  it('under IfNotDrifted is left as it is and reported, and is applied again when it is as it was', async () => {
    const world = await holding({ strategy: { whenToApply: 'IfNotDrifted' } });
    await world.user('PATCH', path, { data: { color: 'blue' } });
    await world.pass(30);
    expect(await dataOf(world)).toEqual({ color: 'blue' });
    expect(world.sent()).toEqual(['PATCH dry configmaps/a']);
    expect(world.results()).toMatchObject([
      {
        result: 'FoundDrifts',
        details: [{ path: '/data/color', valueInMember: 'blue', valueInHub: 'red', manager: 'kubectl-edit' }],
      },
    ]);
    await world.user('PATCH', path, { data: { color: 'red' } });
    await world.pass(1);
    expect(world.results()).toEqual([]);
  });

  it('under IfNotDrifted is reported again when somebody took it back and then did the very same', async () => {
    const world = await holding({ strategy: { whenToApply: 'IfNotDrifted' } });
    for (const _ of [1, 2]) {
      await world.user('PATCH', path, { data: { color: 'blue' } });
      await world.pass(1);
      expect(world.results()).toMatchObject([{ result: 'FoundDrifts', details: [{ path: '/data/color' }] }]);
      await world.user('PATCH', path, { data: { color: 'red' } });
      await world.pass(1);
      expect(world.results()).toEqual([]);
    }
  });

  it('under FullComparison is reported until somebody takes it back', async () => {
    const world = await holding({ strategy: { comparisonOption: 'FullComparison' } });
    const ofConfigMap = () => world.results().filter(({ object }) => object.kind === 'ConfigMap');
    await world.user('PATCH', path, { data: { size: 'large' } });
    await world.pass(1);
    expect(ofConfigMap()).toMatchObject([{ result: 'Applied', details: [{ path: '/data/size' }] }]);
    await world.user('PATCH', path, { data: { size: null } });
    await world.pass(1);
    expect(ofConfigMap()).toEqual([]);
  });

  it('under FullComparison names who did it only of the fields he has, not of what the server fills in', async () => {
    const world = await holding({ strategy: { comparisonOption: 'FullComparison' } });
    const web = '/apis/apps/v1/namespaces/default/deployments/web';
    await world.user('PATCH', web, { spec: { minReadySeconds: 5 } });
    await world.pass(1);
    const { details = [] } = world.results().find(({ object }) => object.kind === 'Deployment')!;
    expect(details.filter(({ manager }) => manager !== undefined)).toEqual([
      { path: '/spec/minReadySeconds', valueInMember: '5', manager: 'kubectl-edit' },
    ]);
    expect(details.map(({ path: at }) => at)).toContain('/spec/progressDeadlineSeconds');
  });

  it('under FullComparison is told beside what the server fills in, which no apply takes away', async () => {
    const job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'j', namespace: 'default' },
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
    };
    const world = await openWorld();
    world.member.assign([assignment('web', [job], { strategy: { comparisonOption: 'FullComparison' } })]);
    await world.pass(1);
    const left = world.results()[0]!.details!;
    expect(left.find(({ path }) => path === '/spec/template/metadata')?.valueInMember).not.toContain(
      'creationTimestamp',
    );
    await world.user('PATCH', '/apis/batch/v1/namespaces/default/jobs/j', { metadata: { labels: { a: 'b' } } });
    await world.pass(1);
    expect(world.results()[0]?.details?.map(({ path, repaired }) => [path, repaired])).toEqual([
      ['/metadata/labels/a', undefined],
      ...left.map(({ path }) => [path, undefined]),
    ]);
  });

  it('is told with who did it also where placements come to be compared only', async () => {
    const world = await holding({ strategy: { whenToApply: 'IfNotDrifted' } });
    await world.user('PATCH', path, { data: { color: 'blue' } });
    await world.pass(1);
    const manifests = [configMap('a', { color: 'red' }), deployment('web')];
    world.member.assign([assignment('web', manifests, { strategy: { type: 'ReportDiff' } })]);
    await world.pass(1);
    expect(world.results().filter(({ result }) => result === 'FoundDiff')).toMatchObject([
      { details: [{ path: '/data/color', valueInMember: 'blue', valueInHub: 'red', manager: 'kubectl-edit' }] },
    ]);
  });

  it('under IfNotDrifted is overwritten by a new manifest', async () => {
    const world = await holding({ strategy: { whenToApply: 'IfNotDrifted' } });
    await world.user('PATCH', path, { data: { color: 'blue' } });
    await world.pass(1);
    world.member.assign([
      assignment('web', [configMap('a', { color: 'green' })], { strategy: { whenToApply: 'IfNotDrifted' } }),
    ]);
    await world.pass(1);
    expect(await dataOf(world)).toEqual({ color: 'green' });
  });

  it('under IfNotDrifted is put right when it is to be applied always again', async () => {
    const world = await holding({ strategy: { whenToApply: 'IfNotDrifted' } });
    await world.user('PATCH', path, { data: { color: 'blue' } });
    await world.pass(1);
    expect(world.results()).toMatchObject([{ result: 'FoundDrifts' }]);
    world.member.assign([assignment('web', [configMap('a', { color: 'red' }), deployment('web')])]);
    await world.pass(1);
    expect(await dataOf(world)).toEqual({ color: 'red' });
    expect(world.results()).toMatchObject([{ result: 'Applied', details: [{ repaired: true }] }]);
  });

  it('in the way the server writes it is no change: 0.5 and 500m, defaults, status', async () => {
    const world = await holding();
    await world.user('PATCH', '/apis/apps/v1/namespaces/default/deployments/web/status', { status: { replicas: 1 } });
    await world.pass(120);
    expect(world.sent()).toEqual([]);
    expect(world.results()).toEqual([]);
  });

  it('by removing it is put back, and the status says so', async () => {
    const world = await holding();
    await world.user('DELETE', path);
    await world.pass(1);
    expect(await dataOf(world)).toEqual({ color: 'red' });
    expect(world.results()).toMatchObject([
      { result: 'Applied', details: [{ path: '/', valueInHub: '(the whole object)' }] },
    ]);
  });

  it('by removing it in a loop is put back less and less often', async () => {
    const world = await holding();
    let removed = 0;
    for (let second = 0; second < 300; second++) {
      const { code } = await world.user('DELETE', path);
      if (code === undefined) removed++;
      await world.pass(1);
    }
    expect(removed).toBeLessThan(12);
  });

  it('by taking our label off gets it back', async () => {
    const world = await holding();
    await world.user('PATCH', path, { metadata: { labels: { 'gitfleet.dev/placement': null } } });
    await world.pass(1);
    const { metadata } = (await world.user('GET', path)) as { metadata: { labels: unknown } };
    expect(metadata.labels).toEqual({ 'gitfleet.dev/placement': 'web' });
  });

  it('by a label that reports leave out is put right all the same', async () => {
    const world = await holding();
    world.member.assign([
      assignment('web', [
        { ...configMap('a'), metadata: { name: 'a', namespace: 'default', labels: { 'app.kubernetes.io/name': 'a' } } },
      ]),
    ]);
    await world.pass(1);
    await world.user('PATCH', path, { metadata: { labels: { 'app.kubernetes.io/name': 'b' } } });
    await world.pass(1);
    const { metadata } = (await world.user('GET', path)) as { metadata: { labels: Record<string, string> } };
    expect(metadata.labels['app.kubernetes.io/name']).toBe('a');
    expect(world.said).toEqual([
      'ConfigMap default/a was changed by kubectl-edit and has been put right: labels or annotations',
    ]);
  });

  it('while we were away is seen when the member is looked at again', async () => {
    const world = await holding();
    world.sim.setFaults([{ type: 'Unreachable', fromSeconds: 0, probability: 1 }]);
    await world.user('PATCH', path, { data: { color: 'blue' } });
    await world.pass(120);
    expect(world.sighting().reachable).toBe(false);
    world.sim.setFaults([]);
    await world.pass(120);
    expect(await dataOf(world)).toEqual({ color: 'red' });
  });

  it('of a Secret is reported without what it holds', async () => {
    const world = await openWorld();
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's', namespace: 'default' },
      stringData: { password: 'hunter2' },
    };
    world.member.assign([assignment('web', [secret])]);
    await world.pass(1);
    await world.user('PATCH', '/api/v1/namespaces/default/secrets/s', { data: { password: 'Zm9v' } });
    await world.pass(1);
    expect(world.results()[0]?.details).toEqual([
      {
        path: '/data/password',
        valueInMember: '(redacted for security reasons)',
        valueInHub: '(redacted for security reasons)',
        manager: 'kubectl-edit',
        repaired: true,
      },
    ]);
    expect(JSON.stringify([world.said, world.results()])).not.toMatch(/hunter2|aHVudGVyMg|Zm9v/);
  });
});

describe('FullComparison', () => {
  it('reports fields that the manifest does not name, and asks the server only once', async () => {
    const world = await holding({ strategy: { comparisonOption: 'FullComparison' } });
    await world.pass(60);
    world.sent();
    await world.user('PATCH', path, { data: { size: 'large' } });
    await world.pass(60);
    expect(world.sent()).toEqual(['PATCH configmaps/a']);
    expect(world.results().find(({ object }) => object.kind === 'ConfigMap')).toMatchObject({
      result: 'Applied',
      details: [{ path: '/data/size', valueInMember: 'large' }],
    });
  });
});

describe('a field that we do not know', () => {
  it('reaches the member unchanged', async () => {
    const world = await openWorld();
    const sent = { ...configMap('a'), 'x-future': { deep: [1, { null: null }] } };
    world.member.assign([assignment('web', [sent])]);
    await world.pass(1);
    const body = world.requests.find(({ method }) => method === 'PATCH')?.body;
    expect(JSON.parse(body ?? '{}')['x-future']).toEqual({ deep: [1, { null: null }] });
  });
});

describe('a member that is listed every minute instead of watched', () => {
  it('has what was changed put right after the next list, and says when it looked last', async () => {
    const world = await openWorld({}, { pollMs: 60_000 });
    world.member.assign([assignment('web', [configMap('a', { color: 'red' })])]);
    await world.pass(1);
    expect(world.sighting().placements).toMatchObject([{ done: true, results: [] }]);
    await world.user('PATCH', path, { data: { color: 'blue' } });
    const changedAt = world.clock.now();
    await world.pass(30);
    expect(Date.parse(world.sighting().observedAt ?? '')).toBeLessThanOrEqual(changedAt);
    await world.pass(45);
    expect(await dataOf(world)).toEqual({ color: 'red' });
    expect(world.results()[0]?.details).toMatchObject([{ path: '/data/color', manager: 'kubectl-edit' }]);
    expect(world.requests.filter(({ path: asked }) => asked.includes('watch=true'))).toEqual([]);
  });
});
