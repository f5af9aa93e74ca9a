import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { FleetOnGit } from '../support/fleet-on-git.ts';
import { removeFolders } from '../support/folders.ts';
import { cli } from '../support/run-cli.ts';
import { bringDriftedVersion2, shop } from '../support/shop.ts';

const dropInDev = stringify({
  apiVersion: 'placement.kubernetes-fleet.io/v1',
  kind: 'ClusterResourceOverride',
  metadata: { name: 'no-settings' },
  spec: {
    clusterResourceSelectors: [{ group: '', version: 'v1', kind: 'Namespace', name: 'pay' }],
    policy: {
      overrideRules: [
        {
          clusterSelector: { clusterSelectorTerms: [{ labelSelector: { matchLabels: { env: 'dev' } } }] },
          overrideType: 'Delete',
        },
      ],
    },
  },
});
const boxed = stringify({
  apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
  kind: 'ResourceEnvelope',
  metadata: { name: 'box', namespace: 'web' },
  data: {
    'quota.yaml': {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'quota', namespace: 'web' },
      spec: { hard: { pods: '9' } },
    },
  },
});

let fleet: FleetOnGit;
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  fleet = await FleetOnGit.open({ ...shop, 'overrides/dev.yaml': dropInDev, 'resources/box.yaml': boxed });
  await bringDriftedVersion2(fleet, 'Bring web 2');
  vi.setSystemTime(fleet.paper.now);
});
afterAll(() => {
  vi.useRealTimers();
  removeFolders();
});

const masked = (text: string): string => text.replace(/\b[0-9a-f]{12}\b/g, 'cccccccccccc');
const reported = async (...args: string[]): Promise<string> => {
  const ran = await cli(...args, '--repo', fleet.dir);
  expect(ran).toMatchObject({ code: 0, err: '' });
  return `\n${masked(ran.out)}`;
};

describe('trace goes from an object on a member back to the commit', () => {
  it('placement, snapshot, commit, file and the overrides that shaped it', async () => {
    expect(await reported('trace', 'deployment/web', '-n', 'web', '--cluster', 'eu-1')).toMatchInlineSnapshot(`
      "
      Object:     Deployment web/web on eu-1
      State:      available
      Placement:  ClusterResourcePlacement web (placements/web.yaml:1)
      Snapshot:   1, the latest, taken 2026-11-20T10:00:30Z
      Commit:     cccccccccccc "Bring web 2" (Ann, 2026-11-20T10:00:30Z)
      File:       resources/web.yaml, last changed by cccccccccccc "Bring web 2" (Ann, 2026-11-20T10:00:30Z)
      Override:   web/eu-0 (overrides/eu.yaml:1)
      "
    `);
  });

  it('what differs on the member', async () => {
    expect(await reported('trace', 'deploy', 'web/web', '--cluster', 'us-1')).toMatchInlineSnapshot(`
      "
      Object:     Deployment web/web on us-1
      State:      drifted: FoundDrifts
      Placement:  ClusterResourcePlacement web (placements/web.yaml:1)
      Snapshot:   1, the latest, taken 2026-11-20T10:00:30Z
      Commit:     cccccccccccc "Bring web 2" (Ann, 2026-11-20T10:00:30Z)
      File:       resources/web.yaml, last changed by cccccccccccc "Bring web 2" (Ann, 2026-11-20T10:00:30Z)
                  /spec/replicas: 5, should be 2
      "
    `);
  });

  it('an object that an override leaves out', async () => {
    expect(await reported('trace', 'ns', 'pay')).toMatchInlineSnapshot(`
      "
      Object:     Namespace pay on dev-1
      State:      left out on this cluster by no-settings-0
      Placement:  ClusterResourcePlacement pay (placements/pay.yaml:1)
      Snapshot:   0, the latest, taken 2026-11-20T10:00:00Z
      Commit:     cccccccccccc "Begin the fleet" (Ann, 2026-11-20T10:00:00Z)
      File:       resources/pay.yaml, last changed by cccccccccccc "Begin the fleet" (Ann, 2026-11-20T10:00:00Z)
      Override:   no-settings-0 (overrides/dev.yaml:1)
      "
    `);
  });

  it('the file of the envelope that it came in', async () => {
    expect(await reported('trace', 'quota/quota', '--cluster', 'eu-1')).toMatchInlineSnapshot(`
      "
      Object:     ResourceQuota web/quota on eu-1
      State:      available
      Placement:  ClusterResourcePlacement web (placements/web.yaml:1)
      Snapshot:   1, the latest, taken 2026-11-20T10:00:30Z
      Commit:     cccccccccccc "Bring web 2" (Ann, 2026-11-20T10:00:30Z)
      File:       resources/box.yaml, last changed by cccccccccccc "Begin the fleet" (Ann, 2026-11-20T10:00:00Z)
      Envelope:   ResourceEnvelope web/box
      "
    `);
  });

  it('-o json', async () => {
    const ran = await cli('trace', 'cm', 'settings', '--cluster', 'dev-1', '-o', 'json', '--repo', fleet.dir);
    expect(JSON.parse(ran.out)).toMatchObject({
      kind: 'TraceList',
      items: [
        {
          clusterName: 'dev-1',
          object: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'web', name: 'settings' },
          state: 'available',
          placement: {
            kind: 'ResourcePlacement',
            name: 'settings',
            namespace: 'web',
            file: 'placements/settings.yaml:1',
          },
          snapshot: { index: 0, latest: true, commit: { subject: 'Begin the fleet', author: 'Ann' } },
          source: { file: 'resources/settings.yaml' },
          overrides: [],
        },
      ],
    });
  });

  it.each([
    [
      ['deploy', 'web', '--cluster', 'dev-1'],
      1,
      'no placement applies deploy web on dev-1: of this kind there is Deployment pay/pay',
    ],
    [['deploy', 'web', '-n', 'shop'], 1, 'no placement applies deploy web in namespace shop: of this kind there are'],
    [['secret', 'web'], 1, 'no placement applies secret web: no placement applies objects of this kind there'],
    [['deploy', 'web', '--cluster', 'eu-9'], 2, '--cluster: there is no cluster eu-9: did you mean eu-1?'],
    [['deploy'], 2, 'trace deploy needs a name'],
  ])('%j', async (args, code, message) => {
    const ran = await cli('trace', ...args, '--repo', fleet.dir);
    expect({ ...ran, err: ran.err.includes(message) ? message : ran.err }).toEqual({ code, out: '', err: message });
  });
});

