import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { PlanInput } from '../../src/engine/input.ts';
import { formatInstant } from '../../src/engine/kernel/instant.ts';
import { forecast } from '../../src/forecast/forecast.ts';
import { memoryCache } from '../../src/repo/fleet/load-cache.ts';
import { loadFleet } from '../../src/repo/fleet/load-fleet.ts';
import { readRecord } from '../../src/repo/record/read.ts';
import { sha256 } from '../../src/repo/sha256.ts';
import { memoryHost } from '../forge/git-host.ts';
import { environments, runFile, strategyFile, withEverybody } from '../scenarios/staged-files.ts';
import { drawn, patience } from '../support/law-runs.ts';
import { deployment, member, placement } from '../support/paper-fleet.ts';
import { planDefaults } from '../support/plan-defaults.ts';
import { VirtualFleet } from '../support/virtual-fleet.ts';
import { drawnStage } from './drawn-stage.ts';

/** Of a Deployment; an update replaces its two pods one after the other. */
const readySeconds = 45;
const approveAfterMs = 600_000;
/** Milliseconds. A daemon takes some seconds to see what happened; of what is closer than this the order is open. */
const tolerance = 60_000;

const given = fc.record({
  stages: fc.uniqueArray(drawnStage, { minLength: 1, maxLength: 3, selector: ({ environment }) => environment }),
  clusters: fc.array(fc.constantFrom(...environments), { minLength: 2, maxLength: 6 }),
  maxUnavailable: fc.constantFrom(1, 2, '50%'),
  gone: fc.option(fc.nat(5)),
});

type Given = typeof given extends fc.Arbitrary<infer T> ? T : never;

const nameOf = (at: number): string => `c-${at}`;

const filesOf = ({ stages, clusters, maxUnavailable }: Given): Record<string, string> => ({
  ...Object.fromEntries(clusters.map((env, at) => [`clusters/${nameOf(at)}.yaml`, member(nameOf(at), { env })])),
  'strategy.yaml': strategyFile(withEverybody(stages)),
  'web.yaml': placement('web', '{placementType: PickAll}', '{type: External}'),
  'shop.yaml': placement(
    'shop',
    '{placementType: PickAll}',
    `{type: RollingUpdate, rollingUpdate: {maxUnavailable: ${maxUnavailable}}}`,
  ),
  'run-1.yaml': runFile('r1', 'Run', undefined),
  'resources/web.yaml': deployment('web', 'web', 'web:1'),
  'resources/shop.yaml': deployment('shop', 'shop', 'shop:1'),
});

/** When each cluster of each placement starts, milliseconds, by `placement cluster`. */
type Starts = ReadonlyMap<string, number>;

/** A person who merges each request some time after it was made. */
function approver(fleet: VirtualFleet): () => Promise<boolean> {
  const asked = new Map<string, number>();
  return async () => {
    const now = fleet.clock.now();
    const open = [...fleet.repo.refs.keys()].filter((ref) => ref.startsWith('refs/heads/gitfleet/approve/'));
    for (const ref of open) {
      if (!asked.has(ref)) asked.set(ref, now);
      if (now < asked.get(ref)! + approveAfterMs) continue;
      await memoryHost(fleet.repo).merge(ref.slice('refs/heads/'.length), 'main', 'squash');
      fleet.files = await fleet.repo.files('main');
    }
    return open.length > 0;
  };
}

/** What a daemon starts until nothing has started for a while. */
async function executed(fleet: VirtualFleet, daemon: ReturnType<VirtualFleet['start']>): Promise<Starts> {
  const starts = new Map<string, number>();
  const approve = approver(fleet);
  let [seen, quiet] = [daemon.passes.length, 0];
  for (let round = 0; round < 3_000 && quiet < 40; round++) {
    await fleet.run(5);
    quiet += 1;
    for (const pass of daemon.passes.slice(seen)) {
      if (pass.kind !== 'published' && pass.kind !== 'unchanged') continue;
      for (const { name, bindings } of pass.plan.placements)
        for (const { clusterName, move } of bindings) {
          const key = `${name} ${clusterName}`;
          if ((move !== 'add' && move !== 'update') || starts.has(key)) continue;
          starts.set(key, Date.parse(pass.plan.now));
          quiet = 0;
        }
    }
    seen = daemon.passes.length;
    if (await approve()) quiet = 0;
  }
  expect(quiet).toBe(40);
  return starts;
}

/** As `gitfleet forecast` makes it from the status branch. */
async function foreseen(fleet: VirtualFleet): Promise<Starts> {
  const { record } = readRecord(new Map(Object.entries(await fleet.repo.files('fleet-status'))));
  const input: PlanInput = {
    ...planDefaults,
    now: formatInstant(fleet.clock.now()),
    commit: fleet.repo.tip('main')!,
    fleet: await loadFleet(await fleet.repo.objects.files(fleet.repo.tip('main')!), memoryCache()),
    observations: undefined,
    record,
    digest: sha256,
  };
  const found = forecast(input, {
    readyAfterMs: 2 * readySeconds * 1000,
    upgradedAfterMs: 1_800_000,
    approveAfterMs,
    untilMs: 14 * 86_400_000,
  });
  expect(found.end).toBe('settled');
  return new Map(
    found.rollouts.flatMap(({ placement: { name }, stages }) =>
      stages.flatMap(({ clusters }) =>
        clusters.flatMap(({ action, clusterName, from }) =>
          action === 'remove' ? [] : [[`${name} ${clusterName}`, Date.parse(from)] as const],
        ),
      ),
    ),
  );
}

/** Pairs of which the second starts clearly later, by one account and not by the other. */
const exchanged = (one: Starts, other: Starts): string[] =>
  [...one].flatMap(([a, at]) =>
    [...one].flatMap(([b, later]) =>
      later - at > tolerance && other.get(a)! >= other.get(b)! ? [`${a} before ${b}`] : [],
    ),
  );

it(
  'a daemon starts clusters in the order that was forecast',
  async () => {
    await fc.assert(
      fc.asyncProperty(given, async (drawnFleet) => {
        const names = drawnFleet.clusters.map((_, at) => nameOf(at));
        const ready = { readySeconds: { Deployment: readySeconds } };
        const fleet = await VirtualFleet.open(filesOf(drawnFleet), ...names.map((name) => ({ name, ...ready })));
        try {
          const daemon = fleet.start();
          await executed(fleet, daemon);
          const gone = names.length > 2 && drawnFleet.gone !== null ? names[drawnFleet.gone] : undefined;
          fleet.commit({
            'resources/web.yaml': deployment('web', 'web', 'web:2'),
            'resources/shop.yaml': deployment('shop', 'shop', 'shop:2'),
            'run-2.yaml': runFile('r2', 'Run', undefined),
            ...(gone === undefined ? {} : { [`clusters/${gone}.yaml`]: undefined }),
          });
          const said = await foreseen(fleet);
          const did = await executed(fleet, daemon);
          expect(said.size).toBeGreaterThan(0);
          expect([...said.keys()].sort()).toEqual([...did.keys()].sort());
          expect({ said: exchanged(said, did), did: exchanged(did, said) }).toEqual({ said: [], did: [] });
        } finally {
          await fleet.close();
        }
      }),
      drawn(4, 20261123),
    );
  },
  patience(60_000),
);
