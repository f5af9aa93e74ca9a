import { describe, expect, it } from 'vitest';
import { type Forecast, forecast } from '../../src/forecast/forecast.ts';
import { totalEffect } from '../../src/forecast/total-effect.ts';
import { effectText } from '../../src/report/effect/effect-text.ts';
import { forecastParts, forecastSummary, refusalNotes } from '../../src/report/forecast/lines.ts';
import { devThenProd } from '../support/dev-then-prod.ts';
import { deployment, member, PaperFleet, placement } from '../support/paper-fleet.ts';

const day = 86_400_000;
const hour = 3_600_000;
const usual = { readyAfterMs: 90_000, upgradedAfterMs: 1_800_000, approveAfterMs: hour, untilMs: 7 * day };

const files = (run = ''): Record<string, string> => ({
  'clusters/a.yaml': member('a', { env: 'dev' }),
  'clusters/b.yaml': member('b', { env: 'prod' }),
  'clusters/c.yaml': member('c', { env: 'prod' }),
  'web.yaml': placement('web', '{placementType: PickAll}', '{type: External}'),
  'resources/web.yaml': deployment('web', 'web', 'web:1'),
  'strategy.yaml': devThenProd('30m'),
  'run.yaml': `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterStagedUpdateRun
metadata: {name: web-1${run}}
spec: {placementName: web, stagedRolloutStrategyName: careful}
`,
});

/** The same clusters with an earlier version of the placement on all of them. */
async function installed(): Promise<PaperFleet> {
  const { 'run.yaml': _run, ...own } = files();
  const paper = new PaperFleet({
    ...own,
    'web.yaml': placement('web', '{placementType: PickAll}'),
    'resources/web.yaml': deployment('web', 'web', 'web:0'),
  });
  await paper.settle();
  return paper;
}

const failing = ', annotations: {gitfleet.dev/progress-deadline: 1m, gitfleet.dev/on-failure: rollback}';
const rejection = `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterApprovalRequest
metadata: {name: web-1-after-dev}
spec: {parentStageRollout: web-1, targetStage: dev}
status: {conditions: [{type: Approved, status: "False", reason: Rejected, message: "bad, Closes #12"}]}
`;

const of = async (paper: PaperFleet, change: Partial<typeof usual> | { approveAfterMs: undefined } = {}) =>
  forecast(await paper.input(), { ...usual, ...change });
const times = ({ rollouts }: Forecast): unknown =>
  rollouts.map(({ run, from, to, stages }) => ({
    run,
    from,
    to,
    stages: stages.map(({ name, clusters, waits }) => [
      name,
      ...clusters.map((span) => `${span.clusterName} ${span.from.slice(11, 19)}-${span.to?.slice(11, 19) ?? ''}`),
      ...waits.map((wait) => `${wait.kind} ${wait.from.slice(11, 19)}-${wait.to?.slice(11, 19) ?? ''}`),
    ]),
  }));

