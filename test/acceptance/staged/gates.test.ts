import { describe, expect, it } from 'vitest';
import { at } from '../rollout/world.ts';
import {
  approval,
  canary,
  delivered,
  failed,
  handWritten,
  held,
  initialized,
  prod,
  progressing,
  requests,
  run,
  runWords,
  saidOf,
  staged as stagedBy,
  stageSucceeded,
  stageWords,
  succeeded,
  tasks,
  waiting,
} from './world.ts';

const staged = (...of: Parameters<typeof stagedBy>) => {
  const story = stagedBy(...of);
  Object.assign(story.files, handWritten);
  return story;
};

const created = 'ApprovalRequestCreated=True/StageTaskApprovalRequestCreated';
const approved = `${created} ApprovalRequestApproved=True/StageTaskApprovalRequestApproved`;
const soaked = 'WaitTimeElapsed=True/AfterStageTaskWaitTimeElapsed';
const targeted = ({ plan }: Awaited<ReturnType<ReturnType<typeof staged>['plan']>>): string[] =>
  plan.targets.map(({ clusterName }: { readonly clusterName: string }) => clusterName);

describe('a gate before a stage', () => {
  const gated = () => staged([`${canary}, beforeStageTasks: [{type: Approval}]`, prod]);

  it('is requested before anything starts', async () => {
    const story = gated();
    const step = await story.plan();
    expect(runWords(step)).toBe(waiting);
    expect(stageWords(step, 'canary')).toBe('Progressing=False/StageUpdatingWaiting');
    expect(tasks(step, 'canary')).toEqual([`Approval: ${created}`]);
    expect(requests(step)).toEqual(['web-1-before-canary']);
    expect(held(step).filter((line) => line.startsWith('Waiting'))).toEqual(['WaitingForApproval web-1/canary']);
    expect(step.plan.wakeAt).toBeUndefined();
    expect(targeted(step)).toEqual([]);
  });

  it('opens in the plan in which the answer is there, and needs its file no more once something started', async () => {
    const story = gated();
    await story.plan();
    story.files['approvals/yes.yaml'] = approval('web-1-before-canary', 'canary');
    const open = await story.plan(10);
    expect(targeted(open)).toEqual(['eu-1']);
    expect(tasks(open, 'canary')).toEqual([`Approval: ${approved}`]);
    expect(requests(open)[0]).toMatch(/^web-1-before-canary Approved=True\/Reviewed.*ApprovalAccepted=True/);
    const { 'approvals/yes.yaml': _, ...rest } = story.files;
    story.files = rest;
    expect(runWords(await story.plan(20))).toBe(progressing);
  });
});

describe('tasks after a stage', () => {
  const gated = () =>
    staged([`${canary}, afterStageTasks: [{type: TimedWait, waitTime: 10m}, {type: Approval}]`, prod]);
  const done = async () => {
    const story = gated();
    const first = await story.plan();
    expect(requests(first)).toEqual([]);
    story.seen = delivered(first);
    return { story, step: await story.plan(100) };
  };

  it('start together when the last cluster is done: the soak from there, the request with it', async () => {
    const { step } = await done();
    expect(runWords(step)).toBe(waiting);
    expect(tasks(step, 'canary')).toEqual(['TimedWait: ', `Approval: ${created}`]);
    expect(held(step).filter((line) => line.startsWith('Waiting'))).toEqual([
      'WaitingForApproval web-1/canary',
      `WaitingForTime web-1/canary until ${at(700)}`,
    ]);
    expect(step.plan.wakeAt).toBe(at(700));
  });

  it('must both pass, in whatever order', async () => {
    for (const answerAt of [200, 800]) {
      const { story } = await done();
      if (answerAt > 700) {
        const soakedOnly = await story.plan(700);
        expect(tasks(soakedOnly, 'canary')).toEqual([`TimedWait: ${soaked}`, `Approval: ${created}`]);
        expect(targeted(soakedOnly)).toEqual(['eu-1']);
      }
      story.files['approvals/yes.yaml'] = approval('web-1-after-canary', 'canary');
      const answered = await story.plan(answerAt);
      if (answerAt < 700) {
        expect(targeted(answered)).toEqual(['eu-1']);
        expect(runWords(await story.plan(699))).toBe(waiting);
      }
      const through = answerAt < 700 ? await story.plan(700) : answered;
      expect(stageWords(through, 'canary')).toBe(stageSucceeded);
      expect(targeted(through)).toEqual(['eu-1', 'us-1']);
    }
  });

  it('of the last stage must pass before the run succeeds', async () => {
    const story = staged([`${canary}, afterStageTasks: [{type: TimedWait, waitTime: 1m}]`]);
    story.files = Object.fromEntries(Object.entries(story.files).filter(([path]) => !path.startsWith('clusters/us-')));
    story.seen = delivered(await story.plan());
    expect(runWords(await story.plan(10))).toBe(waiting);
    expect(runWords(await story.plan(70))).toBe(succeeded);
  });

  it.each([
    ['the older name of an after-stage approval', approval('web-1-canary', 'canary'), `${initialized} Progressing=`],
    [
      'a no',
      approval('web-1-after-canary', 'canary', { status: 'False' }),
      `${initialized} Progressing=False/ApprovalRejected`,
    ],
    ['another stage’s file under this name', approval('web-1-after-canary', 'prod'), failed],
    ['another run’s file under this name', approval('web-1-after-canary', 'canary', { of: 'web-2' }), failed],
  ])('%s is read as what it is', async (_, text, words) => {
    const { story } = await done();
    story.files['approvals/answer.yaml'] = text;
    const step = await story.plan(200);
    expect(runWords(step).startsWith(words)).toBe(true);
  });

  it('a withdrawn yes closes the gate passed last until the next cluster starts', async () => {
    const story = staged([
      `${canary}, afterStageTasks: [{type: Approval}]`,
      `${prod}, beforeStageTasks: [{type: Approval}]`,
    ]);
    story.seen = delivered(await story.plan());
    await story.plan(10);
    story.files['approvals/yes.yaml'] = approval('web-1-after-canary', 'canary');
    expect(stageWords(await story.plan(20), 'canary')).toBe(stageSucceeded);
    const { 'approvals/yes.yaml': yes, ...without } = story.files;
    story.files = without;
    const taken = await story.plan(30);
    expect(held(taken)).toContain('ApprovalWithdrawn web-1/canary');
    expect(runWords(taken)).toBe(waiting);
    story.files['approvals/yes.yaml'] = yes!;
    story.files['approvals/more.yaml'] = approval('web-1-before-prod', 'prod');
    expect(targeted(await story.plan(40))).toEqual(['eu-1', 'us-1']);
    story.files = without;
    expect(runWords(await story.plan(50))).toBe(progressing);
  });
});

