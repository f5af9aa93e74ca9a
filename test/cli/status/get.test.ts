import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { FleetOnGit } from '../../support/fleet-on-git.ts';
import { removeFolders } from '../../support/folders.ts';
import { cli } from '../../support/run-cli.ts';
import { bringDriftedVersion2, shop } from '../../support/shop.ts';

let fleet: FleetOnGit;
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  fleet = await FleetOnGit.open(shop);
  await bringDriftedVersion2(fleet, 'web 2');
  vi.setSystemTime(fleet.paper.now);
});
afterAll(() => {
  vi.useRealTimers();
  removeFolders();
});

const get = (...args: string[]) => cli('get', ...args, '--repo', fleet.dir);
/** What it prints; ids of commits, which depend on everything, are left out. */
const shown = async (...args: string[]): Promise<string> => {
  const ran = await get(...args);
  expect(ran).toMatchObject({ code: 0, err: '' });
  return `\n${ran.out.replace(/\b[0-9a-f]{12}\b/g, (id) => 'c'.repeat(id.length))}`;
};
const json = async (...args: string[]) => JSON.parse((await get(...args, '-o', 'json')).out) as unknown;

describe('get prints a table of', () => {
  it.each(['placements', 'bindings', 'clusters', 'snapshots', 'policysnapshots', 'drift', 'runs', 'approvals'])(
    '%s',
    async (kind) => {
      expect(await shown(kind)).toMatchSnapshot();
    },
  );

  it.each(['crp', 'runs'])('-o wide shows more of %s', async (kind) => {
    expect(await shown(kind, '-o', 'wide')).toMatchSnapshot();
  });
});

describe('get lists the requested kind', () => {
  const titles = async (...args: string[]) => (await get(...args, '-o', 'name')).out.trim().split('\n');

  it.each([
    [['placements'], ['placement/pay', 'placement/web', 'placement/web/settings']],
    [['crp'], ['placement/pay', 'placement/web']],
    [['rp'], ['placement/web/settings']],
    [['resourceplacements.placement.kubernetes-fleet.io'], ['placement/web/settings']],
    [['placements', '-n', 'web'], ['placement/web/settings']],
    [['placement/web'], ['placement/web']],
    [['placement', 'web/settings'], ['placement/web/settings']],
    [
      ['bindings', 'web'],
      ['binding/web-eu-1', 'binding/web-us-1'],
    ],
    [['binding', 'web-eu-1'], ['binding/web-eu-1']],
    [['runs', 'pay'], ['run/pay-1']],
    [['clusters', '-l', 'env=prod,region in (eu)'], ['cluster/eu-1']],
    [['clusters', '-l', '!env'], ['']],
    [['rp,runs'], ['placement/web/settings', 'run/pay-1']],
    [
      ['runs,placements', 'pay'],
      ['run/pay-1', 'placement/pay'],
    ],
    [['all', '-l', 'env=dev'], ['cluster/dev-1']],
    [['placements,runs', 'web'], ['placement/web']],
    [
      ['all', 'pay'],
      ['placement/pay', 'run/pay-1', 'approval/pay-1-after-dev'],
    ],
  ])('%j', async (args, expected) => {
    expect(await titles(...args)).toEqual(expected);
  });

  it('one object by name as itself, several as a List', async () => {
    expect(await json('crp', 'web')).toMatchObject({ kind: 'ClusterResourcePlacement', metadata: { name: 'web' } });
    expect(await json('crp')).toMatchObject({
      kind: 'List',
      items: [{ metadata: { name: 'pay' } }, { metadata: { name: 'web' } }],
    });
  });

  it('several kinds as a table each, whose names say the kind, or as one List', async () => {
    expect(await shown('runs,evictions,approvals')).toMatchSnapshot();
    expect(await json('rp,runs')).toMatchObject({
      kind: 'List',
      items: [{ kind: 'ResourcePlacement' }, { kind: 'ClusterStagedUpdateRun' }],
    });
  });

  it('all is the kinds that users write or wait for', async () => {
    const kinds = new Set((await titles('all')).map((title) => title.split('/')[0]));
    expect([...kinds]).toEqual(['placement', 'cluster', 'run', 'approval']);
    expect(await titles('runs,all,crp')).toHaveLength((await titles('all')).length);
    expect(await titles('crp,rp,bindings,all')).toHaveLength((await titles('all,bindings')).length);
  });

  it('a binding as KubeFleet would hold it', async () => {
    expect(await json('crb', 'web-eu-1')).toMatchObject({
      apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
      kind: 'ClusterResourceBinding',
      metadata: { name: 'web-eu-1', labels: { 'kubernetes-fleet.io/parent-CRP': 'web' } },
      spec: {
        state: 'Bound',
        targetCluster: 'eu-1',
        resourceSnapshotName: 'web-1-snapshot',
        schedulingPolicySnapshotName: 'web-0',
        resourceOverrideSnapshots: [{ name: 'eu-0', namespace: 'web' }],
      },
    });
  });
});

