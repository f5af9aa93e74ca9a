import { afterEach, describe, expect, it } from 'vitest';
import { AttackedFleet, gatedFleet, names } from './attacked-fleet.ts';
import { attacked, change, modes } from './record-edits.ts';

let world: AttackedFleet;
afterEach(() => world.close());

describe.each(modes)('two files of the status branch that are exchanged %s', (_, stopped) => {
  it.each([
    ['placements/web/state.yaml', 'runs/web-1.yaml'],
    ['placements/tools/state.yaml', 'placements/tools/status.yaml'],
    ['clusters/prod-1.yaml', 'daemon.yaml'],
    ['summary.yaml', 'runs/web-1.yaml'],
  ])('are read as what their paths say: %s and %s', async (one, other) => {
    world = await AttackedFleet.atGate();
    await attacked(world, { stopped }, (files) => {
      [files[one], files[other]] = [files[other]!, files[one]!];
    });
    expect(world.daemon.daemon.notReady()).toBeUndefined();
    expect(world.images()).toEqual(['web:1', undefined, undefined]);
    world.fleet.commit({ 'resources/tools.yaml': world.fleet.files['resources/tools.yaml']!.replace(':1', ':2') });
    const everywhere = names.map(() => 'tools:2').join();
    await world.fleet.until('others continue', () => world.images('tools').join() === everywhere, 900);
  });
});

const override = `
apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterResourceOverride
metadata: {name: mark}
spec:
  clusterResourceSelectors: [{group: "", kind: Namespace, version: v1, name: tools}]
  policy:
    overrideRules:
    - clusterSelector: {clusterSelectorTerms: []}
      jsonPatchOverrides: [{op: add, path: /metadata/labels, value: {mark: first}}]
`;

describe.each(modes)('an override that cannot be read %s', (_, stopped) => {
  it('is not taken away while the commit in effect is one that was never merged', async () => {
    world = await AttackedFleet.open({ ...gatedFleet('web:1'), 'override.yaml': override });
    await world.fleet.run(200);
    const { repo } = world.fleet;
    const proposed = repo.commit('pull-request', gatedFleet('evil:1'), 'Propose', [repo.tip('main')!]);
    const sent = world.sent.length;
    await attacked(world, { stopped }, (files) => {
      files['overrides/mark/0.yaml'] = '{';
      change(files, 'daemon.yaml', (memory) => {
        memory.commit = proposed;
      });
    });
    expect(world.sent.slice(sent).filter(({ body }) => body.includes('"tools"'))).toEqual([]);
    for (const name of names)
      expect(world.fleet.stored(name, '/namespaces', '', 'tools')?.metadata.labels).toHaveProperty('mark', 'first');
  });
});
