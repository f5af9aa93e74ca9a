import { describe, expect, it } from 'vitest';
import type { ClusterName } from '../../src/api/meta.ts';
import type { Hold, HoldReason } from '../../src/engine/plan-document.ts';
import { clustersOf, listedHolds } from '../../src/report/grouped-holds.ts';

const hold = (
  cluster: string | undefined,
  message: string,
  reason: HoldReason = 'RolloutBudget',
  name = 'web',
): Hold => ({
  subject: { kind: 'ClusterResourcePlacement', name, ...(cluster && { clusterName: cluster as ClusterName }) },
  reason,
  message: cluster ? `${cluster} ${message}` : message,
});
const many = (count: number, of: (index: number) => Hold): Hold[] => Array.from({ length: count }, (_, at) => of(at));
const web = { kind: 'ClusterResourcePlacement', name: 'web' };

describe('holds that the status branch lists', () => {
  it('clusters that wait for the same share an entry, with names and number', () => {
    const waits = 'is updated once maxUnavailable 1 allows it';
    expect(listedHolds({ holds: [hold('a', waits), hold('b', 'is to be removed'), hold('c', waits)] })).toEqual([
      { subject: web, reason: 'RolloutBudget', message: waits, clusters: ['a', 'c'], count: 2 },
      hold('b', 'is to be removed'),
    ]);
  });

  it('of several groups of a stage it names none of them', () => {
    const waits = (cluster: string, group: string): Hold => {
      const { subject, ...rest } = hold(cluster, 'waits: no window is open', 'WindowClosed');
      return { ...rest, subject: { ...subject, stage: 'prod', group } };
    };
    const of = (...holds: readonly Hold[]) => listedHolds({ holds }).map(({ subject }) => subject);
    expect(of(waits('a', 'eu'), waits('b', 'us'))).toEqual([{ ...web, stage: 'prod' }]);
    expect(of(waits('a', 'eu'), waits('b', 'eu'))).toEqual([{ ...web, stage: 'prod', group: 'eu' }]);
  });

  it('ten of them are named', () => {
    const [told, ...more] = listedHolds({ holds: many(5000, (at) => hold(`c-${at}`, 'waits')) });
    expect(more).toEqual([]);
    expect(clustersOf(told!)).toBe('c-0, c-1, c-2, c-3, c-4, c-5, c-6, c-7, c-8, c-9 and 4990 more');
  });

  it('until another instant, or for another reason, is not the same', () => {
    const [first, second] = [hold('a', 'waits'), { ...hold('b', 'waits'), until: '2026-11-20T10:00:00Z' }];
    const third = hold('c', 'waits', 'Freeze');
    expect(listedHolds({ holds: [first, second, third] })).toEqual([third, first, second]);
  });

  it('a rollout has five entries at most, and holds that may need a fix come first', () => {
    const crowd = many(200, (at) => hold(`c-${at}`, `waits for ${at}`));
    const lost = hold(undefined, 'contents unknown', 'RecordLost', 'pay');
    const other = hold('eu-1', 'waits', 'UnavailablePeriod', 'pay');
    expect(listedHolds({ holds: [...crowd, other, lost] })).toEqual([lost, ...crowd.slice(0, 5), other]);
  });

  it('a hundred of either kind are listed', () => {
    const rollouts = many(150, (at) => hold('eu-1', 'waits', 'RolloutBudget', `web-${at}`));
    const lost = many(150, (at) => hold(undefined, 'contents unknown', 'RecordLost', `web-${at}`));
    expect(listedHolds({ holds: [...rollouts, ...lost] })).toEqual([...lost.slice(0, 100), ...rollouts.slice(0, 100)]);
  });

  it('not what requests and the stages of a run report already', () => {
    expect(
      listedHolds({
        holds: [
          hold(undefined, 'stage a updates 1 at a time'),
          hold(undefined, 'stage b is next', 'StageOrder'),
          hold(undefined, 'say yes', 'WaitingForApproval'),
        ],
      }),
    ).toEqual([]);
  });
});