describe('get reports what it cannot find', () => {
  it.each([
    [['placments'], 2, 'there is no kind placments: did you mean placements?'],
    [['placement', 'wbe'], 2, 'there is no placement wbe: did you mean web?'],
    [['placements,runs', 'wbe'], 2, 'there is no placement or run wbe: did you mean web?'],
    [['placements', '-o', 'jsno'], 2, '-o jsno is not known here: use one of table, wide, json, yaml, name'],
    [['placements', '-n', 'a', '-A'], 2, '-n and -A exclude each other'],
    [['clusters', '-l', 'env in prod'], 2, '"env in prod" is no label selector'],
    [['events', '--history', 'all'], 2, '--history all is not a number of commits'],
    [['drift', 'pya'], 2, 'there is no placement pya: did you mean pay?'],
    [['drift', 'nobody'], 2, 'there is no placement nobody: there are pay, web, web/settings'],
    [['drift', 'pay'], 0, 'No drift of pay on the status branch.'],
    [['evictions'], 0, 'No evictions on the status branch.'],
    [['problems', '-n', 'none'], 0, 'No problems in namespace none on the status branch.'],
    [['evictions,events', '-n', 'none'], 0, 'No evictions, events in namespace none on the status branch.'],
    [['clusters', '-l', 'env=nowhere'], 0, 'No clusters with env=nowhere on the status branch.'],
    [['runs,placments'], 2, 'there is no kind placments: did you mean placements?'],
    [['runs,placements', '-w'], 2, '-w follows one kind: name only one'],
    [['runs', '--status-branch', 'nowhere'], 3, 'has no branch nowhere yet'],
  ])('%j', async (args, code, message) => {
    const ran = await get(...args);
    expect({ ...ran, err: ran.err.includes(message) ? message : ran.err }).toEqual({ code, out: '', err: message });
  });

  it('a folder that is no repository', async () => {
    expect(await cli('get', 'crp', '--repo', '/')).toMatchObject({
      code: 3,
      out: '',
      err: expect.stringContaining('/ is not a git repository: name the fleet repo'),
    });
  });
});

describe('events come from the history of the status branch', () => {
  const reasons = async (name: string) =>
    ((await json('events', name)) as { items: { reason: string; count: number }[] }).items.map(
      ({ reason, count }) => `${reason} ${count}`,
    );

  it('of a placement as KubeFleet names them, equal ones counted', async () => {
    expect(await reasons('web')).toMatchInlineSnapshot(`
      [
        "PlacementScheduleSuccess 1",
        "PlacementRolloutStarted 2",
        "PlacementOverriddenSucceeded 2",
        "PlacementWorkSynchronized 2",
        "PlacementSyncSuccess 2",
        "PlacementApplied 2",
        "PlacementAvailable 2",
        "PlacementRolloutCompleted 2",
        "ApplyFailed 1",
        "DriftFound 1",
      ]
    `);
  });

  it('of a run, its stages and its approvals', async () => {
    expect(await reasons('pay-1')).toMatchInlineSnapshot(`
      [
        "UpdateRunInitializedSuccessfully 1",
        "UpdateRunProgressing 1",
        "StageUpdatingStarted 1",
        "UpdateRunWaiting 1",
        "StageUpdatingWaiting 1",
        "StageTaskApprovalRequestCreated 1",
      ]
    `);
  });

  it('and describe ends with them', async () => {
    const ran = await cli('describe', 'crp', 'web', '--repo', fleet.dir);
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(`\n${ran.out.replace(/\b[0-9a-f]{12}\b/g, 'cccccccccccc')}`).toMatchSnapshot();
  });
});

