import { expect, it } from 'vitest';
import type { GateStatus, GroupUpgrade, StageUpgrade, UpgradeState } from '../../../src/api/upgrade-status.ts';
import { withStates } from '../../../src/engine/upgrade/derive-states.ts';
import { skipsOf } from '../../../src/engine/upgrade/skips.ts';

type GateState = GateStatus['status']['state'];

interface Given {
  /** Members of the groups `x` and `y` of stage `one`. */
  readonly members: readonly [readonly UpgradeState[], readonly UpgradeState[]];
  /** Both groups and the stage; false = only the stage. */
  readonly reached?: boolean;
  readonly allowed?: { readonly x?: number; readonly one?: number };
  /** Of group x. */
  readonly before?: GateState;
  /** Of stage one. */
  readonly after?: GateState;
  readonly wait?: 'NotStarted' | 'Running' | 'Completed';
  readonly skip?: 'one' | 'x';
  readonly stopped?: boolean;
  /** A member of stage `two`, which is reached, failed. */
  readonly sibling?: boolean;
}

const now = '2026-11-20T10:00:00Z';
const gates = (state: GateState | undefined): GateStatus[] => (state ? [{ type: 'Approval', status: { state } }] : []);

/** States of run, stage `one` and its groups. */
function derived({
  members,
  reached = true,
  allowed = {},
  before,
  after,
  wait,
  skip,
  stopped = false,
  sibling,
}: Given): string {
  const scope = (isReached: boolean) => ({
    status: { state: 'NotStarted' as const, ...(isReached && { startTime: now }) },
    failureCount: 0,
    maxConcurrency: 1,
    maxAllowedFailures: 0,
    beforeGates: [],
    afterGates: [],
  });
  const group = (name: string, states: readonly UpgradeState[], of: Partial<GroupUpgrade> = {}): GroupUpgrade => ({
    name,
    ...scope(reached),
    members: states.map((state, at) => ({ name: `${name}${at}` as never, status: { state } })),
    ...of,
  });
  const one: StageUpgrade = {
    name: 'one',
    ...scope(true),
    maxAllowedFailures: allowed.one ?? 0,
    groups: [
      group('x', members[0], { beforeGates: gates(before), maxAllowedFailures: allowed.x ?? 0 }),
      group('y', members[1]),
    ],
    afterGates: gates(after),
    ...(wait && { afterStageWaitStatus: { status: { state: wait }, waitDurationInSeconds: 60 } }),
  };
  const two: StageUpgrade = { name: 'two', ...scope(true), groups: [group('z', [sibling ? 'Failed' : 'Completed'])] };
  const skips = skipsOf(skip ? [{ type: skip === 'one' ? 'Stage' : 'Group', name: skip }] : []);
  const { status, stages } = withStates(
    { status: { state: 'Running', startTime: now }, attempt: 1, failureCount: 0, stages: [one, two] },
    { skips, stopped, now },
  );
  const [first] = stages;
  return [status, first!.status, ...first!.groups.map((it) => it.status)].map(({ state }) => state).join(' ');
}

