import { memoryHost } from '../../forge/git-host.ts';
import type { DialectName } from '../../forge/test-forge.ts';
import { TestForge } from '../../forge/test-forge.ts';
import { devThenProd } from '../../support/dev-then-prod.ts';
import { deployment, member, placement } from '../../support/paper-fleet.ts';
import { VirtualFleet } from '../../support/virtual-fleet.ts';

const gate = 'web-1-after-dev';
export const branch = `gitfleet/approve/${gate}`;

const kinds = { github: 'github', gitlab: 'gitlab', gitea: 'gitea', forgejo: 'gitea' } as const;

export const run = (name: string): string => `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterStagedUpdateRun
metadata: {name: ${name}}
spec: {placementName: web, stagedRolloutStrategyName: careful}
`;

/** fleet.yaml; `more`: further fields of its forge. */
export const config = (dialect: DialectName, more = ''): string => `apiVersion: gitfleet.dev/v1alpha1
kind: FleetConfig
spec: {forge: {kind: ${kinds[dialect]}, repository: acme/fleet, baseURL: "https://forge.example"${more && `, ${more}`}}}
`;

export const web = (image: string): string => deployment('web', 'web', image);

/** A fleet of one cluster for dev and two for prod, with a run that waits for a time and an approval after dev, and its forge. */
export async function forgeFleet(
  dialect: DialectName,
  waitTime = '1m',
): Promise<{ readonly fleet: VirtualFleet; readonly forge: TestForge }> {
  const fleet = await VirtualFleet.open(
    {
      'fleet.yaml': config(dialect),
      'clusters/a.yaml': member('a', { env: 'dev' }),
      'clusters/b.yaml': member('b', { env: 'prod' }),
      'clusters/c.yaml': member('c', { env: 'prod' }),
      'web.yaml': placement('web', '{placementType: PickAll}', '{type: External}'),
      'resources/web.yaml': web('web:1'),
      'strategy.yaml': devThenProd(waitTime),
      'runs/web-1.yaml': run('web-1'),
    },
    'a',
    'b',
    'c',
  );
  return { fleet, forge: new TestForge(dialect, memoryHost(fleet.repo), () => fleet.clock.now()) };
}
