import fc from 'fast-check';
import { expect, it } from 'vitest';
import { memoryHost } from '../../forge/git-host.ts';
import { TestForge } from '../../forge/test-forge.ts';
import { drawn, patience } from '../../support/law-runs.ts';
import { deployment, member, placement } from '../../support/paper-fleet.ts';
import { VirtualFleet } from '../../support/virtual-fleet.ts';
import { config } from '../requests/forge-fleet.ts';
import { PreviewFleet } from './preview-fleet.ts';
import { apps, differences, heldBy, saidIn, settle } from './said-and-done.ts';

const clusters = ['ams', 'fra', 'lon', 'nyc'];

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

const frozen = 'freeze: [{name: always, schedule: "* * * * *", duration: 1m}], ';
const guard = 'guard: {maxClusters: 100%, maxObjectsPerCluster: 100%, maxLeaving: 100%}';

/** In which nothing waits for an update run, and nothing stays on clusters that a later version has again. */
const rolling = version.map(
  ({ apps: drawnApps }): Version => ({
    members: clusters,
    apps: drawnApps.map(
      (of) => of && { ...of, abandons: false, strategy: of.strategy.replace('External', 'RollingUpdate') },
    ) as never,
  }),
);

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
          const [, title = ''] = /### gitfleet plan: (.*)/.exec(said) ?? [];
          const counts = title.split(' · ').find((part) => /^(?:removes|changes|adds) \d/.test(part)) ?? '';
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

it(
  'the preview of a random pull request to a frozen fleet says what it adds to what happens once the freeze ends',
  async () => {
    await fc.assert(
      fc.asyncProperty(rolling, rolling, rolling, async (before, frozenAs, after) => {
        const open = async () => {
          const fleet = await VirtualFleet.open(filesOf(before), ...clusters);
          const forge = new TestForge('github', memoryHost(fleet.repo), () => fleet.clock.now());
          fleet.start({ forge });
          await settle(fleet);
          return { fleet, forge };
        };
        const follow = async ({ fleet }: Awaited<ReturnType<typeof open>>, files: Record<string, string>) => {
          const gone = Object.keys(fleet.files).filter((path) => !(path in files));
          fleet.commit({ ...Object.fromEntries(gone.map((path) => [path, undefined])), ...files });
          await settle(fleet);
          return heldBy(fleet);
        };
        const held = (of: Version): Record<string, string> => {
          const files = filesOf(of);
          return { ...files, 'fleet.yaml': files['fleet.yaml']!.replace(guard, frozen + guard) };
        };
        const [changed, other] = [await open(), await open()];
        try {
          for (const of of [changed, other]) await follow(of, held(frozenAs));
          const world = new PreviewFleet(changed.fleet, changed.forge);
          const files = held(after);
          const gone = Object.keys(changed.fleet.files).filter((path) => !(path in files));
          const pull = world.propose('change', {
            ...Object.fromEntries(gone.map((path) => [path, undefined])),
            ...files,
          });
          const says = () => changed.forge.pull(pull.number).comments[0]?.body;
          await changed.fleet.until('it has a comment', () => says() !== undefined, 120);
          const said = saidIn(says()!, 'once it is no longer held: ');
          pull.state = 'merged';
          const now = await follow(changed, files);
          const [then, anyway] = [await follow(changed, filesOf(after)), await follow(other, filesOf(frozenAs))];
          const isAdded = (line: string): boolean => {
            const [cluster, , ...object] = line.split(' ');
            const key = [cluster, ...object].join(' ');
            return then.get(key) !== anyway.get(key);
          };
          expect(said, says()).toEqual(differences(now, then).filter(isAdded));
        } finally {
          for (const { fleet } of [changed, other]) await fleet.close();
        }
      }),
      drawn(4, 20261128),
    );
  },
  patience(60_000),
);
