import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ApprovalRequest } from '../../src/api/staged.ts';
import type { Plan } from '../../src/engine/plan-document.ts';
import { type RunInputs, runInputs } from '../../src/engine/reuse/run-inputs.ts';
import { drawn } from '../support/law-runs.ts';
import { deployment, member, PaperFleet, placement } from '../support/paper-fleet.ts';
import { eachSettled, expectNoticed, type Forgery } from './forgery.ts';
import { runFile, type Stage, strategyFile } from './staged-files.ts';
import { StagedFleet, stagedStories } from './staged-fleet.ts';
import { disruptionBudget, frozen } from './texts.ts';

describe('a plan made with what an earlier one left of a placement with update runs', () => {
  it('is the plan made without, byte for byte, whatever happens', async () => {
    const waitedFor = new Set<string>();
    await fc.assert(
      // PaperFleet plans everything with and without, and compares.
      fc.asyncProperty(stagedStories, async ({ given, happenings }) => {
        const fleet = new StagedFleet(given);
        let before = await fleet.look();
        for (const happening of happenings) {
          fleet.happens(happening);
          if (happening.amount % 2 === 0) fleet.paper.deliver();
          for (const _ of ['what follows', 'what comes to rest', 'what is taken over']) {
            const plan = await fleet.look();
            if (isTakenOver(plan, before)) for (const { reason } of plan.holds) waitedFor.add(reason);
            before = plan;
            fleet.paper.pass(1);
          }
        }
      }),
      drawn(20, 20261122),
    );
    expect([...waitedFor]).toEqual(
      expect.arrayContaining(['Freeze', 'RolloutBudget', 'WaitingForApproval', 'WaitingForTime']),
    );
  });

  it('takes over a placement whose run waits, and one whose runs are over', async () => {
    const paper = fleet({ asksAfter: true });
    const waiting = await paper.settle();
    paper.pass(1);
    expect(isTakenOver(await paper.plan(), waiting)).toBe(true);
    approve(paper, waiting);
    const over = await paper.settle();
    expect(over.runs[0]!.status.conditions).toContainEqual(expect.objectContaining({ type: 'Succeeded' }));
    paper.pass(1);
    expect(isTakenOver(await paper.plan(), over)).toBe(true);
  });

  it('is the plan made without where what the earlier one made of a run was not published', async () => {
    const paper = await betweenGates('none');
    const published = paper.record;
    approve(paper, paper.last!.plan);
    await paper.plan();
    expect(paper.record).not.toEqual(published);
    paper.record = published;
    paper.pass(1);
    await paper.plan();
  });

  // Each comparison is needed, and the law above can fail.
  it.each<[part: string, at: () => Promise<PaperFleet>, change: (paper: PaperFleet) => void, forge: Forgery]>([
    [
      'the file of a run',
      () => atRest(fleet({ asksAfter: true })),
      ({ files }) => (files['run.yaml'] = runFile('r1', 'Stop', undefined)),
      ofRun(({ run }) => ({ run })),
    ],
    [
      'the path of the file of a run',
      stuck,
      ({ files }) => {
        files['runs/r1.yaml'] = files['run.yaml']!;
        delete files['run.yaml'];
      },
      ofRun(({ file }) => ({ file })),
    ],
    [
      'what was published of a run',
      () => atRest(fleet({ asksAfter: true })),
      (paper) => aged(paper, 'runs/r1.yaml'),
      ofRun(({ recorded }) => ({ recorded })),
    ],
    [
      'the strategy of a run',
      async () => {
        const paper = fleet({});
        delete paper.files['strategy.yaml'];
        return await atRest(paper);
      },
      ({ files }) => (files['strategy.yaml'] = strategyOf({})),
      ofRun(({ strategy }) => ({ strategy })),
    ],
    [
      'the answer on main to a gate',
      () => atRest(fleet({ asksAfter: true })),
      (paper) => approve(paper, paper.last!.plan),
      ofGates(({ answer }) => ({ answer })),
    ],
    [
      'what was published of an approval',
      () => betweenGates('one'),
      (paper) => aged(paper, 'approvals/r1-after-dev.yaml'),
      ofGates(({ recorded }) => ({ recorded })),
    ],
    [
      'whether a missing approval is known to be missing',
      async () => {
        const paper = await betweenGates('one');
        paper.files['spoiled.yaml'] = 'apiVersion: [';
        delete paper.files['approvals/r1-after-dev.yaml'];
        return await atRest(paper);
      },
      ({ files }) => delete files['spoiled.yaml'],
      ofRuns(({ absenceIsCertain }) => ({ absenceIsCertain })),
    ],
    [
      'the freeze that it is under',
      async () => {
        const paper = fleet({});
        paper.files['fleet.yaml'] = frozen;
        return await atRest(paper);
      },
      ({ files }) => delete files['fleet.yaml'],
      ofRuns(({ pause }) => ({ pause })),
    ],
    [
      'its disruption budget',
      async () => {
        const paper = await atRest(fleet({}));
        paper.files['resources/web.yaml'] = deployment('web', 'web', 'web:2');
        paper.files['run.yaml'] = runFile('r2', 'Run', undefined);
        paper.files['budget.yaml'] = disruptionBudget('web', '{minAvailable: 2}', true);
        return await atRest(paper);
      },
      ({ files }) => delete files['budget.yaml'],
      ofRuns(({ budget }) => ({ budget })),
    ],
    [
      'the time that it waits until',
      () => atRest(fleet({ waits: true })),
      (paper) => paper.pass(60),
      ofTime({ from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY }),
    ],
    [
      'the time since when it waits',
      stuck,
      (paper) => paper.pass(-200),
      ofTime({ from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY }),
    ],
  ])('would not be that plan if %s were taken to be as it was', async (_, at, change, forge) => {
    const paper = await at();
    await expectNoticed(paper, () => change(paper), forge);
  });
});

