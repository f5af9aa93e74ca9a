import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StageConfig } from '../../../src/api/staged.ts';
import { orphanRuns } from '../../../src/engine/staged/orphan-runs.ts';
import { drawn } from '../../support/law-runs.ts';
import { bound, cluster, Rollout, runOf, scheduled, stage, strategyOf, T0, words, workOf } from './world.ts';

const environments = ['one', 'two', 'three'];
const concurrency = fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constantFrom('1%', '50%', '100%'));
const tasks: fc.Arbitrary<Partial<StageConfig>> = fc.record(
  {
    beforeStageTasks: fc.constant([{ type: 'Approval' as const }]),
    afterStageTasks: fc.constantFrom(
      [{ type: 'Approval' as const }],
      [{ type: 'TimedWait' as const, waitTime: '1m' }],
      [{ type: 'TimedWait' as const, waitTime: '1m' }, { type: 'Approval' as const }],
    ),
  },
  { requiredKeys: [] },
);

describe('laws of update runs', () => {
  it('whatever the strategy, clusters and order of events: stages one by one, no cluster twice, a replan is empty, and it ends', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...environments), fc.constantFrom('new', 'old', 'leaving')), {
          maxLength: 9,
          minLength: 1,
        }),
        fc.tuple(tasks, tasks, tasks),
        fc.tuple(concurrency, concurrency, concurrency),
        fc.infiniteStream(fc.nat(99)),
        (fleet, extras, limits, events) => {
          const names = fleet.map((_, place) => `c-${place}`);
          const bindings = fleet.map(([, kind], place) =>
            kind === 'new'
              ? scheduled(names[place]!)
              : bound(names[place]!, 0, kind === 'leaving' ? { state: 'Unscheduled', previousState: 'Bound' } : {}),
          );
          const stages = environments.map((env, place) =>
            stage(env, { ...extras[place], maxConcurrency: limits[place]! }),
          );
          const rollout = new Rollout(workOf({ bindings, snapshots: [0] }), {
            strategies: [strategyOf(...stages)],
            clusters: fleet.map(([env], place) => cluster(names[place]!, env)),
          }).plan();
          for (
            let step = 0;
            step < 200 && !words(rollout.status.conditions).some((word) => word.startsWith('Succeeded'));
            step += 1
          ) {
            const luck = events.next().value ?? 0;
            if (luck % 3 === 0) rollout.ready(names[luck % names.length]!);
            else if (luck % 3 === 1) rollout.cleaned();
            for (const { planned, answer } of rollout.outcome.approvals)
              if (luck % 2 === 0 && answer === undefined) rollout.merge(planned.name);
            const started = new Set(
              rollout.outcome.work.bindings
                .filter(({ binding }) => binding.resourceSnapshotIndex === 1)
                .map(({ binding }) => binding.targetCluster),
            );
            rollout.plan(rollout.now + 5 + luck);
            for (const { binding, move } of rollout.outcome.work.bindings)
              if (move === 'add' || move === 'update') expect(started.has(binding.targetCluster)).toBe(false);
            if (step > 150) rollout.ready(...names).cleaned();
          }
          expect(rollout.reads.at(-1)).toBe('Succeeded=True/UpdateRunSucceeded');
          expect(
            rollout.outcome.work.bindings.every(
              ({ binding }) => binding.state === 'Bound' && binding.resourceSnapshotIndex === 1,
            ),
          ).toBe(true);
          expect(rollout.outcome.holds).toEqual([]);
        },
      ),
      drawn(300, 20261120),
    );
  });
});

describe('runs without their placement', () => {
  const orphans = (recorded?: ReturnType<typeof runOf>, refused = false) =>
    orphanRuns({
      runs: [runOf()],
      recordedRuns: new Map(recorded ? [['web-1', recorded]] : []),
      placementIsRefused: () => refused,
      now: T0,
      commit: 'c',
    });
  const underWay = {
    ...runOf(),
    status: { conditions: [{ type: 'Initialized', status: 'True' as const, reason: 'x' }] },
  };
  it('fail initialization for good', () => {
    const [run] = orphans().runs;
    expect(words(run!.status.conditions)).toEqual(['Initialized=False/UpdateRunInitializedFailed']);
    expect(run!.status.conditions![0]!.message).toBe('parent placement web not found');
  });
  it('fail once initialized', () => {
    expect(words(orphans(underWay).runs[0]!.status.conditions).slice(1)).toEqual([
      'Progressing=False/UpdateRunFailed',
      'Succeeded=False/UpdateRunFailed',
    ]);
  });
  it('wait while the placement’s file is invalid', () => {
    const { runs, holds } = orphans(undefined, true);
    expect(runs[0]!.status).toEqual({});
    expect(holds.map(({ reason }) => reason)).toEqual(['NotFullyScheduled']);
  });
});

describe('an approval on its branch and in the record', () => {
  it('name the same review', () => {
    const rollout = new Rollout(workOf({ bindings: [scheduled('a')] }), {
      strategies: [strategyOf(stage('one', { beforeStageTasks: [{ type: 'Approval' }] }))],
      clusters: [cluster('a', 'one')],
    }).plan();
    const [asked] = rollout.outcome.approvals;
    expect(asked!.document).toMatchObject({ value: { metadata: asked!.file.object.metadata } });
  });
});
