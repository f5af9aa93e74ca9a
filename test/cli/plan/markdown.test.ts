import { afterEach, expect, it } from 'vitest';
import { cleanUp, folder, gitfleet } from '../../acceptance/door.ts';
import { placement, shop } from '../../acceptance/placement/world.ts';

afterEach(cleanUp);

it('problems stand in a comment with line, column and what to write instead', async () => {
  const repo = await folder({
    'eu-1.yaml':
      'apiVersion: cluster.kubernetes-fleet.io/v1\nkind: MemberCluster\nmetadata: {name: eu-1, labesl: {a: b}}\n',
    'web.yaml': placement('placementType: PickAll'),
    'resources/shop.yaml': shop,
  });
  const { out } = await gitfleet('plan', '--repo', repo, '-o', 'markdown');
  expect(out).toContain(
    '\n\n**Problems**\n- error: `eu-1.yaml:3:24` MemberCluster eu-1: there is no field labesl here. Fix: did you mean labels?\n',
  );
});
