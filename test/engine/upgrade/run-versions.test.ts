import { describe, expect, it } from 'vitest';
import { at, inGroup, run, strategy, UpgradeFleet } from './upgrade-fleet.ts';

const image = (version: string): string => `AKSUbuntu-2204-${version}`;

const catalog = (
  regions: Readonly<Record<string, readonly [kubernetes: readonly string[], images: readonly string[]]>>,
  others: readonly string[] = [],
  spec: object = {},
) => ({
  'catalog.yaml': JSON.stringify({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'VersionCatalog',
    metadata: { name: 'aks' },
    spec: {
      ...spec,
      releaseTracker: 'https://releases.example.com',
      regions: Object.entries(regions).map(([name, [kubernetes, images]]) => ({
        name,
        kubernetesVersions: kubernetes.map((version) => ({ version })),
        nodeImageVersions: [...images.map(image), ...others].map((version) => ({ version })),
      })),
    },
  }),
});

const of = (region: string, version: string, pool?: string) => ({
  labels: { 'topology.kubernetes.io/region': region },
  versions: at(version, pool && image(pool)),
});

const to = (kubernetesVersion: string, type = 'Full') => ({
  managedClusterUpdate: { upgrade: { type, kubernetesVersion } },
});

describe('the versions of a run', () => {
  it('a minor is the newest patch where each member is', async () => {
    const fleet = new UpgradeFleet({
      ...run(to('1.31')),
      ...catalog({ a: [['1.31.4'], []], b: [['1.31.4', '1.31.5'], []] }),
    })
      .with(['in-a'], of('a', 'v1.30.9'))
      .with(['in-b'], of('b', 'v1.30.9'));
    await fleet.plan();
    expect(fleet.targets().map(({ upgrade }) => upgrade.controlPlane)).toEqual(['v1.31.4']);
    fleet.succeed().later(60);
    await fleet.plan();
    expect(fleet.targets().map(({ upgrade }) => upgrade.controlPlane)).toEqual(['v1.31.5']);
  });

  it('a version that is not in the region yet is waited for, and the next member starts', async () => {
    const fleet = new UpgradeFleet({ ...run(to('1.31.5')), ...catalog({ a: [['1.31.4'], []], b: [['1.31.5'], []] }) })
      .with(['in-a'], of('a', 'v1.30.9'))
      .with(['in-b'], of('b', 'v1.30.9'));
    await fleet.plan();
    expect(fleet.states()[1]).toContain('in-a Pending/KubernetesVersionNotAvailable, in-b Running');
    Object.assign(fleet.files, catalog({ a: [['1.31.4', '1.31.5'], []], b: [['1.31.5'], []] }));
    fleet.succeed().later(60);
    await fleet.plan();
    expect(fleet.inFlight()).toEqual(['in-a']);
  });

  it('chained minors are hops, each an operation of its own', async () => {
    const chained = { ...to('1.32'), chainMinors: true };
    const fleet = new UpgradeFleet({
      ...run(chained),
      ...catalog({ a: [['1.30.9', '1.31.5', '1.32.1'], []] }),
    }).with(['in-a'], of('a', 'v1.29.9'));
    const operations: string[] = [];
    for (await fleet.plan(); fleet.targets().length > 0; await fleet.plan()) {
      const [{ upgrade }] = fleet.targets() as [ReturnType<typeof fleet.targets>[number]];
      operations.push(`${upgrade.type} ${upgrade.controlPlane} ${upgrade.operationId}`);
      fleet.succeed().later(60);
    }
    expect(operations).toEqual([
      'ControlPlaneOnly v1.30.9 k8s.in-a.20261120T100000Z',
      'ControlPlaneOnly v1.31.5 k8s.in-a.20261120T100100Z',
      'Full v1.32.1 k8s.in-a.20261120T100200Z',
    ]);
    expect(fleet.states()[0]).toBe('Completed');
  });

  it('chained minors of which others did the last are Completed, those of which others did all are Skipped', async () => {
    const fleet = new UpgradeFleet({
      ...run({ ...to('1.32'), chainMinors: true }),
      ...catalog({ a: [['1.31.5', '1.32.1'], []] }),
    })
      .with(['in-a'], of('a', 'v1.30.9'))
      .with(['in-b'], of('a', 'v1.30.9'));
    await fleet.plan();
    fleet.succeed();
    for (const member of fleet.members.values()) {
      member.versions = at('v1.32.1');
      member.upgrade = undefined;
    }
    await fleet.later(60).plan();
    expect(fleet.states()[1]).toContain('in-a Completed, in-b Skipped/AlreadyAtTarget');
    expect(fleet.run().stages[0]!.groups[0]!.members[0]!.operationId).toBe('k8s.in-a.20261120T100000Z');
  });

  it('a member that fails between two hops fails the run, which the guard lets start those before it', async () => {
    const stages = [{ name: 'one', groups: [{ name: 'one', maxConcurrency: '2' }] }];
    const files = (chainMinors: boolean) => run({ ...to('1.32'), strategy: { stages }, chainMinors });
    const member = (version: string) => {
      const { labels, versions } = of('a', version);
      return { labels: { ...labels, 'gitfleet.dev/update-group': 'one' }, versions };
    };
    const fleet = new UpgradeFleet({ ...files(true), ...catalog({ a: [['1.30.9', '1.31.5', '1.32.1'], []] }) })
      .with(['near'], member('v1.30.9'))
      .with(['outer'], member('v1.29.9'));
    await fleet.plan();
    expect(fleet.inFlight()).toEqual(['near', 'outer']);
    fleet.succeed().later(60);
    Object.assign(fleet.files, files(false));
    await fleet.plan();
    expect(fleet.states()[1]).toContain('near Running, outer Failed/MinorSkipped');
  });

  it('more than one minor behind fails the run', async () => {
    const fleet = new UpgradeFleet(run(to('1.32'))).with(['in-a'], of('a', 'v1.29.9'));
    await fleet.plan();
    expect(fleet.states()).toEqual([
      expect.stringContaining('Failed'),
      expect.stringContaining('in-a Failed/MinorSkipped'),
    ]);
  });
});

