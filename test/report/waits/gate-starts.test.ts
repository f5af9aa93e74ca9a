import { describe, expect, it } from 'vitest';
import type { ClusterName } from '../../../src/api/meta.ts';
import type { UpdateRun } from '../../../src/api/upgrade-run.ts';
import { parseInstant } from '../../../src/engine/kernel/instant.ts';
import { gateIn, gatesOf } from '../../../src/engine/upgrade/gate-names.ts';
import { isOver } from '../../../src/engine/upgrade/load-run.ts';
import { readRecord } from '../../../src/repo/record/read.ts';
import { upgradeGatePage } from '../../../src/report/approval/upgrade-gate-page.ts';
import { plainText } from '../../../src/report/sections/section.ts';
import { gateStarts, isStarted, openedByGate } from '../../../src/report/waits/gate-starts.ts';
import { at, inGroup, run, strategy, UpgradeFleet } from '../../engine/upgrade/upgrade-fleet.ts';

const approval = { type: 'Approval' };
const scheduled = {
  type: 'ScheduledStart',
  scheduledStartConfiguration: { startDay: 'Saturday', startTime: '02:00', utcOffset: '+09:00' },
};
const [x, y, z] = [{ name: 'x', maxConcurrency: '2' }, { name: 'y' }, { name: 'z' }];

const gated = (stages: readonly object[]) =>
  new UpgradeFleet({ ...strategy(stages), ...run({ updateStrategyId: 'test-then-prod' }) })
    .with(['x1', 'x2'], inGroup('x'))
    .with(['y1'], inGroup('y'))
    .with(['z1'], inGroup('z'));

const recordedRun = ({ record }: UpgradeFleet): UpdateRun => readRecord(record).record.upgrades.get('k8s')!;

/** Approvals that are asked for now. */
const openGates = (fleet: UpgradeFleet): string[] =>
  gatesOf('k8s', fleet.run()).flatMap((gate) => {
    const { type, status } = gateIn(fleet.run(), gate);
    return type === 'Approval' && status.state === 'Pending' ? [gate.name] : [];
  });

/** Plans on until a gate is asked that was not before, or the run is over: what was started, stage by stage. */
async function planOn(fleet: UpgradeFleet, known: readonly string[] = []): Promise<string[][]> {
  const started: string[][] = [];
  for (let at = 0; at < 30; at++) {
    const plan = await fleet.plan();
    for (const name of fleet.inFlight()) {
      const stage = fleet
        .run()
        .stages.findIndex(({ groups }) => groups.some(({ members }) => members.some((member) => member.name === name)));
      started[stage] = [...(started[stage] ?? []), name];
    }
    if (isOver(fleet.run())) break;
    const isUpgrading = fleet.inFlight().length > 0;
    if (!isUpgrading && openGates(fleet).some((name) => !known.includes(name))) break;
    fleet.succeed();
    const wait = isUpgrading || plan.wakeAt === undefined ? 60 : (parseInstant(plan.wakeAt)! - fleet.now) / 1000;
    fleet.later(wait);
  }
  return started.flatMap((names) => (names ? [names.sort()] : []));
}

/** A gate, its run as recorded, and its page. */
async function askedOf(fleet: UpgradeFleet, name: string) {
  const asked = fleet.last!.approvals.find(({ planned }) => planned.name === name)!;
  const now = recordedRun(fleet);
  if (!isStarted(now)) throw new Error('not started');
  const gate = gatesOf('k8s', now.status).find((it) => it.name === name)!;
  const { fleet: files } = await fleet.input();
  const observations = new Map(
    [...fleet.members].map(([name, { versions }]) => [name as ClusterName, { ...(versions && { versions }) }]),
  );
  const page = upgradeGatePage(asked, now, { fleet: files, observations, nowMs: fleet.now })!;
  return { gate, now, page };
}

