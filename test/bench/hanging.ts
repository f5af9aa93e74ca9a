import { clusterFiles, clusterName, inTempDir, placementFile, tenObjects } from './fleet-repo.ts';
import { limits } from './limits.ts';
import { p95, report } from './report.ts';
import { type RunningFleet, runFleet } from './running-fleet.ts';

const clusters = 50;
/** 20 %: requests to these are taken and never answered. */
const hanging: ReadonlySet<string> = new Set(
  Array.from({ length: clusters }, (_, at) => clusterName(at)).filter((_, at) => at % 5 === 0),
);
const rounds = 5;

/** What members that hang cost the others: from a commit until a member has answered its last apply request. */
export const run = (): Promise<void> =>
  inTempDir(async (dir) => {
    const files = {
      ...clusterFiles(clusters),
      ...placementFile('shop', '{placementType: PickAll}'),
      ...tenObjects('shop', '0'),
    };
    const fleet = await runFleet({ dir, clusters, files });
    const times: Record<'well' | 'hanging', number[]> = { well: [], hanging: [] };
    await fleet.until(isHeldByOthers);
    // In turns, so that whatever else the machine does hits both; the first two only warm up.
    for (let round = 0; round < 2 * rounds + 2; round++) {
      const how = round % 2 ? 'hanging' : 'well';
      for (const name of hanging) fleet.setFaults(name, how === 'hanging' ? [hang] : []);
      const measured = await rollOut(fleet, round + 1);
      if (round >= 2) times[how].push(...measured);
    }
    await fleet.close();
    report({
      what: `commit → applied on a member, ${hanging.size} of ${clusters} others hang`,
      value: p95(times.hanging),
      unit: 'ms',
      baseline: { what: 'p95 while none hangs', value: p95(times.well) },
      limit: limits.hanging,
    });
  });

const hang = { type: 'Hang', fromSeconds: 0, probability: 1 } as const;

async function rollOut(fleet: RunningFleet, version: number): Promise<number[]> {
  fleet.keepSent();
  const commit = await fleet.repo.commit(tenObjects('shop', String(version)));
  const committed = performance.now();
  await fleet.until((plan) => plan.commit === commit && isHeldByOthers(plan));
  const last = new Map<string, number>();
  for (const sent of fleet.sent)
    if (sent.isApply && !hanging.has(sent.cluster)) last.set(sent.cluster, sent.answeredAt! - committed);
  return [...last.values()];
}

const isHeldByOthers: Parameters<RunningFleet['until']>[0] = (plan) =>
  plan.placements[0]!.bindings.filter(
    ({ clusterName: name, move, resourceSnapshotIndex, conditions }) =>
      !hanging.has(name) &&
      move === 'keep' &&
      resourceSnapshotIndex === plan.placements[0]!.resourceSnapshotIndex &&
      conditions.some(({ type, status }) => type === 'Available' && status === 'True'),
  ).length ===
  clusters - hanging.size;