describe('a forecast of an update run', () => {
  it('says when each stage and cluster starts, waits and is done', async () => {
    const found = await of(new PaperFleet(files()));
    expect(times(found)).toEqual([
      {
        run: 'web-1',
        from: '2026-11-20T10:00:00Z',
        to: '2026-11-20T11:04:30Z',
        stages: [
          ['dev', 'a 10:00:00-10:01:30', 'soak 10:01:30-10:31:30', 'approval 10:01:30-11:01:30'],
          ['prod', 'b 11:01:30-11:03:00', 'c 11:03:00-11:04:30'],
        ],
      },
    ]);
    expect([found.end, found.doneAt]).toEqual(['settled', '2026-11-20T11:04:30Z']);
    expect(forecastSummary(found, usual)).toBe(
      'Everything is done at 2026-11-20 11:04 UTC. web-1: dev done at 2026-11-20 11:01 UTC, prod done at 2026-11-20 11:04 UTC if approved within 1h0m0s.',
    );
    // First both, then the approval alone.
    expect(forecastParts(found)[0]!.rows[0]!.at(-1)).toMatch(/^█▒{15,}\?{15,}$/);
  });
  it('without approvals it ends at the gate', async () => {
    const found = await of(new PaperFleet(files()), { approveAfterMs: undefined });
    expect(found.doneAt).toBeUndefined();
    expect(found.rollouts[0]!.stages.map(({ name, from, to }) => [name, from, to])).toEqual([
      ['dev', '2026-11-20T10:00:00Z', undefined],
      ['prod', undefined, undefined],
    ]);
    const [part] = forecastParts(found);
    expect(part!.rows[1]).toEqual(['prod', '0/2', '', '', ' ']);
    expect(part!.notes).toContain(
      'stage dev: needs approval web-1-after-dev, requested at 2026-11-20 10:01 UTC, not given',
    );
    expect(part!.rows[0]!.at(-1)).toMatch(/^█*\?+▶$/);
  });
  it('approvals that are given at once open the gate', async () => {
    const found = await of(new PaperFleet(files()), { approveAfterMs: 0, readyAfterMs: 0 });
    expect([found.end, found.doneAt]).toEqual(['settled', '2026-11-20T10:30:03Z']);
  });
  it('an approval that does not count is given again', async () => {
    for (const review of ['', ', annotations: {gitfleet.dev/review-digest: "sha256:0"}']) {
      const approval = `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterApprovalRequest\nmetadata: {name: web-1-after-dev${review}}\nspec: {parentStageRollout: web-1, targetStage: dev}\nstatus: {conditions: [{type: Approved, status: "True", reason: Approved}]}\n`;
      const found = await of(new PaperFleet({ ...files(), 'approvals/web-1.yaml': approval }));
      expect([found.end, found.doneAt]).toEqual(['settled', '2026-11-20T11:04:30Z']);
    }
  });
  it.each([
    ['soak', 30 * 60_000],
    ['approval', hour],
  ])('a removal that the guard refuses later waits for its approval, and no %s longer meanwhile', async (kind, ms) => {
    const guard =
      'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nmetadata: {name: fleet}\nspec: {guard: {maxClusters: 1}}\n';
    const own = {
      ...files(),
      'strategy.yaml': devThenProd('30m').replace(kind === 'soak' ? ', {type: Approval}' : '', ''),
      'fleet.yaml': guard,
    };
    const fixed = (names: string) =>
      placement('web', `{placementType: PickFixed, clusterNames: [${names}]}`, '{type: External}');
    const paper = new PaperFleet({ ...own, 'web.yaml': fixed('a, b, c') });
    for (let step = 0; step < 8; step++) {
      for (const { planned, answer, file } of (await paper.plan()).approvals)
        if (answer === undefined) paper.files[`approvals/${planned.name}.yaml`] = JSON.stringify(file!.object);
      paper.deliver();
      paper.pass(step === 2 ? 3600 : 60);
    }
    const base = await paper.input();
    paper.files['web.yaml'] = fixed('a');
    paper.files['run.yaml'] = files()['run.yaml']!.replace('web-1', 'web-2');
    const found = await of(paper);
    expect(found.end).toBe('settled');
    expect(found.rollouts.map(({ run }) => run)).toEqual(['web-2']);
    expect(found.refusals).toMatchObject([
      { rule: 'blast-radius-clusters', removalDigest: expect.stringMatching(/^sha256:/) },
    ]);
    const { from, to } = found.refusals[0]!;
    expect(Date.parse(to!) - Date.parse(from)).toBe(hour);
    const waits = found.rollouts[0]!.stages.flatMap((stage) => stage.waits.filter((wait) => wait.kind === kind));
    expect(waits.map(({ from: begin, to: end }) => Date.parse(end!) - Date.parse(begin))).toEqual([ms]);
    if (kind === 'approval') return;
    expect(refusalNotes(found)).toEqual([
      expect.stringMatching(
        /^the guard refuses the plan: .*; approved by a RemovalApproval with removalDigest sha256:.*, requested at .*, given at /,
      ),
    ]);
    const { fleet } = await paper.input();
    const text = effectText(totalEffect(base, { fleet, commit: 'd'.repeat(40) }, usual));
    expect(text.title).toBe('removes 4 objects · 2 of 3 clusters · needs an approval of removals');
    expect(text.rollout).toContainEqual(expect.stringMatching(/^the guard refuses the plan: .* RemovalApproval /));
    // At the last cluster before the removals, what is observed of it is not recorded as long as its plan is refused.
    const done = async () =>
      (await of(paper, { approveAfterMs: undefined })).refusals[0]?.from === (await paper.input()).now;
    for (let step = 0; step < 10 && !(await done()); step++) {
      await paper.plan();
      paper.deliver();
      paper.pass(step === 2 ? 3600 : 60);
    }
    const { now } = await paper.input();
    const [refused, approved] = [await of(paper, { approveAfterMs: undefined }), await of(paper)];
    expect(refusalNotes(refused)).toEqual([expect.stringMatching(/, not given$/)]);
    expect(refused.rollouts[0]!.stages[0]!.to).toBe(now);
    expect(refusalNotes(approved)).toEqual([expect.stringMatching(/, given at /)]);
    expect(Date.parse(approved.doneAt!) - Date.parse(now)).toBe(hour + 90_000);
  });
  it('a freeze holds the next cluster', async () => {
    const paper = new PaperFleet({
      ...files(),
      'fleet.yaml':
        'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nmetadata: {name: fleet}\nspec:\n  freeze: [{name: noon, schedule: "0 11 * * *", duration: 1h}]\n',
    });
    const found = await of(paper);
    expect(times(found)).toMatchObject([
      { stages: [{}, ['prod', 'b 12:00:00-12:01:30', 'c 12:01:30-12:03:00', 'freeze 11:01:30-12:00:00']] },
    ]);
  });
  it('continues from what is recorded and observed', async () => {
    const update = await installed();
    update.files = files();
    const paper = new PaperFleet(files());
    const actions: unknown[] = [];
    for (const begun of [update, paper]) {
      await begun.plan();
      begun.pass(30);
      actions.push((await of(begun)).rollouts[0]!.stages[0]!.clusters.map(({ action }) => action));
    }
    expect(actions).toEqual([['update'], ['add']]);
    paper.deliver();
    paper.pass(30);
    await paper.plan();
    paper.pass(60);
    expect(times(await of(paper))).toMatchObject([
      { stages: [['dev', 'soak 10:01:00-10:31:00', 'approval 10:01:00-11:02:00'], { length: 3 }] },
    ]);
  });
  it('a cluster that does not respond is never done', async () => {
    const paper = new PaperFleet(files());
    paper.down.add('a');
    const found = await of(paper);
    expect(found.rollouts[0]!.to).toBeUndefined();
    expect(forecastSummary(found, usual)).toBe('Not done until something else changes: web-1 (a is not responding).');
    expect(forecastParts(found)[0]!.title).toMatch(
      /^web-1 \(placement web\): not done: a is not responding; the update run is stuck waiting for /,
    );
  });
  it('counts clusters that do not start before its end', async () => {
    const counts = async (minutes: number) =>
      forecastParts(await of(new PaperFleet(files()), { untilMs: minutes * 60_000 }))[0]!.rows.map((row) => row[1]);
    expect(await counts(1)).toEqual(['0/1', '0/2']);
    expect(await counts(60)).toEqual(['1/1', '0/2']);
    expect(await counts(62)).toEqual(['1/1', '0/2']);
    expect(await counts(64)).toEqual(['1/1', '1/2']);
  });
  it('a deadline is met, and a rollback is part of it', async () => {
    const paper = await installed();
    Object.assign(paper.files, files(failing));
    const found = await of(paper);
    expect(found.rollouts[0]!.state).toMatchObject({ type: 'Succeeded', status: 'False' });
    expect(found.doneAt).toBeUndefined();
    const [{ title, rows, notes } = expect.fail()] = forecastParts(found);
    const fails =
      /fails at 2026-11-20 \S+ UTC: cluster a in stage dev was not available within 1m0s; rolled back 0 of 1 clusters/;
    expect([title, forecastSummary(found, usual)]).toEqual([
      expect.stringMatching(new RegExp(`^web-1 \\(placement web\\): ${fails.source}`)),
      expect.stringMatching(new RegExp(`^web-1 ${fails.source}`)),
    ]);
    expect(rows.map(([name, clusters, from, to]) => [name, clusters, from !== '', to !== ''])).toEqual([
      ['dev', '0/1 (1 failed)', true, true],
      ['prod', '0/2', false, false],
      ['dev (rollback)', '0/1 (1 failed)', true, true],
    ]);
    expect(notes).toEqual(['web ends with snapshot 0 on a, b, c']);
  });
});

