import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareVersions, parseVersion } from '../../../src/api/kubernetes-version.ts';
import { compareNodeImages, parseNodeImage } from '../../../src/api/node-image.ts';
import type { UpgradeTarget } from '../../../src/engine/plan-document.ts';
import { isTerminal } from '../../../src/engine/upgrade/tree.ts';
import { drawn, patience } from '../../support/law-runs.ts';
import { run, strategy, UpgradeFleet } from './upgrade-fleet.ts';

const image = (day: number, family = 'AKSUbuntu-2204gen2containerd') => `${family}-202601.${day}.0`;
const versions = ['1.28.4', '1.29.3', '1.30.9', '1.31.5', '1.32.0'];

const pool = fc.record({
  kubernetes: fc.constantFrom('v1.28.4', 'v1.29.3', 'v1.30.9', 'v1.31.5'),
  image: fc.constantFrom(image(13), image(27), image(27, 'AKSAzureLinux-V3gen2'), undefined),
});
const member = fc.record({
  controlPlane: fc.constantFrom('v1.29.3', 'v1.30.9', 'v1.31.5', 'v1.31.9'),
  pools: fc.array(pool, { maxLength: 2 }),
  region: fc.constantFrom('north', 'south', undefined),
  ring: fc.constantFrom('day', 'night', 'always'),
});
type NodeImages = { readonly type: string; readonly customNodeImageVersions?: readonly { readonly version: string }[] };
const spec = fc.record({
  upgrade: fc.constantFrom(
    { type: 'Full', kubernetesVersion: '1.31' },
    { type: 'Full', kubernetesVersion: '1.32.0' },
    { type: 'ControlPlaneOnly', kubernetesVersion: '1.31.5' },
    { type: 'NodeImageOnly' },
  ),
  nodeImageSelection: fc.constantFrom<NodeImages[]>(
    { type: 'Latest' },
    { type: 'Consistent' },
    { type: 'Custom', customNodeImageVersions: [{ version: image(20) }] },
  ),
  chainMinors: fc.boolean(),
  onUnavailable: fc.constantFrom('Pending', 'Skip', 'Fail'),
  onBlocked: fc.constantFrom('Pending', 'Skip', 'Fail', 'Ignore'),
  reserveUpcomingWindows: fc.boolean(),
  progressDeadline: fc.constantFrom('1h', '4h', '0s'),
});
type Drawn = typeof spec extends fc.Arbitrary<infer T> ? T : never;

const event = fc.record({
  kind: fc.constantFrom('succeed', 'fail', 'away', 'blocked', 'well', 'retry', 'upgraded', 'release', 'wait', 'wait'),
  who: fc.nat(20),
  hours: fc.integer({ min: 1, max: 9 }),
});

const own = (kind: string, name: string, of: object): Record<string, string> => ({
  [`settings/${kind}-${name}.yaml`]: JSON.stringify({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind,
    metadata: { name },
    spec: of,
  }),
});
const windowOf = (ring: string, startTime: string) =>
  own('MaintenanceConfiguration', ring, {
    memberSelector: { byLabel: `ring=${ring}` },
    maintenanceWindow: {
      schedule: { daily: { intervalDays: 1 } },
      startTime,
      durationHours: 6,
      timeZone: 'Europe/Berlin',
      notAllowedDates: [{ start: '2026-11-21', end: '2026-11-21' }],
    },
  });
const freeze = own('FleetConfig', 'fleet', { freeze: [{ name: 'lunch', schedule: '0 12 * * *', duration: '3h' }] });
const regions = ['north', 'south'];
const imagesIn = (at: number, latest: number): string[] => [13, 20, latest - at].map((day) => image(day));
const catalog = (latest: number) =>
  own('VersionCatalog', 'all', {
    regions: regions.map((name, at) => ({
      name,
      kubernetesVersions: versions.slice(0, versions.length - at).map((version) => ({ version })),
      nodeImageVersions: imagesIn(at, latest).map((version) => ({ version })),
    })),
  });

/** Whether no version or image of a member is older than before. */
function isAhead(before: Running, after: Running): boolean {
  const pairs = [
    [before.controlPlane, after.controlPlane],
    ...(before.pools ?? []).map(({ name, kubernetes }) => [kubernetes, poolOf(after, name)?.kubernetes]),
  ];
  const images = (before.pools ?? []).map(({ name, image }) => [image, poolOf(after, name)?.image]);
  return (
    pairs.every(([from, to]) => compareVersions(parseVersion(from!)!, parseVersion(to!)!) <= 0) &&
    images.every(
      ([from, to]) => from === undefined || compareNodeImages(parseNodeImage(from)!, parseNodeImage(to ?? '')!)! <= 0,
    )
  );
}

type Running = NonNullable<NonNullable<ReturnType<UpgradeFleet['members']['get']>>['versions']>;
const poolOf = ({ pools }: Running, name: string) => pools?.find((of) => of.name === name);

const minorOf = (version: string): number => Number(version.split('.')[1]);

