import { afterEach, describe, expect, it } from 'vitest';
import { deployment, placement } from '../support/paper-fleet.ts';
import { AttackedFleet, type Files, gatedFleet, names } from './attacked-fleet.ts';
import { attacked, change, modes } from './record-edits.ts';

let world: AttackedFleet;
afterEach(() => world.close());

const onOne = (name: string, cluster: string): Files => ({
  [`placements/${name}.yaml`]: placement(name, `{placementType: PickFixed, clusterNames: [${cluster}]}`),
  [`resources/${name}.yaml`]: deployment(name, name, `${name}:1`),
});

const oneAtOnce = 'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {guard: {maxClusters: 1}}\n';

const invented =
  (name: string, targetCluster: string) =>
  (files: Files): void =>
    change(files, `placements/${name}/state.yaml`, ({ bindings }) => bindings.push({ ...bindings[0], targetCluster }));

describe.each(modes)('a binding that is invented %s', (_, stopped) => {
  it('on a cluster that does not respond is not carried out with the next snapshot', async () => {
    world = await AttackedFleet.open({ ...gatedFleet('web:1'), ...onOne('edge', 'prod-1') });
    await world.fleet.run(100);
    world.fleet.fault('prod-2', { type: 'Unreachable' });
    await world.fleet.run(30);
    await attacked(world, { stopped, seconds: 30 }, invented('edge', 'prod-2'));
    world.fleet.commit({ 'resources/edge.yaml': deployment('edge', 'edge', 'edge:2') });
    await world.fleet.run(60);
    world.fleet.fault('prod-2');
    await world.fleet.run(120);
    expect(world.images('edge')).toEqual([undefined, 'edge:2', undefined]);
    expect(world.sent.filter(({ member, body }) => member === 'prod-2' && body.includes('edge'))).toEqual([]);
  });

  it('of a placement that is being removed does not count for the limits of the guard', async () => {
    world = await AttackedFleet.open({ ...gatedFleet('web:1'), ...onOne('gone', 'prod-2'), 'fleet.yaml': oneAtOnce });
    await world.fleet.run(100);
    const theirs = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'theirs' } };
    await world.fleet.ask('prod-2', 'POST', '/api/v1/namespaces/gone/configmaps', theirs);
    world.fleet.commit({ 'placements/gone.yaml': undefined });
    await world.fleet.run(30);
    expect(world.daemon.plan().holds.map(({ reason }) => reason)).toContain('ContainsForeignObjects');
    await attacked(world, { stopped, seconds: 60 }, invented('gone', 'prod-1'));
    expect(world.daemon.plan().guard).toEqual([]);
    world.fleet.commit({ 'resources/tools.yaml': deployment('tools', 'tools', 'tools:2') });
    const everywhere = names.map(() => 'tools:2').join();
    await world.fleet.until('others continue', () => world.images('tools').join() === everywhere, 900);
  });

  it('is not confused with a real one on a cluster that is not watched for its kinds', async () => {
    world = await AttackedFleet.open({ ...gatedFleet('web:1'), 'fleet.yaml': oneAtOnce });
    await world.fleet.run(100);
    world.fleet.commit({ 'placements/tools.yaml': undefined });
    await world.fleet.run(30);
    expect(world.daemon.plan().guard).toHaveLength(1);
    await attacked(world, { stopped, seconds: 60 }, (files) => {
      for (const name of ['web', 'tools'])
        change(files, `placements/${name}/state.yaml`, ({ bindings }) => {
          for (const binding of bindings) binding.clusterResourceOverrideSnapshots = ['never-0'];
        });
    });
    await world.restart();
    await world.fleet.run(60);
    expect(world.daemon.plan().guard).toHaveLength(1);
    expect(world.images('tools')).toEqual(names.map(() => 'tools:1'));
  });
});
