import { afterAll, expect, it } from 'vitest';
import type { Plan } from '../../../src/engine/plan-document.ts';
import { FleetOnGit } from '../../support/fleet-on-git.ts';
import { removeFolders } from '../../support/folders.ts';
import { deployment, member, placement } from '../../support/paper-fleet.ts';
import { pushRequests } from '../../support/push-requests.ts';
import { cli } from '../../support/run-cli.ts';
import { stagedRun } from '../../support/staged-run.ts';

afterAll(removeFolders);

let fleet: FleetOnGit;
const name = 'web-1-after-all';
const request = (plan: Plan): Promise<void> => pushRequests(plan, fleet);
const run = (...args: string[]) => cli('approve', ...args, '--repo', fleet.dir);

const guard = (limit: string): string =>
  `apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nmetadata: {name: fleet}\nspec: {guard: {${limit}}}\n`;

it.each<[string, string[], string, boolean]>([
  ['approved', [], '', true],
  ['rejected', ['--reject', '--reason', 'no'], '', false],
  ['rejected, and rolls back', ['--reject', '--reason', 'no'], 'gitfleet.dev/on-failure: rollback', true],
])('a gate of a stopped run that is %s says what waits', async (_, answer, annotations, waits) => {
  const files = stagedRun('{type: Approval}');
  fleet = await FleetOnGit.open(files);
  await fleet.settle();
  const second = files['run.yaml']!.replace('name: web-1', `name: web-2, annotations: {${annotations}}`);
  fleet.commit({ 'run.yaml': second, 'resources/web.yaml': deployment('web', 'web', 'web:2') }, 'Next');
  for (let at = 0; at < 5; at++) await request(await fleet.pass());
  fleet.commit({ 'run.yaml': second.replace('careful}', 'careful, state: Stop}') }, 'Stop it');
  await request(await fleet.pass());
  const gate = 'web-2-after-all';
  const { code, out, err } = await run(gate, ...answer);
  expect(code).toBe(0);
  const note = 'what follows waits until its run continues, which is stopped: gitfleet resume run web-2';
  expect((out + err).includes(note)).toBe(waits);
  fleet.look();
  await fleet.pass();
  const page = (await cli('describe', 'approval', gate, '--repo', fleet.dir)).out;
  expect(/Run now: +stopped .*; it continues with gitfleet resume run web-2\n/.test(page)).toBe(waits);
});

it('a gate that is answered while plans are refused says that this does not count yet, and what refuses', async () => {
  const files = stagedRun('{type: Approval}');
  fleet = await FleetOnGit.open({
    ...files,
    'other.yaml': placement('other', '{placementType: PickAll}'),
    'resources/other.yaml': deployment('other', 'other', 'other:1'),
  });
  for (let at = 0; at < 4; at++) await request(await fleet.pass());
  fleet.git('rm', '-q', 'other.yaml');
  fleet.commit({ 'fleet.yaml': guard('maxClusters: 0') }, 'Remove more than may go');
  fleet.look();
  const plan = await fleet.pass({ refused: true });
  await request(plan);
  const why = `nothing continues and no decision counts while the guard refuses the plan: ${plan.guard[0]!.message}`;
  const ran = await run(name);
  expect(ran.code).toBe(0);
  expect(ran.out + ran.err).toContain(`it does not count yet: ${why}`);
  fleet.look();
  await fleet.pass({ refused: true });
  fleet.git('branch', '-qD', `gitfleet/approve/${name}`);
  expect((await run(name)).out).toContain(`counts once gitfleet acts on that commit (${why}`);
  const removal = plan.guard[0]!.removalDigest!.slice('sha256:'.length).slice(0, 12);
  const other = await run(`removal-${removal}`);
  expect(other.code).toBe(0);
  expect(other.out + other.err).not.toContain('does not count yet');
});

it('a removal whose approval was withdrawn while it was under way is approved again', async () => {
  fleet = await FleetOnGit.open({
    'clusters/a.yaml': member('a'),
    'clusters/b.yaml': member('b'),
    'web.yaml': placement(
      'web',
      '{placementType: PickAll}',
      '{rollingUpdate: {maxUnavailable: 1, maxSurge: 0}}',
      'web',
    ),
    'resources/web.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: {name: web}\n',
    'resources/settings.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: web}\n',
    'fleet.yaml': guard('maxObjectsPerCluster: 0'),
  });
  await fleet.settle();
  fleet.git('rm', '-q', 'resources/settings.yaml');
  fleet.git('commit', '-qm', 'Drop it');
  fleet.look();
  const { removalDigest = '' } = (await fleet.pass({ refused: true })).guard[0]!;
  const asked = `removal-${removalDigest.slice('sha256:'.length).slice(0, 12)}`;
  await request(await fleet.pass({ refused: true }));
  expect(await run(asked)).toMatchObject({ code: 0, out: expect.stringContaining(`${asked} is approved`) });
  fleet.look();
  await fleet.pass();
  fleet.git('revert', '--no-edit', '-m', '1', 'HEAD');
  fleet.look();
  await request(await fleet.pass({ refused: true }));
  const again = await run(asked);
  expect(again).toMatchObject({ code: 0, out: expect.not.stringContaining('already') });
  expect(fleet.git('show', `main:approvals/${asked}.yaml`)).toContain(removalDigest);
});
