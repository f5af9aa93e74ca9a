import { describe, expect, it } from 'vitest';
import type { StagedUpdateRun } from '../../../../src/api/staged.ts';
import { runOf, words } from '../world.ts';
import { plan } from './setting.ts';

describe('state', () => {
  const steps = (...states: (StagedUpdateRun['spec']['state'] | undefined)[]) => {
    const [first, ...rest] = states;
    const rollout = plan({ run: { state: first } });
    let second = 0;
    for (const state of rest) {
      second += 10;
      rollout.change({ runs: [runOf({ state })] }).plan(second);
    }
    return rollout;
  };
  it('Initialize initializes and no more', () => {
    const rollout = steps('Initialize');
    expect(rollout.reads).toEqual(['Initialized=True/UpdateRunInitializedSuccessfully']);
    expect(rollout.moves).toEqual(['eu-1 Scheduled - keep', 'us-1 Scheduled - keep']);
  });
  it('no state is Run', () => {
    expect(steps(undefined).reads).toContain('Progressing=True/UpdateRunProgressing');
  });
  it('a run may be created with Stop', () => {
    expect(steps('Stop').reads).toEqual([
      'Initialized=True/UpdateRunInitializedSuccessfully',
      'Progressing=False/UpdateRunStopped',
    ]);
  });
  it.each<[StagedUpdateRun['spec']['state'] | undefined, StagedUpdateRun['spec']['state'] | undefined, string]>([
    ['Initialize', 'Stop', 'Initialize'],
    ['Run', 'Initialize', 'Run'],
    [undefined, 'Initialize', 'Run'],
    ['Stop', 'Initialize', 'Stop'],
  ])('%s to %s is denied, again and again', (from, to, kept) => {
    const rollout = steps(from, to, to);
    expect(rollout.holds).toContain('StateTransitionDenied');
    expect(rollout.outcome.problems.map(({ severity, code }) => [severity, code])).toEqual([
      ['error', 'state-transition'],
    ]);
    expect(rollout.outcome.recorded[0]!.spec.state).toBe(kept);
  });
  it.each<[StagedUpdateRun['spec']['state'] | undefined, StagedUpdateRun['spec']['state'] | undefined]>([
    ['Initialize', 'Run'],
    ['Initialize', undefined],
    ['Run', 'Stop'],
    ['Stop', 'Run'],
    [undefined, 'Stop'],
  ])('%s to %s is allowed', (from, to) => {
    const rollout = steps(from, to);
    expect(rollout.holds).not.toContain('StateTransitionDenied');
    expect(rollout.outcome.recorded[0]!.spec.state).toBe(to);
  });
  it('conditions have the present generation where the file names one', () => {
    const run = runOf();
    const rollout = plan({ input: { runs: [{ ...run, metadata: { ...run.metadata, generation: 3 } }] } });
    expect(rollout.status.conditions!.map(({ observedGeneration }) => observedGeneration)).toEqual([3, 3]);
    expect(words(rollout.status.stagesStatus![0]!.conditions)).toEqual(['Progressing=True/StageUpdatingStarted']);
  });
});