describe('tree shows everything under a placement', () => {
  it('its snapshots, clusters and objects, with what is not as it should be', async () => {
    expect(await reported('tree', 'web')).toMatchInlineSnapshot(`
      "
      ClusterResourcePlacement web  Scheduled=True
      ├── PolicySnapshot 0  PickFixed
      ├── ResourceSnapshot 1  4 objects, commit cccccccccccc
      ├── eu-1  available, Bound, snapshot 1
      │   ├── Namespace web
      │   ├── ConfigMap web/settings
      │   ├── Deployment web/web  override web/eu-0
      │   └── ResourceQuota web/quota  in ResourceEnvelope web/box
      └── us-1  failed, Bound, snapshot 1, apply failed
          ├── Namespace web  applied
          ├── ConfigMap web/settings  applied
          ├── Deployment web/web  drifted, FoundDrifts, /spec/replicas: 5, should be 2
          └── ResourceQuota web/quota  applied, in ResourceEnvelope web/box
      "
    `);
  });

  it('its runs and their stages', async () => {
    expect(await reported('tree', 'crp/pay')).toMatchInlineSnapshot(`
      "
      ClusterResourcePlacement pay  Scheduled=True
      ├── PolicySnapshot 0  PickFixed
      ├── ResourceSnapshot 0  2 objects, commit cccccccccccc
      ├── ClusterStagedUpdateRun pay-1  UpdateRunWaiting
      │   ├── Stage dev  StageUpdatingWaiting, dev-1
      │   └── Stage prod  not started, us-1
      ├── dev-1  available, Bound, snapshot 0
      │   ├── Namespace pay  left out, override no-settings-0
      │   └── Deployment pay/pay  left out, override no-settings-0
      └── us-1  pending, Scheduled, no snapshot yet, RolloutNotStartedYet: waiting for its turn in stage prod of update run pay-1
      "
    `);
  });

  it('-o json, one cluster', async () => {
    const ran = await cli('tree', 'placement', 'web/settings', '--cluster', 'eu-1', '-o', 'json', '--repo', fleet.dir);
    expect(JSON.parse(ran.out)).toMatchObject({
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'Tree',
      placement: {
        kind: 'ResourcePlacement',
        name: 'settings',
        namespace: 'web',
        children: [
          { kind: 'PolicySnapshot' },
          { kind: 'ResourceSnapshot' },
          { kind: 'Cluster', name: 'eu-1', state: 'available', children: [{ kind: 'ConfigMap', name: 'settings' }] },
        ],
      },
    });
  });

  it.each([
    [['wbe'], 2, 'there is no placement wbe: did you mean web?'],
    [['cluster', 'eu-1'], 2, 'tree takes a placement, not cluster'],
    [['web/'], 2, 'no name follows web: '],
    [['web', '--cluster', 'dev-1'], 2, 'placement web has no cluster dev-1: it has eu-1, us-1'],
  ])('%j', async (args, code, message) => {
    const ran = await cli('tree', ...args, '--repo', fleet.dir);
    expect({ ...ran, err: ran.err.includes(message) ? message : ran.err }).toEqual({ code, out: '', err: message });
  });
});