describe('a forecast of an update run that does not happen', () => {
  const spec = (more: string): Record<string, string> => ({
    'run.yaml': files()['run.yaml']!.replace('placementName', `${more}, placementName`),
  });
  it.each<[string, Record<string, string>, string]>([
    [
      'cannot be initialized',
      spec('resourceSnapshotIndex: "7"'),
      'web-1 fails at 2026-11-20 10:00 UTC: it cannot be initialized: no resource snapshot with index 7 found; ',
    ],
    [
      'waits for state Run',
      spec('state: Initialize'),
      'Not done until something else changes: web-1 (it is initialized, and starts once its file says state: Run).',
    ],
    [
      'is stopped',
      spec('state: Stop'),
      'Not done until something else changes: web-1 (it is stopped, and continues once its file says state: Run).',
    ],
    [
      'has no strategy',
      { 'strategy.yaml': '' },
      'Not done until something else changes: web-1 (there is no ClusterStagedUpdateStrategy careful yet).',
    ],
    [
      'is rejected',
      { 'approvals/web-1.yaml': rejection },
      'web-1 fails at 2026-11-20 10:00 UTC: approval web-1-after-dev was rejected on main: bad, Closes #12',
    ],
    [
      'fails while another placement is done',
      {
        ...spec('resourceSnapshotIndex: "7"'),
        'other.yaml': placement('other', '{placementType: PickAll}'),
        'resources/other.yaml': deployment('other', 'other', 'web:1'),
      },
      'Done at 2026-11-20 10:01 UTC, but web-1 fails at 2026-11-20 10:00 UTC: it cannot be initialized: ',
    ],
  ])('%s', async (_, change, says) => {
    const found = await of(new PaperFleet({ ...files(), ...change }));
    expect(forecastSummary(found, usual).slice(0, says.length)).toBe(says);
    expect(found.doneAt).toBeUndefined();
  });
  it('ends a stage that is rejected while it soaks at the rejection', async () => {
    const paper = new PaperFleet(files());
    for (const seconds of [60, 60]) {
      await paper.plan();
      paper.deliver();
      paper.pass(seconds);
    }
    await paper.plan();
    paper.pass(600);
    paper.files['approvals/web-1.yaml'] = rejection;
    const [part] = forecastParts(await of(paper));
    expect(part!.rows[0]!.slice(2, 4)).toEqual(['2026-11-20 10:00 UTC', '2026-11-20 10:12 UTC']);
    expect(part!.notes).toEqual([
      'stage dev: soaks 2026-11-20 10:01 UTC to 2026-11-20 10:12 UTC',
      'stage dev: needs approval web-1-after-dev, requested at 2026-11-20 10:01 UTC, rejected at 2026-11-20 10:12 UTC',
      'web ends with snapshot 0 on a; with nothing of it on b, c',
    ]);
  });
});

