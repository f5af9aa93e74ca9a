import { describe, expect, it } from 'vitest';
import { deployment, held, holds, namespace, placement, placementEntry, type Story, webOn } from './world.ts';

const mirror = (destination: string) =>
  `{type: RollingUpdate, rollingUpdate: {maxUnavailable: 100%}, reportBackStrategy: {type: Mirror, destination: ${destination}}}`;
const fixed = (names: string) => `{placementType: PickFixed, clusterNames: [${names}]}`;
const path = (cluster: string) => `placements/web/mirrored/${cluster}.yaml`;

async function settled(policy: string, destination: string): Promise<Story> {
  const story = webOn('a b', policy, mirror(destination));
  story.seen = {};
  await story.plan();
  story.seen = { a: holds(0), b: holds(0, [namespace, deployment(1)]) };
  return story;
}

describe('reportBackStrategy Mirror', () => {
  it('writes the status of the objects on every member, and is not held', async () => {
    const story = await settled(fixed('a, b'), 'WorkAPI');
    const step = await story.plan(10);
    expect(step.file(path('a'))).toEqual({
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'MirroredStatus',
      metadata: { name: 'web' },
      clusterName: 'a',
      objects: [
        { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'web', name: 'web', status: deployment(2).status },
      ],
    });
    expect(step.file(path('b')).objects[0].status).toEqual(deployment(1).status);
    expect(held(step)).toEqual([]);
  });

  it('keeps the last report of an unreachable member, and follows one that responds', async () => {
    const story = await settled(fixed('a, b'), 'WorkAPI');
    await story.plan(10);
    story.seen = { a: { reachable: false }, b: holds(0) };
    const step = await story.plan(20);
    expect(step.file(path('a')).objects[0].status.availableReplicas).toBe(2);
    expect(step.file(path('b')).objects[0].status.availableReplicas).toBe(2);
  });

  it('keeps what a list that broke off does not show', async () => {
    const story = await settled(fixed('a'), 'WorkAPI');
    await story.plan(10);
    story.seen = { a: { ...holds(0, [namespace]), complete: false } };
    expect((await story.plan(20)).file(path('a')).objects).toHaveLength(1);
    story.seen = { a: holds(0, [namespace]) };
    expect((await story.plan(30)).plan.record[path('a')]).toBeUndefined();
  });

  it('is not written for objects that could not be applied', async () => {
    const story = await settled(fixed('a'), 'WorkAPI');
    const object = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'web', name: 'web' };
    story.seen = {
      a: { ...holds(0), placements: [placementEntry(0, { results: [{ object, result: 'FailedToTakeOver' }] })] },
    };
    expect((await story.plan(10)).plan.record[path('a')]).toBeUndefined();
  });

  it('goes with its cluster', async () => {
    const story = await settled(fixed('a, b'), 'WorkAPI');
    await story.plan(10);
    story.files['web.yaml'] = placement(fixed('a'), mirror('WorkAPI'));
    const step = await story.plan(20);
    expect(Object.keys(step.plan.record).filter((it) => it.includes('/mirrored/'))).toEqual([path('a')]);
  });

  it.each([
    ['PickFixed with one name', fixed('a'), [path('a')]],
    ['PickFixed with more', fixed('a, b'), []],
    ['PickN with 1', '{placementType: PickN, numberOfClusters: 1}', [path('b')]],
    ['PickN with more', '{placementType: PickN, numberOfClusters: 2}', []],
    ['PickAll', '{placementType: PickAll}', []],
  ])('to the original resource acts only where there is one cluster: %s', async (_, policy, expected) => {
    const story = await settled(policy, 'OriginalResource');
    const step = await story.plan(10);
    expect(Object.keys(step.plan.record).filter((it) => it.includes('/mirrored/'))).toEqual(expected);
  });
});
