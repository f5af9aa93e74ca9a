import { describe, expect, it } from 'vitest';
import { assignment, openWorld } from '../../../support/member-world.ts';
import { holding, path } from './holding.ts';

describe('a changed object under FullComparison', () => {
  it('is reported until the change is reverted', async () => {
    const world = await holding({ strategy: { comparisonOption: 'FullComparison' } });
    const ofConfigMap = () => world.results().filter(({ object }) => object.kind === 'ConfigMap');
    await world.user('PATCH', path, { data: { size: 'large' } });
    await world.pass(1);
    expect(ofConfigMap()).toMatchObject([{ result: 'Applied', details: [{ path: '/data/size' }] }]);
    await world.user('PATCH', path, { data: { size: null } });
    await world.pass(1);
    expect(ofConfigMap()).toEqual([]);
  });

  it('names the writer only for fields that it owns, not for server defaults', async () => {
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

  it('is reported beside server defaults, which no apply removes', async () => {
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

  it('is reported also for fields that are not in the manifest, with one dry-run', async () => {
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