it('a placement that rolls out by itself counts clusters that do not start before the end', async () => {
  const { 'run.yaml': _run, ...own } = files();
  const paper = new PaperFleet({
    ...own,
    'web.yaml': placement('web', '{placementType: PickAll}', '{rollingUpdate: {maxUnavailable: 1}}'),
  });
  await paper.settle();
  paper.files['resources/web.yaml'] = deployment('web', 'web', 'web:2');
  expect(forecastParts(await of(paper, { untilMs: 120_000 }))[0]!.rows[0]![1]).toBe('1/3');
});

it('objects that leave clusters of an External placement without a run are part of a forecast', async () => {
  const own = { ...files(), 'strategy.yaml': devThenProd('1m').replace(', {type: Approval}', '') };
  const eviction = `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterResourcePlacementEviction
metadata: {name: drain}
spec: {placementName: web, clusterName: c}
`;
  const paper = new PaperFleet(own);
  for (let step = 0; step < 8; step++) {
    await paper.plan();
    paper.deliver();
    paper.pass(60);
  }
  const removed = async (change: Record<string, string>) => {
    paper.files = { ...own, ...change };
    const { rollouts } = await of(paper);
    return rollouts.flatMap(({ run, stages }) =>
      stages.flatMap(({ clusters }) => clusters.map(({ clusterName, action }) => [run, clusterName, action])),
    );
  };
  expect(await removed({})).toEqual([]);
  expect(await removed({ 'eviction.yaml': eviction })).toEqual([[undefined, 'c', 'remove']]);
  expect(await removed({ 'web.yaml': '', 'resources/web.yaml': '', 'run.yaml': '' })).toEqual(
    ['a', 'b', 'c'].map((name) => [undefined, name, 'remove']),
  );
});

it('removals and refused plans are part of a forecast', async () => {
  const own = {
    ...files(),
    'web.yaml': placement('web', '{placementType: PickAll}'),
  };
  delete (own as Record<string, string>)['run.yaml'];
  const paper = new PaperFleet(own);
  await paper.settle();
  paper.pass(60);
  delete paper.files['web.yaml'];
  delete paper.files['resources/web.yaml'];
  const refused = await of(paper, { approveAfterMs: undefined });
  expect([refused.end, refused.guard.length]).toEqual(['refused', 1]);
  expect(forecastSummary(refused, usual)).toMatch(/^Refused: /);
  const found = await of(paper);
  expect(found.end).toBe('settled');
  expect(found.rollouts[0]!.stages[0]!.clusters).toEqual(
    ['a', 'b', 'c'].map((clusterName) => ({
      clusterName,
      action: 'remove',
      from: '2026-11-20T11:01:02Z',
      to: expect.any(String),
    })),
  );
});