describe('what an approval of a gate starts is what later plans start', () => {
  it.each<[string, object[], string, string[]]>([
    [
      'later stages without a gate, up to the next one',
      [
        { name: 'one', groups: [x], beforeGates: [approval], afterStageWaitInSeconds: 3600 },
        { name: 'none', groups: [{ name: 'w' }], beforeGates: [approval] },
        { name: 'two', groups: [y] },
        { name: 'three', groups: [z], beforeGates: [approval] },
      ],
      'one (2 clusters), two (1 cluster)',
      [
        'stage one, 2 clusters, at most 2 at once: x1, x2',
        'then after a soak of 1h0m0s stage two, 1 cluster, at most 1 at once: y1',
        'then stage three waits for approval k8s-before-three',
      ],
    ],
    [
      'up to an approval after its own stage',
      [
        { name: 'one', groups: [x, y], beforeGates: [approval], afterGates: [approval] },
        { name: 'two', groups: [z] },
      ],
      'one (3 clusters)',
      ['stage one, 3 clusters, at most 3 at once: x1, x2, y1', 'then the run waits for approval k8s-after-one'],
    ],
    [
      'groups that have no gate of their own',
      [
        { name: 'one', groups: [x, { ...y, beforeGates: [approval] }], beforeGates: [approval] },
        { name: 'two', groups: [z] },
      ],
      'one (2 clusters)',
      ['stage one (group x), 2 clusters, at most 2 at once: x1, x2', 'then the run waits for approval k8s-before-y'],
    ],
    [
      'nothing before the other approval of the same stage',
      [{ name: 'one', groups: [x], beforeGates: [approval, approval] }],
      'no cluster yet',
      ['nothing yet: stage one, 2 clusters, at most 2 at once: x1, x2, also waits for approval k8s-before-one-2'],
    ],
    [
      'stages after scheduled starts, which open by themselves',
      [
        { name: 'one', groups: [x], beforeGates: [approval] },
        { name: 'two', groups: [y], beforeGates: [scheduled] },
      ],
      'one (2 clusters), two (1 cluster)',
      [
        'stage one, 2 clusters, at most 2 at once: x1, x2',
        'then after the scheduled start on Saturday 02:00 +09:00 stage two, 1 cluster, at most 1 at once: y1',
      ],
    ],
    [
      'the rest of the run after the last group',
      [
        { name: 'one', groups: [{ ...x, afterGates: [approval] }] },
        { name: 'two', groups: [y, z], afterStageWaitInSeconds: 60 },
      ],
      'two (2 clusters)',
      ['stage two, 2 clusters, at most 2 at once: y1, z1'],
    ],
    [
      'the end of the run',
      [{ name: 'one', groups: [x], afterGates: [approval], afterStageWaitInSeconds: 60 }],
      'the end of the run',
      [
        'the end of the run: nothing is left after it',
        'not before the soak of stage one is over, at 2026-11-20T10:02:00Z',
      ],
    ],
  ])('%s', async (_, stages, title, texts) => {
    const fleet = gated(stages);
    await planOn(fleet);
    const [name] = openGates(fleet);
    const { gate, now, page } = await askedOf(fleet, name!);
    expect(gateStarts(now, gate)).toEqual(texts);
    expect(page.title).toBe(
      `Approve k8s: ${title} ${gate.timing.toLowerCase()} ${gate.group === undefined ? `stage ${gate.stage}` : `group ${gate.group}`}`,
    );
    const opened = openedByGate(now, gate);
    fleet.merge(name!);
    const siblings = openGates(fleet).filter((it) => it !== name);
    const started = await planOn(fleet);
    expect(started).toEqual(opened.stages.map(({ clusters }) => clusters.map(({ clusterName }) => clusterName).sort()));
    expect(openGates(fleet)).toEqual(opened.next?.approvals ?? siblings);
  });
});

