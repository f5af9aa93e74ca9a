import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { AttackedFleet, type Files, gate, gatedFleet } from './attacked-fleet.ts';
import { attacked, change, modes } from './record-edits.ts';

let world: AttackedFleet;
afterEach(() => world.close());

const canaryOnly = ['web:1', undefined, undefined];

/** The approval with its review digest, as somebody computes it before the run is there. */
async function foreseen(): Promise<Files> {
  const other = await AttackedFleet.atGate();
  const asked = await other.fleet.repo.files(gate);
  other.close();
  return Object.fromEntries(Object.entries(asked).filter(([path]) => path.startsWith('approvals/')));
}

describe.each(modes)('an approval that came with its run, %s', (_, stopped) => {
  it.each<[string, (status: Record<string, unknown>) => void]>([
    ['leaves it out', (status) => delete status['earlyApprovals']],
    [
      'names another review',
      (status) => Object.assign(status, { earlyApprovals: [{ name: 'web-1-after-canary', review: 'sha256:0' }] }),
    ],
  ])('stays refused if the record %s', async (_what, edit) => {
    world = await AttackedFleet.open({ ...gatedFleet('web:1'), ...(await foreseen()) });
    await world.untilGate();
    const recorded = parse((await world.fleet.repo.files('fleet-status'))['runs/web-1.yaml']!);
    expect(recorded.status.earlyApprovals).toHaveLength(1);
    await attacked(world, { stopped }, (files) => change(files, 'runs/web-1.yaml', ({ status }) => edit(status)));
    expect(world.images()).toEqual(canaryOnly);
    expect(world.problems()).toEqual([expect.stringContaining('it leaves out approvals that came before the run')]);
  });
});
