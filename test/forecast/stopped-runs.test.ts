import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PlacementKey } from '../../src/api/meta.ts';
import { totalEffect } from '../../src/forecast/total-effect.ts';
import { loadFleet } from '../../src/repo/fleet/load-fleet.ts';
import { readRecord } from '../../src/repo/record/read.ts';
import { effectText } from '../../src/report/effect/effect-text.ts';
import { drawn } from '../support/law-runs.ts';
import { deployment, member, PaperFleet, placement, treeOf } from '../support/paper-fleet.ts';
import { assumptions, effectOf, type Files } from './effect-of.ts';

const staged = 'apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStaged';
const run = (more = '', annotations = ''): string =>
  `${staged}UpdateRun\nmetadata: {name: web-1${annotations}}\nspec: {placementName: web, stagedRolloutStrategyName: steps${more}}\n`;
/** A run that brings back an earlier version. */
const laterRun = (index: number): Files => ({
  'run-2.yaml': run(`, resourceSnapshotIndex: "${index}"`).replace('web-1', 'web-2'),
});
const rejection = `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterApprovalRequest
metadata: {name: web-1-after-first}
spec: {parentStageRollout: web-1, targetStage: first}
status: {conditions: [{type: Approved, status: "False", reason: Rejected, message: bad version}]}
`;
const stage = (name: string, more = ''): string =>
  `{name: ${name}, labelSelector: {matchLabels: {stage: ${name}}}${more}}`;
const files = (version: number, more: Files = {}): Files => ({
  ...Object.fromEntries(
    ['a1', 'a2', 'b1', 'b2'].map((name) => [
      `clusters/${name}.yaml`,
      member(name, { stage: name.startsWith('a') ? 'first' : 'rest' }),
    ]),
  ),
  'web.yaml': placement('web', '{placementType: PickAll}', '{type: External}'),
  'steps.yaml': `${staged}UpdateStrategy\nmetadata: {name: steps}\nspec: {stages: [${stage('first', ', maxConcurrency: 2, afterStageTasks: [{type: Approval}]')}, ${stage('rest')}]}\n`,
  'resources/web.yaml': deployment('web', 'web', `web:${version}`),
  ...more,
});

const suspendedName = '{name: web, annotations: {gitfleet.dev/suspended: incident}}';

/** A fleet whose run has brought version 2 to stage `first`, and waits for its approval; or fewer steps before that. */
async function halfway(annotations = '', steps = 4, atOnce = 2): Promise<PaperFleet> {
  const installed = run('', annotations).replace('web-1', 'web-0');
  const paper = new PaperFleet(
    files(1, {
      'run.yaml': installed,
      'steps.yaml': files(1)['steps.yaml']!.replace(', afterStageTasks: [{type: Approval}]', ''),
    }),
  );
  for (let step = 0; step < 10; step++) {
    await paper.plan();
    paper.deliver();
    paper.pass(60);
  }
  const strategy = files(2)['steps.yaml']!.replace('maxConcurrency: 2', `maxConcurrency: ${atOnce}`);
  paper.files = files(2, { 'run.yaml': run('', annotations), 'steps.yaml': strategy });
  for (let step = 0; step < steps; step++) {
    await paper.plan();
    paper.deliver();
    paper.pass(60);
  }
  return paper;
}

async function afterChange(paper: PaperFleet, change: Files) {
  const effect = await effectOf(paper, { ...paper.files, ...change });
  return { effect, text: effectText(effect) };
}

const eviction = (cluster: string): Files => ({
  'evict.yaml': `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterResourcePlacementEviction\nmetadata: {name: e}\nspec: {placementName: web, clusterName: ${cluster}}\n`,
});

describe('an eviction', () => {
  const settled = async (): Promise<PaperFleet> => {
    const paper = new PaperFleet(
      files(1, { 'web.yaml': placement('web', '{placementType: PickAll}', '{type: RollingUpdate}') }),
    );
    await paper.settle();
    return paper;
  };
  it.each([
    ['before the gate of a run', halfway, ', not before approval web-1-after-first', ['web-1-after-first']],
    ['under RollingUpdate', settled, '', []],
  ])('%s names first what it removes and brings back', async (_, fleet, until, approvals) => {
    const paper = await fleet();
    const { effect, text } = await afterChange(paper, eviction('b1'));
    expect(effect).toMatchObject({ changes: [], returning: [{ clusters: ['b1'], approvals }, { approvals }] });
    expect([text.title, text.isEmpty, text.changes.map(({ title }) => title)]).toEqual([
      `removes 2 objects on b1, and adds them again${until}`,
      false,
      ['Namespace web', 'Deployment web/web'].map((of) => `web: ${of} removed and created anew${until}, on b1`),
    ]);
    // What happens anyway is no part of another change.
    Object.assign(paper.files, eviction('b1'));
    const other = await afterChange(paper, { 'steps.yaml': `${paper.files['steps.yaml']}# the same\n` });
    expect([other.effect.returning, other.text.title]).toEqual([[], 'no change on any cluster']);
  });
});