/** By the number of the rule, as AKS Fleet's pages give or suggest them: the first that applies counts. */
const rows: readonly (readonly [string, Given, string])[] = [
  [
    '1 a group that is skipped',
    { members: [['Completed', 'Skipped'], ['NotStarted']], skip: 'x' },
    'Pending Pending Skipped Pending',
  ],
  [
    '1 a group that is skipped, with a member in flight',
    { members: [['Running', 'Skipped'], ['Skipped']], skip: 'x' },
    'Running Running Running Skipped',
  ],
  [
    '1 a stage that is skipped',
    { members: [['Completed'], ['Skipped']], skip: 'one' },
    'Completed Skipped Skipped Skipped',
  ],
  [
    '1 a stage that is skipped counts before its failures',
    { members: [['Failed'], ['Skipped']], skip: 'one', allowed: { x: 1, one: 1 } },
    'Completed Skipped Skipped Skipped',
  ],
  [
    '2 a group over its failures, others in flight',
    { members: [['Failed', 'Running'], ['Running']] },
    'Stopping Stopping Stopping Stopping',
  ],
  [
    '2 a group over its failures, others ended',
    { members: [['Failed', 'NotStarted'], ['Pending']] },
    'Failed Failed Failed Stopped',
  ],
  [
    '2 a stage over its failures, no group over its own',
    { members: [['Failed', 'Completed'], ['NotStarted']], allowed: { x: 1 } },
    'Failed Failed Completed Stopped',
  ],
  [
    '2 a group over its failures, though the stage allows them',
    { members: [['Failed', 'Failed'], ['Completed']], allowed: { x: 1, one: 9 } },
    'Failed Failed Failed Completed',
  ],
  [
    '2 at the limit: not failed',
    { members: [['Failed', 'Failed'], ['Completed']], allowed: { x: 2, one: 2 } },
    'Completed Completed Completed Completed',
  ],
  [
    '3 a run that is stopped, one in flight',
    { members: [['Running'], ['NotStarted']], stopped: true },
    'Stopping Stopping Stopping Stopped',
  ],
  [
    '3 a run that is stopped',
    { members: [['Completed', 'NotStarted'], ['Pending']], stopped: true },
    'Stopped Stopped Stopped Stopped',
  ],
  [
    '3 a run that is stopped, groups not reached',
    { members: [['NotStarted'], ['NotStarted']], stopped: true, reached: false, before: 'NotStarted' },
    'Stopped Stopped NotStarted NotStarted',
  ],
  [
    '3 a run that is stopped, all ended',
    { members: [['Completed'], ['Failed']], stopped: true, allowed: { one: 9 } },
    'Failed Failed Completed Failed',
  ],
  [
    '3 another stage failed, one in flight',
    { members: [['Running'], ['NotStarted']], sibling: true },
    'Stopping Stopping Stopping Stopped',
  ],
  [
    '3 another stage failed',
    { members: [['Completed', 'NotStarted'], ['Completed']], sibling: true },
    'Failed Stopped Stopped Completed',
  ],
  [
    '3 another stage failed, this one has ended',
    { members: [['Completed'], ['Completed']], sibling: true },
    'Failed Completed Completed Completed',
  ],
  [
    '4 all members skipped',
    { members: [['Skipped'], ['Skipped']], after: 'NotStarted', wait: 'NotStarted' },
    'Completed Skipped Skipped Skipped',
  ],
  [
    '5 all ended',
    { members: [['Completed', 'Skipped'], ['Skipped']], after: 'Completed', wait: 'Completed' },
    'Completed Completed Completed Skipped',
  ],
  ['6 one in flight', { members: [['Running', 'Pending'], ['Pending']] }, 'Running Running Running Pending'],
  [
    '6 one in flight beside a gate',
    { members: [['NotStarted'], ['Running']], before: 'Pending' },
    'Running Running Pending Running',
  ],
  ['7 all wait', { members: [['Pending', 'NotStarted'], ['Pending']] }, 'Pending Pending Pending Pending'],
  [
    '7 what has ended does not count',
    { members: [['Completed'], ['Pending', 'Completed']] },
    'Pending Pending Completed Pending',
  ],
  [
    '7 a gate that is asked',
    { members: [['NotStarted'], ['Completed']], before: 'Pending' },
    'Pending Pending Pending Completed',
  ],
  [
    '7 a gate that is asked after all',
    { members: [['Completed'], ['Completed']], after: 'Pending', wait: 'Running' },
    'Pending Pending Completed Completed',
  ],
  [
    '8 the wait',
    { members: [['Completed'], ['Completed']], after: 'Completed', wait: 'Running' },
    'Running Running Completed Completed',
  ],
  [
    '9 groups that are not reached',
    { members: [['NotStarted'], ['NotStarted']], reached: false },
    'Pending Pending NotStarted NotStarted',
  ],
];

it.each(rows)('%s', (_, given, expected) => {
  expect(derived(given)).toBe(expected);
});
