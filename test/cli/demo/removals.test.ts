import { describe, expect, it } from 'vitest';
import { narrate } from '../../../src/cli/demo/narrate.ts';
import type { Plan } from '../../../src/engine/plan-document.ts';
import { deployment, member, PaperFleet } from '../../support/paper-fleet.ts';
import { place } from '../../support/shop.ts';

const onBoth = { placementType: 'PickFixed', clusterNames: ['eu-1', 'us-1'] };
const web = (more: object = {}) => place('web', { policy: onBoth, ...more });
const shop = {
  'clusters/eu-1.yaml': member('eu-1', { env: 'prod' }),
  'clusters/us-1.yaml': member('us-1', { env: 'prod' }),
  'placements/web.yaml': web(),
  'resources/web.yaml': deployment('web', 'web', 'web:1'),
  'placements/pay.yaml': place('pay', { policy: onBoth }),
  'resources/pay.yaml': deployment('pay', 'pay', 'pay:1'),
};
type Files = Readonly<Record<string, string | undefined>>;

/** What is told until nothing happens any more, after a fleet at rest was changed. */
async function toldOf(change: Files, begin: Files = {}): Promise<string[]> {
  const fleet = new PaperFleet(shop);
  const edit = (files: Files) => {
    for (const [path, text] of Object.entries(files))
      if (text === undefined) delete fleet.files[path];
      else fleet.files[path] = text;
  };
  edit(begin);
  let before: Plan | undefined;
  const reported: string[] = [];
  const rest = async () => {
    for (let passes = 0; passes < 10; passes++) {
      const plan = await fleet.plan();
      reported.push(
        ...narrate(before, plan).flatMap(({ subject, text }) => (subject === 'pay' ? [] : [`${subject} ${text}`])),
      );
      before = plan;
      fleet.deliver();
      fleet.pass(30);
    }
  };
  await rest();
  reported.length = 0;
  edit(change);
  await rest();
  return reported;
}

describe('the demo reports', () => {
  it('of a placement that is deleted, what is removed where, and when that is done', async () => {
    expect(await toldOf({ 'placements/web.yaml': undefined })).toEqual([
      'web deleted',
      'web → eu-1, us-1: removing',
      'web ✓ eu-1, us-1: removed',
    ]);
  });

  it('of one that leaves what it holds, that it stays', async () => {
    const strategy = { type: 'RollingUpdate', deleteStrategy: { propagationPolicy: 'Abandon' } };
    expect(await toldOf({ 'placements/web.yaml': undefined }, { 'placements/web.yaml': web({ strategy }) })).toEqual([
      'web deleted',
      'web eu-1, us-1: released, its objects stay',
    ]);
  });

  it('of a cluster that is not picked any more, first that and then the removal', async () => {
    const policy = { placementType: 'PickFixed', clusterNames: ['eu-1'] };
    expect(await toldOf({ 'placements/web.yaml': place('web', { policy }) })).toEqual([
      'web no longer picks us-1',
      'web → us-1: removing',
      'web ✓ us-1: removed',
    ]);
  });

  it('of a cluster that left, that what is there stays', async () => {
    const policy = { placementType: 'PickAll' };
    expect(
      await toldOf({ 'clusters/us-1.yaml': undefined }, { 'placements/web.yaml': place('web', { policy }) }),
    ).toEqual(['web no longer picks us-1', 'web us-1: released, its objects stay']);
  });

  it('of an eviction, what came of it, and each move of the two bindings once', async () => {
    const eviction = (name: string, clusterName: string) =>
      `apiVersion: placement.kubernetes-fleet.io/v1beta1\nkind: ClusterResourcePlacementEviction\nmetadata: {name: ${name}}\nspec: {placementName: web, clusterName: ${clusterName}}\n`;
    const policy = { placementType: 'PickAll' };
    expect(
      await toldOf(
        { 'evictions/out.yaml': eviction('out', 'us-1'), 'evictions/wrong.yaml': eviction('wrong', 'nowhere') },
        { 'placements/web.yaml': place('web', { policy }) },
      ),
    ).toEqual([
      'out ✓ eviction of web from us-1 executed',
      'wrong ✗ eviction of web from nowhere refused: Failed to find scheduler decision for placement in cluster targeted by eviction',
      'web → us-1: removing',
      'web → us-1: installing snapshot 0',
      'web ✓ us-1: snapshot 0 is available',
    ]);
  });

  it('a placement that is suspended, and one that is resumed', async () => {
    const suspended = web().replace('metadata:\n', 'metadata:\n  annotations: {gitfleet.dev/suspended: audit}\n');
    expect(await toldOf({ 'placements/web.yaml': suspended })).toEqual([
      'web suspended (audit): its rollout waits until it is resumed',
    ]);
    expect(await toldOf({ 'placements/web.yaml': web() }, { 'placements/web.yaml': suspended })).toContain(
      'web resumed',
    );
  });

  it('of a stuck rollout, which clusters wait and for which limit', async () => {
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } };
    const reported = await toldOf(
      { 'resources/web.yaml': deployment('web', 'web', 'web:2') },
      { 'placements/web.yaml': web({ strategy: { ...strategy, rollingUpdate: { maxUnavailable: 0, maxSurge: 2 } } }) },
    );
    expect(reported).toEqual([
      'web snapshot 1 of its resources',
      'web eu-1, us-1: is updated once maxUnavailable 0 allows it (with 0 every cluster that the policy requires must stay available: set 1 or more to continue the rollout)',
    ]);
  });

  it('of what differs where it is only compared, and that it does not any more', async () => {
    const fleet = new PaperFleet(shop);
    fleet.files['placements/web.yaml'] = web({
      strategy: { type: 'RollingUpdate', applyStrategy: { type: 'ReportDiff', comparisonOption: 'FullComparison' } },
    });
    let before: Plan | undefined;
    const next = async () => {
      const plan = await fleet.plan();
      const reported = narrate(before, plan).flatMap(({ subject, text }) => (subject === 'web' ? [text] : []));
      before = plan;
      fleet.deliver();
      fleet.pass(30);
      return reported;
    };
    const object = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'web', name: 'web' };
    const differs = [
      { object, result: 'FoundDiff', details: [{ path: '/spec/replicas', valueInMember: '5', valueInHub: '2' }] },
    ];
    await next();
    fleet.results.set('us-1/web', differs as never);
    expect([...(await next()), ...(await next())]).toEqual([
      '✓ eu-1, us-1: snapshot 0 is compared',
      '≠ us-1: differs: Deployment web/web (/spec/replicas)',
    ]);
    fleet.results.delete('us-1/web');
    expect([...(await next()), ...(await next())]).toEqual(['✓ us-1: no longer differs']);
    fleet.results.set('us-1/web', differs as never);
    expect([...(await next()), ...(await next())]).toEqual(['≠ us-1: differs: Deployment web/web (/spec/replicas)']);
    fleet.results.delete('us-1/web');
    fleet.files['placements/web.yaml'] = web({ strategy: { type: 'RollingUpdate' } });
    expect([...(await next()), ...(await next())]).toEqual([]);
  });
});
