import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placementKey, refOf } from '../../src/api/placement.ts';
import { formatInstant } from '../../src/engine/kernel/instant.ts';
import type { Plan } from '../../src/engine/plan-document.ts';
import { facetsFor } from '../../src/engine/reuse/reuse.ts';
import { selectResources } from '../../src/engine/selection/select.ts';
import { drawn } from '../support/law-runs.ts';
import { deployment, member, PaperFleet, placement } from '../support/paper-fleet.ts';
import { eachSettled, expectNoticed, type Forgery, ofAll } from './forgery.ts';
import { happened } from './happenings.ts';
import { disruptionBudget, eviction, override } from './texts.ts';

const names = ['a', 'b', 'c', 'd'];
const apps = ['one', 'two', 'three'];

const kinds = [
  ...([
    'version',
    'break',
    'mend',
    'down',
    'up',
    'deliver',
    'deliverAll',
    'pass',
    'relabel',
    'taint',
    'nodes',
  ] as const),
  ...(['contact', 'resize', 'join', 'leave', 'evict', 'drift', 'freeze', 'thaw', 'override', 'run', 'delete'] as const),
  ...(['spoil', 'forget', 'suspend', 'budget', 'claim', 'fail', 'restart'] as const),
];

const fleet = (): PaperFleet =>
  new PaperFleet({
    ...Object.fromEntries(names.slice(0, 3).map((name) => [`clusters/${name}.yaml`, member(name, { size: 'big' })])),
    ...Object.fromEntries(apps.map((app) => [`resources/${app}.yaml`, deployment(app, app, `${app}:1`)])),
    'one.yaml': placement('one', '{placementType: PickAll}'),
    'two.yaml': placement('two', pickWithMostNodes(2)),
    'three.yaml': placement('three', '{placementType: PickFixed, clusterNames: [a, b]}'),
  });

const planned = (plan: Plan, app: string) => plan.placements.find(({ name }) => name === app);

