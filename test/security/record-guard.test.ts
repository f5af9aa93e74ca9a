import { afterEach, describe, expect, it } from 'vitest';
import { AttackedFleet, type Files, names } from './attacked-fleet.ts';
import { type Anything, change, modes } from './record-edits.ts';

let world: AttackedFleet;
afterEach(() => world.close());

const configMaps = (count: number, namespace: string): string =>
  Array.from(
    { length: count },
    (_, at) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c${at}, namespace: ${namespace}}\n`,
  ).join('---\n');

/** What hides a removal, or makes it small beside others. */
const attacks: Readonly<Record<string, (files: Files) => void>> = {
  'nothing, as a control': () => {},
  'an unreadable snapshot': (files) => {
    files['placements/tools/snapshots/1.yaml'] = 'x: [';
    change(files, 'placements/tools/state.yaml', ({ resourceSnapshots }) => {
      resourceSnapshots.find((it: Anything) => it.index === 1).hash = 'a'.repeat(64);
    });
  },
  'a snapshot rebuilt from members with a thousand invented objects': (files) => {
    files['placements/web/snapshots/9.yaml'] = configMaps(1000, 'web');
    change(files, 'placements/web/state.yaml', (state) => {
      state.resourceSnapshots.unshift({ index: 9, hash: 'lost' });
      const bound = { ...state.bindings[0], resourceSnapshotIndex: 9, state: 'Bound' };
      state.bindings = names.map((targetCluster) => ({ ...bound, targetCluster }));
    });
  },
  'a rebuilt snapshot of the same placement with less objects': (files) => {
    files['placements/tools/snapshots/9.yaml'] = configMaps(1, 'tools');
    change(files, 'placements/tools/state.yaml', (state) => {
      state.resourceSnapshots.unshift({ index: 9, hash: 'lost' });
      for (const binding of state.bindings) binding.resourceSnapshotIndex = 9;
    });
  },
  'an older snapshot without most objects': (files) => {
    change(files, 'placements/tools/state.yaml', ({ bindings }) => {
      for (const binding of bindings) binding.resourceSnapshotIndex = 0;
    });
  },
  'members that main does not have': (files) => {
    for (let at = 0; at < 100; at++)
      files[`clusters/more-${at}.yaml`] = files['clusters/prod-1.yaml']!.replaceAll('prod-1', `more-${at}`);
  },
};

describe.each(modes)('the guard refuses to remove sixty objects from each cluster %s', (_, stopped) => {
  const hidden = Object.keys(attacks).filter((what) => what.includes('snapshot'));
  const cases = [
    ...Object.keys(attacks).map((what) => [what, 'their placement is removed', 'placements/tools.yaml'] as const),
    ...hidden.slice(-2).map((what) => [what, 'their file is removed', 'resources/many.yaml'] as const),
  ];
  it.each(cases)('whatever the record claims: %s, when %s', async (what, _case, path) => {
    world = await AttackedFleet.open();
    await world.fleet.run(60);
    world.fleet.commit({ 'resources/many.yaml': configMaps(60, 'tools') });
    const has = () => names.map((name) => world.fleet.stored(name, '/configmaps', 'tools', 'c7') !== undefined);
    await world.fleet.until('they have all', () => has().every((it) => it), 120);
    await world.fleet.run(30);
    if (stopped) world.daemon.kill();
    await world.edit(attacks[what]!);
    world.fleet.commit({ [path]: undefined });
    if (stopped) world.start();
    await world.fleet.run(120);
    expect(has()).toEqual([true, true, true]);
  });
});
