import { describe, expect, it } from 'vitest';
import type { SimulatedFault } from '../../../src/api/simulated-fleet.ts';
import { assignment, configMap, deployment, openWorld } from '../../support/member-world.ts';
import { always, holding } from './holding.ts';

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
  ])('is reported per object, and the others are applied: %s', async (_, faults, message) => {
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
    expect(world.observation().placements[0]?.done).toBe(true);
  });

  it('is retried after 5 s, then with back-off up to 5 min', async () => {
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

  it('because of an unknown field is reported with the field', async () => {
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
  it('is reported with the message of the member, and the object is applied when there is room', async () => {
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
    expect(world.observation()).toMatchObject({ complete: true });
    expect(world.observation().objects).toHaveLength(1_201);
  });
});
