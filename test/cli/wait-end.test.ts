import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FleetOnGit } from '../support/fleet-on-git.ts';
import { removeFolders } from '../support/folders.ts';
import { member, placement } from '../support/paper-fleet.ts';
import { cli } from '../support/run-cli.ts';

const fleetKind = (kind: string, name: string, spec: string) =>
  `apiVersion: placement.kubernetes-fleet.io/v1beta1\nkind: ${kind}\nmetadata: {name: ${name}}\nspec: ${spec}\n`;
const eviction = (name: string, placementName: string) =>
  fleetKind('ClusterResourcePlacementEviction', name, `{placementName: ${placementName}, clusterName: a}`);

let fleet: FleetOnGit;
beforeAll(async () => {
  fleet = await FleetOnGit.open({
    'clusters/a.yaml': member('a'),
    'placements/web.yaml': placement('web', '{placementType: PickAll}'),
    'placements/fixed.yaml': placement('fixed', '{placementType: PickFixed, clusterNames: [a]}'),
    'placements/compared.yaml': placement(
      'compared',
      '{placementType: PickAll}',
      '{type: RollingUpdate, applyStrategy: {type: ReportDiff}}',
      'web',
    ),
    'resources/web.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: {name: web}\n',
  });
  await fleet.settle();
  fleet.commit(
    {
      'budget.yaml': fleetKind('ClusterResourcePlacementDisruptionBudget', 'web', '{minAvailable: 1}'),
      'blocked.yaml': eviction('blocked', 'web'),
      'invalid.yaml': eviction('invalid', 'nowhere'),
      'run.yaml': fleetKind(
        'ClusterStagedUpdateRun',
        'lost',
        '{placementName: nowhere, stagedRolloutStrategyName: careful}',
      ),
    },
    'Ask for what cannot be',
  );
  await fleet.pass();
});
afterAll(removeFolders);

describe('wait ends at once where what it waits for will not come', () => {
  it.each([
    [
      'eviction/blocked',
      'Executed',
      'eviction/blocked: Executed is False (ClusterResourcePlacementEvictionNotExecuted: Eviction is blocked by specified ClusterResourcePlacementDisruptionBudget, ',
    ],
    [
      'eviction/invalid',
      'Executed',
      'eviction/invalid has no condition Executed yet: Valid is False (ClusterResourcePlacementEvictionInvalid: Failed to find ',
    ],
    ['eviction/blocked', 'Valid=False', 'eviction/blocked: Valid is True ('],
    [
      'run/lost',
      'Succeeded',
      'run/lost has no condition Succeeded yet: Initialized is False (UpdateRunInitializedFailed: parent placement nowhere not found)',
    ],
    ...['placement/compared', 'binding/compared-a'].flatMap((what) =>
      ['Available', 'Applied'].map((type) => [
        what,
        type,
        `${what} has no condition ${type}: its applyStrategy is ReportDiff, so nothing is applied: use --for=DiffReported\n`,
      ]),
    ),
    [
      'placement/web',
      'DiffReported',
      'placement/web has no condition DiffReported: its applyStrategy is not ReportDiff, so differences are not reported: use --for=Available\n',
    ],
  ])('%s --for=%s', async (what, condition, line) => {
    const ran = await cli('wait', what, `--for=${condition}`, '--timeout', '10m', '--repo', fleet.dir);
    const start = `gitfleet: the wait cannot succeed:\n  ${line}`;
    expect({ ...ran, err: ran.err.slice(0, start.length) }).toEqual({ code: 1, out: '', err: start });
  });

  it('and so it does where it came', async () => {
    const ran = await cli('wait', 'eviction/blocked', '--for=Executed=False', '--repo', fleet.dir);
    expect(ran).toEqual({ code: 0, out: 'eviction/blocked condition met\n', err: '' });
  });

  it.each(['placement/compared', 'binding/compared-a'])('%s under ReportDiff is compared', async (what) => {
    const ran = await cli('wait', what, '--for=DiffReported', '--timeout', '0s', '--repo', fleet.dir);
    expect(ran).toEqual({ code: 0, out: `${what} condition met\n`, err: '' });
  });
});

describe('wait believes no condition that speaks of an earlier version', () => {
  const message = 'its file is not valid: the last good version stays in effect until the reported problem is fixed';
  it.each([
    ['the placement', 'placements/web.yaml', 'RollingUpdate', 'RolingUpdate', 'ClusterResourcePlacement web'],
    [
      'what it places',
      'resources/web.yaml',
      'metadata: {name: web',
      'metadata: {labels: {a: y}, name: web',
      'Namespace web',
    ],
  ])('where %s is not valid', async (_, path, from, to, subject) => {
    const files: Record<string, string> = {
      'clusters/a.yaml': member('a'),
      'placements/web.yaml': placement('web', '{placementType: PickAll}'),
      'resources/web.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: {name: web}\n',
    };
    const broken = await FleetOnGit.open(files);
    await broken.settle();
    broken.commit({ [path]: files[path]!.replace(from, to) }, 'A slip');
    await broken.settle();
    const wait = (...more: string[]) => cli('wait', 'placements', '--for=Available', '--repo', broken.dir, ...more);
    expect(await wait()).toEqual({
      code: 1,
      out: '',
      err: `gitfleet: the wait cannot succeed:\n  placement/web: ${subject}: ${message}\n`,
    });
    expect(await wait('--commit', 'any')).toEqual({ code: 0, out: 'placement/web condition met\n', err: '' });
    // In the column REASON.
    expect((await cli('get', 'placements', '--repo', broken.dir)).out).toContain(`${subject}: ${message}`);
  });
});