describe('the page of a gate', () => {
  const stages = [
    { name: 'one', groups: [{ ...x, afterGates: [approval] }, y], maxAllowedFailures: '1' },
    { name: 'two', groups: [z] },
  ];

  it('says what becomes of clusters that have the target, are ahead of it, or too far behind', async () => {
    const fleet = gated([{ name: 'one', groups: [x, y, z], beforeGates: [approval] }]);
    fleet.with(['x2'], { ...inGroup('x'), versions: at('v1.31.5') });
    fleet.with(['y1'], { ...inGroup('y'), versions: at('v1.32.0') });
    fleet.with(['z1'], { ...inGroup('z'), versions: at('v1.28.3') });
    await fleet.plan();
    const { page } = await askedOf(fleet, 'k8s-before-one');
    const linesOf = (title: string) =>
      page.sections.flatMap(({ title: of, rows }) =>
        of === title && rows.kind === 'list' ? rows.items.map(({ line }) => plainText(line)) : [],
      );
    expect(page.lead[0]).toBe('Merging starts stage one, 2 clusters, at most 3 at once: x1, z1.');
    expect(linesOf('Clusters')).toEqual([
      'one, group x, at most 2 at once: x1: v1.30.9 → v1.31.5; at any time',
      'one, group z, at most 1 at once: z1: fails: control plane v1.28.3 is 3 minors behind v1.31.5; write chainMinors: true to upgrade it minor by minor',
    ]);
    expect(linesOf('Clusters that are skipped')).toEqual(['x2, y1: control plane and pools are at or ahead of 1.31.5']);
    await fleet.merge('k8s-before-one').plan();
    expect(fleet.states()[1]).toBe(
      'one Stopping/MembersFailed: x Stopping [x1 Running, x2 Skipped/AlreadyAtTarget] y Skipped [y1 Skipped/AlreadyAtTarget] z Failed/MembersFailed [z1 Failed/MinorSkipped]',
    );
  });

  it('says of windows and freezes what they are when the first stage can begin, and nothing of later ones', async () => {
    const window = (name: string, group: string, startTime: string) => ({
      [`${name}.yaml`]: JSON.stringify({
        apiVersion: 'gitfleet.dev/v1alpha1',
        kind: 'MaintenanceConfiguration',
        metadata: { name },
        spec: {
          memberSelector: { byLabel: `gitfleet.dev/update-group=${group}` },
          maintenanceWindow: { schedule: { daily: { intervalDays: 1 } }, startTime, durationHours: 4 },
        },
      }),
    });
    const fleet = gated([
      { name: 'one', groups: [x], afterGates: [approval], afterStageWaitInSeconds: 7200 },
      { name: 'two', groups: [y], afterStageWaitInSeconds: 3600 },
      { name: 'three', groups: [z] },
    ]);
    Object.assign(fleet.files, window('morning', 'y', '08:00'), window('noon', 'z', '08:00'));
    const freezeAt = (schedule: string) => {
      fleet.files['fleet.yaml'] = JSON.stringify({
        apiVersion: 'gitfleet.dev/v1alpha1',
        kind: 'FleetConfig',
        metadata: { name: 'fleet' },
        spec: { freeze: [{ name: 'lunch', schedule, duration: '1h' }] },
      });
    };
    freezeAt('0 12 * * *');
    await planOn(fleet);
    const pageNow = async () => (await askedOf(fleet, 'k8s-after-one')).page;
    const frozen = await pageNow();
    // The soak ends at 12:01, after the window, and within the freeze.
    expect(frozen.lead[0]).toMatch(
      /; not before the soak of stage one is over, at 2026-11-20T12:01:00Z; not before freeze lunch ends at 2026-11-20T13:00:00Z\.$/,
    );
    const lines = frozen.sections[0]!.rows;
    expect(lines.kind === 'list' && lines.items.map(({ line }) => plainText(line))).toEqual([
      'two, group y, at most 1 at once: y1: v1.30.9 → v1.31.5; maintenance window morning, opens 2026-11-21T08:00:00Z',
      'three, group z, at most 1 at once: z1: v1.30.9 → v1.31.5; maintenance window noon',
    ]);
    freezeAt('0 10 * * *');
    expect((await pageNow()).lead[0]).not.toContain('freeze');
  });

  it('passes over what follows clusters that are all skipped', async () => {
    const fleet = gated([
      { name: 'one', groups: [x], beforeGates: [approval] },
      { name: 'two', groups: [y], afterGates: [approval], afterStageWaitInSeconds: 3600 },
      { name: 'three', groups: [z] },
    ]).with(['y1'], { ...inGroup('y'), versions: at('v1.31.5') });
    await fleet.plan();
    const { page } = await askedOf(fleet, 'k8s-before-one');
    expect(page.title).toBe('Approve k8s: one (2 clusters), three (1 cluster) before stage one');
    expect(page.lead[0]).toBe(
      'Merging starts stage one, 2 clusters, at most 2 at once: x1, x2; then stage three, 1 cluster, at most 1 at once: z1.',
    );
    fleet.merge('k8s-before-one');
    expect([await planOn(fleet), openGates(fleet)]).toEqual([[['x1', 'x2'], ['z1']], []]);
  });

  it('says what it waits for besides, what failures and what a rejection do', async () => {
    const fleet = gated(stages);
    await fleet.plan();
    await fleet.succeed('x1', 'x2').later(60).plan();
    const { page } = await askedOf(fleet, 'k8s-after-x');
    expect([page.title, page.lead[0], page.rejection]).toEqual([
      'Approve k8s: two (1 cluster) after group x',
      'Merging starts once group y is done too stage two, 1 cluster, at most 1 at once: z1.',
      'ends the run once the upgrades in progress end (y1) and leaves 1 cluster as it is (z1)',
    ]);
    expect(page.lead[2]).toBe(
      'If a cluster fails, the run fails: upgrades in progress end, no further one starts, and what is upgraded stays so.',
    );
  });

  it('says how many clusters may fail, and that the fleet is frozen or the run is stopped', async () => {
    const fleet = gated([{ ...stages[0], beforeGates: [approval] }, stages[1]!]);
    await fleet.plan();
    fleet.files['fleet.yaml'] = JSON.stringify({
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'FleetConfig',
      metadata: { name: 'fleet' },
      spec: { freeze: [{ name: 'all', schedule: '0 9 * * *', duration: '8h' }] },
    });
    Object.assign(fleet.files, run({ updateStrategyId: 'test-then-prod', state: 'Stopped' }));
    await fleet.later(60).plan();
    const { page } = await askedOf(fleet, 'k8s-before-one');
    expect(page.title).toBe('Approve k8s: one (3 clusters) before stage one, once the stopped run continues');
    expect(page.lead).toEqual([
      'Merging starts stage one, 3 clusters, at most 3 at once: x1, x2, y1; then the run waits for approval k8s-after-x; not before someone resumes the run, which is stopped: gitfleet resume upgrade k8s; not before freeze all ends at 2026-11-20T17:00:00Z.',
      'Cluster update run k8s: Kubernetes 1.31.5, control plane and nodes. Approval k8s-before-one.',
      'If more clusters fail than may (stage one: 1, group x: 0, group y: 0), the run fails: upgrades in progress end, no further one starts, and what is upgraded stays so.',
    ]);
  });
});
