import { afterEach, describe, expect, it } from 'vitest';
import { AttackedFleet, names } from './attacked-fleet.ts';
import { attacked, modes } from './record-edits.ts';

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