it.each<[string, object, string | undefined]>([
  ['listed', of('a', 'v1.30.9'), undefined],
  ['not listed', of('b', 'v1.30.9'), 'm (b)'],
  ['not known', { versions: at('v1.30.9') }, 'm (unknown)'],
  ['observed', { versions: { ...at('v1.30.9'), region: 'a' } }, undefined],
  ['not known of a provider without catalogs', { annotations: { 'gitfleet.dev/upgrade-provider': 'aks' } }, undefined],
])('a member whose region is %s', async (_, member, named) => {
  const files = catalog({ a: [['1.31.5'], []] }, [], { provider: 'simulated' });
  const fleet = new UpgradeFleet({ ...run(to('1.31')), ...files }).with(['m'], member);
  const plan = await fleet.plan();
  expect(plan.problems.map(({ severity, code, message }) => `${severity} ${code} ${message}`)).toEqual(
    named === undefined
      ? []
      : [
          `warning unlisted-region UpdateRun k8s: no VersionCatalog lists the region of ${named}: nothing is known of versions and node images there, so they restrict nothing`,
        ],
  );
});

describe('Consistent images of a run', () => {
  const images = {
    managedClusterUpdate: { upgrade: { type: 'NodeImageOnly' }, nodeImageSelection: { type: 'Consistent' } },
  };

  it('are the newest that all regions of its members have, and stand when newer ones come', async () => {
    const regions = (newest: string) =>
      catalog({
        x: [[], ['202510.10.0', '202510.12.0', newest]],
        y: [[], ['202510.10.0', '202510.12.0', '202510.17.0', newest]],
      });
    const fleet = new UpgradeFleet({ ...run(images), ...regions('202510.12.0') })
      .with(['in-x'], of('x', 'v1.30.9', '202510.10.0'))
      .with(['in-y'], of('y', 'v1.30.9', '202510.10.0'));
    const moved: (string | undefined)[] = [];
    for (await fleet.plan(); fleet.targets().length > 0; await fleet.plan()) {
      moved.push(...fleet.targets().flatMap(({ upgrade }) => upgrade.pools?.map((pool) => pool.image) ?? []));
      fleet.succeed().later(60);
      Object.assign(fleet.files, regions('202511.01.0'));
    }
    expect(moved).toEqual([image('202510.12.0'), image('202510.12.0')]);
    expect(fleet.run().nodeImageSelection).toEqual({ selectedNodeImageVersions: [{ version: image('202510.12.0') }] });
  });

  it('are selected for a member that is not reached as the run starts, by what it had when it was observed last', async () => {
    const windows = 'AKSWindows-2022-20348.3207.250214';
    const regions = catalog({ x: [[], ['202510.10.0', '202510.12.0']] }, ['AKSWindows-2022-20348.4000.250314']);
    const fleet = new UpgradeFleet(regions).with(['a'], of('x', 'v1.30.9', '202510.10.0')).with(['b'], {
      ...of('x', 'v1.30.9'),
      versions: { controlPlane: 'v1.30.9', pools: [{ name: 'w', image: windows }] },
    });
    await fleet.plan();
    Object.assign(fleet.files, run({ ...images, onUnavailable: 'Pending' }));
    fleet.members.get('b')!.reachable = false;
    await fleet.later(60).plan();
    fleet.members.get('b')!.reachable = true;
    fleet.succeed().later(60);
    await fleet.plan();
    expect(fleet.states()[1]).toContain('a Completed, b Running');
  });

  it('are selected for a member that was never observed as the run starts', async () => {
    const fleet = new UpgradeFleet({ ...run(images), ...catalog({ x: [[], ['202510.12.0']] }) });
    fleet.with(['a'], of('x', 'v1.30.9', '202510.10.0')).members.get('a')!.reachable = false;
    await fleet.plan();
    expect(fleet.states()[1]).toContain('a Pending/ClusterUnavailable');
    fleet.members.get('a')!.reachable = true;
    await fleet.later(60).plan();
    expect(fleet.targets()[0]?.upgrade.pools).toEqual([{ name: 'np1', image: image('202510.12.0') }]);
  });

  it('are not found for a pool of another family, and its member is skipped', async () => {
    const fleet = new UpgradeFleet({ ...run(images), ...catalog({ x: [[], ['202510.12.0']] }) }).with(['in-x'], {
      labels: { 'topology.kubernetes.io/region': 'x' },
      versions: {
        controlPlane: 'v1.30.9',
        pools: [{ name: 'win', kubernetes: 'v1.30.9', image: 'AKSWindows-2022-20348.3207.250214' }],
      },
    });
    await fleet.plan();
    expect(fleet.states()[1]).toContain('in-x Skipped/NodeImageNotFound');
  });
});

