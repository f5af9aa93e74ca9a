import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { FleetOnGit } from '../../support/fleet-on-git.ts';
import { removeFolders } from '../../support/folders.ts';
import { deployment, member } from '../../support/paper-fleet.ts';
import { cli } from '../../support/run-cli.ts';

const clusterWith = (name: string, cpu: string, labels: Record<string, string> = {}): string =>
  `${member(name, { env: 'prod', ...labels })}status:\n  resourceUsage: {available: {cpu: "${cpu}"}}\n`;

const place = (name: string, policy: object): string =>
  stringify({
    apiVersion: 'placement.kubernetes-fleet.io/v1',
    kind: 'ClusterResourcePlacement',
    metadata: { name },
    spec: { resourceSelectors: [{ group: '', version: 'v1', kind: 'Namespace', name }], policy },
  });

const roomy = {
  clusterAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      clusterSelectorTerms: [
        {
          labelSelector: { matchLabels: { env: 'prod' } },
          propertySelector: {
            matchExpressions: [{ name: 'resources.kubernetes-fleet.io/available-cpu', operator: 'Ge', values: ['4'] }],
          },
        },
      ],
    },
  },
};

let fleet: FleetOnGit;
beforeAll(async () => {
  fleet = await FleetOnGit.open({
    'clusters/eu-1.yaml': clusterWith('eu-1', '16'),
    'clusters/eu-2.yaml': clusterWith('eu-2', '8'),
    'clusters/us-1.yaml': clusterWith('us-1', '2'),
    'placements/web.yaml': place('web', { placementType: 'PickN', numberOfClusters: 2, affinity: roomy }),
    'placements/base.yaml': place('base', { placementType: 'PickAll' }),
    'resources/web.yaml': deployment('web', 'web', 'web:1'),
    'resources/base.yaml': deployment('base', 'base', 'base:1'),
  });
});
afterAll(removeFolders);

const plan = (...flags: string[]) => cli('plan', '--repo', fleet.dir, '--now', '2026-11-20T10:00:00Z', ...flags);
const outcome = async (...flags: string[]) => {
  const ran = await plan('-o', 'json', ...flags);
  return (JSON.parse(ran.out) as { whatIf: unknown }).whatIf;
};

describe('plan with what-if flags, before anything is placed', () => {
  it('reports which placements would not go to a tainted cluster, and which no longer fit', async () => {
    expect(await plan('--taint', 'eu-1=maintenance:NoSchedule')).toEqual({
      code: 1,
      err: '',
      out: `What if
  eu-1 has the taint maintenance:NoSchedule

base
  x eu-1  is not there yet and would not be added: ClusterUnschedulable, taint maintenance:NoSchedule is not tolerated

web
  x eu-1  is not there yet and would not be added: ClusterUnschedulable, taint maintenance:NoSchedule is not tolerated
  ! no longer fits: 1 of 2 clusters scheduled
      eu-1: ClusterUnschedulable, taint maintenance:NoSchedule is not tolerated
      us-1: ClusterUnschedulable, cluster does not match any of the required cluster affinity terms

0 to add, 0 to remove, 2 no longer added, 0 staying on changed clusters, 1 placement no longer fitting. Nothing was changed.
`,
    });
  });

  it('reads a short name of a property', async () => {
    expect(await outcome('--property', 'us-1:available-cpu=64', '--property', 'eu-2:available-cpu=0')).toMatchObject({
      changes: [
        'us-1 has resources.kubernetes-fleet.io/available-cpu 64',
        'eu-2 has resources.kubernetes-fleet.io/available-cpu 0',
      ],
      placements: [
        { name: 'base', moves: [], stays: [{ clusterName: 'eu-2' }, { clusterName: 'us-1' }] },
        {
          name: 'web',
          moves: [
            { clusterName: 'eu-2', to: 'notAdded' },
            { clusterName: 'us-1', to: 'added' },
          ],
        },
      ],
    });
  });

  it('takes a label away and gives one', async () => {
    expect(await outcome('--label', 'eu-1:env-', '--label', 'eu-2:env=dev')).toMatchObject({
      placements: [
        { name: 'base', moves: [] },
        { name: 'web', moves: [{ clusterName: 'eu-1' }, { clusterName: 'eu-2' }], noLongerFits: {} },
      ],
    });
  });
});

describe('plan with what-if flags, once everything is placed', () => {
  beforeAll(() => fleet.settle());

  it('reports what stays on a tainted cluster only because it is there', async () => {
    const { out, code } = await plan('--taint', 'eu-1=maintenance=yes:NoSchedule');
    expect(code).toBe(0);
    expect(out).toContain(
      'web\n  = eu-1  stays because it was picked before; it would not be picked again: taint maintenance=yes:NoSchedule is not tolerated',
    );
  });

  it('moves what a cluster that is gone held to the next one that fits', async () => {
    expect(await outcome('--without-cluster', 'eu-1', '--property', 'us-1:available-cpu=64')).toMatchObject({
      placements: [
        {
          name: 'base',
          moves: [
            {
              clusterName: 'eu-1',
              to: 'released',
              reason: 'the cluster is not in the fleet, and keeps its objects',
            },
          ],
        },
        {
          name: 'web',
          moves: [
            { clusterName: 'eu-1', to: 'released' },
            { clusterName: 'us-1', to: 'added' },
          ],
        },
      ],
    });
    expect((await plan('--without-cluster', 'eu-1')).out).toContain('0 to remove, 2 to release, 0 staying');
  });

  it('writes nothing, and refuses to record what is only supposed', async () => {
    const before = fleet.git('for-each-ref');
    await plan('--without-cluster', 'eu-1');
    expect(fleet.git('for-each-ref')).toBe(before);
    expect(await plan('--without-cluster', 'eu-1', '--out-recorded', '/nowhere')).toMatchObject({ code: 2, out: '' });
  });
});

describe('what-if flags that cannot be read', () => {
  it.each([
    [['--taint', 'eu-3=a:NoSchedule'], '--taint: there is no cluster eu-3: did you mean eu-1?'],
    [['--without-cluster', 'atlantis'], '--without-cluster: there is no cluster atlantis: there are eu-1, eu-2, us-1'],
    [['--taint', 'eu-1=a:NoExecute'], 'the only effect is NoSchedule: write eu-1=key=value:NoSchedule'],
    [['--taint', 'eu-1'], '--taint eu-1: it begins with the name of a cluster'],
    [
      ['--property', 'eu-1:availble-cpu=0'],
      '--property: there is no property availble-cpu: did you mean available-cpu?',
    ],
    [['--property', 'eu-1:available-cpu=lots'], '"lots" is not a quantity: write for example 8, 500m or 64Gi'],
    [['--label', 'eu-1:env'], 'write eu-1:key=value, or eu-1:key- to remove the label'],
    [['--label', 'eu-1:kubernetes-fleet.io/member-name=x'], 'every member has its own name under'],
  ])('%j', async (flags, message) => {
    const ran = await plan(...flags);
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(ran.err).toContain(message);
  });
});