describe('a request', () => {
  it('names run, stage and a review that depends on nothing but what is reviewed', async () => {
    const story = staged([`${canary}, beforeStageTasks: [{type: Approval}]`, prod]);
    const { plan } = await story.plan();
    const [request] = plan.approvals;
    expect({ ...request, reviewDigest: '' }).toEqual({
      kind: 'ClusterApprovalRequest',
      name: 'web-1-before-canary',
      spec: { parentStageRollout: 'web-1', targetStage: 'canary' },
      status: { conditions: [] },
      reviewDigest: '',
    });
    story.files['README.yaml'] = 'a: 1\n';
    story.files['clusters/eu-1.yaml'] = story.files['clusters/eu-1.yaml']!.replace('canary', 'canary", "tier": "1');
    expect((await story.plan(600)).plan.approvals[0].reviewDigest).toBe(request.reviewDigest);
  });

  it('goes with the run it belongs to', async () => {
    const story = staged([`${canary}, beforeStageTasks: [{type: Approval}]`, prod]);
    await story.plan();
    const { 'run.yaml': _, ...rest } = story.files;
    story.files = rest;
    const { plan } = await story.plan(10);
    expect([plan.runs, plan.approvals, plan.holds]).toEqual([[], [], []]);
    expect(Object.keys(plan.record).filter((path) => /^(runs|approvals)\//.test(path))).toEqual([]);
  });

  it('of a run that stops is not read until it runs again', async () => {
    const story = staged([`${canary}, beforeStageTasks: [{type: Approval}]`, prod]);
    await story.plan();
    story.files['run.yaml'] = run('web-1', ', state: Stop');
    story.files['approvals/yes.yaml'] = approval('web-1-before-canary', 'canary');
    const stopped = await story.plan(10);
    expect(runWords(stopped)).toBe(`${initialized} Progressing=False/UpdateRunStopped`);
    expect(saidOf(stopped, 'Progressing')).toContain('canary');
    story.files['run.yaml'] = run('web-1', ', state: Run');
    expect(targeted(await story.plan(20))).toEqual(['eu-1']);
  });
});

describe('an approval or a run in a file whose path differs from another only in case', () => {
  const gate = [`${canary}, beforeStageTasks: [{type: Approval}]`, prod];
  const yes = approval('web-1-before-canary', 'canary');
  const collisions = ({ plan }: Awaited<ReturnType<ReturnType<typeof staged>['plan']>>): string[] =>
    plan.problems.map(({ severity, code, file }: { readonly [key: string]: string }) => `${severity} ${code} ${file}`);

  it('is no approval, since it is unknown which of the two a checkout would have', async () => {
    const story = staged(gate);
    await story.plan();
    Object.assign(story.files, { 'approvals/Yes.yaml': yes, 'approvals/yes.yaml': '# nothing\n' });
    const step = await story.plan(10);
    expect(collisions(step)).toEqual([
      'error case-collision approvals/Yes.yaml',
      'error case-collision approvals/yes.yaml',
    ]);
    expect(runWords(step)).toBe(waiting);
    expect(targeted(step)).toEqual([]);
    story.files = Object.fromEntries(Object.entries(story.files).filter(([path]) => path !== 'approvals/yes.yaml'));
    expect(targeted(await story.plan(20))).toEqual(['eu-1']);
  });

  it('is no withdrawal either: an approval from before the second file stays', async () => {
    const story = staged(gate);
    await story.plan();
    story.files['approvals/Yes.yaml'] = yes;
    const open = await story.plan(10);
    expect(targeted(open)).toEqual(['eu-1']);
    story.files['approvals/yes.yaml'] = '# nothing\n';
    const step = await story.plan(20);
    expect(runWords(step)).toBe(runWords(open));
    expect(targeted(step)).toEqual(['eu-1']);
  });

  it('continues as last recorded where it is a run', async () => {
    const story = staged([canary, prod], { 'runs/Web-1.yaml': run() });
    const first = await story.plan();
    expect(targeted(first)).toEqual(['eu-1']);
    story.files['runs/web-1.yaml'] = '# nothing\n';
    story.seen = delivered(first);
    const step = await story.plan(100);
    expect(collisions(step)).toEqual(['error case-collision runs/Web-1.yaml', 'error case-collision runs/web-1.yaml']);
    expect(held(step)).toContain('LastGoodVersion web-1');
    expect(runWords(step)).toBe(progressing);
  });
});
