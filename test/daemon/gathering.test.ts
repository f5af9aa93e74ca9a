import { afterEach, expect, it } from 'vitest';
import { deployment, member, placement } from '../scenarios/fleet.ts';
import { VirtualFleet } from './virtual-fleet.ts';

const staged: Record<string, string> = {
  'clusters/a.yaml': member('a'),
  'clusters/b.yaml': member('b'),
  'web.yaml': placement('web', '{placementType: PickAll}', '{type: External}'),
  'resources/web.yaml': deployment('web', 'web', 'web:1'),
  'strategy.yaml': `
apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterStagedUpdateStrategy
metadata: {name: careful}
spec: {stages: [{name: all, labelSelector: {}, maxConcurrency: 2, afterStageTasks: [{type: TimedWait, waitTime: 1h}, {type: Approval}]}]}
`,
  'run.yaml': `
apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterStagedUpdateRun
metadata: {name: web-1}
spec: {placementName: web, stagedRolloutStrategyName: careful}
`,
};

let fleet: VirtualFleet;
afterEach(() => fleet.close());

it.each([
  ['a remote', true],
  ['a local repo', false],
])(
  'what waits for a push to %s has happened once: the end of a stage and the start of its gate keep their times',
  async (_, remote) => {
    fleet = await VirtualFleet.open(staged, 'a', 'b');
    const { passes, daemon } = fleet.start({ remote, publishIntervalMs: 30_000, intervalMs: 1_000 });
    for (let second = 0; second < 180; second++) {
      daemon.wake('something else happened');
      await fleet.run(1);
    }
    const plans = passes.flatMap((pass) =>
      pass.kind === 'moved' ? [] : [{ kind: pass.kind, holds: pass.plan.holds }],
    );
    const waits = plans.flatMap(({ kind, holds }) =>
      holds
        .filter(({ reason }) => reason === 'WaitingForTime' || reason === 'WaitingForApproval')
        .map(({ message }) => ({ kind, message })),
    );
    expect(waits.filter(({ kind }) => kind === 'gathering').length).toBeGreaterThan(remote ? 10 : 1);
    expect([...new Set(waits.map(({ message }) => message))]).toHaveLength(2);
  },
);
