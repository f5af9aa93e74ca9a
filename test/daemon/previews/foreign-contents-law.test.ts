import fc from 'fast-check';
import { expect, it } from 'vitest';
import { memoryHost } from '../../forge/git-host.ts';
import { TestForge } from '../../forge/test-forge.ts';
import { drawn, patience } from '../../support/law-runs.ts';
import { deployment, member, placement } from '../../support/paper-fleet.ts';
import { VirtualFleet } from '../../support/virtual-fleet.ts';
import { config } from '../requests/forge-fleet.ts';
import { configMap, PreviewFleet } from './preview-fleet.ts';
import { differences, heldBy, saidIn, settle } from './said-and-done.ts';

const clusters = ['a', 'b'];
const guard = 'guard: {maxClusters: 100%, maxObjectsPerCluster: 100%, maxLeaving: 100%}';
const steps = `apiVersion: placement.kubernetes-fleet.io/v1
kind: StagedUpdateStrategy
metadata: {name: steps, namespace: web}
spec: {stages: [{name: all, labelSelector: {}, maxConcurrency: 100%}]}
---
apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterStagedUpdateStrategy
metadata: {name: steps}
spec: {stages: [{name: all, labelSelector: {}, maxConcurrency: 100%}]}
`;

/** Namespaces without what is in them. */
const namespaces = (picked: string, ...of: string[]): string =>
  placement('one', `{placementType: PickFixed, clusterNames: [${picked}]}`).replace(
    /resourceSelectors: .*/,
    `resourceSelectors: [${of.map((name) => `{group: "", version: v1, kind: Namespace, name: ${name}, selectionScope: NamespaceOnly}`)}]`,
  );

const byRun = (text: string): string => text.replace('type: RollingUpdate', 'type: External');
const runOfAll = (count: number): string =>
  `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStagedUpdateRun\nmetadata: {name: one-${count}}\nspec: {placementName: one, stagedRolloutStrategyName: steps}\n`;
const whole = namespaces('a, b', 'web', 'shop');

/** What becomes of the placement of the namespaces. */
const drops: Record<string, Readonly<Record<'before' | 'after', Record<string, string | undefined>>>> = {
  keep: { before: { 'one.yaml': whole }, after: {} },
  delete: { before: { 'one.yaml': whole }, after: { 'one.yaml': undefined } },
  unpick: { before: { 'one.yaml': whole }, after: { 'one.yaml': namespaces('a', 'web', 'shop') } },
  drop: { before: { 'one.yaml': whole }, after: { 'one.yaml': namespaces('a, b', 'shop') } },
  unpickByRun: {
    before: { 'one.yaml': byRun(whole), 'runs/one-1.yaml': runOfAll(1) },
    after: { 'one.yaml': byRun(namespaces('a', 'web', 'shop')), 'runs/one-2.yaml': runOfAll(2) },
  },
  dropByRun: {
    before: { 'one.yaml': byRun(whole), 'runs/one-1.yaml': runOfAll(1) },
    after: { 'one.yaml': byRun(namespaces('a, b', 'shop')), 'runs/one-2.yaml': runOfAll(2) },
  },
};

/** What becomes of another one with an object in one of them, and a strategy that it has before. */
const others = {
  keep: {},
  compare: { applyStrategy: 'ReportDiff' },
  suspend: { picked: 'a', annotations: '{gitfleet.dev/suspended: why}' },
  needRun: { picked: 'a', type: 'External', before: 'External' },
  run: { picked: 'a', type: 'External', before: 'External', isRun: true },
  becomeExternal: { picked: 'a', type: 'External' },
  narrow: { picked: 'a' },
  delete: undefined,
  abandon: undefined,
} as const;
type Other = keyof typeof others;

interface Inside {
  readonly picked?: string;
  readonly type?: string;
  readonly applyStrategy?: string;
  readonly annotations?: string;
}

const inside = (
  kind: 'Deployment' | 'ConfigMap',
  { picked = 'a, b', type = 'RollingUpdate', applyStrategy = 'ClientSideApply', annotations = '{}' }: Inside,
  abandons: boolean,
): string => `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ResourcePlacement
metadata: {name: ${kind.toLowerCase()}, namespace: web, annotations: ${annotations}}
spec:
  resourceSelectors: [{group: "${kind === 'Deployment' ? 'apps' : ''}", version: v1, kind: ${kind}, name: web}]
  policy: {placementType: PickFixed, clusterNames: [${picked}]}
  strategy: {type: ${type}, applyStrategy: {type: ${applyStrategy}}${abandons ? ', deleteStrategy: {propagationPolicy: Abandon}' : ''}}
`;

