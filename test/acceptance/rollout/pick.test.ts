import { describe, expect, it } from 'vitest';
import { app, at, held, members, moves, placement, rolling, Story } from './world.ts';

/** How a recorded binding is doing, as KubeFleet's conditions say it. */
const doing: Readonly<Record<string, readonly string[]>> = {
  ready: ['Applied True AllWorkHaveBeenApplied', 'Available True AllWorkAreAvailable'],
  silent: [],
  applying: ['Applied False ApplyInProgress'],
  broken: ['Applied False NotAllWorkHaveBeenApplied'],
  down: ['Applied True AllWorkHaveBeenApplied', 'Available False NotAllWorkAreAvailable'],
  pending: ['Applied True AllWorkHaveBeenApplied', 'Available False ResourceNotAvailableYet'],
  overridden: ['Overridden False OverriddenFailed'],
  unsynced: ['WorkSynchronized False SyncWorkFailed'],
  diffed: ['DiffReported True AllWorkHaveDiffReported'],
  diffing: ['DiffReported False DiffReportInProgress'],
};

/** `a Bound 0 ready`, one binding per comma; `untrackable-30` = available untrackably since 30 s before T0; a trailing `deleting`. */
function state(bindings: string, number: number | undefined): string {
  const lines = bindings.split(', ').map((text) => {
    const [cluster, stateOf, index, how = 'silent', ...more] = text.split(' ');
    const conditions = how.startsWith('untrackable')
      ? ['Applied True AllWorkHaveBeenApplied', 'Available True NotAllWorkAreAvailabilityTrackable']
      : doing[how]!;
    const since = how.startsWith('untrackable') ? -Number(how.slice('untrackable-'.length)) : -3600;
    const written = conditions.map((condition) => {
      const [type, status, reason] = condition.split(' ');
      return `{type: ${type}, status: "${status}", reason: ${reason}, lastTransitionTime: "${at(since)}"}`;
    });
    return [
      `targetCluster: ${cluster}, state: ${stateOf}, policySnapshotIndex: 0`,
      ...(index === '-' ? [] : [`resourceSnapshotIndex: ${index}`]),
      ...(stateOf === 'Unscheduled' ? ['previousState: Bound'] : []),
      ...(more.includes('deleting') ? ['deleting: true'] : []),
      `conditions: [${written.join(', ')}]`,
    ].join(', ');
  });
  const policy = number === undefined ? '{placementType: PickAll}' : '{placementType: PickN}';
  return `
apiVersion: gitfleet.dev/v1alpha1
kind: PlacementState
metadata: {name: web}
policySnapshots: [{index: 0, latest: true, ${number === undefined ? '' : `numberOfClusters: ${number}, `}policy: ${policy}}]
resourceSnapshots: [{index: 0}, {index: 1, latest: true}]
bindings:
${lines.map((line) => `- {${line}}`).join('\n')}
`;
}

interface Row {
  readonly rule: string;
  /** PickN's number; `all` = PickAll. */
  readonly pick?: number;
  readonly unavailable: number | string;
  readonly surge: number | string;
  /** Default: applies. */
  readonly mode?: 'ReportDiff';
  readonly bindings: string;
  readonly becomes: string;
  readonly holds?: readonly string[];
  readonly wakeAt?: string;
}