describe('wait does not accept an older version as done', () => {
  const files: Record<string, string> = {
    'clusters/a.yaml': member('a'),
    'clusters/b.yaml': member('b'),
    'placements/web.yaml': placement('web', '{placementType: PickAll}'),
    'resources/web.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: {name: web}\n',
  };
  const slip = placement('new', '{placementType: PickAl}', undefined, 'web');
  const config = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new, namespace: web}\ndata: {a: yes}\n';
  const unread = 'kind: [\n';
  const why =
    'its file is not valid: placements/new.yaml:6:12: ClusterResourcePlacement new: placementType must be "PickAll" or "PickN" or "PickFixed": did you mean PickAll?';
  it.each<[string, string, string, string, readonly string[]]>([
    [
      'a new placement is not valid',
      'placements/new.yaml',
      slip,
      'placements',
      [`placement/new: ClusterResourcePlacement new: ${why}`],
    ],
    [
      'it is the one that is meant',
      'placements/new.yaml',
      slip,
      'placement/new',
      [`placement/new: ClusterResourcePlacement new: ${why}`],
    ],
    ['another one is meant', 'placements/new.yaml', slip, 'placement/web', []],
    ['something else is meant', 'placements/new.yaml', slip, 'clusters', []],
    [
      'an object in a namespace that is placed is not valid',
      'resources/new.yaml',
      config,
      'placement/web',
      ['placement/web: ConfigMap web/new: its file is not valid: gitfleet get problems shows why'],
    ],
    [
      'of a binding as well',
      'resources/new.yaml',
      config,
      'binding/web-a',
      ['binding/web-a: ConfigMap web/new: its file is not valid: gitfleet get problems shows why'],
    ],
    ['a file cannot be read', 'new.yaml', unread, 'placement/web', ['new.yaml cannot be read: new.yaml:']],
    ['one object of another kind is not affected', 'new.yaml', unread, 'cluster/a', []],
    ['of all of them it is', 'new.yaml', unread, 'clusters', ['new.yaml cannot be read: new.yaml:']],
    [
      'one that is not there may stand in it',
      'new.yaml',
      unread,
      'cluster/c',
      ['cluster/c: new.yaml cannot be read: new.yaml:'],
    ],
  ])('where %s', async (_, path, text, what, lines) => {
    const broken = await FleetOnGit.open(files);
    await broken.settle();
    broken.commit({ [path]: text }, 'A slip');
    await broken.settle();
    const condition = what.startsWith('cluster') ? 'Joined' : 'Available';
    const { code, err } = await cli('wait', what, `--for=${condition}`, '--timeout', '10m', '--repo', broken.dir);
    expect(code).toBe(lines.length > 0 ? 1 : 0);
    const told = err.split('\n').slice(1, -1);
    expect(told).toEqual(lines.map((line) => expect.stringContaining(line)));
  });

  it('where the branch of desired state is misspelt: the target commit is unknown', async () => {
    const there = await FleetOnGit.open(files);
    await there.settle();
    const wait = (...more: string[]) => cli('wait', 'placements', '--for=Available', '--repo', there.dir, ...more);
    expect(await wait('--branch', 'mian')).toEqual({
      code: 3,
      out: '',
      err: `gitfleet: ${there.dir} has no branch mian: did you mean main?\n`,
    });
    there.git('update-ref', 'refs/remotes/origin/live', 'main');
    expect((await wait('--branch', 'live')).code).toBe(0);
    expect((await wait('--branch', 'mian', '--commit', 'any')).code).toBe(0);
  });

  it('where the guard refused the plan, which an approval may change', async () => {
    const refused = await FleetOnGit.open({
      ...files,
      'placements/other.yaml': placement('other', '{placementType: PickAll}', undefined, 'web'),
    });
    await refused.settle();
    refused.commit(
      { 'placements/web.yaml': '# nothing\n', 'placements/other.yaml': '# nothing\n' },
      'Remove everything',
    );
    await refused.pass({ refused: true });
    const ran = await cli('wait', 'placements', '--for=Available', '--timeout', '0s', '--repo', refused.dir);
    expect(ran).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(
        /^gitfleet: timed out after 0s, still missing:\n {2}the plan is refused, so nothing changes: .*all placements/,
      ),
    });
    expect((await cli('wait', 'placements', '--for=Available', '--commit', 'any', '--repo', refused.dir)).code).toBe(0);
    const unknown = await cli('wait', 'placement/webb', '--for=Available', '--timeout', '0s', '--repo', refused.dir);
    expect(unknown).toEqual({ code: 2, out: '', err: 'gitfleet: there is no placement webb: did you mean web?\n' });
    // It may be requested once the plan is in effect.
    const asked = await cli('wait', 'approval/web-1', '--for=Approved', '--timeout', '0s', '--repo', refused.dir);
    expect(asked).toMatchObject({ code: 1, err: expect.stringContaining('the plan is refused, so nothing changes') });
  });
});
