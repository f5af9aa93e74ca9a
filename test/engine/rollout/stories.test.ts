import { describe, expect, it } from 'vitest';
import {
  at,
  bound,
  health,
  movesOf,
  pickN,
  placementOf,
  replanned,
  roll,
  scheduled,
  unscheduled,
  untrackable,
  wakesOf,
  workOf,
} from './world.ts';

describe('stories', () => {
  /** Moves of each plan; between two, whatever moved becomes `then`, and what goes is gone. */
  function story(
    work: ReturnType<typeof workOf>,
    then: typeof health.ready | ((name: string) => readonly object[]),
    plans: number,
  ): string[] {
    const reported: string[] = [];
    let present = work;
    for (let plan = 0; plan < plans; plan++) {
      const rolled = roll(present, { now: at(plan * 100) });
      reported.push(rolled.bindings.map(({ binding, move }) => `${binding.targetCluster}:${move}`).join(' '));
      present = {
        ...replanned(rolled),
        bindings: replanned(rolled)
          .bindings.filter(({ binding }) => !binding.deleting)
          .map(({ binding, move }, index) => {
            const moved = ['add', 'update'].includes(rolled.bindings.filter((it) => !it.binding.deleting)[index]!.move);
            const next = typeof then === 'function' ? then(binding.targetCluster) : then;
            return {
              move,
              binding: moved ? { ...binding, conditions: [...next] as typeof binding.conditions } : binding,
            };
          }),
      };
    }
    return reported;
  }
  it('surge: new clusters are added before old ones are removed', () => {
    const placement = placementOf(pickN(2), { maxUnavailable: 0, maxSurge: 1 });
    const moving = workOf(placement, [
      unscheduled('a', health.ready),
      unscheduled('b', health.ready),
      scheduled('c'),
      scheduled('d'),
    ]);
    expect(story(moving, health.ready, 4)).toEqual([
      'a:wait b:wait c:add d:wait',
      'a:remove b:wait c:keep d:wait',
      'b:wait c:keep d:add',
      'b:remove c:keep d:keep',
    ]);
  });
  it('zero unavailable: nothing is updated in place, whatever the surge', () => {
    const placement = placementOf(pickN(2), { maxUnavailable: 0, maxSurge: '100%' });
    expect(
      story(workOf(placement, [bound('a', 0, health.ready), bound('b', 0, health.ready)]), health.ready, 2),
    ).toEqual(['a:wait b:wait', 'a:wait b:wait']);
  });
  it('a cluster that fails on the new version stops the rollout; the next version overtakes it', () => {
    const placement = placementOf(pickN(3), { maxUnavailable: 1, maxSurge: 0 });
    const work = workOf(
      placement,
      ['a', 'b', 'c'].map((name) => bound(name, 0, health.ready)),
    );
    expect(story(work, (name) => (name === 'b' ? health.unavailable : health.ready), 4)).toEqual([
      'a:update b:wait c:wait',
      'a:keep b:update c:wait',
      'a:keep b:keep c:wait',
      'a:keep b:keep c:wait',
    ]);
    const stuck = [bound('a', 1, health.ready), bound('b', 1, health.unavailable), bound('c', 0, health.ready)];
    const fixed = { ...workOf(placement, stuck), resourceSnapshots: [{ index: 1 }, { index: 2, latest: true }] };
    expect(story(fixed, health.ready, 3)).toEqual([
      'a:wait b:update c:wait',
      'a:update b:keep c:wait',
      'a:keep b:keep c:update',
    ]);
  });
  it('untrackable resources: each wave waits for the period of the one before', () => {
    const placement = placementOf(pickN(2), { maxUnavailable: 1, maxSurge: 0 });
    const first = roll(workOf(placement, [bound('a', 0, untrackable(-99)), bound('b', 0, untrackable(-99))]));
    expect(movesOf(first)).toEqual(['update', 'wait']);
    const applied = replanned(first);
    const present = {
      ...applied,
      bindings: [{ move: 'keep' as const, binding: bound('a', 1, untrackable(5)) }, applied.bindings[1]!],
    };
    expect(wakesOf(roll(present, { now: at(5) }))).toEqual([at(65)]);
    expect(movesOf(roll(present, { now: at(65) }))).toEqual(['keep', 'wait']);
    expect(movesOf(roll(present, { now: at(66) }))).toEqual(['keep', 'update']);
  });
});