const run = (kind: string, count: number): string =>
  `apiVersion: placement.kubernetes-fleet.io/v1\nkind: StagedUpdateRun\nmetadata: {name: ${kind.toLowerCase()}-${count}, namespace: web}\nspec: {placementName: ${kind.toLowerCase()}, stagedRolloutStrategyName: steps}\n`;

function otherFiles(kind: 'Deployment' | 'ConfigMap', what: Other) {
  const of = others[what];
  const type = of !== undefined && 'before' in of ? of.before : undefined;
  const path = kind.toLowerCase();
  return {
    before: {
      [`${path}.yaml`]: inside(kind, { ...(type && { type }) }, what === 'abandon'),
      ...(type && { [`runs/${path}-1.yaml`]: run(kind, 1) }),
    },
    after: {
      [`${path}.yaml`]: of && inside(kind, of, false),
      ...(of && 'isRun' in of && { [`runs/${path}-2.yaml`]: run(kind, 2) }),
    },
  };
}

const which = fc.constantFrom(...(Object.keys(others) as Other[]));

it(
  'the preview says what stays, since objects of other placements are in it, and the daemon holds that',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...Object.keys(drops)), which, which, async (drop, one, two) => {
        const [web, extra] = [otherFiles('Deployment', one), otherFiles('ConfigMap', two)];
        const files: Record<string, string> = {
          'fleet.yaml': config('github').replace('spec: {', `spec: {${guard}, `),
          ...Object.fromEntries(clusters.map((name) => [`clusters/${name}.yaml`, member(name)])),
          'steps.yaml': steps,
          'rest.yaml': placement('rest', '{placementType: PickAll}'),
          'resources/rest.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: {name: rest}\n',
          'resources/web.yaml': deployment('web', 'web', 'web:1'),
          'resources/extra.yaml': configMap('web', '1'),
          'resources/shop.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n',
          ...(drops[drop]!.before as Record<string, string>),
          ...web.before,
          ...extra.before,
        };
        const fleet = await VirtualFleet.open(files, ...clusters);
        try {
          const forge = new TestForge('github', memoryHost(fleet.repo), () => fleet.clock.now());
          const world = new PreviewFleet(fleet, forge);
          const daemon = fleet.start({ forge });
          await settle(fleet);
          const held = heldBy(fleet);
          expect(held.size).toBe(8);
          const pull = world.propose('change', { ...drops[drop]!.after, ...web.after, ...extra.after });
          const says = () => forge.pull(pull.number).comments[0]?.body;
          await fleet.until('it has a comment', () => says() !== undefined, 120);
          const said = says()!;
          fleet.repo.commit('main', await fleet.repo.files('change'), 'Change');
          pull.state = 'merged';
          await settle(fleet, { approves: false });
          const holds = daemon.plan().holds.filter(({ reason }) => reason === 'ContainsForeignObjects');
          expect(saidIn(said), said).toEqual(differences(held, heldBy(fleet)));
          const named = [
            ...said.matchAll(/^- (\S+) · (.*): does not happen yet: ContainsForeignObjects: (.*); it stays/gm),
          ].flatMap(([, name, on, text]) => on!.split(', ').map((cluster) => [name, cluster, text]));
          expect(named, said).toEqual(
            holds.map(({ subject, removes }) => [subject.name, subject.clusterName, removes?.contents.join('; ')]),
          );
          const asked = forge.pulls.filter(({ head, state }) => head.includes('/removal-') && state === 'open');
          expect(asked.length).toBe(holds.length);
          for (const { title, body } of asked) {
            expect(title).toMatch(
              /^Approve removals: 1 Namespace with everything in it, also of others, from 1 cluster$/,
            );
            expect(body).toMatch(
              /### Removals\n\n- one: 1 object removed from 1 cluster \([ab]\): Namespace web\n- with/,
            );
          }
          expect(said.split('\n')[1]!.includes('needs an approval of removals')).toBe(holds.length > 0);
          if (holds.length > 0) expect(said).not.toMatch(/(Everything is|All rollouts are) done/);
        } finally {
          await fleet.close();
        }
      }),
      {
        ...drawn(10, 20261128),
        examples: [
          ['delete', 'compare', 'keep'],
          ['unpick', 'suspend', 'narrow'],
          ['drop', 'abandon', 'run'],
          ['unpick', 'needRun', 'delete'],
          ['unpickByRun', 'becomeExternal', 'compare'],
          ['dropByRun', 'abandon', 'run'],
        ],
      },
    );
  },
  patience(60_000),
);