describe('wait', () => {
  const wait = (...args: string[]) => cli('wait', ...args, '--repo', fleet.dir);

  it.each([
    [['rp', 'web/settings', '--for=Available'], 'placement/web/settings condition met\n'],
    [['binding/web-us-1', '--for', 'condition=Applied=False'], 'binding/web-us-1 condition met\n'],
    [
      ['clusters', '--for=healthy'],
      'cluster/dev-1 condition met\ncluster/eu-1 condition met\ncluster/us-1 condition met\n',
    ],
    [['eviction/gone', '--for=delete'], 'eviction/gone deleted\n'],
  ])('ends at once when it is so: %j', async (args, out) => {
    expect(await wait(...args)).toEqual({ code: 0, out, err: '' });
  });

  it.each([
    [['placement/web', '--for=Available', '--timeout', '0s'], 1, 'placement/web has no condition Available yet'],
    [['run/pay-1', '--for=Progressing', '--timeout', '0s'], 1, 'run/pay-1: Progressing is False (UpdateRunWaiting: '],
    [['run/pay-1', '--for=delete', '--timeout', '0s'], 1, 'run/pay-1 still exists'],
    [
      ['placement/web', '--for=Availabel'],
      2,
      '--for Availabel: there is no condition Availabel: did you mean Available?',
    ],
    [
      ['run/pay-1', '--for=Available'],
      2,
      '--for Available: runs never have a condition Available: use one of Initialized, Progressing, Succeeded, or delete',
    ],
    [['placement/web', '--for=Executed'], 2, '--for Executed: placements never have a condition Executed: use one of '],
    [['snapshots', '--for=Applied'], 2, '--for Applied: snapshots never have a condition Applied: only delete'],
    [['placement/web', '--for=Available=Yes'], 2, 'a condition is True, False or Unknown'],
    [['placement/web', '--for=Available', '--timeout', 'soon'], 2, '--timeout soon is not a duration'],
    [['placement/wbe', '--for=Available'], 2, 'there is no placement wbe: did you mean web?'],
    [['placement/web', '--for=Available', '--commit', 'nowhere'], 2, '--commit nowhere:'],
  ])('%j', async (args, code, message) => {
    const ran = await wait(...args);
    expect({ ...ran, err: ran.err.includes(message) ? message : ran.err }).toEqual({ code, out: '', err: message });
  });

  it.each([
    [
      ['placement/web', '--for=Available'],
      /placement\/web has no condition Available yet\n {4}us-1: Deployment web\/web: FoundDrifts\n$/,
    ],
    [
      ['placement/pay', '--for=Available'],
      /placement\/pay: update run pay-1: waiting for approval pay-1-after-dev\n {4}run pay-1: approval of pay-1-after-dev, since \S+: merge branch gitfleet\/approve\/pay-1-after-dev, or its pull request\n {4}us-1: RolloutNotStartedYet: /,
    ],
    [
      ['binding/pay-us-1', '--for=Available'],
      /binding\/pay-us-1 has no condition Available yet\n {4}RolloutNotStartedYet: /,
    ],
    [['run/pay-1', '--for=Succeeded'], /run\/pay-1 has no condition Succeeded yet\n {4}approval of pay-1-after-dev, /],
    [
      ['approvals', '--for=Approved'],
      /approval\/pay-1-after-dev has no condition Approved yet\n {4}merge branch gitfleet\/approve\/pay-1-after-dev, /,
    ],
  ])('on timeout shows what is waited for and why: %j', async (args, expected) => {
    expect(await wait(...args, '--timeout', '0s')).toEqual({ code: 1, out: '', err: expect.stringMatching(expected) });
  });

  it('does not accept a status of a commit older than the one just made, unless requested', async () => {
    fleet.commit({ 'README.md': 'Hello\n' }, 'Say hello');
    const args = ['rp/web/settings', '--for=Available', '--timeout', '0s'];
    expect(await wait(...args)).toMatchObject({
      code: 1,
      err: expect.stringContaining('still missing:\n  a status of commit '),
    });
    expect(await wait(...args, '--commit', 'any')).toMatchObject({ code: 0 });
    const waiting = wait('rp/web/settings', '--for=Available', '--timeout', '1h');
    await fleet.settle();
    expect(await waiting).toEqual({ code: 0, out: 'placement/web/settings condition met\n', err: '' });
  });
});
