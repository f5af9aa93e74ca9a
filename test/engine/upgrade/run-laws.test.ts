import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { MemberUpgrade } from '../../../src/api/upgrade-status.ts';
import { isTerminal } from '../../../src/engine/upgrade/tree.ts';
import { drawn, patience } from '../../support/law-runs.ts';
import { at, inGroup, run, strategy, UpgradeFleet } from './upgrade-fleet.ts';

const amount = fc.constantFrom('1', '2', '50%', '100%');
const gates = fc.constantFrom<readonly object[]>([], [{ type: 'Approval' }]);
const group = fc.record({
  maxConcurrency: amount,
  maxAllowedFailures: fc.constantFrom('0', '1', '50%'),
  beforeGates: gates,
  afterGates: gates,
  /** When the daily window of its members opens, for four hours. */
  window: fc.constantFrom(undefined, 4, 10, 12, 22),
});
const stage = fc.record({
  groups: fc.array(group, { minLength: 1, maxLength: 2 }),
  maxConcurrency: amount,
  maxAllowedFailures: fc.constantFrom('0', '2', '50%'),
  beforeGates: gates,
  afterGates: gates,
  afterStageWaitInSeconds: fc.constantFrom(0, 600),
});
const ownSettings = fc.record({
  reserveUpcomingWindows: fc.boolean(),
  onUnavailable: fc.constantFrom('Pending', 'Skip', 'Fail'),
  onBlocked: fc.constantFrom('Pending', 'Ignore'),
  progressDeadline: fc.constantFrom('1h', '0s'),
});
const unasked = { done: false };
const event = fc.record({
  kind: fc.constantFrom(
    'succeed',
    'fail',
    'down',
    'up',
    'stop',
    'start',
    'retry',
    'skip',
    'merge',
    'gone',
    'busy',
    'blocked',
    'asked',
    'wait',
    'wait',
  ),
  who: fc.nat(20),
});

/** Nothing starts from 13:00 to 15:00. */
const freeze = {
  'fleet.yaml': JSON.stringify({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'FleetConfig',
    spec: { freeze: [{ name: 'lunch', schedule: '0 13 * * *', duration: '2h' }] },
  }),
};

const windowOf = (group: string, opens: number) => ({
  [`windows/${group}.yaml`]: JSON.stringify({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'MaintenanceConfiguration',
    metadata: { name: group },
    spec: {
      memberSelector: { byLabel: `gitfleet.dev/update-group=${group}` },
      maintenanceWindow: {
        schedule: { daily: { intervalDays: 1 } },
        startTime: `${String(opens).padStart(2, '0')}:00`,
        durationHours: 4,
      },
    },
  }),
});

/** Why a member must not start at an instant, found without the engine's windows. */
function whyClosed(now: number, opens: number | undefined, isFrozen: boolean): string | undefined {
  const hour = (now / 3_600_000) % 24;
  if (isFrozen && hour >= 13 && hour < 15) return 'frozen';
  return opens === undefined || (hour - opens + 24) % 24 < 4 ? undefined : `closed at ${hour}`;
}

/**
 * Whatever happens, `UpgradeFleet.plan` holds every plan against the guard, plans it again, and a minute later. Here beside that: a
 * run ends with every member over, no cluster gets an older version, and nothing starts in a freeze, outside a window, before
 * its API server was asked, or beside another operation.
 */
