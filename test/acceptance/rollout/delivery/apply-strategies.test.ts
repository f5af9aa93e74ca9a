import { describe, expect, it } from 'vitest';
import type { Document } from '../../../support/folders.ts';
import { all, app, at, bindingOn, held, holds, moves, namespace, placement, webOn } from '../world.ts';
import { applying, result, settled, shows, statusOf } from './settled.ts';

describe('takeover', () => {
  it('IfNoDiff that is refused shows the differences and keeps the rollout there', async () => {
    const story = webOn('a b', all, applying('{whenToTakeOver: IfNoDiff}'));
    const diffs = [{ path: '/spec/replicas', valueInMember: '9', valueInHub: '2' }];
    story.seen = {};
    await story.plan();
    story.seen = {
      a: shows(result('FailedToTakeOver', { message: 'it differs', details: diffs }), [namespace]),
      b: holds(0),
    };
    const step = await story.plan(10);
    expect(statusOf(step).diffedPlacements).toEqual([
      {
        group: 'apps',
        version: 'v1',
        kind: 'Deployment',
        namespace: 'web',
        name: 'web',
        observationTime: at(10),
        firstDiffedObservedTime: at(10),
        observedDiffs: diffs,
      },
    ]);
    expect(statusOf(step).failedPlacements[0].condition).toMatchObject({ type: 'Applied', reason: 'FailedToTakeOver' });
    expect(statusOf(step).driftedPlacements).toBeUndefined();
    // The next version overtakes it at once, b waits for the budget: N = 2, one ready, one may be missing.
    story.files['resources/web.yaml'] = app('web:2');
    expect(moves(await story.plan(20))).toEqual(['a Bound 1 update', 'b Bound 0 wait']);
  });
});

describe('apply strategies', () => {
  it.each([
    '{type: ServerSideApply, serverSideApplyConfig: {force: true}}',
    '{type: ServerSideApply}',
    '{whenToTakeOver: Never}',
    '{allowCoOwnership: true}',
    '{comparisonOption: FullComparison, whenToApply: IfNotDrifted}',
  ])('a change to %s alone moves nothing, on no cluster', async (strategy) => {
    const story = await settled();
    await story.plan(10);
    story.files['web.yaml'] = placement(all, applying(strategy));
    const step = await story.plan(20);
    expect([moves(step), held(step), step.code]).toEqual([['a Bound 0 keep', 'b Bound 0 keep'], [], 1]);
    expect((await story.plan(30)).code).toBe(0);
  });

  it('a change of a binding in a hand-written record alone is something to do, once', async () => {
    const story = await settled();
    const state = 'placements/web/state.yaml';
    const was = 'applyStrategy: {type: ServerSideApply, serverSideApplyConfig: {force: true}}';
    const byHand = story.record[state]!.replaceAll('{targetCluster: ', `{${was}, targetCluster: `);
    story.record = {
      [state]: byHand,
      'placements/web/snapshots/0.yaml': story.record['placements/web/snapshots/0.yaml']!,
    };
    const step = await story.plan(10);
    expect(step.plan.placements[0].bindings.map(({ move, reapply }: Document) => [move, reapply])).toEqual([
      ['keep', true],
      ['keep', true],
    ]);
    expect([step.code, (await story.plan(20)).code]).toEqual([1, 0]);
  });

  it('ClientSideApply is reported once as applied on the server', async () => {
    const story = await settled();
    const { conditions } = bindingOn(await story.plan(10), 'a');
    expect(conditions.filter(({ message }: Document) => /server-side apply/.test(message))).toHaveLength(1);
  });
});
