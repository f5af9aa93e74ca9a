import { afterEach, describe, expect, it } from 'vitest';
import { AttackedFleet, gate, gatedFleet, names, run } from './attacked-fleet.ts';
import { type Anything, attacked, change, modes } from './record-edits.ts';

let world: AttackedFleet;
afterEach(() => world.close());

const stateFile = 'placements/web/state.yaml';
const everywhere = (image: string) => names.map(() => image);

const override = (name: string, value: string, placement = 'web', on = 'clusterSelectorTerms: []'): string => `
apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterResourceOverride
metadata: {name: ${name}}
spec:
  placement: {name: ${placement}}
  clusterResourceSelectors: [{group: "", kind: Namespace, version: v1, name: ${placement}}]
  policy:
    overrideRules:
    - clusterSelector: {${on}}
      jsonPatchOverrides: [{op: add, path: /metadata/labels, value: {mark: ${value}}}]
`;
const marks = (name = 'web') =>
  names.map((it) => world.fleet.stored(it, '/namespaces', '', name)?.metadata.labels?.['mark']);

/** Rolls out each version by a run of its own, together with the files of its commit. */
async function rolledOut(...versions: (readonly [number, Record<string, string>])[]): Promise<void> {
  for (const [version, files] of versions) {
    const image = `web:${version}`;
    if (version === 1) world = await AttackedFleet.open({ ...gatedFleet(image), ...files });
    else
      world.fleet.commit({
        ...files,
        [`runs/web-${version - 1}.yaml`]: undefined,
        [`runs/web-${version}.yaml`]: run(`web-${version}`),
        'resources/web.yaml': gatedFleet(image)['resources/web.yaml']!,
      });
    const name = gate.replace('web-1', `web-${version}`);
    await world.untilGate(name);
    await world.approve(name);
    await world.fleet.until('it is everywhere', () => world.images().join() === everywhere(image).join(), 600);
    await world.fleet.run(60);
  }
}

async function rollsBack(from: number, index: string): Promise<void> {
  world.fleet.commit({
    [`runs/web-${from}.yaml`]: undefined,
    'runs/back.yaml': run('back').replace('spec: {', `spec: {resourceSnapshotIndex: "${index}", `),
  });
  await world.fleet.run(120);
}

describe.each(modes)('a snapshot that a rollback names %s', (_, stopped) => {
  it('is not rolled out if it was exchanged for an older one', async () => {
    await rolledOut([1, {}], [2, {}], [3, {}]);
    await attacked(world, { stopped, seconds: 30 }, (files) => {
      const [a, b] = [0, 1].map((index) => `placements/web/snapshots/${index}.yaml`) as [string, string];
      [files[a], files[b]] = [files[b]!, files[a]!];
      change(files, stateFile, ({ resourceSnapshots }) => {
        const [one, other] = [0, 1].map((index) => resourceSnapshots.find((it: Anything) => it.index === index));
        [one.index, other.index] = [1, 0];
      });
    });
    await rollsBack(3, '1');
    expect(world.images()).toEqual(everywhere('web:3'));
    expect(world.problems().join()).toContain('run back is held');
  });

  it('is not rolled out with overrides of another version', async () => {
    await rolledOut([1, { 'o.yaml': override('mark', 'first') }], [2, { 'o.yaml': override('mark', 'second') }]);
    await attacked(world, { stopped, seconds: 60 }, (files) =>
      change(files, stateFile, ({ resourceSnapshots }) => {
        resourceSnapshots[0].overrides = ['mark-1'];
      }),
    );
    await rollsBack(2, '0');
    expect([world.images(), marks()]).toEqual([everywhere('web:2'), everywhere('second')]);
    expect(world.problems().join()).toContain('run back is held');
  });

  it('gets the present overrides if its own were taken out', async () => {
    await rolledOut([1, { 'o.yaml': override('mark', 'first') }], [2, {}]);
    await attacked(world, { stopped, seconds: 30 }, (files) =>
      change(files, stateFile, ({ resourceSnapshots }) => {
        for (const entry of resourceSnapshots) entry.overrides = [];
      }),
    );
    await rollsBack(2, '0');
    expect([world.images()[0], marks()[0]]).toEqual(['web:1', 'first']);
  });
});

it.each(['by the daemon that took it', 'after a restart'])(
  'a snapshot is rolled out again with its overrides %s',
  async (by) => {
    await rolledOut([1, { 'o.yaml': override('mark', 'first') }], [2, { 'o.yaml': override('mark', 'second') }]);
    if (by === 'after a restart') await world.restart();
    await rollsBack(2, '0');
    expect([world.images()[0], marks()[0]]).toEqual(['web:1', 'first']);
    expect(world.problems()).toEqual([]);
  },
);

describe.each(modes)('snapshots that are exchanged %s', (_, stopped) => {
  it('between placements reach no member', async () => {
    world = await AttackedFleet.atGate();
    await world.fleet.run(30);
    await attacked(world, { stopped }, (files) => {
      const [a, b] = ['placements/web', 'placements/tools'];
      const [one, other] = [`${a}/snapshots/0.yaml`, `${b}/snapshots/0.yaml`];
      [files[one], files[other]] = [files[other]!, files[one]!];
      let entries: Anything;
      change(files, `${a}/state.yaml`, (state) => {
        entries = state.resourceSnapshots;
      });
      change(files, `${b}/state.yaml`, (state) => {
        [entries, state.resourceSnapshots] = [state.resourceSnapshots, entries];
      });
      change(files, `${a}/state.yaml`, (state) => {
        state.resourceSnapshots = entries;
      });
    });
    expect(world.images()).toEqual(['web:1', undefined, undefined]);
    expect(world.images('tools')).toEqual(everywhere('tools:1'));
    expect(world.fleet.stored('prod-1', 'apps/deployments', 'web', 'web')).toBeUndefined();
  });

  it('between overrides change nothing', async () => {
    const canary = 'clusterSelectorTerms: [{labelSelector: {matchLabels: {env: canary}}}]';
    world = await AttackedFleet.open({
      ...gatedFleet('web:1'),
      'o1.yaml': override('one', 'one', 'tools', canary),
      'o2.yaml': override('two', 'two', 'web', canary),
    });
    await world.untilGate();
    await world.fleet.run(60);
    expect(marks('tools')).toEqual(['one', undefined, undefined]);
    await attacked(world, { stopped }, (files) => {
      const [a, b] = ['overrides/one/0.yaml', 'overrides/two/0.yaml'];
      let spec: Anything;
      change(files, a, (value) => {
        spec = value.overrideSpec;
      });
      change(files, b, (value) => {
        [spec, value.overrideSpec] = [value.overrideSpec, spec];
      });
      change(files, a, (value) => {
        value.overrideSpec = spec;
      });
      change(files, 'placements/tools/state.yaml', ({ bindings }) => {
        for (const binding of bindings) binding.clusterResourceOverrideSnapshots = ['one-0', 'two-0'];
      });
    });
    expect(marks('tools')).toEqual(['one', undefined, undefined]);
  });
});