describe('a change that ends a run in progress', () => {
  it('names the clusters that stay as they are where it stops the run', async () => {
    const { effect, text } = await afterChange(await halfway(), { 'run.yaml': run(', state: Stop') });
    expect(text.title).toBe('stops update run web-1 · 2 clusters keep what they have of web');
    expect(effect).toMatchObject({
      changes: [],
      stopped: [{ run: 'web-1', by: 'stop' }],
      withheld: [{ clusters: ['b1', 'b2'] }],
    });
    expect(text.rollout).toContain('web: b1, b2 would get what update run web-1 rolls out, and keep what they have');
    const leaving = await afterChange(await halfway(), { 'run.yaml': run(', state: Stop'), 'clusters/b2.yaml': '' });
    expect(leaving.effect.placements).toMatchObject([{ loses: ['b2'] }]);
    expect(leaving.text.rollout.join('\n')).not.toContain('web: by update run');
  });
  it('says how clusters end that another run brings back to what they have, and does not count them as kept', async () => {
    const { effect, text } = await afterChange(await halfway(), laterRun(0));
    expect(text.title).toBe(
      'changes 2 objects · 2 of 4 clusters · 2 clusters do not end with what is under way of web',
    );
    expect(effect.withheld).toMatchObject([{ clusters: ['b1', 'b2'], areKept: false }]);
    expect(text.rollout).toContain('web: b1, b2 change, but end with what they have now, not with what is under way');
    const rollsBack = ', annotations: {gitfleet.dev/on-failure: rollback}';
    const paper = await halfway(rollsBack, 8, 1);
    paper.files['approvals/web-1.yaml'] = rejection;
    await paper.plan();
    const again = await afterChange(paper, laterRun(1));
    expect(again.effect.withheld).toMatchObject([{ clusters: ['a1'], areKept: false }]);
    expect(again.text.title).toMatch(/ · 3 of 4 clusters · 1 cluster does not end with what is under way of web$/);
  });
  it('counts no cluster that leaves, and needs a run for one that comes', async () => {
    const stop = { 'run.yaml': run(', state: Stop') };
    const reject = { 'approvals/web-1.yaml': rejection };
    const needs = async (change: Files) =>
      (await afterChange(await halfway(), change)).text.rollout.filter((line) => line.includes('needs a staged'));
    expect(await needs({ ...stop, 'clusters/b3.yaml': member('b3', { stage: 'rest' }) })).toEqual([
      'web: needs a staged update run: nothing is deployed to b3 yet',
    ]);
    const { effect } = await afterChange(await halfway(), {
      ...stop,
      'clusters/b3.yaml': member('b3', { stage: 'rest' }),
    });
    expect(effect.pending.map(({ action, object, clusters }) => [action, object.kind, ...clusters])).toEqual([
      ['add', 'Deployment', 'b3'],
      ['add', 'Namespace', 'b3'],
    ]);
    expect(await needs({ ...reject, 'clusters/b2.yaml': '' })).toEqual([
      'web: needs a staged update run: update run web-1 failed, and 1 of 3 clusters do not have snapshot 1, and b2 left the fleet',
    ]);
  });
  it('says which clusters a run would have removed it from', async () => {
    const picks = (names: string) =>
      placement('web', `{placementType: PickFixed, clusterNames: [${names}]}`, '{type: External}');
    const paper = new PaperFleet(
      files(1, { 'web.yaml': picks('a1, a2, b1, b2'), 'run.yaml': run().replace('web-1', 'web-0') }),
    );
    const settle = async () => {
      for (let step = 0; step < 10; step++) {
        await paper.plan();
        const asked = paper.last!.plan.approvals.find(({ planned }) => planned.name === 'web-0-after-first');
        if (asked?.file) paper.files['approvals/web-0.yaml'] = JSON.stringify(asked.file.object);
        paper.deliver();
        paper.pass(60);
      }
    };
    await settle();
    Object.assign(paper.files, { 'web.yaml': picks('a1, a2'), 'run.yaml': run() });
    await settle();
    const { effect, text } = await afterChange(paper, { 'run.yaml': '' });
    expect(effect.withheld).toMatchObject([{ clusters: ['b1', 'b2'], areKept: true, lose: true }]);
    expect(text.rollout).toContain('web: b1, b2 would lose all of it by update run web-1, and keep what they have');
  });
  it('needs another run where it removes its file', async () => {
    const { effect, text } = await afterChange(await halfway(), { 'run.yaml': '' });
    expect(text.title).toBe(
      'removes update run web-1 · 2 clusters keep what they have of web · needs a staged update run: web',
    );
    expect(effect.withheld).toMatchObject([{ clusters: ['b1', 'b2'] }]);
  });
  it('names what goes back where it rejects an approval of a run that rolls back', async () => {
    for (const rollsBack of [true, false]) {
      const paper = await halfway(rollsBack ? ', annotations: {gitfleet.dev/on-failure: rollback}' : '');
      const { effect, text } = await afterChange(paper, { 'approvals/web-1.yaml': rejection });
      const counts = rollsBack ? 'changes 2 objects · 2 of 4 clusters · ' : '';
      expect(text.title).toBe(
        `rejects update run web-1 · ${counts}2 clusters keep what they have of web · needs a staged update run: web`,
      );
      expect(text.rollout).toContain('rejects web-1-after-first (run web-1, stage first)');
      expect(effect.changes.map(({ action, clusters }) => [action, clusters])).toEqual(
        rollsBack ? [['change', ['a1', 'a2']]] : [],
      );
      if (rollsBack) expect(effect.changes[0]!.diff).toMatch(/-.*web:2\n\+.*web:1/);
      expect(text.rollout.filter((line) => line.includes('by update run'))).toEqual(
        rollsBack ? ['web: rolled back by update run web-1: first (2 clusters)'] : [],
      );
    }
  });
  it('names a run that it makes fail, or holds, with the clusters that stay', async () => {
    const policy = placement('web', '{placementType: PickFixed, clusterNames: [a1, a2, b1, b2]}', '{type: External}');
    const edited = files(2)['web.yaml']!.replace(
      '{type: External}',
      '{type: External, applyStrategy: {whenToApply: IfNotDrifted}}',
    );
    const suspended = files(2)['web.yaml']!.replace('{name: web}', suspendedName);
    const title = async (web: string) => (await afterChange(await halfway(), { 'web.yaml': web })).text.title;
    expect(await title(edited)).toBe(
      'update run web-1 fails · 2 clusters keep what they have of web · needs a staged update run: web',
    );
    expect(await title(suspended)).toBe('2 clusters keep what they have of web');
    // Refused, since the type of a policy does not change: the run goes on.
    expect(await title(policy)).toBe('no change on any cluster');
    const { changes } = (await afterChange(await halfway(), { 'web.yaml': '' })).effect;
    expect(changes.map(({ action, clusters }) => `${action} ${clusters}`).sort()).toEqual([
      'remove a1,a2,b1,b2',
      // Different versions.
      'remove a1,a2,b1,b2',
    ]);
  });
  it('says when clusters follow an approval, and when its withdrawal closes a gate again', async () => {
    const paper = await halfway();
    const [request] = paper.last!.plan.approvals;
    const given = { 'approvals/web-1.yaml': JSON.stringify(request!.file!.object) };
    const { text, effect } = await afterChange(paper, given);
    expect([text.title, effect.uncounted]).toEqual([
      'approves web-1-after-first: starts rest (2 clusters); nothing else',
      [],
    ]);
    const approves = 'approves web-1-after-first: starts rest (2 clusters)';
    expect(text.rollout).toContain(
      `approves web-1-after-first: starts stage rest, 2 clusters, at most 1 at once: b1, b2`,
    );
    const withEdit = await afterChange(paper, { ...given, 'resources/web.yaml': deployment('web', 'web', 'web:3') });
    expect(withEdit.text.title).toBe(`${approves} · needs a staged update run: web`);
    const beside = { 'other.yaml': placement('other', '{placementType: PickAll}') };
    expect((await afterChange(paper, { ...given, ...beside })).text.title).toBe(
      `no object changes · 4 of 4 clusters · ${approves}`,
    );
    const { text: fewer } = await afterChange(paper, { ...given, 'clusters/b2.yaml': '' });
    expect(fewer.title).toContain('approves web-1-after-first: starts rest (1 cluster)');
    expect(fewer.rollout).toContain('approves web-1-after-first: starts stage rest, 1 cluster, at most 1 at once: b1');
    expect(text.forecast).toMatch(/^Everything is done at 2026-11-20 10:/);
    const edit = '{type: External, applyStrategy: {whenToApply: IfNotDrifted}}';
    const failing = await afterChange(paper, {
      ...given,
      'web.yaml': placement('web', '{placementType: PickAll}', edit),
    });
    const nothing = 'approves web-1-after-first: starts nothing, as the run fails';
    expect(failing.text.title).toContain(`update run web-1 fails · 2 clusters keep what they have of web · ${nothing}`);
    expect(failing.text.rollout).toContain(nothing);
    // Stopped, so that no cluster starts behind the gate.
    paper.files = { ...paper.files, ...given, 'web.yaml': files(2)['web.yaml']!.replace('{name: web}', suspendedName) };
    await paper.plan();
    const withdrawn = await afterChange(paper, { 'approvals/web-1.yaml': '' });
    expect(withdrawn.effect.held.map(({ reason }) => reason)).toEqual(['ApprovalWithdrawn']);
  });
  it('refuses a removal whose approval comes with it', async () => {
    const paper = await halfway();
    const input = { ...(await paper.input()) };
    const known = { ...input, record: { ...input.record, askedRemovals: new Set<string>() } };
    const change = async (more: Files) => {
      const { 'web.yaml': _, 'run.yaml': __, ...rest } = paper.files;
      const fleet = await loadFleet(treeOf({ ...rest, ...more }));
      return totalEffect(known, { fleet, commit: 'd'.repeat(40) }, assumptions);
    };
    const [finding] = (await change({})).guard;
    const approval = `apiVersion: gitfleet.dev/v1alpha1\nkind: RemovalApproval\nmetadata: {name: all}\nspec: {removalDigest: "${finding!.removalDigest}"}\n`;
    const { guard, uncounted, forecast } = await change({ 'approvals/all.yaml': approval });
    expect(guard[0]!.removalDigest).not.toBe(finding!.removalDigest);
    expect(uncounted).toEqual([{ approval: 'all', why: expect.stringContaining('nothing asks for this removal') }]);
    expect(forecast.end).toBe('settled');
  });
  it('counts a rejection before its gate is reached, and none of another review', async () => {
    const started = await halfway('', 1);
    const { effect } = await afterChange(started, { 'approvals/web-1.yaml': rejection });
    expect(effect).toMatchObject({ stopped: [{ run: 'web-1', by: 'rejection' }], uncounted: [] });
    const stale = rejection.replace('-first}', '-first, annotations: {gitfleet.dev/review: "sha256:other"}}');
    const other = await afterChange(await halfway(), { 'approvals/web-1.yaml': stale });
    expect(other.effect.stopped).toEqual([]);
    expect(other.text.title).toBe('not counted: web-1-after-first');
  });
  it('names what would have gone back where it stops a run that rolls back', async () => {
    const annotations = ', annotations: {gitfleet.dev/on-failure: rollback}';
    const paper = await halfway(annotations, 8, 1);
    paper.files['approvals/web-1.yaml'] = rejection;
    await paper.plan();
    const { text } = await afterChange(paper, { 'run.yaml': run(', state: Stop', annotations) });
    expect(text.rollout).toContain(
      'web: a1 would return to what it had before update run web-1, and keeps what it has',
    );
  });
  it('leaves out what goes on the same without it', async () => {
    const paper = await halfway();
    paper.files['other.yaml'] = placement('other', '{placementType: PickAll}');
    paper.files['resources/other.yaml'] = deployment('other', 'other', 'web:1');
    const { effect } = await afterChange(paper, { 'run.yaml': run(', state: Stop') });
    expect(effect.forecast.rollouts.map(({ placement: { name } }) => name)).toEqual(['web']);
  });
  it('that is resumed asks for its approvals from then on', async () => {
    const paper = await halfway();
    paper.files['run.yaml'] = run(', state: Stop');
    await paper.plan();
    const { effect, text } = await afterChange(paper, { 'run.yaml': run() });
    expect(text.forecast).not.toContain('Begins at');
    const given = effect.forecast.rollouts[0]!.stages[0]!.waits.map(({ to }) => to);
    const from = Date.parse(effect.forecast.from);
    expect(given.map((to) => Date.parse(to!) - from)).toEqual([assumptions.approveAfterMs]);
  });
  it('tells of an approval beside it that does not count', async () => {
    const approval = rejection.replace('"False"', '"True"');
    const { effect, text } = await afterChange(await halfway(), { 'approvals/web-1.yaml': approval });
    expect(text.title).toBe('not counted: web-1-after-first');
    expect(effect.uncounted).toEqual([
      { approval: 'web-1-after-first', why: expect.stringContaining('has no review digest') },
    ]);
    const other = approval.replaceAll('web-1', 'web-7');
    const { uncounted } = (await afterChange(await halfway(), { 'approvals/web-7.yaml': other })).effect;
    expect(uncounted).toEqual([{ approval: 'web-7-after-first', why: 'no update run requests it now' }]);
  });
  it('is none where its file is invalid, the run is over, or another placement changes', async () => {
    const other = { 'other.yaml': placement('other', '{placementType: PickAll}') };
    const { effect, text } = await afterChange(await halfway(), other);
    expect([effect.stopped, text.title]).toEqual([[], 'no object changes · 4 of 4 clusters']);
    const invalid = await afterChange(await halfway(), { 'run.yaml': run(', state: Halt') });
    expect(invalid.effect.stopped).toEqual([]);
  });
});