const rows: readonly Row[] = [
  {
    rule: 'a percentage of maxUnavailable rounds up: 25 % of 5 is 2',
    unavailable: '25%',
    surge: 0,
    bindings: 'a Bound 0 ready, b Bound 0 ready, c Bound 0 ready, d Bound 0 ready, e Bound 0 ready',
    becomes: 'a Bound 1 update, b Bound 1 update, c Bound 0 wait, d Bound 0 wait, e Bound 0 wait',
    holds: ['RolloutBudget c', 'RolloutBudget d', 'RolloutBudget e'],
  },
  {
    rule: 'a percentage that comes out even is not rounded: 25 % of 4 is 1',
    unavailable: '25%',
    surge: 0,
    bindings: 'a Bound 0 ready, b Bound 0 ready, c Bound 0 ready, d Bound 0 ready',
    becomes: 'a Bound 1 update, b Bound 0 wait, c Bound 0 wait, d Bound 0 wait',
    holds: ['RolloutBudget b', 'RolloutBudget c', 'RolloutBudget d'],
  },
  {
    rule: '1 % of anything is one cluster',
    unavailable: '1%',
    surge: 0,
    bindings: 'a Bound 0 ready, b Bound 0 ready',
    becomes: 'a Bound 1 update, b Bound 0 wait',
    holds: ['RolloutBudget b'],
  },
  {
    rule: 'a number is used as it is, also when it is more than there are clusters',
    unavailable: 7,
    surge: 0,
    bindings: 'a Bound 0 ready, b Bound 0 ready, c Bound 0 ready',
    becomes: 'a Bound 1 update, b Bound 1 update, c Bound 1 update',
  },
  {
    rule: 'maxUnavailable 0 updates no healthy cluster in place, whatever the surge',
    unavailable: 0,
    surge: 3,
    bindings: 'a Bound 0 ready, b Bound 0 ready, c Bound 0 ready',
    becomes: 'a Bound 0 wait, b Bound 0 wait, c Bound 0 wait',
    holds: ['RolloutBudget a', 'RolloutBudget b', 'RolloutBudget c'],
  },
  {
    rule: 'maxSurge does not limit updates in place',
    unavailable: '100%',
    surge: 0,
    bindings: 'a Bound 0 ready, b Bound 0 ready',
    becomes: 'a Bound 1 update, b Bound 1 update',
  },
  {
    rule: 'clusters that PickN did not find are unavailable: what is there may not move',
    pick: 4,
    unavailable: 2,
    surge: 1,
    bindings: 'a Bound 0 ready, b Bound 0 ready',
    becomes: 'a Bound 0 wait, b Bound 0 wait',
    holds: ['RolloutBudget a', 'RolloutBudget b'],
  },
  {
    rule: 'a cluster where applying failed is updated without spending budget',
    unavailable: 1,
    surge: 0,
    bindings: 'a Bound 0 ready, b Bound 0 broken, c Bound 0 ready',
    becomes: 'a Bound 0 wait, b Bound 1 update, c Bound 0 wait',
    holds: ['RolloutBudget a', 'RolloutBudget c'],
  },
  {
    rule: 'a cluster still applying, or not available, is overtaken by the newer version',
    unavailable: 0,
    surge: 0,
    bindings: 'a Bound 0 applying, b Bound 0 down, c Bound 0 overridden, d Bound 0 unsynced',
    becomes: 'a Bound 1 update, b Bound 1 update, c Bound 1 update, d Bound 1 update',
  },
  {
    rule: 'a reason of mere waiting is no failure',
    unavailable: 1,
    surge: 0,
    bindings: 'a Bound 0 pending, b Bound 0 ready',
    becomes: 'a Bound 0 wait, b Bound 0 wait',
    holds: ['RolloutBudget a', 'RolloutBudget b'],
  },
  {
    rule: 'a binding of which nothing is known is neither ready nor failed',
    unavailable: 1,
    surge: 0,
    bindings: 'a Bound 0 silent, b Bound 0 ready',
    becomes: 'a Bound 0 wait, b Bound 0 wait',
    holds: ['RolloutBudget a', 'RolloutBudget b'],
  },
  {
    rule: 'an updated cluster that is not available keeps the others waiting',
    unavailable: 1,
    surge: 0,
    bindings: 'a Bound 1 down, b Bound 0 ready, c Bound 0 ready',
    becomes: 'a Bound 1 keep, b Bound 0 wait, c Bound 0 wait',
    holds: ['RolloutBudget b', 'RolloutBudget c'],
  },
  {
    rule: 'a difference that is reported makes a cluster ready',
    unavailable: 1,
    surge: 0,
    mode: 'ReportDiff',
    bindings: 'a Bound 1 diffed, b Bound 0 diffed, c Bound 0 diffed',
    becomes: 'a Bound 1 keep, b Bound 1 update, c Bound 0 wait',
    holds: ['RolloutBudget c'],
  },
  {
    rule: 'what a record by hand says of a cluster that nobody looked at stands, whatever the mode',
    unavailable: 2,
    surge: 0,
    bindings: 'a Bound 1 diffed, b Bound 0 broken, c Bound 0 untrackable-30, d Bound 0 diffed, e Bound 0 ready',
    becomes: 'a Bound 1 keep, b Bound 1 update, c Bound 0 wait, d Bound 0 wait, e Bound 0 wait',
    holds: [
      `UnavailablePeriod c until ${at(30)}`,
      `UnavailablePeriod d until ${at(30)}`,
      `UnavailablePeriod e until ${at(30)}`,
    ],
    wakeAt: at(30),
  },
  {
    rule: 'removals come before updates, by the same budget',
    pick: 2,
    unavailable: 1,
    surge: 0,
    bindings: 'a Bound 0 ready, b Bound 0 ready, z Unscheduled 0 ready',
    becomes: 'a Bound 1 update, b Bound 0 wait, z Unscheduled 0 remove',
    holds: ['RolloutBudget b'],
  },
  {
    rule: 'a removal beyond the budget waits, before any update',
    pick: 2,
    unavailable: 0,
    surge: 0,
    bindings: 'a Bound 0 ready, b Bound 1 down, z Unscheduled 0 ready',
    becomes: 'a Bound 0 wait, b Bound 1 keep, z Unscheduled 0 wait',
    holds: ['RolloutBudget a', 'RolloutBudget z'],
  },
  {
    rule: 'what has not become ready cannot be removed while the budget is exhausted',
    pick: 1,
    unavailable: 0,
    surge: 0,
    bindings: 'a Bound 1 silent, z Unscheduled 0 down',
    becomes: 'a Bound 1 keep, z Unscheduled 0 wait',
    holds: ['RolloutBudget z'],
  },
  {
    rule: 'a ready binding on its way out is counted as gone already',
    pick: 2,
    unavailable: 1,
    surge: 0,
    bindings: 'a Bound 0 ready, b Bound 0 ready, z Unscheduled 0 ready deleting',
    becomes: 'a Bound 1 update, b Bound 0 wait, z Unscheduled 0 remove',
    holds: ['RolloutBudget b'],
  },
  {
    rule: 'additions are limited by the surge over what may become ready',
    pick: 3,
    unavailable: 0,
    surge: 1,
    bindings:
      'a Unscheduled 0 ready, b Unscheduled 0 ready, c Unscheduled 0 ready, d Scheduled -, e Scheduled -, f Scheduled -',
    becomes:
      'a Unscheduled 0 wait, b Unscheduled 0 wait, c Unscheduled 0 wait, d Bound 1 add, e Scheduled - wait, f Scheduled - wait',
    holds: ['RolloutBudget a', 'RolloutBudget b', 'RolloutBudget c', 'RolloutBudget e', 'RolloutBudget f'],
  },
  {
    rule: 'a percentage of maxSurge rounds up too: 34 % of 3 is 2',
    pick: 3,
    unavailable: 0,
    surge: '34%',
    bindings:
      'a Unscheduled 0 ready, b Unscheduled 0 ready, c Unscheduled 0 ready, d Scheduled -, e Scheduled -, f Scheduled -',
    becomes:
      'a Unscheduled 0 wait, b Unscheduled 0 wait, c Unscheduled 0 wait, d Bound 1 add, e Bound 1 add, f Scheduled - wait',
    holds: ['RolloutBudget a', 'RolloutBudget b', 'RolloutBudget c', 'RolloutBudget f'],
  },
  {
    rule: 'failed bindings take no part in the surge',
    pick: 2,
    unavailable: 0,
    surge: 0,
    bindings: 'a Unscheduled 0 down, b Unscheduled 0 down, c Scheduled -, d Scheduled -',
    becomes: 'a Unscheduled 0 wait, b Unscheduled 0 wait, c Bound 1 add, d Bound 1 add',
    holds: ['RolloutBudget a', 'RolloutBudget b'],
  },
  {
    rule: 'bindings that report differences take no part in the surge, reported or not',
    pick: 2,
    unavailable: 0,
    surge: 0,
    mode: 'ReportDiff',
    bindings: 'a Unscheduled 0 diffed, b Unscheduled 0 diffing, c Scheduled -, d Scheduled -',
    becomes: 'a Unscheduled 0 wait, b Unscheduled 0 wait, c Bound 1 add, d Bound 1 add',
    holds: ['RolloutBudget a', 'RolloutBudget b'],
  },
  {
    rule: 'both 0: nothing moves',
    pick: 1,
    unavailable: 0,
    surge: '0%',
    bindings: 'a Unscheduled 0 ready, b Scheduled -',
    becomes: 'a Unscheduled 0 wait, b Scheduled - wait',
    holds: ['RolloutBudget a', 'RolloutBudget b'],
  },
  {
    rule: 'of two bindings on one cluster none moves, nor anything else of the placement, whatever they stand on',
    unavailable: '100%',
    surge: '100%',
    bindings: 'a Bound 1 ready, a Unscheduled 0 ready, b Bound 0 ready',
    becomes: 'a Bound 1 keep, a Unscheduled 0 wait, b Bound 0 wait',
    holds: ['SameClusterConflict a'],
  },
  {
    rule: 'untrackable resources count once the period is over, strictly: the wait has an end',
    unavailable: 1,
    surge: 0,
    bindings: 'a Bound 1 untrackable-30, b Bound 0 ready, c Bound 0 ready',
    becomes: 'a Bound 1 keep, b Bound 0 wait, c Bound 0 wait',
    holds: [`UnavailablePeriod b until ${at(30)}`, `UnavailablePeriod c until ${at(30)}`],
    wakeAt: at(30),
  },
  {
    rule: 'untrackable resources beyond the period are ready',
    unavailable: 1,
    surge: 0,
    bindings: 'a Bound 1 untrackable-61, b Bound 0 ready, c Bound 0 ready',
    becomes: 'a Bound 1 keep, b Bound 1 update, c Bound 0 wait',
    holds: ['RolloutBudget c'],
  },
  {
    rule: 'of several untrackable clusters the one that frees the next counts',
    unavailable: 2,
    surge: 0,
    bindings: 'a Bound 1 untrackable-10, b Bound 1 untrackable-50, c Bound 0 ready, d Bound 0 ready',
    becomes: 'a Bound 1 keep, b Bound 1 keep, c Bound 0 wait, d Bound 0 wait',
    holds: [`UnavailablePeriod c until ${at(10)}`, `UnavailablePeriod d until ${at(10)}`],
    wakeAt: at(10),
  },
];

describe('what a rolling update moves now', () => {
  it.each(rows)('$rule', async ({ pick, unavailable, surge, mode, bindings, becomes, holds = [], wakeAt }) => {
    const names = bindings.split(', ').map((text) => text.split(' ')[0]!);
    const story = new Story(
      {
        ...members([...new Set(names)].join(' ')),
        'web.yaml': placement(
          pick === undefined ? '{placementType: PickAll}' : `{placementType: PickN, numberOfClusters: ${pick}}`,
          rolling(unavailable, surge).replace(/\}$/, mode ? `, applyStrategy: {type: ${mode}}}` : '}'),
        ),
        'resources/web.yaml': app('web:2'),
      },
      { 'placements/web/state.yaml': state(bindings, pick) },
    );
    const step = await story.plan();
    expect(moves(step)).toEqual(becomes.split(', '));
    expect(held(step)).toEqual(holds);
    expect(step.plan.wakeAt).toBe(wakeAt);
  });
});
