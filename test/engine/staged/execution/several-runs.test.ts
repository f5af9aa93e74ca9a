import { describe, expect, it } from 'vitest';
import { at, bound, runOf } from '../world.ts';
import { names, update } from './update.ts';

describe('stop and resume', () => {
  const stopped = { runs: [runOf({ state: 'Stop' })] };
  it('follows clusters in flight, starts none, and is stopped when none is in flight', () => {
    const rollout = update({ maxConcurrency: 2 }).plan().change(stopped).plan(10);
    expect(rollout.reads[1]).toBe('Progressing=Unknown/UpdateRunStopping');
    expect(rollout.stages['all']).toContain('Progressing=Unknown/StageUpdatingStopping');
    rollout.ready('a').plan(20);
    expect(rollout.stages['all']).toContain(
      'a: Started=True/ClusterUpdatingStarted Succeeded=True/ClusterUpdatingSucceeded; b: Started=True/ClusterUpdatingStarted; c: ;',
    );
    expect(rollout.plan(310).reads[1]).toBe('Progressing=False/UpdateRunStuck');
    rollout.ready('b').plan(320);
    expect(rollout.reads[1]).toBe('Progressing=False/UpdateRunStopped');
    expect(rollout.stages['all']).toContain('Progressing=False/StageUpdatingStopped');
    rollout.change({ runs: [runOf({ state: 'Run' })] }).plan(330);
    expect(rollout.reads[1]).toBe('Progressing=True/UpdateRunProgressing');
    expect(rollout.moves).toEqual([
      'a Bound 1 keep',
      'b Bound 1 keep',
      'c Bound 1 update',
      'd Bound 1 update',
      'e Bound 0 wait',
    ]);
  });
  it('a soak counts real time since the stage finished, stopped or not', () => {
    const rollout = update({ maxConcurrency: '100%', afterStageTasks: [{ type: 'TimedWait', waitTime: '10m' }] })
      .plan()
      .ready(...names)
      .plan(100);
    expect(rollout.outcome.holds.map(({ until }) => until)).toEqual([at(700)]);
    rollout.change(stopped).plan(200);
    expect(rollout.reads[1]).toBe('Progressing=False/UpdateRunStopped');
    rollout.change({ runs: [runOf({ state: 'Run' })] }).plan(650);
    expect(rollout.outcome.holds.map(({ reason, until }) => [reason, until])).toEqual([['WaitingForTime', at(700)]]);
    expect(rollout.plan(700).reads).toContain('Succeeded=True/UpdateRunSucceeded');
  });
});

describe('two runs on one placement', () => {
  const two = [runOf({ name: 'b-run' }), runOf({ name: 'a-run' })];
  it('by name when neither has started, the other is held and moves nothing', () => {
    const rollout = update({ maxConcurrency: '100%' }, { runs: two }).plan();
    expect(rollout.outcome.holds.map(({ reason, subject }) => [reason, subject.name])).toEqual([
      ['OtherRunActive', 'b-run'],
    ]);
    expect(
      rollout.outcome.runs.map(({ name, status }) => [name, status.conditions!.map(({ reason }) => reason).at(-1)]),
    ).toEqual([
      ['a-run', 'UpdateRunProgressing'],
      ['b-run', 'UpdateRunInitializedSuccessfully'],
    ]);
  });
  it('the one that has started continues although another name comes first', () => {
    const rollout = update({}, { runs: [two[0]!] })
      .plan()
      .change({ runs: two })
      .plan(10);
    expect(
      rollout.outcome.holds.filter(({ reason }) => reason === 'OtherRunActive').map(({ subject }) => subject.name),
    ).toEqual(['a-run']);
  });
  it('the other starts in the plan in which the first ends', () => {
    const rollout = update({ maxConcurrency: '100%' }, { runs: two })
      .plan()
      .ready(...names)
      .plan(10);
    expect(rollout.outcome.runs.map(({ status }) => status.conditions!.at(-1)!.reason)).toEqual([
      'UpdateRunSucceeded',
      'UpdateRunSucceeded',
    ]);
  });
  it('a stopped run does not block, and waits when it is resumed while the other is active', () => {
    const [b, a] = two;
    const rollout = update({}, { runs: two })
      .plan()
      .ready('a')
      .change({ runs: [b!, runOf({ name: 'a-run', state: 'Stop' })] })
      .plan(10);
    expect(rollout.outcome.runs[1]!.status.conditions!.at(-1)!.reason).toBe('UpdateRunProgressing');
    rollout.change({ runs: [b!, a!] }).plan(20);
    expect(
      rollout.outcome.holds.filter(({ reason }) => reason === 'OtherRunActive').map(({ subject }) => subject.name),
    ).toEqual(['a-run']);
  });
  it('names the file whose removal ends a run that can neither succeed nor stop, and the other continues then', () => {
    const [b, a] = two;
    const wayOut = 'remove run a-run (runs/a-run.yaml), which ends it and leaves its clusters as they are';
    const rollout = update(
      { maxConcurrency: '100%' },
      { runs: two, sources: new Map([['ClusterStagedUpdateRun//a-run', { file: 'runs/a-run.yaml', line: 1 }]]) },
    )
      .plan()
      .plan(300)
      .change({ runs: [b!, runOf({ name: 'a-run', state: 'Stop' })] })
      .plan(310);
    expect(rollout.outcome.runs[0]!.status.conditions!.at(-1)!.message).toBe(
      `the update run is stuck waiting for 5 cluster(s) in stage all to become available: a, b, c...; if they cannot, ${wayOut}`,
    );
    expect(rollout.outcome.holds.map(({ reason, message }) => [reason, message])).toEqual([
      [
        'OtherRunActive',
        `run b-run is waiting for run a-run of the same placement to finish or stop; if it cannot, ${wayOut}`,
      ],
    ]);
    rollout.change({ runs: [b!, a!] }).plan(320);
    rollout.change({ runs: [b!] }).plan(330);
    expect(rollout.reads).toContain('Progressing=True/UpdateRunProgressing');
    expect(rollout.outcome.holds).toEqual([]);
  });
  it('one in Initialize does not block', () => {
    const rollout = update({}, { runs: [two[0]!, runOf({ name: 'a-run', state: 'Initialize' })] }).plan();
    expect(rollout.outcome.holds.map(({ reason }) => reason)).toEqual(['RolloutBudget']);
  });
});

describe('rollback', () => {
  it('a run with an older index rolls back, with the overrides that overridesFor gives for that index', () => {
    const asked: number[] = [];
    const rollout = update(
      { maxConcurrency: '100%' },
      {
        runs: [runOf({ resourceSnapshotIndex: '0' })],
        overridesFor: (_, __, index) => {
          asked.push(index);
          return {};
        },
      },
      { bindings: names.map((name) => bound(name, 1)), snapshots: [0, 1] },
    ).plan();
    expect(rollout.moves).toEqual(names.map((name) => `${name} Bound 0 update`));
    expect(new Set(asked)).toEqual(new Set([0]));
  });
});

describe('a lost record', () => {
  it('holds a run until its file changes', () => {
    const rollout = update({}, { recordLost: true }).plan();
    expect(rollout.holds).toEqual(['RecordLost']);
    expect(rollout.status).toEqual({});
    rollout.change({ recordLost: false }).plan(10);
    expect(rollout.holds).toEqual(['RecordLost']);
    rollout.change({ runs: [runOf({ state: 'Run' })] }).plan(20);
    expect(rollout.reads).toContain('Progressing=True/UpdateRunProgressing');
  });
});