describe('a plan made with what an earlier one left', () => {
  it('takes over the placements of which nothing changed, and plans the others', async () => {
    const paper = fleet();
    await paper.settle();
    const before = await paper.plan();
    paper.files['resources/two.yaml'] = deployment('two', 'two', 'two:2');
    paper.pass(1);
    const after = await paper.planOn();
    expect(apps.map((app) => planned(after, app) === planned(before, app))).toEqual([true, false, true]);
  });

  it('takes over the placements of which nothing changed while another waits for what it removes', async () => {
    const paper = fleet();
    await paper.settle();
    paper.down.add('b');
    paper.files['three.yaml'] = placement('three', '{placementType: PickFixed, clusterNames: [a]}');
    const before = await paper.settle();
    expect(planned(before, 'three')?.bindings.map(({ move }) => move)).toEqual(['keep', 'remove']);
    paper.pass(1);
    const after = await paper.plan();
    expect(apps.map((app) => planned(after, app) === planned(before, app))).toEqual([true, true, false]);
  });

  it.each<[string, (paper: PaperFleet) => void]>([
    ['its file', (paper) => (paper.files['one.yaml'] += '  revisionHistoryLimit: 3\n')],
    ['its resources', (paper) => (paper.files['resources/one.yaml'] = deployment('one', 'one', 'one:2'))],
    ['labels of a member', (paper) => (paper.files['clusters/c.yaml'] = member('c', { size: 'small' }))],
    ['a member that joins', (paper) => (paper.files['clusters/d.yaml'] = member('d'))],
    ['an object on a member', (paper) => paper.broken.add('a/Deployment/one')],
    ['a member that is down', (paper) => paper.down.add('b')],
    ['an override', (paper) => (paper.files['override.yaml'] = override('one', 'size: big', 1))],
    ['an update run of it', (paper) => (paper.files['run.yaml'] = run)],
    ['its record', (paper) => (paper.record = edited(paper.record))],
  ])('plans a placement again after a change of %s', async (_, change) => {
    const paper = fleet();
    await paper.settle();
    const before = await paper.plan();
    change(paper);
    paper.refresh();
    paper.pass(1);
    const after = await paper.planOn();
    expect(planned(after, 'one')).not.toBe(planned(before, 'one'));
  });

  it('is the plan made without, byte for byte, whatever happens', async () => {
    const event = fc.record({ kind: fc.constantFrom(...kinds), at: fc.nat(11), amount: fc.nat(400) });
    await fc.assert(
      // PaperFleet plans everything with and without, and compares.
      fc.asyncProperty(fc.array(event, { minLength: 4, maxLength: 16 }), async (events) => {
        const paper = fleet();
        await paper.settle();
        for (const [count, happening] of events.entries()) {
          happen(paper, happening, count);
          paper.pass(1);
          await paper.planOn();
        }
      }),
      drawn(60),
    );
  });

  it('counts the generation of a placement from the record of now', async () => {
    const paper = fleet();
    await paper.settle();
    paper.files['three.yaml'] = placement('three', '{placementType: PickFixed, clusterNames: [a]}');
    await paper.plan();
    const generation = () =>
      paper.record.get('placements/three/status.yaml')?.match(/^ {2}generation: (\d+)$/m)?.[1] ?? 'none';
    expect(generation()).toBe('2');
    paper.record = new Map([...paper.record].filter(([path]) => !path.includes('/three/')));
    await paper.planOn();
    expect(generation()).toBe('1');
  });

  // Each comparison is needed, and the law above can fail.
  it.each<[part: string, change: (paper: PaperFleet) => void, forge: Forgery]>([
    [
      'the file of a placement',
      (paper) => (paper.files['three.yaml'] = placement('three', '{placementType: PickFixed, clusterNames: [a]}')),
      // What it selects is known by its file too.
      eachSettled((settled, { admitted, hub, input: { digest } }) => {
        const { work } = settled.outcome;
        const { name } = work.placement.metadata;
        const asked = admitted.placements.find(({ metadata }) => metadata.name === name)!;
        const selection = selectResources({ placement: asked, hub, digest });
        return { ...settled, outcome: { ...settled.outcome, work: { ...work, placement: asked, selection } } };
      }),
    ],
    [
      'the record of a placement',
      (paper) => (paper.record = edited(paper.record)),
      eachSettled((settled, { record }) => ({
        ...settled,
        recorded: record.placements.get(placementKey(refOf(settled.outcome.work.placement)))!,
      })),
    ],
    [
      'what a placement selects',
      (paper) => (paper.files['resources/one.yaml'] = deployment('one', 'one', 'one:2')),
      eachSettled((settled, { hub, input: { digest } }) => {
        const { work } = settled.outcome;
        const selection = selectResources({ placement: work.placement, hub, digest });
        return { ...settled, outcome: { ...settled.outcome, work: { ...work, selection } } };
      }),
    ],
    [
      'properties of members',
      (paper) => (paper.files['clusters/a.yaml'] = withNodes(member('a', { size: 'big' }), 'many')),
      eachSettled((settled, world) => ({ ...settled, facets: facetsFor(settled.outcome.work.placement, world) })),
    ],
    [
      'members',
      (paper) => (paper.files['clusters/d.yaml'] = member('d')),
      ofAll(({ index: { members } }) => ({ members })),
    ],
    [
      'overrides',
      (paper) => (paper.files['override.yaml'] = override('one', 'size: big', 1)),
      ofAll(({ overrides }) => ({ overrides })),
    ],
    [
      'what members show',
      (paper) => {
        paper.broken.add('a/Deployment/one');
        paper.refresh();
      },
      ofAll(({ input: { observations } }) => ({ observations })),
    ],
  ])('would not be that plan if %s were taken to be as it was', async (_, change, forge) => {
    const paper = fleet();
    await paper.settle();
    await paper.plan();
    await expectNoticed(paper, () => change(paper), forge);
  });
});

interface Happening {
  readonly kind: (typeof kinds)[number];
  readonly at: number;
  readonly amount: number;
}