/** What is wrong with an operation, by the versions before it and what exists in the region of its member. */
function wrongWith(
  { type, controlPlane, pools = [] }: UpgradeTarget['upgrade'],
  before: Running,
  {
    spec: wanted,
    region,
    latest,
  }: { readonly spec: Drawn; readonly region: string | undefined; readonly latest: number },
): string[] {
  const next = controlPlane ?? before.controlPlane!;
  const moved = [
    ...(next === before.controlPlane ? [] : [next]),
    ...pools.flatMap(({ kubernetes }) => kubernetes ?? []),
  ];
  const images = pools
    .flatMap(({ image: to }) => to ?? [])
    .filter((to) => !before.pools?.some((it) => it.image === to));
  const later = (before.pools ?? []).map((it) => ({ ...it, ...pools.find(({ name }) => name === it.name) }));
  const at = regions.indexOf(region ?? '');
  // What a control plane runs its pools can run too.
  const there = [before.controlPlane, ...versions.slice(0, versions.length - at).map((version) => `v${version}`)];
  const custom = wanted.nodeImageSelection.customNodeImageVersions?.map(({ version }) => version);
  const rules: Readonly<Record<string, boolean>> = {
    'skips a minor': minorOf(next) - minorOf(before.controlPlane!) > 1,
    'leaves a pool too far behind': later.some(({ kubernetes }) => minorOf(next) - minorOf(kubernetes!) > 3),
    'takes a pool past the control plane': pools.some((it) => minorOf(it.kubernetes ?? next) > minorOf(next)),
    'changes Kubernetes for node images': wanted.upgrade.type === 'NodeImageOnly' && moved.length > 0,
    'changes images with the control plane': type === 'ControlPlaneOnly' && pools.length > 0,
    'brings a version that is not there': at >= 0 && moved.some((version) => !there.includes(version)),
    'brings an image that is not there': at >= 0 && images.some((to) => !imagesIn(at, latest).includes(to)),
    'brings an image that is not listed': custom !== undefined && images.some((to) => !custom.includes(to)),
  };
  return Object.keys(rules).filter((rule) => rules[rule]);
}

/**
 * `UpgradeFleet.plan` holds every plan against the guard: nothing starts outside a window or in a freeze, nor below what runs, no
 * cluster has two operations. It plans again, and a minute later.
 */
it(
  'two runs over drawn versions, images, windows and freezes keep to the rules of the guard',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(member, { minLength: 2, maxLength: 5 }),
        fc.tuple(spec, spec),
        fc.array(event, { minLength: 4, maxLength: 12 }),
        async (members, specs, events) => {
          const fleet = new UpgradeFleet({
            ...catalog(25),
            ...windowOf('day', '08:00'),
            ...windowOf('night', '22:00'),
            ...freeze,
            ...strategy([
              { name: 'one', memberSelector: { byLabel: 'ring in (day, always)' }, maxConcurrency: '50%' },
              {
                name: 'two',
                groups: [{ name: 'rest', memberSelector: { byLabel: 'ring=night' }, maxConcurrency: '2' }],
              },
            ]),
          });
          const names = members.map((_, at) => `m${at}`);
          for (const [at, { region, ring, controlPlane, pools }] of members.entries())
            fleet.with([names[at]!], {
              labels: { ring, ...(region && { 'topology.kubernetes.io/region': region }) },
              versions: {
                controlPlane,
                pools: pools.map((of, index) => ({ name: `np${index}`, ...of })),
              },
            });
          let [attempt, latest] = [1, 25];
          const known = new Set<string>();
          const brought = new Map<string, Set<string>>();
          const planned = async () => {
            await fleet.plan();
            for (const { clusterName, upgrade } of fleet.targets()) {
              if (known.has(upgrade.operationId)) continue;
              known.add(upgrade.operationId);
              const spec = specs[upgrade.run === 'run-0' ? 0 : 1];
              const { region } = members[names.indexOf(clusterName)]!;
              const before = fleet.members.get(clusterName)!.versions!;
              expect(wrongWith(upgrade, before, { spec, region, latest })).toEqual([]);
              if (spec.nodeImageSelection.type !== 'Consistent') continue;
              for (const { image: to } of upgrade.pools ?? []) {
                if (to === undefined || before.pools?.some((it) => it.image === to)) continue;
                const key = `${upgrade.run} ${parseNodeImage(to)!.family}`;
                brought.set(key, (brought.get(key) ?? new Set()).add(to));
              }
            }
            expect([...brought.values()].filter(({ size }) => size > 1)).toEqual([]);
          };
          const commit = () => {
            for (const [at, { upgrade, nodeImageSelection, ...rest }] of specs.entries())
              Object.assign(
                fleet.files,
                run(
                  {
                    ...rest,
                    attempt,
                    ...(at === 0 && { updateStrategyId: 'test-then-prod' }),
                    managedClusterUpdate: { upgrade, nodeImageSelection },
                  },
                  `run-${at}`,
                ),
              );
          };
          commit();
          await planned();
          for (const { kind, who, hours } of events) {
            const of = fleet.members.get(names[who % names.length]!)!;
            const before = structuredClone(of.versions)!;
            if (kind === 'succeed') fleet.succeed();
            else if (kind === 'fail') fleet.fail(...fleet.inFlight().slice(0, 1));
            else if (kind === 'away') of.reachable = false;
            else if (kind === 'blocked')
              of.upgrade = { ...of.upgrade, findings: [{ reason: 'QuotaExceeded', severity: 'Blocking' }] };
            else if (kind === 'well') {
              of.reachable = true;
              of.upgrade = undefined;
            } else if (kind === 'retry') {
              attempt++;
              commit();
            } else if (
              kind === 'upgraded' &&
              compareVersions(parseVersion(before.controlPlane!)!, parseVersion('1.31.5')!) < 0
            )
              of.versions = { ...before, controlPlane: 'v1.31.5' };
            else if (kind === 'release') {
              latest = 28;
              Object.assign(fleet.files, catalog(latest));
            }
            expect(isAhead(before, of.versions!)).toBe(true);
            fleet.later(kind === 'wait' ? hours * 3600 : 60);
            await planned();
            for (const name of ['run-0', 'run-1']) {
              const { status, stages } = fleet.run(name);
              const all = stages.flatMap(({ groups }) => groups.flatMap((group) => group.members));
              if (status.state === 'Completed') expect(all.every(isTerminal)).toBe(true);
            }
          }
        },
      ),
      drawn(30),
    );
  },
  patience(60_000),
);
