import { unfinished } from '../../src/cli/demo/settled.ts';
import { deployment, member, placement } from './paper-fleet.ts';
import { type VirtualDaemon, VirtualFleet } from './virtual-fleet.ts';

export const names = ['a', 'b', 'c'] as const;

/** Three clusters that run one Deployment, one cluster at a time. */
export const smallFleet = (image = 'web:1'): Record<string, string> => ({
  ...Object.fromEntries(names.map((name) => [`clusters/${name}.yaml`, member(name, { env: 'prod' })])),
  'placements/web.yaml': placement(
    'web',
    '{placementType: PickAll}',
    '{type: RollingUpdate, rollingUpdate: {maxUnavailable: 1, maxSurge: 0}}',
  ),
  ...web(image),
});

export const web = (image: string): Record<string, string> => ({
  'resources/web.yaml': deployment('web', 'web', image),
});

/** A small fleet that has come to rest, and the daemon that brought it there. */
export async function settledFleet(
  options: Parameters<VirtualFleet['start']>[0] = {},
  files = smallFleet(),
): Promise<{ fleet: VirtualFleet; one: VirtualDaemon }> {
  const fleet = await VirtualFleet.open(files, ...names);
  const one = fleet.start(options);
  await settles(fleet, one);
  return { fleet, one };
}

/** Until nothing moves, everything is available, and all of main is planned for. */
export async function settles(fleet: VirtualFleet, daemon: VirtualDaemon, seconds = 300): Promise<void> {
  const left = (): readonly string[] => {
    const last = daemon.passes.at(-1);
    if (last === undefined || last.kind === 'moved') return ['no plan yet'];
    if (last.kind === 'gathering') return ['not published'];
    return last.plan.commit === fleet.repo.tip('main') ? unfinished(last.plan) : [`planned for ${last.plan.commit}`];
  };
  await fleet
    .until('everything is done', () => left().length === 0, seconds)
    .catch((error: unknown) => {
      throw new Error(`${String(error)}: ${left().join('; ')} (${daemon.daemon.notReady() ?? 'ready'})`);
    });
}

/** Image of the web Deployment on each member; undefined where there is none. */
export const images = (fleet: VirtualFleet): (string | undefined)[] =>
  [...fleet.members.keys()].map((name) => {
    const object = fleet.stored(name, 'apps/deployments', 'web', 'web') as
      | { spec: { template: { spec: { containers: [{ image: string }] } } } }
      | undefined;
    return object?.spec.template.spec.containers[0].image;
  });

/** Generation of the web Deployment on each member: it increases with every change of the spec. */
export const generations = (fleet: VirtualFleet): (number | undefined)[] =>
  [...fleet.members.keys()].map((name) => fleet.stored(name, 'apps/deployments', 'web', 'web')?.metadata.generation);
