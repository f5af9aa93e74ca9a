import { describe, expect, it } from 'vitest';
import type { Hold, Plan } from '../../src/engine/plan-document.ts';
import { type App, type Desired, drawDesired } from './desired.ts';
import { dice } from './dice.ts';
import { unsettled } from './liveness.ts';
import type { World } from './world.ts';

const drawn = drawDesired(dice('liveness'), 'first');
const [first] = drawn.apps.values();
const usual: App = {
  ...first!,
  name: 'app0',
  external: false,
  version: 2,
  replicas: 1,
  configMap: false,
  maxSurge: 0,
  maxUnavailable: 1,
  policy: { kind: 'PickAll' },
};
const available = [{ type: 'Available', status: 'True', reason: '', message: '', lastTransitionTime: '' }] as const;

type Objects = Readonly<Record<string, object | undefined>>;

interface Story {
  /** By `cluster/kind/name`, besides the Deployment, the namespace and the ClusterRole of app0 on c0. */
  readonly objects?: Objects;
  readonly app?: Partial<App>;
  /** Asks for what app0 has, too. */
  readonly another?: App;
  readonly dropped?: boolean;
  readonly holds?: readonly (readonly [app: string, cluster: string, reason: Hold['reason'], message?: string])[];
  /** Of app0 on c0. */
  readonly move?: 'keep' | 'wait' | 'remove';
  readonly isDown?: boolean;
  readonly unpicked?: boolean;
  readonly foreign?: readonly string[];
  readonly recordLost?: boolean;
  readonly left?: readonly string[];
  readonly abandoned?: readonly string[];
}

const web = (version: number, more: object = {}, label: string | undefined = 'app0') => ({
  metadata: { name: 'web', generation: 1, labels: { 'gitfleet.dev/placement': label } },
  spec: { replicas: 1, template: { spec: { containers: [{ image: `app:${version}` }] } } },
  status: { observedGeneration: 1, updatedReplicas: 1, availableReplicas: 1 },
  ...more,
});
const named = (name: string, owner: string) => ({ metadata: { name, labels: { 'gitfleet.dev/placement': owner } } });

/** `app0` is on `c0`, the only cluster, with what it should have. */
function complaints(story: Story): string[] {
  const objects: Objects = {
    'c0/apps/deployments/app0/web': web(2),
    'c0//namespaces//app0': named('app0', 'app0'),
    ...story.objects,
  };
  const app = { ...usual, ...story.app };
  const apps = [...(story.dropped ? [] : [app]), ...(story.another ? [story.another] : [])];
  const desired: Desired = {
    ...drawn,
    clusters: new Map([['c0', { env: 'dev', tainted: false }]]),
    apps: new Map(apps.map((it) => [it.name, it])),
    left: new Set(story.left),
    abandoned: new Set(story.abandoned),
  };
  const placementOf = ({ name }: App) => {
    const isOdd = name === 'app0';
    const conditions = isOdd && story.isDown ? [{ ...available[0], status: 'False' }] : available;
    return {
      name,
      decisions: isOdd && story.unpicked ? [] : [{ clusterName: 'c0', selected: true, reason: '' }],
      bindings: [{ clusterName: 'c0', state: 'Bound', move: (isOdd && story.move) || 'keep', conditions }],
    };
  };
  const plan = {
    commit: 'tip',
    guard: [],
    runs: [],
    upgrades: [],
    nodes: [],
    placements: apps.map(placementOf),
    holds: (story.holds ?? []).map(([name, clusterName, reason, message = '']) => ({
      subject: { kind: 'ClusterResourcePlacement', name, clusterName },
      reason,
      message,
    })),
  } as unknown as Plan;
  const list = (key: string) =>
    Object.entries(objects).flatMap(([path, object]) => (object && path.startsWith(`c0/${key}/`) ? [object] : []));
  const world = {
    desired,
    recordLost: story.recordLost ?? false,
    safety: { foreign: new Set(story.foreign) },
    record: { file: () => undefined },
    daemons: [{ passes: [{ kind: 'unchanged', plan }], daemon: { notReady: () => undefined } }],
    fleet: {
      repo: { tip: () => 'tip' },
      stored: (cluster: string, key: string, namespace: string, name: string) =>
        objects[`${cluster}/${key}/${namespace}/${name}`],
      members: new Map(['c0', 'c9'].map((name) => [name, { cluster: { store: { list } } }])),
    },
  };
  return unsettled(world as unknown as World);
}

