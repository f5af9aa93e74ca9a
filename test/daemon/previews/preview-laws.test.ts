import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Manifest } from '../../../src/api/meta.ts';
import { memoryHost } from '../../forge/git-host.ts';
import { TestForge } from '../../forge/test-forge.ts';
import { drawn, patience } from '../../support/law-runs.ts';
import { deployment, member, placement } from '../../support/paper-fleet.ts';
import { VirtualFleet } from '../../support/virtual-fleet.ts';
import { config } from '../requests/forge-fleet.ts';
import { PreviewFleet } from './preview-fleet.ts';

const clusters = ['ams', 'fra', 'lon', 'nyc'];
const apps = ['web', 'shop'] as const;

/** One version of the fleet repo. */
const version = fc.record({
  members: fc.subarray(clusters, { minLength: 2 }),
  apps: fc.tuple(...apps.map(() => fc.option(app(), { freq: 5 }))),
});

function app() {
  return fc.record({
    image: fc.constantFrom('1', '2'),
    settings: fc.array(fc.constantFrom('one', 'two', undefined), { minLength: 3, maxLength: 3 }),
    policy: fc.oneof(
      fc.constant('{placementType: PickAll}'),
      fc.constantFrom(1, 2, 3).map((count) => `{placementType: PickN, numberOfClusters: ${count}}`),
      fc.subarray(clusters, { minLength: 1 }).map((names) => `{placementType: PickFixed, clusterNames: [${names}]}`),
    ),
    strategy: fc.oneof(
      fc
        .constantFrom('1', '50%', '100%')
        .map((maxUnavailable) => `type: RollingUpdate, rollingUpdate: {maxUnavailable: ${maxUnavailable}}`),
      fc.constant('type: External'),
    ),
    abandons: fc.boolean(),
    override: fc.option(fc.constantFrom(...clusters)),
  });
}

type Version = typeof version extends fc.Arbitrary<infer T> ? T : never;
type App = NonNullable<Version['apps'][number]>;

/** What is deleted stays. */
const abandoned: [Version, Version] = [
  {
    members: ['lon', 'nyc'],
    apps: [
      {
        image: '1',
        settings: ['one', 'one', 'one'],
        policy: '{placementType: PickFixed, clusterNames: [nyc]}',
        strategy: 'type: External',
        abandons: true,
        override: null,
      },
      null,
    ],
  },
  { members: ['lon', 'nyc'], apps: [null, null] },
];

const stages = `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterStagedUpdateStrategy
metadata: {name: steps}
spec:
  stages:
  - {name: first, labelSelector: {matchLabels: {order: "1"}}, maxConcurrency: 1, afterStageTasks: [{type: Approval}]}
  - {name: last, labelSelector: {matchLabels: {order: "2"}}, maxConcurrency: 100%}
`;

const guard = 'guard: {maxClusters: 100%, maxObjectsPerCluster: 100%, maxLeaving: 100%}';

/** `run`: number of the update runs that External placements of this version get; none without it. */
function filesOf({ members, apps: drawnApps }: Version, run?: number): Record<string, string> {
  const files: Record<string, string> = {
    'fleet.yaml': config('github').replace('spec: {', `spec: {${guard}, `),
    'steps.yaml': stages,
    ...Object.fromEntries(
      members.map((name, at) => [`clusters/${name}.yaml`, member(name, { order: String((at % 2) + 1), name })]),
    ),
  };
  for (const [at, name] of apps.entries()) {
    const drawnApp = drawnApps[at];
    if (drawnApp) Object.assign(files, appFiles(name, drawnApp, run));
  }
  return files;
}

function appFiles(name: string, { image, settings, policy, strategy, abandons, override }: App, run?: number) {
  const removal = abandons ? ', deleteStrategy: {propagationPolicy: Abandon}' : '';
  const patch = `[{op: add, path: /metadata/labels, value: {only: ${override}}}]`;
  return {
    [`${name}.yaml`]: placement(name, policy, `{${strategy}${removal}}`),
    [`resources/${name}.yaml`]: deployment(name, name, `${name}:${image}`),
    ...Object.fromEntries(
      settings.flatMap((value, at) =>
        value === undefined
          ? []
          : [
              [
                `resources/${name}-${at}.yaml`,
                `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c${at}, namespace: ${name}}\ndata: {v: ${value}}\n`,
              ],
            ],
      ),
    ),
    ...(override === null
      ? {}
      : {
          [`${name}-override.yaml`]: `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ResourceOverride\nmetadata: {name: only, namespace: ${name}}\nspec:\n  placement: {name: ${name}}\n  resourceSelectors: [{group: apps, version: v1, kind: Deployment, name: ${name}}]\n  policy: {overrideRules: [{clusterSelector: {clusterSelectorTerms: [{labelSelector: {matchLabels: {name: ${override}}}}]}, jsonPatchOverrides: ${patch}}]}\n`,
        }),
    ...(run !== undefined && strategy === 'type: External'
      ? {
          [`runs/${name}-${run}.yaml`]: `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStagedUpdateRun\nmetadata: {name: ${name}-${run}}\nspec: {placementName: ${name}, stagedRolloutStrategyName: steps}\n`,
        }
      : {}),
  };
}

