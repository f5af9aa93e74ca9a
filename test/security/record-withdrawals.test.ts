import { afterEach, describe, expect, it } from 'vitest';
import { AttackedFleet, type Files, gate } from './attacked-fleet.ts';
import { attacked, change, modes, truth } from './record-edits.ts';

let world: AttackedFleet;
afterEach(() => world.close());

const canaryOnly = ['web:1', undefined, undefined];

const startedBehind = (files: Files): void =>
  change(files, 'runs/web-1.yaml', ({ status }) => {
    const [first, second] = status.stagesStatus;
    first.conditions = [truth('Succeeded')];
    second.clusters[0].conditions = [truth('Started')];
  });
const placed = (files: Files): void =>
  change(files, 'placements/web/state.yaml', ({ bindings }) => {
    for (const binding of bindings) Object.assign(binding, { state: 'Bound', resourceSnapshotIndex: 0 });
  });

/** What the record claims beside the passed gate. */
const claims: Readonly<Record<string, readonly ((files: Files) => void)[]>> = {
  nothing: [],
  'a cluster that has started': [startedBehind],
  'bindings that were updated': [placed],
  both: [startedBehind, placed],
};

describe.each(modes)('an approval that was withdrawn before anything started, %s', (_, stopped) => {
  it.each(Object.keys(claims))('is not replayed by a record that claims more: %s', async (what) => {
    world = await AttackedFleet.atGate();
    await world.fleet.run(30);
    const asked = await world.fleet.repo.files(gate);
    const approval = Object.fromEntries(Object.entries(asked).filter(([path]) => path.startsWith('approvals/')));
    world.daemon.kill();
    const merged = world.fleet.commit(approval);
    world.fleet.commit(Object.fromEntries(Object.keys(approval).map((path) => [path, undefined])));
    world.start();
    await world.fleet.run(60);
    expect(world.images()).toEqual(canaryOnly);
    await attacked(world, { stopped }, (files) => {
      change(files, 'runs/web-1.yaml', ({ metadata, status }) => {
        metadata.annotations['gitfleet.dev/approved-in'] = `web-1-after-canary=${merged}`;
        status.stagesStatus[0].afterStageTaskStatus[0].conditions.push(truth('ApprovalRequestApproved'));
      });
      for (const claim of claims[what]!) claim(files);
    });
    expect(world.images()).toEqual(canaryOnly);
  });
});
