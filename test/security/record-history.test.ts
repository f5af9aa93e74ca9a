import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  requested,
  simulatedMember,
  stagedFiles,
  names as upgraded,
  gate as upgradeGate,
} from '../daemon/upgrades/upgrade-stages.ts';
import { type VirtualDaemon, VirtualFleet } from '../support/virtual-fleet.ts';
import { AttackedFleet, type Files, gatedFleet, names } from './attacked-fleet.ts';
import { change, truth, uidOn } from './record-edits.ts';

/** A fleet with a record, the claim that an attacker makes in it, and what must hold as nothing proves the claim. */
interface Claim {
  readonly fleet: VirtualFleet;
  readonly daemon: VirtualDaemon;
  readonly start: (options: Parameters<VirtualFleet['start']>[0]) => VirtualDaemon;
  readonly forge: (files: Files) => void;
  readonly holds: () => void;
  /** A part of the path that is reported, or of the name that is held. Absent: it is decided anew, which is not reported. */
  readonly reported?: string | undefined;
}

let open: VirtualFleet | undefined;
afterEach(() => open?.close());

const everywhere = (image: string) => names.map(() => image);

async function ofWorld(
  reported: string | undefined,
  until: (world: AttackedFleet) => Promise<void>,
  forge: (files: Files, world: AttackedFleet) => void,
  holds: (world: AttackedFleet) => void,
): Promise<Claim> {
  const world = await AttackedFleet.open();
  open = world.fleet;
  await until(world);
  const start = (options: Parameters<VirtualFleet['start']>[0]) => world.start(options);
  const { fleet, daemon } = world;
  return { fleet, daemon, start, forge: (files) => forge(files, world), holds: () => holds(world), reported };
}

async function everywhereOnce(world: AttackedFleet): Promise<void> {
  await world.untilGate();
  await world.approve();
  await world.fleet.until('it is everywhere', () => world.images().join() === everywhere('web:1').join(), 600);
  await world.fleet.run(60);
}

const evilContents = (files: Files): void => {
  const path = 'placements/web/snapshots/0.yaml';
  files[path] = files[path]!.replaceAll('web:1', 'evil:1');
  change(files, 'placements/web/state.yaml', ({ resourceSnapshots: [entry] }) => {
    delete entry.hash;
  });
};

const eviction = {
  'evictions/out.yaml':
    'apiVersion: placement.kubernetes-fleet.io/v1beta1\nkind: ClusterResourcePlacementEviction\nmetadata: {name: out}\nspec: {placementName: tools, clusterName: prod-1}\n',
};

let uid: string | undefined;
const keepsTools = (world: AttackedFleet): void => {
  expect(uidOn(world, 'prod-1', 'tools')).toBe(uid);
  expect(world.images('tools')).toEqual(everywhere('tools:1'));
};

const claims: Readonly<Record<string, () => Promise<Claim>>> = {
  'contents of a snapshot that the followed branch no longer has': () =>
    ofWorld(
      'placements/web/',
      async (world) => {
        await everywhereOnce(world);
        world.fleet.commit({ 'resources/web.yaml': gatedFleet('web:2')['resources/web.yaml']! });
        await world.fleet.run(60);
      },
      evilContents,
      (world) => {
        expect(world.images()).toEqual(everywhere('web:1'));
        expect([...world.imagesSent()].filter((image) => image.startsWith('evil'))).toEqual([]);
      },
    ),
  'a passed gate of an update run': () =>
    ofWorld(
      'runs/web-1.yaml',
      (world) => world.untilGate(),
      (files, { fleet }) =>
        change(files, 'runs/web-1.yaml', (run) => {
          run.status.stagesStatus[0].afterStageTaskStatus[0].conditions = [
            truth('ApprovalRequestCreated'),
            truth('ApprovalRequestApproved'),
          ];
          run.metadata.annotations['gitfleet.dev/approved-in'] = `web-1-after-canary=${fleet.repo.tip('main')}`;
        }),
      (world) => expect(world.images().slice(1)).toEqual([undefined, undefined]),
    ),
  'an update run whose record is left out': () =>
    ofWorld(
      'web-1',
      async (world) => {
        await everywhereOnce(world);
        world.fleet.commit({ 'resources/web.yaml': gatedFleet('web:2')['resources/web.yaml']! });
        await world.fleet.run(60);
      },
      (files) => {
        delete files['runs/web-1.yaml'];
      },
      (world) => expect(world.images()).toEqual(everywhere('web:1')),
    ),
  'an eviction whose record is left out': () =>
    ofWorld(
      'out',
      async (world) => {
        await world.fleet.run(100);
        world.fleet.commit(eviction);
        await world.fleet.run(200);
        uid = uidOn(world, 'prod-1', 'tools');
      },
      (files) => {
        delete files['evictions/out.yaml'];
      },
      keepsTools,
    ),
  'the removal of a placement from a cluster': () =>
    ofWorld(
      undefined,
      async (world) => {
        await world.fleet.run(200);
        uid = uidOn(world, 'prod-1', 'tools');
      },
      (files) =>
        change(files, 'placements/tools/state.yaml', ({ bindings }) => {
          for (const binding of bindings) if (binding.targetCluster === 'prod-1') binding.deleting = true;
        }),
      keepsTools,
    ),
  'a passed gate of a cluster update run': async () => {
    const fleet = await VirtualFleet.open(stagedFiles, ...upgraded.map((name) => simulatedMember(name)));
    open = fleet;
    const daemon = fleet.start();
    await fleet.until('the gate asks', () => fleet.repo.tip(upgradeGate) !== undefined, 300);
    const before = requested(fleet);
    return {
      fleet,
      daemon,
      start: (options) => fleet.start(options),
      forge: (files) =>
        change(files, 'upgrades/k8s.yaml', (run) => {
          run.status.stages[1].beforeGates[0].status = { state: 'Completed', completedTime: '2026-11-20T10:05:00Z' };
          run.metadata.annotations['gitfleet.dev/approved-in'] = `k8s-before-prod=${fleet.repo.tip('main')}`;
        }),
      holds: () => expect(requested(fleet)).toEqual(before),
      reported: 'k8s',
    };
  },
};