const indexes = ({ record }: PaperFleet): ReadonlyMap<string, number | undefined> =>
  new Map(
    readRecord(record)
      .record.placements.get('web' as PlacementKey)!
      .state.bindings.map((binding) => [binding.targetCluster, binding.resourceSnapshotIndex]),
  );

it('is what happens when a run in progress is ended, or followed by one back, at any step of it', async () => {
  const changes: Record<string, Files> = {
    stop: { 'run.yaml': run(', state: Stop') },
    removal: { 'run.yaml': '' },
    rejection: { 'approvals/web-1.yaml': rejection },
    later: laterRun(0),
  };
  const drawnChange = fc.record({
    by: fc.constantFrom(...Object.keys(changes)),
    steps: fc.integer({ min: 1, max: 4 }),
    rollsBack: fc.boolean(),
    delivered: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(drawnChange, async ({ by, steps, rollsBack, delivered }) => {
      const annotations = rollsBack ? ', annotations: {gitfleet.dev/on-failure: rollback}' : '';
      const paper = await halfway(annotations, steps);
      // A plan whose changes are not on the members yet.
      if (!delivered) await paper.plan();
      const before = indexes(paper);
      const change = by === 'stop' ? { 'run.yaml': run(', state: Stop', annotations) } : changes[by]!;
      const { effect } = await afterChange(paper, change);
      paper.files = { ...paper.files, ...change };
      const moved = new Set<string>();
      for (let step = 0; step < (by === 'later' ? 24 : 12); step++) {
        const { approvals } = await paper.plan();
        for (const [cluster, index] of indexes(paper)) if (index !== before.get(cluster)) moved.add(cluster);
        for (const { planned, answer, file } of by === 'later' ? approvals : [])
          if (answer === undefined) paper.files[`approvals/${planned.name}.yaml`] = JSON.stringify(file!.object);
        paper.deliver();
        paper.pass(60);
      }
      const after = indexes(paper);
      const all = [...after.keys()].sort();
      const changed = all.filter((cluster) => before.get(cluster) !== after.get(cluster));
      const kept = all.filter((cluster) => before.get(cluster) === after.get(cluster) && after.get(cluster) === 0);
      expect(effect.stopped.map((stopped) => stopped.by)).toEqual(by === 'later' ? [] : [by]);
      expect([...new Set(effect.changes.flatMap(({ clusters }) => clusters))].sort()).toEqual(changed);
      const withheld = effect.withheld.flatMap(({ clusters, areKept }) => clusters.map((name) => ({ name, areKept })));
      expect(withheld).toEqual(kept.map((name) => ({ name, areKept: !moved.has(name) })));
    }),
    drawn(8, 20261128),
  );
});
