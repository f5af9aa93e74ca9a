import { afterAll, expect, it } from 'vitest';
import { FleetOnGit } from '../../support/fleet-on-git.ts';
import { removeFolders } from '../../support/folders.ts';
import { cli } from '../../support/run-cli.ts';
import { shop } from '../../support/shop.ts';

afterAll(removeFolders);

const scaler = (version: string): string =>
  `apiVersion: autoscaling/${version}\nkind: HorizontalPodAutoscaler\nmetadata: {name: web, namespace: web}\nspec: {maxReplicas: 3}\n`;

it('an object in another version is one changed object', async () => {
  const fleet = await FleetOnGit.open({ ...shop, 'resources/scaler.yaml': scaler('v1') });
  await fleet.settle();
  fleet.commit({ 'resources/scaler.yaml': scaler('v2') }, 'Ask for v2');
  const { out } = await cli('diff', '--repo', fleet.dir, '--placement', 'web', '--cluster', 'eu-1');
  expect(out).toMatchInlineSnapshot(`
    "web: HorizontalPodAutoscaler web/web on eu-1
    - apiVersion: autoscaling/v1
    + apiVersion: autoscaling/v2
      kind: HorizontalPodAutoscaler
      metadata:
        name: web

    "
  `);
});
