import { afterEach, describe, expect, it } from 'vitest';
import { requested, simulatedMember, states } from '../daemon/upgrades/upgrade-stages.ts';
import { upgradeMember, upgradeRun } from '../support/cluster-upgrades.ts';
import { VirtualFleet } from '../support/virtual-fleet.ts';
import { AttackedFleet, gatedFleet, names, run } from './attacked-fleet.ts';
import { type Anything, attacked, change, modes, uidOn } from './record-edits.ts';

const group = 'placement.kubernetes-fleet.io';
const heldForOther = { 'gitfleet.dev/record-lost': 'sha256:0' };

let world: { close(): void };
afterEach(() => world.close());

const open = async (...given: Parameters<typeof AttackedFleet.open>): Promise<AttackedFleet> => {
  const opened = await AttackedFleet.open(...given);
  world = opened;
  return opened;
};

const setBack: Readonly<Record<string, (recorded: Anything) => void>> = {
  'has no status': (recorded) => {
    delete recorded.status;
  },
  'is held for another file': (recorded) => {
    delete recorded.status;
    recorded.metadata.annotations = heldForOther;
  },
};

describe('an update run that is over starts nothing again while the daemon runs', () => {
  const free = `
apiVersion: ${group}/v1beta1
kind: ClusterStagedUpdateStrategy
metadata: {name: free}
spec: {stages: [{name: all, labelSelector: {}, maxConcurrency: 3}]}
`;
  /** With the contents that the followed branch has now, of which no run has been made. */
  const startsOver = (tip: string) => (recorded: Anything) => {
    recorded.metadata.annotations['gitfleet.dev/initialized-from'] = tip;
    recorded.status.resourceSnapshotIndexUsed = '1';
    const isBefore = ({ type }: Anything): boolean => type === 'Initialized';
    recorded.status.conditions = recorded.status.conditions.filter(isBefore);
    for (const stage of recorded.status.stagesStatus) {
      stage.conditions = [];
      for (const cluster of stage.clusters) cluster.conditions = [];
    }
  };

  it.each([...Object.keys(setBack), 'has only begun'])('if its record %s', async (what) => {
    const fleet = await open({
      ...gatedFleet('web:0'),
      'free.yaml': free,
      'runs/web-1.yaml': run('web-1').replace('careful', 'free'),
    });
    const old = names.map(() => 'web:0');
    await fleet.fleet.until('it is everywhere', () => fleet.images().join() === old.join(), 600);
    await fleet.fleet.run(60);
    const tip = fleet.fleet.commit({ 'resources/web.yaml': gatedFleet('web:1')['resources/web.yaml']! });
    await fleet.fleet.run(60);
    await attacked(fleet, { stopped: false }, (files) =>
      change(files, 'runs/web-1.yaml', setBack[what] ?? startsOver(tip)),
    );
    expect(fleet.images()).toEqual(old);
    expect(fleet.problems()).toContainEqual(expect.stringContaining('lacks what gitfleet recorded'));
  });
});

describe('a cluster update run that is over upgrades nothing again while the daemon runs', () => {
  it.each([...Object.keys(setBack), 'has only begun'])('if its record %s', async (what) => {
    const fleet = await VirtualFleet.open(
      {
        ...upgradeMember('eu-1'),
        ...upgradeRun({ managedClusterUpdate: { upgrade: { type: 'NodeImageOnly' } } }),
      },
      simulatedMember('eu-1'),
    );
    world = fleet;
    fleet.start();
    await fleet.until('it is over', async () => (await states(fleet))['run'] === 'Completed', 300);
    await fleet.run(30);
    const files = await fleet.repo.files('fleet-status');
    const begun = ({ status }: Anything): void => {
      status.status = { state: 'Running', startTime: status.status.startTime };
      const [stage] = status.stages;
      for (const scope of [stage, stage.groups[0]]) scope.status = status.status;
      stage.groups[0].members = [{ name: 'eu-1', status: { state: 'NotStarted' } }];
    };
    change(files, 'upgrades/k8s.yaml', setBack[what] ?? begun);
    fleet.repo.commit('fleet-status', files, 'Attack');
    await fleet.run(300);
    expect(requested(fleet)).toEqual(['eu-1']);
  });
});

describe.each(modes)('an eviction that was carried out removes nothing again, %s', (_, stopped) => {
  it.each(Object.keys(setBack))('if its record %s', async (what) => {
    const fleet = await open(gatedFleet('web:1'));
    await fleet.fleet.run(120);
    const first = uidOn(fleet, 'prod-2', 'tools');
    fleet.fleet.commit({
      'evictions/out.yaml': `apiVersion: ${group}/v1beta1\nkind: ClusterResourcePlacementEviction\nmetadata: {name: out}\nspec: {placementName: tools, clusterName: prod-2}\n`,
    });
    await fleet.fleet.until('it is done', () => ![undefined, first].includes(uidOn(fleet, 'prod-2', 'tools')), 300);
    await fleet.fleet.run(60);
    const second = uidOn(fleet, 'prod-2', 'tools');
    await attacked(fleet, { stopped }, (files) => change(files, 'evictions/out.yaml', setBack[what]!));
    expect(uidOn(fleet, 'prod-2', 'tools')).toBe(second);
  });
});
