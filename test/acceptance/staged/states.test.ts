import { describe, expect, it } from 'vitest';
import { at, moves } from '../rollout/world.ts';
import {
  approval,
  canary,
  clusters,
  delivered,
  everywhere,
  held,
  initialized,
  problems,
  prod,
  progressing,
  requests,
  run,
  runs,
  runWords,
  staged,
  stageSucceeded,
  stageWords,
  succeeded,
  tasks,
  waiting,
} from './world.ts';

const inState = (state: string) => run('web-1', `, state: ${state}`);
const stopped = `${initialized} Progressing=False/UpdateRunStopped`;
const stopping = `${initialized} Progressing=Unknown/UpdateRunStopping`;

describe('spec.state', () => {
  it('Initialize initializes and starts nothing; Run continues from there', async () => {
    const story = staged([canary, prod], { 'run.yaml': inState('Initialize') });
    expect(runWords(await story.plan())).toBe(initialized);
    story.files['run.yaml'] = inState('Run');
    const step = await story.plan(10);
    expect([runWords(step), moves(step)[0]]).toEqual([progressing, 'eu-1 Bound 0 add']);
  });

  it('Stop from the beginning initializes and reads stopped', async () => {
    const story = staged([canary, prod], { 'run.yaml': inState('Stop') });
    const step = await story.plan();
    expect([runWords(step), stageWords(step, 'canary')]).toEqual([stopped, 'Progressing=False/StageUpdatingStopped']);
    expect(moves(step).every((move) => move.endsWith('Scheduled - keep'))).toBe(true);
  });

  it.each([
    ['Initialize', 'Stop'],
    ['Run', 'Initialize'],
    ['Stop', 'Initialize'],
  ])('may not change from %s to %s: the run does not change', async (before, after) => {
    const story = staged([canary, prod], { 'run.yaml': inState(before) });
    const words = runWords(await story.plan());
    story.files['run.yaml'] = inState(after);
    const step = await story.plan(10);
    expect(runWords(step)).toBe(words);
    expect([step.code, problems(step)]).toEqual([2, ['error run.yaml:5 spec.state']]);
    expect(held(step)).toContain('StateTransitionDenied web-1');
    expect(step.file('runs/web-1.yaml').spec.state).toBe(before);
    // Still denied in the pass after.
    expect((await story.plan(20)).code).toBe(2);
  });

  it('Stop follows what is in flight, starts nothing, and Run takes it up again', async () => {
    const story = staged([`${everywhere}, maxConcurrency: 2`], { 'run.yaml': inState('Run') });
    await story.plan();
    story.seen = { 'eu-1': runs(0), 'us-1': runs(0, 0) };
    story.files['run.yaml'] = inState('Stop');
    const going = await story.plan(10);
    expect([runWords(going), stageWords(going, 'all')]).toEqual([
      stopping,
      'Progressing=Unknown/StageUpdatingStopping',
    ]);
    expect(clusters(going, 'all')).toEqual(['eu-1 Started Succeeded', 'us-1 Started', 'us-2', 'us-3']);
    expect(moves(going).slice(2)).toEqual(['us-2 Scheduled - keep', 'us-3 Scheduled - keep']);
    expect((await story.plan(400)).plan.runs[0].status.conditions[1].reason).toBe('UpdateRunStuck');
    story.seen = { 'eu-1': runs(0), 'us-1': runs(0) };
    const done = await story.plan(410);
    expect([runWords(done), stageWords(done, 'all')]).toEqual([stopped, 'Progressing=False/StageUpdatingStopped']);
    story.files['run.yaml'] = inState('Run');
    const again = await story.plan(420);
    expect(clusters(again, 'all').slice(2)).toEqual(['us-2 Started', 'us-3 Started']);
    expect(runWords(again)).toBe(progressing);
  });

  it('changes nothing about a run that is over', async () => {
    const story = staged([`${everywhere}, maxConcurrency: 100%`]);
    story.seen = delivered(await story.plan());
    expect(runWords(await story.plan(10))).toBe(succeeded);
    story.files['run.yaml'] = inState('Stop');
    expect(runWords(await story.plan(20))).toBe(succeeded);
  });
});

describe('a soak', () => {
  const soaking = `${canary}, afterStageTasks: [{type: TimedWait, waitTime: 90m}]`;

  it('counts from the moment the stage was done and ends to the second', async () => {
    const story = staged([soaking, prod]);
    await story.plan();
    story.seen = { 'eu-1': runs(0) };
    const begun = await story.plan(60);
    expect(held(begun)).toEqual([`WaitingForTime web-1/canary until ${at(5460)}`]);
    expect([begun.plan.wakeAt, begun.code, tasks(begun, 'canary')]).toEqual([at(5460), 0, ['TimedWait: ']]);
    expect(begun.plan.holds[0].message).toContain('1h30m0s');
    expect(runWords(await story.plan(5459))).toBe(waiting);
    const over = await story.plan(5460);
    expect(tasks(over, 'canary')).toEqual(['TimedWait: WaitTimeElapsed=True/AfterStageTaskWaitTimeElapsed']);
    expect([stageWords(over, 'canary'), clusters(over, 'prod')[0]]).toEqual([stageSucceeded, 'us-1 Started']);
  });

  it('continues while the run is stopped', async () => {
    const story = staged([soaking, prod], { 'run.yaml': inState('Run') });
    await story.plan();
    story.seen = { 'eu-1': runs(0) };
    await story.plan(60);
    story.files['run.yaml'] = inState('Stop');
    const step = await story.plan(100);
    expect([runWords(step), held(step)]).toEqual([stopped, []]);
    expect(clusters(await story.plan(6000), 'prod')).toEqual(['us-1', 'us-2', 'us-3']);
    story.files['run.yaml'] = inState('Run');
    expect(clusters(await story.plan(6001), 'prod')[0]).toBe('us-1 Started');
  });

  it('and an approval run at the same time; an approval given while stopped counts when the run resumes', async () => {
    const both = `${canary}, afterStageTasks: [{type: TimedWait, waitTime: 1h}, {type: Approval}]`;
    const story = staged([both, prod], { 'run.yaml': inState('Run') });
    await story.plan();
    story.seen = { 'eu-1': runs(0) };
    const asked = await story.plan(10);
    expect(held(asked)).toEqual(['WaitingForApproval web-1/canary', `WaitingForTime web-1/canary until ${at(3610)}`]);
    expect(tasks(asked, 'canary')).toEqual([
      'TimedWait: ',
      'Approval: ApprovalRequestCreated=True/StageTaskApprovalRequestCreated',
    ]);
    story.files['run.yaml'] = inState('Stop');
    const review = asked.plan.approvals[0].reviewDigest;
    story.files['approvals/web-1-after-canary.yaml'] = approval('web-1-after-canary', 'canary', { review });
    const paused = await story.plan(20);
    expect(requests(paused)).toEqual(['web-1-after-canary Approved=True/Reviewed']);
    story.files['run.yaml'] = inState('Run');
    const accepted = await story.plan(30);
    expect(requests(accepted)).toEqual([
      'web-1-after-canary Approved=True/Reviewed ApprovalAccepted=True/ApprovalRequestApprovalAccepted',
    ]);
    expect(held(accepted)).toEqual([`WaitingForTime web-1/canary until ${at(3610)}`]);
    expect(clusters(await story.plan(3610), 'prod')[0]).toBe('us-1 Started');
  });
});