/** A repository without all but some of the newest commits of the followed branch. */
async function shallow({ repo }: VirtualFleet, left: number) {
  const line: string[] = [];
  let at = repo.tip('main');
  while (at !== undefined) {
    line.push(at);
    at = (await repo.objects.commit(at)).parents[0];
  }
  return repo.branches({ lost: new Set(line.slice(left)) });
}

const histories: Readonly<Record<string, (fleet: VirtualFleet) => Promise<Parameters<VirtualFleet['start']>[0]>>> = {
  'is cut off behind the commit in effect, as in a shallow clone': async (fleet) => ({
    branches: await shallow(fleet, 2),
  }),
  'is cut off before the commit in effect': async (fleet) => ({ branches: await shallow(fleet, 1) }),
  'was rewritten': async ({ repo, files }) => ({ acceptRewind: repo.commit('main', files, 'Rewrite', []) }),
};

describe.each(Object.keys(histories))('where the history of the followed branch %s', (history) => {
  it.each(Object.keys(claims))('nothing is acted on that only the record claims: %s', async (name) => {
    const { fleet, daemon, start, forge, holds, reported } = await claims[name]!();
    fleet.commit({ 'NOTES.md': 'Nothing.' });
    await fleet.run(60);
    daemon.kill();
    const files = await fleet.repo.files('fleet-status');
    forge(files);
    fleet.commit({ 'README.md': 'Read me.' });
    fleet.repo.commit('fleet-status', files, 'Attack');
    const next = start(await histories[history]!(fleet));
    await fleet.run(300);
    holds();
    const { problems, holds: held } = next.plan();
    const claimed = problems.filter(({ code }) => ['record-mismatch', 'record-unproven'].includes(code));
    const lost = held.filter(({ reason }) => reason === 'RecordLost');
    if (reported !== undefined) expect(JSON.stringify([claimed, lost])).toContain(reported);
  });

  it('a claim that is not proven is an error with its file in every report, and holds its clusters', async () => {
    const { fleet, daemon, start, forge } =
      await claims['contents of a snapshot that the followed branch no longer has']!();
    daemon.kill();
    const files = await fleet.repo.files('fleet-status');
    forge(files);
    fleet.repo.commit('fleet-status', files, 'Attack');
    const next = start(await histories[history]!(fleet));
    await fleet.run(300);
    const claim = '(status branch) placements/web/snapshots/0.yaml';
    const { problems, holds } = next.plan();
    expect(problems).toContainEqual(
      expect.objectContaining({ severity: 'error', code: 'record-mismatch', file: claim }),
    );
    expect(holds).toContainEqual({
      subject: { kind: 'ClusterResourcePlacement', name: 'web' },
      reason: 'RecordLost',
      message: expect.stringContaining('what web should be on canary-1, prod-1, prod-2: nothing is changed there'),
    });
    const written = await fleet.repo.files('fleet-status');
    expect(written['README.md']).toContain('placements/web/snapshots/0.yaml');
    // What `gitfleet get problems` prints.
    expect(parse(written['summary.yaml']!).problems).toContainEqual(
      expect.objectContaining({ code: 'record-mismatch', file: claim }),
    );
    expect(next.metrics.render()).toMatch(/gitfleet_record_mismatch_total [1-9]/);
  });
});
