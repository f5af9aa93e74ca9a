import { describe, expect, it } from 'vitest';
import { assignment, configMap, deployment } from '../../../support/member-world.ts';
import { dataOf, holding, path } from './holding.ts';

describe('a changed object under IfNotDrifted', () => {
  it('is kept and reported, and is applied again when the drift is gone', async () => {
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

  it('is reported again when the same change is reverted and repeated', async () => {
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

  it.each(['PartialComparison', 'FullComparison'] as const)(
    'is repaired if only a label differs that reports omit, under %s',
    async (comparisonOption) => {
      const world = await holding();
      const labelled = {
        ...configMap('a'),
        metadata: { name: 'a', namespace: 'default', labels: { 'app.kubernetes.io/name': 'a' } },
      };
      const strategy = { whenToApply: 'IfNotDrifted', comparisonOption } as const;
      world.member.assign([assignment('web', [labelled], { strategy })]);
      await world.pass(1);
      await world.user('PATCH', path, { metadata: { labels: { 'app.kubernetes.io/name': 'b' } } });
      await world.pass(1);
      const { metadata } = (await world.user('GET', path)) as { metadata: { labels: Record<string, string> } };
      expect(metadata.labels['app.kubernetes.io/name']).toBe('a');
      expect(world.results()).toMatchObject([{ result: 'Applied', details: [{ repaired: true }] }]);
      world.sent();
      await world.pass(60);
      expect(world.sent()).toEqual([]);
    },
  );

  it('is overwritten by a new manifest', async () => {
    const world = await holding({ strategy: { whenToApply: 'IfNotDrifted' } });
    await world.user('PATCH', path, { data: { color: 'blue' } });
    await world.pass(1);
    world.member.assign([
      assignment('web', [configMap('a', { color: 'green' })], { strategy: { whenToApply: 'IfNotDrifted' } }),
    ]);
    await world.pass(1);
    expect(await dataOf(world)).toEqual({ color: 'green' });
  });

  it('is repaired when whenToApply becomes Always', async () => {
    const world = await holding({ strategy: { whenToApply: 'IfNotDrifted' } });
    await world.user('PATCH', path, { data: { color: 'blue' } });
    await world.pass(1);
    expect(world.results()).toMatchObject([{ result: 'FoundDrifts' }]);
    world.member.assign([assignment('web', [configMap('a', { color: 'red' }), deployment('web')])]);
    await world.pass(1);
    expect(await dataOf(world)).toEqual({ color: 'red' });
    expect(world.results()).toMatchObject([{ result: 'Applied', details: [{ repaired: true }] }]);
  });

  it('is reported with its writer also after a change to ReportDiff', async () => {
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
});