function happen(paper: PaperFleet, event: Happening, count: number): void {
  const { at, amount } = event;
  const cluster = names[at % 4]!;
  const app = apps[at % 3]!;
  const file = `clusters/${cluster}.yaml`;
  const known = file in paper.files;
  switch (event.kind) {
    case 'version':
      paper.files[`resources/${app}.yaml`] = deployment(app, app, `${app}:${amount % 5}`);
      break;
    case 'resize':
      paper.files['two.yaml'] = placement('two', pickWithMostNodes(1 + (amount % 4)));
      break;
    case 'join':
      paper.files[file] ??= member(cluster, { size: 'big' });
      break;
    case 'leave':
      // Also all of them: what a plan says that is refused must be the same too.
      delete paper.files[file];
      break;
    case 'evict':
      paper.files[`evict-${count}.yaml`] = eviction(`e${count}`, app, cluster);
      break;
    case 'override':
      paper.files['override.yaml'] = override('one', 'size: big', amount % 3);
      break;
    case 'run':
      paper.files[`${app}.yaml`] = placement(app, '{placementType: PickAll}', '{type: External}');
      paper.files['run.yaml'] = run.replaceAll('one', app);
      break;
    case 'delete':
      delete paper.files[`${app}.yaml`];
      break;
    case 'spoil':
      paper.files['spoiled.yaml'] = amount % 2 ? 'apiVersion: [' : '';
      break;
    case 'forget':
      paper.record = new Map([...paper.record].filter(([path]) => amount % 4 !== 0 && !path.includes(`/${app}/`)));
      break;
    case 'nodes':
      if (known) paper.files[file] = withNodes(member(cluster, { size: 'big' }), amount % 5);
      break;
    case 'contact':
      if (known) paper.files[file] = withHeartbeat(member(cluster, { size: 'big' }), formatInstant(paper.now));
      break;
    case 'budget':
      paper.files['budget.yaml'] = disruptionBudget('one', `{maxUnavailable: ${amount % 3 === 0 ? 'some' : 1}}`);
      break;
    case 'claim':
      // Two placements that want the same objects.
      paper.files[`${app}.yaml`] = placement(app, '{placementType: PickAll}', undefined, apps[amount % 3]);
      break;
    case 'fail': {
      const object = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: app, name: app };
      const result = (['FailedToTakeOver', 'ManifestProcessingFailed', 'Applied'] as const)[amount % 3]!;
      paper.results.set(`${cluster}/${app}`, [{ object, result, message: `no ${amount}` }]);
      break;
    }
    case 'suspend':
      paper.files[`${app}.yaml`] = (paper.files[`${app}.yaml`] ?? '').replace(
        `metadata: {name: ${app}}`,
        `metadata: {name: ${app}, annotations: {gitfleet.dev/suspended: "yes"}}`,
      );
      break;
    default:
      happened(paper, event.kind, { cluster, app, amount });
  }
}

const pickWithMostNodes = (numberOfClusters: number): string =>
  `{placementType: PickN, numberOfClusters: ${numberOfClusters}, affinity: {clusterAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 20, preference: {propertySorter: {name: kubernetes-fleet.io/node-count, sortOrder: Descending}}}]}}}`;
const withNodes = (text: string, count: number | 'many'): string =>
  `${text}status: {properties: {kubernetes-fleet.io/node-count: {value: "${count}", observationTime: "2026-11-20T10:00:00Z"}}}\n`;
const withHeartbeat = (text: string, at: string): string =>
  `${text}status: {agentStatus: [{type: MemberAgent, conditions: [{type: Joined, status: "True", reason: Joined, message: "", lastTransitionTime: "${at}"}, {type: Healthy, status: "True", reason: Healthy, message: "", lastTransitionTime: "${at}"}], lastReceivedHeartbeat: "${at}"}]}\n`;

const edited = (record: ReadonlyMap<string, string>): Map<string, string> =>
  new Map(
    [...record].map(([path, text]) => [
      path,
      path === 'placements/one/state.yaml' ? text.replace(/(lastTransitionTime: "?)2026/, '$12025') : text,
    ]),
  );

const run = `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterStagedUpdateStrategy
metadata: {name: all}
spec: {stages: [{name: all, maxConcurrency: 1}]}
---
apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterStagedUpdateRun
metadata: {name: run-one}
spec: {placementName: one, stagedRolloutStrategyName: all, state: Run}
`;