const isTakenOver = (plan: Plan, before: Plan): boolean => webOf(plan) !== undefined && webOf(plan) === webOf(before);
const webOf = (plan: Plan) => plan.placements.find(({ name }) => name === 'web');

/** One cluster in each of two stages, of which the first is as asked for. */
const fleet = (dev: Partial<Stage>): PaperFleet =>
  new PaperFleet({
    'clusters/a.yaml': member('a', { env: 'dev' }),
    'clusters/b.yaml': member('b', { env: 'prod' }),
    'resources/web.yaml': deployment('web', 'web', 'web:1'),
    'web.yaml': placement('web', '{placementType: PickAll}', '{type: External}'),
    'strategy.yaml': strategyOf(dev),
    'run.yaml': runFile('r1', 'Run', undefined),
  });

const strategyOf = (dev: Partial<Stage>, prod: Partial<Stage> = {}): string => {
  const plain = { maxConcurrency: 1, asksBefore: false, asksAfter: false, waits: false };
  return strategyFile([
    { ...plain, environment: 'dev', ...dev },
    { ...plain, environment: 'prod', ...prod },
  ]);
};

/** Nothing follows any more, and this was planned with. */
async function atRest(paper: PaperFleet): Promise<PaperFleet> {
  await paper.settle();
  paper.pass(1);
  await paper.plan();
  return paper;
}

/** The first cluster does not become available, which the status tells after a while, with the file whose removal ends that. */
async function stuck(): Promise<PaperFleet> {
  const paper = fleet({});
  paper.broken.add('a/Deployment/web');
  await atRest(paper);
  paper.pass(300);
  return await atRest(paper);
}

/** The first stage is done; between it and the second there are two gates. */
async function betweenGates(passed: 'none' | 'one'): Promise<PaperFleet> {
  const paper = fleet({});
  paper.files['strategy.yaml'] = strategyOf({ asksAfter: true }, { asksBefore: true });
  await atRest(paper);
  if (passed === 'one') approve(paper, paper.last!.plan);
  return await atRest(paper);
}

function approve(paper: PaperFleet, { approvals }: Plan): void {
  const file = approvals.at(-1)!.file!.object as ApprovalRequest;
  paper.files[`approvals/${file.metadata.name}.yaml`] = JSON.stringify(file);
}

/** What it says was so a year before. */
function aged(paper: PaperFleet, path: string): void {
  const text = paper.record.get(path)!.replace(/(lastTransitionTime: "?)2026/, '$12025');
  expect(text).not.toBe(paper.record.get(path));
  paper.record = new Map([...paper.record, [path, text]]);
}

type Run = RunInputs['runs'][number];

const ofRuns = (part: (now: RunInputs, was: RunInputs) => Partial<RunInputs>): Forgery =>
  eachSettled((settled, world) => {
    const { outcome, runs, runInputs: was } = settled;
    const now = runInputs(outcome.work, runs?.recorded ?? [], world);
    return { ...settled, runInputs: was && now && { ...was, ...part(now, was) } };
  });

const ofRun = (part: (now: Run, was: Run) => Partial<Run>): Forgery =>
  ofRuns((now, was) => ({ runs: was.runs.map((run, at) => ({ ...run, ...part(now.runs[at]!, run) })) }));

const ofGates = (part: (now: Run['gates'][number]) => Partial<Run['gates'][number]>): Forgery =>
  ofRun((now, was) => ({ gates: was.gates.map((gate, at) => ({ ...gate, ...part(now.gates[at]!) })) }));

const ofTime = (stands: { readonly from: number; readonly until: number }): Forgery =>
  eachSettled((settled) => ({ ...settled, stands }));
