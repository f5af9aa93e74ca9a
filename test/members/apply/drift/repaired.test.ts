import { describe, expect, it } from 'vitest';
import { assignment, configMap, deployment, openWorld } from '../../../support/member-world.ts';
import { dataOf, holding, path } from './holding.ts';

describe('a changed object', () => {
  it('is repaired at once, and the status has the field, both values and the writer', async () => {
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
    expect(world.reported).toEqual(['ConfigMap default/a was changed by kubectl-edit and was repaired: /data/color']);
    expect(world.observation().placements[0]?.done).toBe(true);
  });

  it('is reported for ten minutes after its repair', async () => {
    const world = await holding();
    await world.user('PATCH', path, { data: { color: 'blue' } });
    await world.pass(599);
    expect(world.results()).toHaveLength(1);
    await world.pass(2);
    expect(world.results()).toEqual([]);
  });

  it('keeps fields that are not in the manifest', async () => {
    const world = await holding();
    await world.user('PATCH', path, { data: { size: 'large' } });
    await world.pass(1);
    expect(await dataOf(world)).toEqual({ color: 'red', size: 'large' });
    expect(world.results()).toEqual([]);
  });

  it('by the normalization of the server does not count: 0.5 and 500m, defaults, status', async () => {
    const world = await holding();
    await world.user('PATCH', '/apis/apps/v1/namespaces/default/deployments/web/status', { status: { replicas: 1 } });
    await world.pass(120);
    expect(world.sent()).toEqual([]);
    expect(world.results()).toEqual([]);
  });

  it('that loses our label is not deleted: it gets the label back and keeps its identity', async () => {
    const world = await holding();
    const { metadata: before } = await world.user('GET', path);
    await world.user('PATCH', path, { metadata: { labels: { 'gitfleet.dev/placement': null } } });
    await world.pass(5);
    const { metadata } = await world.user('GET', path);
    expect(metadata).toMatchObject({
      uid: (before as { uid: string }).uid,
      labels: { 'gitfleet.dev/placement': 'web' },
    });
    const lost = '/metadata/labels/gitfleet.dev~1placement';
    expect(world.reported).toEqual([`ConfigMap default/a was changed and was repaired: ${lost}`]);
    expect(world.results()).toMatchObject([{ details: [{ path: lost, valueInHub: 'web', repaired: true }] }]);
  });

  it('with the label of another placement is repaired, and reported with the writer', async () => {
    const alone = { isPlaced: (label: string) => label === 'web' };
    const world = await holding(alone);
    await world.user('PATCH', path, { metadata: { labels: { 'gitfleet.dev/placement': 'another' } } });
    for (const _ of ['asked whether another daemon did it', 'confirmed']) {
      await world.pass(2);
      world.member.assign([assignment('web', [configMap('a', { color: 'red' }), deployment('web')], alone)]);
    }
    await world.pass(5);
    const { metadata } = await world.user('GET', path);
    expect(metadata).toMatchObject({ labels: { 'gitfleet.dev/placement': 'web' } });
    const label = '/metadata/labels/gitfleet.dev~1placement';
    expect(world.reported).toEqual([`ConfigMap default/a was changed by kubectl-edit and was repaired: ${label}`]);
    expect(world.results()).toMatchObject([
      { details: [{ path: label, valueInMember: 'another', valueInHub: 'web', repaired: true }] },
    ]);
  });

  it('that loses our label is not reported with its earlier writer', async () => {
    const world = await holding();
    await world.user('PATCH', path, { data: { color: 'blue' } });
    await world.pass(60);
    await world.user('PATCH', path, { metadata: { labels: { 'gitfleet.dev/placement': null } } });
    await world.pass(5);
    expect(world.reported.at(-1)).toBe(
      'ConfigMap default/a was changed and was repaired: /metadata/labels/gitfleet.dev~1placement',
    );
  });

  it('that loses our label with other changes is reported with all of them', async () => {
    const world = await holding();
    await world.user('PATCH', path, {
      data: { color: 'blue' },
      metadata: { labels: { 'gitfleet.dev/placement': null }, annotations: { 'gitfleet.dev/digest': null } },
    });
    await world.pass(5);
    expect(await dataOf(world)).toEqual({ color: 'red' });
    expect(world.reported).toEqual([
      'ConfigMap default/a was changed and was repaired: /data/color, /metadata/labels/gitfleet.dev~1placement',
    ]);
  });

  it('by a label that reports omit is repaired nevertheless', async () => {
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
    expect(world.reported).toEqual([
      'ConfigMap default/a was changed by kubectl-edit and was repaired: /metadata/labels/app.kubernetes.io~1name',
    ]);
  });

  it('while the member was unreachable is found when it responds again', async () => {
    const world = await holding();
    world.sim.setFaults([{ type: 'Unreachable', fromSeconds: 0, probability: 1 }]);
    await world.user('PATCH', path, { data: { color: 'blue' } });
    await world.pass(120);
    expect(world.observation().reachable).toBe(false);
    world.sim.setFaults([]);
    await world.pass(120);
    expect(await dataOf(world)).toEqual({ color: 'red' });
  });

  it('of kind Secret is reported without its values', async () => {
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
    expect(JSON.stringify([world.reported, world.results()])).not.toMatch(/hunter2|aHVudGVyMg|Zm9v/);
  });
});

describe('a member that is listed every minute instead of watched', () => {
  it('is repaired after the next list, and its observedAt is that of the list', async () => {
    const world = await openWorld({}, { pollMs: 60_000 });
    world.member.assign([assignment('web', [configMap('a', { color: 'red' })])]);
    await world.pass(1);
    expect(world.observation().placements).toMatchObject([{ done: true, results: [] }]);
    await world.user('PATCH', path, { data: { color: 'blue' } });
    const changedAt = world.clock.now();
    await world.pass(30);
    expect(Date.parse(world.observation().observedAt ?? '')).toBeLessThanOrEqual(changedAt);
    await world.pass(45);
    expect(await dataOf(world)).toEqual({ color: 'red' });
    expect(world.results()[0]?.details).toMatchObject([{ path: '/data/color', manager: 'kubectl-edit' }]);
    expect(world.requests.filter(({ path: asked }) => asked.includes('watch=true'))).toEqual([]);
  });
});