describe('while a file is not valid', () => {
  const broken = (kind: string) => ({
    'broken.yaml': `apiVersion: gitfleet.dev/v1alpha1\nkind: ${kind}\nmetadata: {name: broken}\nspec: {regions: 5}\n`,
  });

  it('no upgrade starts: it may say that a window is closed', async () => {
    const fleet = new UpgradeFleet({ ...run(to('1.31.5')), ...broken('MaintenanceConfiguration') }).with(
      ['in-a'],
      of('a', 'v1.30.9'),
    );
    await fleet.plan();
    expect(fleet.states()[1]).toContain('in-a Pending/WindowClosed');
    delete fleet.files['broken.yaml'];
    await fleet.later(60).plan();
    expect(fleet.inFlight()).toEqual(['in-a']);
  });

  it('no run starts: it may say what exists where', async () => {
    const fleet = new UpgradeFleet({ ...run(to('1.31.5')), ...broken('VersionCatalog') }).with(
      ['in-a'],
      of('a', 'v1.30.9'),
    );
    await fleet.plan();
    expect(fleet.states()[0]).toBe('NotStarted');
    expect(fleet.holds()).toEqual(['k8s KubernetesVersionNotAvailable']);
    delete fleet.files['broken.yaml'];
    await fleet.later(60).plan();
    expect(fleet.inFlight()).toEqual(['in-a']);
  });

  it('a run that has started starts no further member', async () => {
    const fleet = new UpgradeFleet(run(to('1.31.5'))).with(['in-a', 'in-b'], of('a', 'v1.30.9'));
    await fleet.plan();
    Object.assign(fleet.files, broken('VersionCatalog'));
    fleet.succeed().later(60);
    await fleet.plan();
    expect(fleet.states()[1]).toContain('in-a Completed, in-b Pending/KubernetesVersionNotAvailable');
  });
});

it('a member that fails as it is looked at leaves those running that were started before it', async () => {
  const stages = [{ name: 'one', groups: [{ name: 'x', maxConcurrency: '3' }] }];
  const fleet = new UpgradeFleet({ ...strategy(stages), ...run({ updateStrategyId: 'test-then-prod' }) })
    .with(['a', 'c'], inGroup('x'))
    .with(['b'], { ...inGroup('x'), versions: at('v1.28.0') });
  await fleet.plan();
  expect(fleet.states()).toEqual([
    'Stopping/MembersFailed',
    'one Stopping/MembersFailed: x Stopping/MembersFailed [a Running, b Failed/MinorSkipped, c NotStarted]',
  ]);
  fleet.succeed().later(60);
  await fleet.plan();
  expect(fleet.states()[0]).toBe('Failed/MembersFailed');
});

it('a run that fails reports no waiting members in the same plan', async () => {
  const stages = [{ name: 'one', groups: [{ name: 'x', maxConcurrency: '3' }] }];
  const fleet = new UpgradeFleet({ ...strategy(stages), ...run({ updateStrategyId: 'test-then-prod' }) })
    .with(['a'], inGroup('x'))
    .with(['b'], { ...inGroup('x'), versions: at('v1.28.0') });
  fleet.members.get('a')!.upgrade = { phase: 'Running' };
  await fleet.plan();
  expect(fleet.states()[1]).toBe('one Failed/MembersFailed: x Failed/MembersFailed [a Stopped, b Failed/MinorSkipped]');
  expect(fleet.holds()).toEqual([]);
});
