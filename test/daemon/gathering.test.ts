import { afterEach, expect, it } from 'vitest';
import { placementTargets } from '../../src/engine/target-kinds.ts';
import { deployment, placement } from '../support/paper-fleet.ts';
import { names, settles, smallFleet } from '../support/small-fleet.ts';
import { stagedRun } from '../support/staged-run.ts';
import { VirtualFleet } from '../support/virtual-fleet.ts';

const all = '{placementType: PickAll}';

const staged = stagedRun('{type: TimedWait, waitTime: 1h}, {type: Approval}');

let fleet: VirtualFleet;
afterEach(() => fleet.close());

it.each([
  ['a remote', true],
  ['a local repo', false],
])(
  'what waits for a push to %s has happened once: the end of a stage and the start of its gate keep their times',
  async (_, remote) => {
    fleet = await VirtualFleet.open(staged, 'a', 'b');
    const { passes, daemon } = fleet.start({ remote, publishIntervalMs: 30_000, intervalMs: 1_000 });
    for (let second = 0; second < 180; second++) {
      daemon.wake('something else happened');
      await fleet.run(1);
    }
    const plans = passes.flatMap((pass) =>
      pass.kind === 'moved' ? [] : [{ kind: pass.kind, holds: pass.plan.holds }],
    );
    const waits = plans.flatMap(({ kind, holds }) =>
      holds
        .filter(({ reason }) => reason === 'WaitingForTime' || reason === 'WaitingForApproval')
        .map(({ message }) => ({ kind, message })),
    );
    expect(waits.filter(({ kind }) => kind === 'gathering').length).toBeGreaterThan(remote ? 10 : 1);
    expect([...new Set(waits.map(({ message }) => message))]).toHaveLength(2);
  },
);

it('an object whose removal is not pushed yet is removed again when it is created meanwhile', async () => {
  const other = {
    'other.yaml': placement('other', all),
    'resources/other.yaml': deployment('other', 'other', 'other:1'),
  };
  fleet = await VirtualFleet.open({ ...smallFleet(), ...other }, ...names);
  const daemon = fleet.start({ remote: true, publishIntervalMs: 30_000 });
  await settles(fleet, daemon);
  const { metadata, ...namespace } = fleet.stored('a', '/namespaces', '', 'web')!;
  await fleet.run(60);
  fleet.commit({ 'placements/web.yaml': undefined });
  const remembers = async (): Promise<boolean> =>
    (await fleet.repo.files('fleet-status'))['placements/web/state.yaml'] !== undefined;
  await fleet.until('a plan that waits has seen the end of it', () => {
    const last = daemon.passes.at(-1);
    return (
      last?.kind === 'gathering' &&
      placementTargets(last.plan.targets).every((target) => target.placement.name === 'other')
    );
  });
  expect(await remembers()).toBe(true);
  // As created again by a daemon that has not read the removal.
  const { name, labels, annotations } = metadata;
  await fleet.ask('a', 'POST', '/api/v1/namespaces', { ...namespace, metadata: { name, labels, annotations } });
  await fleet.until('it is removed again', () => fleet.stored('a', '/namespaces', '', 'web') === undefined);
  expect(await remembers()).toBe(true);
  await fleet.until('it is forgotten', async () => !(await remembers()));
});

it('a removal that waits for its push is not over while an object is on its way to the member', async () => {
  fleet = await VirtualFleet.open(smallFleet(), ...names);
  const daemon = fleet.start({ remote: true, publishIntervalMs: 10_000, intervalMs: 1_000 });
  await settles(fleet, daemon);
  await fleet.run(30);
  fleet.fault('a', { type: 'Latency', seconds: 25, verbs: ['patch'] });
  fleet.commit({
    'placements/other.yaml': placement('other', all),
    'resources/other.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: {name: other}\n',
  });
  await fleet.until('it is on its way', () =>
    fleet.requests.some((request) => request.includes('a PATCH /api/v1/namespaces/other?')),
  );
  await fleet.until('something else waits for its push', () => daemon.passes.at(-1)?.kind === 'gathering');
  const removal = fleet.commit({ 'placements/other.yaml': undefined });
  daemon.daemon.look('webhook');
  const isRemoval = (kind: string): boolean => {
    const last = daemon.passes.at(-1);
    return last !== undefined && last.kind !== 'moved' && last.kind === kind && last.plan.commit === removal;
  };
  await fleet.until('the removal waits for its push', () => isRemoval('gathering'));
  await fleet.until('the removal is pushed', () => isRemoval('published'));
  expect(fleet.stored('a', '/namespaces', '', 'other')).toBeUndefined();
  expect(String((await fleet.repo.files('fleet-status'))['placements/other/state.yaml'])).toContain('targetCluster: a');
});

it('a run that starts on clusters that have its contents does not wait: a freeze could come in between', async () => {
  const { 'run.yaml': first, ...files } = stagedRun('');
  fleet = await VirtualFleet.open({ ...files, 'run.yaml': first! }, 'a', 'b');
  const { passes, daemon } = fleet.start({ remote: true, publishIntervalMs: 30_000, intervalMs: 1_000 });
  const startsOf = (run: string) =>
    passes.filter(
      (pass) =>
        'plan' in pass &&
        pass.plan.runs.some(({ name, status }) => name === run && status.stagesStatus?.[0]?.startTime),
    );
  await fleet.until('the first run is over', () => startsOf('web-1').some(({ kind }) => kind === 'unchanged'));
  await fleet.run(40);
  fleet.commit({ 'again.yaml': first!.replace('web-1', 'web-2') });
  daemon.look('webhook');
  await fleet.until('the second one has started', () => startsOf('web-2').length > 0);
  expect(startsOf('web-2').map(({ kind }) => kind)).toEqual(['published']);
});

it('what was applied, and how many pods are ready, is committed with what is news', async () => {
  fleet = await VirtualFleet.open(smallFleet(), ...names);
  const daemon = fleet.start();
  await settles(fleet, daemon);
  await fleet.run(60);
  const subjects = daemon.passes.flatMap((pass) => ('subject' in pass ? pass.subject : []));
  expect(subjects.filter((subject) => /applied on|Update status/.test(subject ?? ''))).toEqual([]);
  expect(subjects.at(-1)).toMatch(/available on/);
});