it(
  'runs with faults keep to the rules of the guard, and a plan of the same instant is the same',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(stage, { minLength: 1, maxLength: 2 }),
        fc.array(event, { minLength: 4, maxLength: 14 }),
        fc.record({ isFrozen: fc.boolean(), hasSecondRun: fc.boolean(), spec: ownSettings }),
        async (drawnStages, events, { isFrozen, hasSecondRun, spec: drawnSpec }) => {
          const stages = drawnStages.map((it, s) => ({
            name: `s${s}`,
            ...it,
            groups: it.groups.map(({ window: _, ...of }, g) => ({ name: `g${s}${g}`, ...of })),
          }));
          const opens = new Map<string, number | undefined>(
            drawnStages.flatMap(({ groups }, s) => groups.map(({ window }, g) => [`g${s}${g}`, window] as const)),
          );
          const fleet = new UpgradeFleet({
            ...strategy(stages),
            ...(isFrozen && freeze),
            ...(hasSecondRun && run({}, 'other')),
          });
          for (const [name, at] of opens) if (at !== undefined) Object.assign(fleet.files, windowOf(name, at));
          const names: string[] = [];
          for (const { name, groups } of stages)
            for (const of of groups) {
              const own = [1, 2, 3].map((n) => `${of.name}-${n}`);
              names.push(...own);
              expect(name).toBeDefined();
              fleet.with(own, inGroup(of.name));
            }
          let spec: Record<string, unknown> = { updateStrategyId: 'test-then-prod', skip: [], ...drawnSpec };
          const started = new Set<string>();
          const planned = async () => {
            await fleet.plan();
            expect(new Set(fleet.inFlight()).size).toBe(fleet.inFlight().length);
            for (const { clusterName, upgrade } of fleet.targets()) {
              if (started.has(upgrade.operationId)) continue;
              started.add(upgrade.operationId);
              const why = whyClosed(fleet.now, opens.get(clusterName.slice(0, 3)), isFrozen);
              const ignores = upgrade.run === 'k8s' && spec['onBlocked'] === 'Ignore';
              const isUnasked = !ignores && fleet.members.get(clusterName)?.preflight === unasked;
              expect([clusterName, why, isUnasked]).toEqual([clusterName, undefined, false]);
            }
          };
          const commit = (change: object) => {
            spec = { ...spec, ...change };
            Object.assign(fleet.files, run(spec));
          };
          commit({});
          await planned();
          for (const { kind, who } of events) {
            const name = names[who % names.length]!;
            const member = fleet.members.get(name);
            const open = fleet.asked().filter(({ status }) => status.state === 'Pending');
            if (kind === 'succeed') fleet.succeed();
            else if (kind === 'fail') fleet.fail(...fleet.inFlight().slice(0, 1));
            else if (kind === 'down' && member) member.reachable = false;
            else if (kind === 'up') for (const it of fleet.members.values()) it.reachable = true;
            else if (kind === 'stop') commit({ state: 'Stopped' });
            else if (kind === 'start') commit({ state: 'Started' });
            else if (kind === 'retry') commit({ attempt: Number(spec['attempt'] ?? 1) + 1 });
            else if (kind === 'skip') commit({ skip: [...(spec['skip'] as object[]), { type: 'Member', name }] });
            else if (kind === 'merge') for (const { name: of } of open) fleet.merge(of);
            else if (kind === 'busy' && member && !fleet.inFlight().includes(name))
              member.upgrade = { phase: 'Running' };
            else if (kind === 'blocked' && member) member.preflight = unasked;
            else if (kind === 'asked') for (const it of fleet.members.values()) it.preflight = { done: true };
            else if (kind === 'gone' && !(spec['skip'] as { name: string }[]).some((it) => it.name === name)) {
              delete fleet.files[`clusters/${name}.yaml`];
              fleet.members.delete(name);
            }
            fleet.later(kind === 'wait' ? 600 * (1 + who) : 30);
            await planned();
            const { status, stages: now } = fleet.run();
            const members: MemberUpgrade[] = now.flatMap(({ groups }) => groups.flatMap((of) => of.members));
            if (status.state === 'Completed') expect(members.every(isTerminal)).toBe(true);
            const own = fleet.targets().filter(({ upgrade }) => upgrade.run === 'k8s');
            if (['Completed', 'Failed', 'Stopped', 'Skipped'].includes(status.state)) expect(own).toEqual([]);
          }
          expect(
            [...fleet.members.values()].every(({ versions }) => versions!.controlPlane! >= at('v1.30.9').controlPlane!),
          ).toBe(true);
        },
      ),
      drawn(30),
    );
  },
  patience(60_000),
);
