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
});
const stage = fc.record({
  groups: fc.array(group, { minLength: 1, maxLength: 2 }),
  maxConcurrency: amount,
  maxAllowedFailures: fc.constantFrom('0', '2', '50%'),
  beforeGates: gates,
  afterGates: gates,
  afterStageWaitInSeconds: fc.constantFrom(0, 600),
});
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
    'wait',
  ),
  who: fc.nat(20),
});

/**
 * Whatever happens, `UpgradeFleet.plan` holds every plan against the guard, plans it again, and a minute later. Here beside that: a
 * run ends with every member over, and no cluster gets an older version.
 */
it(
  'runs with faults keep to the rules of the guard, and a plan of the same instant is the same',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(stage, { minLength: 1, maxLength: 2 }),
        fc.array(event, { minLength: 4, maxLength: 14 }),
        async (drawnStages, events) => {
          const stages = drawnStages.map((it, s) => ({
            name: `s${s}`,
            ...it,
            groups: it.groups.map((of, g) => ({ name: `g${s}${g}`, ...of })),
          }));
          const fleet = new UpgradeFleet(strategy(stages));
          const names: string[] = [];
          for (const { name, groups } of stages)
            for (const of of groups) {
              const own = [1, 2, 3].map((n) => `${of.name}-${n}`);
              names.push(...own);
              expect(name).toBeDefined();
              fleet.with(own, inGroup(of.name));
            }
          let spec: Record<string, unknown> = { updateStrategyId: 'test-then-prod', skip: [] };
          const commit = (change: object) => {
            spec = { ...spec, ...change };
            Object.assign(fleet.files, run(spec));
          };
          commit({});
          await fleet.plan();
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
            else if (kind === 'gone' && !(spec['skip'] as { name: string }[]).some((it) => it.name === name)) {
              delete fleet.files[`clusters/${name}.yaml`];
              fleet.members.delete(name);
            }
            fleet.later(kind === 'wait' ? 900 : 30);
            await fleet.plan();
            const { status, stages: now } = fleet.run();
            const members: MemberUpgrade[] = now.flatMap(({ groups }) => groups.flatMap((of) => of.members));
            if (status.state === 'Completed') expect(members.every(isTerminal)).toBe(true);
            if (['Completed', 'Failed', 'Stopped', 'Skipped'].includes(status.state))
              expect(fleet.inFlight()).toEqual([]);
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