/** `cluster action Kind namespace/name` of everything that differs between what members held before and after. */
function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const found: string[] = [];
  for (const [key, text] of before) {
    const [cluster, object] = split(key);
    if (!after.has(key)) found.push(`${cluster} removed ${object}`);
    else if (after.get(key) !== text) found.push(`${cluster} changed ${object}`);
  }
  for (const key of after.keys()) {
    const [cluster, object] = split(key);
    if (!before.has(key)) found.push(`${cluster} added ${object}`);
  }
  return found.sort();
}

const split = (key: string): [string, string] => [key.slice(0, key.indexOf(' ')), key.slice(key.indexOf(' ') + 1)];

/** What members hold of the fleet, by `cluster Kind namespace/name`, without marks and status. */
function heldBy({ members }: VirtualFleet): Map<string, string> {
  const held = new Map<string, string>();
  for (const [cluster, { cluster: simulated }] of members)
    for (const plural of ['/namespaces', '/configmaps', 'apps/deployments'])
      for (const object of simulated.store.list(plural) as unknown as Manifest[]) {
        const { name, namespace, labels = {} } = object.metadata;
        if (!apps.some((app) => app === (namespace ?? name)) || name === 'kube-root-ca.crt') continue;
        const place = namespace === undefined ? name : `${namespace}/${name}`;
        const own = JSON.stringify([object['data'], object['spec'], labels['only']]);
        held.set(`${cluster} ${object.kind} ${place}`, own);
      }
  return held;
}

/** The same as {@link differences}, as a comment says it. */
const saidIn = (comment: string): string[] =>
  [...comment.matchAll(/^\*\*\S+: (\S+ \S+) (removed|changed|added), (?:on (\S+)|same on \d+ clusters \(([^)]*)\))/gm)]
    .flatMap(([, object, action, one, several]) =>
      (one ?? several!.replace(/,/g, ''))
        .split(' ')
        .map((cluster) => `${cluster.replace(/\*+$/, '')} ${action} ${object}`),
    )
    .sort();

/** Merges every approval that is asked, until members have not changed for a while. */
async function settle(fleet: VirtualFleet): Promise<void> {
  let [quiet, last] = [0, ''];
  for (let round = 0; round < 60 && quiet < 3; round++) {
    await fleet.run(60);
    const asked = [...fleet.repo.refs.keys()].filter((ref) => ref.startsWith('refs/heads/gitfleet/approve/'));
    for (const ref of asked) await memoryHost(fleet.repo).merge(ref.slice('refs/heads/'.length), 'main', 'squash');
    const now = JSON.stringify([...heldBy(fleet)]);
    quiet = now === last && asked.length === 0 ? quiet + 1 : 0;
    last = now;
  }
  expect(quiet).toBe(3);
}

it(
  'the preview of a random pull request says what the daemon has done to each cluster once everything settled',
  async () => {
    await fc.assert(
      fc.asyncProperty(version, version, async (before, after) => {
        const fleet = await VirtualFleet.open(filesOf(before, 1), ...clusters);
        const forge = new TestForge('github', memoryHost(fleet.repo), () => fleet.clock.now());
        const world = new PreviewFleet(fleet, forge);
        try {
          const daemon = fleet.start({ forge });
          await settle(fleet);
          const held = heldBy(fleet);
          const wanted = filesOf(after, 2);
          const gone = Object.keys(fleet.files).filter((path) => !(path in wanted) && !path.startsWith('runs/'));
          const changes = { ...Object.fromEntries(gone.map((path) => [path, undefined])), ...wanted };
          fleet.files = await fleet.repo.files('main');
          const pull = world.propose('change', changes);
          const says = () => forge.pull(pull.number).comments[0]?.body;
          await fleet.until('it has a comment', () => says() !== undefined, 120);
          const said = says()!;
          const refused = said.includes('⛔');
          // Nothing else was merged meanwhile.
          fleet.repo.commit('main', await fleet.repo.files('change'), 'Change');
          pull.state = 'merged';
          await settle(fleet);
          const did = differences(held, heldBy(fleet));
          expect({ said: saidIn(said), refused }, `${said}\n${JSON.stringify(daemon.plan().problems)}`).toEqual({
            said: did,
            refused,
          });
          const counts = /### gitfleet plan: (?:removes|changes|adds|no change|no object)[^·\n]*/.exec(said)?.[0] ?? '';
          for (const [action, verb] of [
            ['removed', 'removes'],
            ['changed', 'changes'],
            ['added', 'adds'],
          ] as const) {
            const count = Number(new RegExp(`${verb} (\\d+)`).exec(counts)?.[1] ?? 0);
            if (!refused) expect(count).toBe(did.filter((line) => line.includes(` ${action} `)).length);
          }
        } finally {
          await fleet.close();
        }
      }),
      { ...drawn(4, 20261123), examples: [abandoned] },
    );
  },
  patience(60_000),
);
