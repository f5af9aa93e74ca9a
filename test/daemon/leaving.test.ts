import { afterEach, expect, it } from 'vitest';
import { member, placement } from '../support/paper-fleet.ts';
import { images, settledFleet, settles, smallFleet } from '../support/small-fleet.ts';
import type { VirtualFleet } from '../support/virtual-fleet.ts';

let fleet: VirtualFleet;
afterEach(() => fleet.close());

const web = '/apis/apps/v1/namespaces/web/deployments/web';

it('a leaving cluster keeps objects that were applied just before', async () => {
  const settled = await settledFleet();
  fleet = settled.fleet;
  await fleet.ask('c', 'DELETE', web);
  await fleet.until('it is created again', () => images(fleet)[2] !== undefined);
  const leaving = member('c', { env: 'prod' }).replace(
    'metadata:\n',
    "metadata:\n  deletionTimestamp: '2026-11-20T10:00:00Z'\n",
  );
  fleet.commit({ 'clusters/c.yaml': leaving });
  await fleet.until('it has left', () => settled.one.plan().placements[0]!.bindings.length === 2);
  await fleet.run(120);
  expect(images(fleet)).toEqual(['web:1', 'web:1', 'web:1']);
});

it('objects applied just before the deletion of an abandoned placement stay', async () => {
  const settled = await settledFleet();
  fleet = settled.fleet;
  fleet.commit({
    'placements/other.yaml': placement('other', '{placementType: PickAll}', '{type: RollingUpdate}'),
    'resources/other.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: {name: other}\n',
  });
  await settles(fleet, settled.one);
  await fleet.ask('c', 'DELETE', web);
  await fleet.until('it is created again', () => images(fleet)[2] !== undefined);
  const file = smallFleet()['placements/web.yaml']!;
  fleet.commit({
    'placements/web.yaml': file
      .replace('{name: web}', "{name: web, deletionTimestamp: '2026-11-20T10:00:00Z'}")
      .replace('strategy: {', 'strategy: {deleteStrategy: {propagationPolicy: Abandon}, '),
  });
  await fleet.until('it is forgotten', () => settled.one.plan().placements.length === 1);
  await fleet.run(120);
  expect(images(fleet)).toEqual(['web:1', 'web:1', 'web:1']);
});