describe('describe shows everything about one object', () => {
  it('-o json, the object and its events', async () => {
    const ran = await cli('describe', 'rp', 'web/settings', '-o', 'json', '--repo', fleet.dir);
    expect(JSON.parse(ran.out)).toMatchObject({
      kind: 'DescriptionList',
      items: [
        {
          object: { kind: 'ResourcePlacement', metadata: { name: 'settings', namespace: 'web' } },
          events: expect.arrayContaining([
            expect.objectContaining({ reason: 'PlacementScheduleSuccess', type: 'Normal', count: 1 }),
            expect.objectContaining({ reason: 'PlacementRolloutCompleted' }),
          ]),
        },
      ],
    });
  });

  it('-o json, the page of a request for approval too', async () => {
    const ran = await cli('describe', 'approval', 'pay-1-after-dev', '-o', 'json', '--repo', fleet.dir);
    const page = {
      title: 'Approve pay-1: prod (1 cluster) after dev',
      sections: [{ title: 'Commits' }, { title: 'So far' }],
      changes: [
        { title: 'pay: Deployment pay/pay added, on us-1', isRemoval: false },
        { diff: expect.stringContaining('kind: Namespace') },
      ],
    };
    expect(JSON.parse(ran.out)).toMatchObject({ items: [{ object: { kind: 'ClusterApprovalRequest', page } }] });
  });

  it.each([
    ['cluster', 'eu-1'],
    ['run/pay-1'],
    ['approval', 'pay-1-after-dev'],
    ['binding', 'web-us-1'],
    ['binding', 'settings-eu-1'],
    ['snapshot', 'web-1-snapshot'],
    ['policysnapshot', 'web-0'],
  ])('%s %s', async (...args) => {
    const ran = await cli('describe', ...args, '--repo', fleet.dir);
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(`\n${ran.out.replace(/(?:sha256:)?[0-9a-f]{40,64}|\b[0-9a-f]{7}\b/g, '…')}`).toMatchSnapshot();
  });

  it.each([
    [['placement'], 2, 'describe placement needs a name: gitfleet get placements lists them'],
    [['placement', 'web', '-n', 'shop'], 2, 'there is no placement web'],
    [['cluster', 'eu-9'], 2, 'there is no cluster eu-9: did you mean eu-1?'],
  ])('%j', async (args, code, message) => {
    const ran = await cli('describe', ...args, '--repo', fleet.dir);
    expect({ ...ran, err: ran.err.includes(message) ? message : ran.err }).toEqual({ code, out: '', err: message });
  });
});

describe('get --watch', () => {
  it('prints the list, then what changes with each status commit, in the same columns', async () => {
    const main = join(import.meta.dirname, '../../../src/main.ts');
    const watching = spawn(process.execPath, [main, 'get', 'bindings', 'web', '-w', '--repo', fleet.dir]);
    const lines: string[] = [];
    watching.stdout.on('data', (text: Buffer) => lines.push(...text.toString('utf8').trimEnd().split('\n')));
    try {
      await vi.waitFor(() => expect(lines.length).toBe(3), { timeout: 15_000 });
      fleet.paper.results.clear();
      await fleet.settle();
      await vi.waitFor(() => expect(lines.length).toBeGreaterThan(3), { timeout: 15_000 });
    } finally {
      watching.kill();
    }
    const [headings, , before, after] = lines as [string, string, string, string];
    const column = headings.indexOf('RESOURCESAPPLIED');
    const appliedIn = (line: string) => [line.split(' ')[0], line.slice(column).split(' ')[0]];
    expect([before, after].map(appliedIn)).toEqual([
      ['web-us-1', 'False'],
      ['web-us-1', 'True'],
    ]);
  }, 40_000);
});