describe('what an app is to have', () => {
  it.each<[string, Story, readonly string[]]>([
    ['is there', {}, []],
    ['is missing', { objects: { 'c0/apps/deployments/app0/web': undefined } }, ['app0 on c0 is missing']],
    ['is old', { app: { version: 3 } }, ['app0 on c0 has version 2, not 3']],
    [
      'is not ready',
      { objects: { 'c0/apps/deployments/app0/web': web(2, { status: {} }) } },
      ['app0 on c0 is not available'],
    ],
    ['is not what was asked for besides', { app: { configMap: true } }, ['the settings of app0 on c0 are missing']],
  ])('%s', (_, story, told) => {
    expect(complaints(story)).toEqual(told);
  });
});

describe('where an app is to go, it', () => {
  const gone: Story = { unpicked: true, app: { policy: { kind: 'PickFixed', clusters: [] } }, move: 'remove' };
  const still = ['app0 on c0: remove', 'app0 on c0 is still there'];
  it.each<[string, Story, readonly string[]]>([
    ['is still', gone, still],
    ['stays where it was before the cluster left the fleet', { ...gone, left: ['c0'] }, still.slice(0, 1)],
    ['stays where nobody looked at when the record was lost', { ...gone, recordLost: true }, still.slice(0, 1)],
    ['cannot go where somebody put something into it', { ...gone, foreign: ['c0/app0/theirs'], left: ['c0'] }, []],
    ['can go where somebody put something somewhere else', { ...gone, foreign: ['c0/default/theirs'] }, still],
    [
      'is nobody’s any more where its mark was taken off',
      { ...gone, objects: { 'c0/apps/deployments/app0/web': web(2, {}, 'other') } },
      [],
    ],
  ])('%s', (_, story, told) => {
    expect(complaints(story)).toEqual(told);
  });
});

it('an app that is picked again comes back, also among what others have there', () => {
  const objects = { 'c0/apps/deployments/app0/web': undefined };
  expect(complaints({ objects, foreign: ['c0/app0/theirs'] })).toEqual(['app0 on c0 is missing']);
});

it('an app that waits as in KubeFleet to leave a cluster that it never came to does so, too, where one that left the fleet has it', () => {
  const allows = 'once maxUnavailable 0 allows it';
  const waiting: Story = {
    app: { version: 3, maxUnavailable: 0 },
    holds: [
      ['app0', 'c0', 'RolloutBudget', `c0 is updated ${allows} (not ready yet: c1)`],
      ['app0', 'c1', 'RolloutBudget', 'c1 is added once maxSurge 0 allows it (not removed yet: c2)'],
      ['app0', 'c2', 'RolloutBudget', `c2 is removed ${allows}`],
    ],
  };
  expect(complaints(waiting)).toEqual([]);
  expect(complaints({ ...waiting, objects: { 'c9/apps/deployments/app0/web': web(1) } })).toEqual([]);
});

describe('what another app has that both ask for', () => {
  const role = { 'c0/rbac.authorization.k8s.io/clusterroles//shared': named('shared', 'app1') };
  const another: App = { ...usual, name: 'app1', version: 1 };
  const both: Story = {
    app: { shared: true },
    another,
    isDown: true,
    objects: { ...role, 'c0/apps/deployments/app1/web': web(1, {}, 'app1') },
  };
  const told = ['app0 on c0 is not available', 'what app0 on c0 asked for as the last is not its own'];
  const stuck: Story['holds'] = [
    ['app1', 'c0', 'RolloutBudget', 'c0 is added once maxSurge 0 allows it (not removed yet: c9)'],
    ['app1', 'c9', 'ContainsForeignObjects'],
  ];
  it.each<[string, Story, readonly string[]]>([
    ['is waited for where that one cannot go on', { ...both, holds: stuck, foreign: ['c9/app1/theirs'] }, []],
    ['is not waited for where that one can', { ...both, holds: stuck }, told],
    ['is not waited for where that one goes on', both, told],
    [
      'is waited for by nobody who does not ask for it',
      { ...both, app: {}, holds: stuck, foreign: ['c9/app1/theirs'] },
      told.slice(0, 1),
    ],
  ])('%s', (_, story, expected) => {
    expect(complaints(story)).toEqual(expected);
  });
});

describe('the namespace of an app that was dropped', () => {
  const dropped: Story = { dropped: true, objects: { 'c0/apps/deployments/app0/web': undefined } };
  const told = ['the namespace app0 is still on c0'];
  it.each<[string, Story, readonly string[]]>([
    ['goes', dropped, told],
    ['stays with what others have in it', { ...dropped, foreign: ['c0/app0/theirs'] }, []],
    ['does not stay with what they have elsewhere', { ...dropped, foreign: ['c0/default/theirs'] }, told],
    ['stays where its app was to be left behind', { ...dropped, abandoned: ['app0'] }, []],
    ['stays on a cluster that had left the fleet', { ...dropped, left: ['c0'] }, []],
    ['stays where nobody remembered the app', { ...dropped, recordLost: true }, []],
  ])('%s', (_, story, expected) => {
    expect(complaints(story)).toEqual(expected);
  });
});
