import { afterEach, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { placement } from '../support/paper-fleet.ts';
import { AttackedFleet, type Files, gatedFleet, names, run } from './attacked-fleet.ts';

let world: AttackedFleet;
afterEach(() => world.close());

/* biome-ignore lint/suspicious/noExplicitAny: an attacker knows no types. */
type Anything = any;

const [canary] = names;
const everywhere = (image: string) => names.map(() => image);

/** Changes the object in a file of the status branch. */
const edited = (path: string, change: (value: Anything) => void) => (files: Files) => {
  const value = parse(files[path]!);
  change(value);
  files[path] = stringify(value);
};
const bindings = (name: string, change: (binding: Anything) => void) =>
  edited(`placements/${name}/state.yaml`, (state) => state.bindings.forEach(change));

const group = 'placement.kubernetes-fleet.io';
const override = `
apiVersion: ${group}/v1beta1
kind: ClusterResourceOverride
metadata: {name: mark}
spec:
  clusterResourceSelectors: [{group: "", kind: Namespace, version: v1, name: NAME}]
  policy:
    overrideRules:
    - clusterSelector: {clusterSelectorTerms: []}
      jsonPatchOverrides: [{op: add, path: /metadata/labels, value: {mark: by-override}}]
`;
const rolling = '{type: RollingUpdate, rollingUpdate: {maxUnavailable: 1, maxSurge: 0}}';
const take = (whenToTakeOver: string) =>
  `{type: External, applyStrategy: {type: ClientSideApply, whenToTakeOver: ${whenToTakeOver}}}`;
const toolsOnProd = {
  'placements/tools.yaml': placement('tools', '{placementType: PickFixed, clusterNames: [prod-1, prod-2]}', rolling),
};

interface Case {
  /** Beyond the usual files. */
  readonly files?: Files;
  /** What happens before the attack; by default until the gate requests an approval. */
  readonly before?: () => Promise<void>;
  readonly attack: (files: Files) => void;
  /** What holds from the attack on, every ten seconds. */
  readonly holds: (round: number) => void | Promise<void>;
  /** A part of the path of what is reported, or nothing is. */
  readonly reported?: string;
}

/** The first version is everywhere, and its run is over. */
async function rolledOut(): Promise<void> {
  await world.untilGate();
  await world.approve();
  await world.fleet.until('it is everywhere', () => world.images().join() === everywhere('web:1').join(), 600);
  await world.fleet.run(60);
}

const namespaceLabels = (cluster: string, name: string) =>
  world.fleet.stored(cluster, '/namespaces', '', name)?.metadata.labels;
const toolsTwo = async (): Promise<void> => {
  await world.fleet.run(60);
  world.fleet.commit({
    'resources/tools.yaml': world.fleet.files['resources/tools.yaml']!.replace('tools:1', 'tools:2'),
  });
  await world.fleet.until('it is everywhere', () => world.images('tools').join() === everywhere('tools:2').join(), 600);
  await world.fleet.run(60);
};
let sentBefore = 0;
/** Bodies that were sent since the attack. */
const sentSince = () => world.sent.slice(sentBefore).map(({ body }) => body);
const sameAsBefore = (image: string) => () => expect(world.images()).toEqual(everywhere(image));

const evilSeventh = (files: Files): void => {
  edited('placements/web/state.yaml', (state) => {
    state.resourceSnapshots.push({ ...state.resourceSnapshots[0], index: 7 });
    delete state.resourceSnapshots[1].latest;
    state.bindings = state.bindings.filter(({ targetCluster }: Anything) => targetCluster !== canary);
  })(files);
  files['placements/web/snapshots/7.yaml'] = files['placements/web/snapshots/0.yaml']!.replaceAll('web:1', 'evil:1');
};

const cases: Readonly<Record<string, Case>> = {
  'names the contents of a run by an index that is not a number': {
    attack(files) {
      evilSeventh(files);
      edited('runs/web-1.yaml', ({ status }) => {
        status.resourceSnapshotIndexUsed = ' 7';
        status.stagesStatus[0].clusters = [{ clusterName: canary }];
        delete status.stagesStatus[0].conditions;
      })(files);
    },
    holds: () => expect([...world.imagesSent()].sort()).toEqual(['tools:1', 'web:1']),
    reported: '(status branch) placements/web/snapshots/7.yaml',
  },
  'gives a snapshot the contents that main holds now and no run has brought': {
    async before() {
      await rolledOut();
      world.fleet.commit({ 'resources/web.yaml': world.fleet.files['resources/web.yaml']!.replace('web:1', 'web:2') });
      await world.fleet.run(60);
    },
    attack(files) {
      files['placements/web/snapshots/0.yaml'] = files['placements/web/snapshots/0.yaml']!.replaceAll('web:1', 'web:2');
    },
    async holds() {
      expect(world.images()).toEqual(everywhere('web:1'));
      expect((await world.fleet.repo.files('fleet-status'))['placements/web/snapshots/0.yaml']).toContain('web:1');
    },
    reported: '(status branch) placements/web/snapshots/0.yaml',
  },
  'gives it and its entry those contents': {
    async before() {
      await rolledOut();
      world.fleet.commit({ 'resources/web.yaml': world.fleet.files['resources/web.yaml']!.replace('web:1', 'web:2') });
      await world.fleet.run(60);
    },
    attack(files) {
      files['placements/web/snapshots/0.yaml'] = files['placements/web/snapshots/0.yaml']!.replaceAll('web:1', 'web:2');
      edited('placements/web/state.yaml', ({ resourceSnapshots: [entry] }) => {
        delete entry.hash;
        entry.commit = world.fleet.repo.tip('main');
      })(files);
    },
    holds: sameAsBefore('web:1'),
    reported: '(status branch) placements/web/state.yaml',
  },
  'lists an object of somebody else in a snapshot that nothing uses': {
    async before() {
      await toolsTwo();
      await copyOfTools('someone');
    },
    attack(files) {
      const path = 'placements/tools/snapshots/0.yaml';
      files[path] += `---\n${files[path]!.replaceAll('name: tools', 'name: someone')}`;
    },
    holds: () => expect(world.fleet.stored('prod-1', '/namespaces', '', 'someone')).toBeDefined(),
    reported: '(status branch) placements/tools/snapshots/0.yaml',
  },
  'breaks a state and says in the status that other clusters are picked': {
    before: () => world.untilGate(),
    attack(files) {
      files['placements/tools/state.yaml'] = '{';
      edited('placements/tools/status.yaml', ({ spec }) => {
        spec.policy = { placementType: 'PickFixed', clusterNames: ['prod-1'] };
      })(files);
    },
    holds() {
      expect(world.images('tools')).toEqual(everywhere('tools:1'));
      expect(world.daemon.plan().holds.filter(({ reason }) => reason === 'LastGoodVersion')).toEqual([]);
    },
    reported: '(status branch) placements/tools/status.yaml',
  },
  'makes up a placement whose label others use': {
    async before() {
      await world.untilGate();
      await copyOfTools('foo', 'foo');
    },
    attack(files) {
      files['placements/foo/state.yaml'] = '{';
      files['placements/foo/status.yaml'] = files['placements/tools/status.yaml']!.replaceAll('tools', 'foo');
    },
    holds: () => expect(world.fleet.stored('prod-1', '/namespaces', '', 'foo')).toBeDefined(),
    reported: '(status branch) placements/foo/status.yaml',
  },
  'makes up a placement with a whole state': {
    async before() {
      await world.untilGate();
      await copyOfTools('foo', 'foo');
    },
    attack(files) {
      for (const [path, text] of Object.entries(files))
        if (path.startsWith('placements/tools/')) files[path.replace('tools', 'foo')] = text.replaceAll('tools', 'foo');
      edited('placements/foo/state.yaml', (state) => {
        state.resourceSnapshots = [
          { index: 0, latest: true },
          { index: 1, hash: 'lost' },
        ];
      })(files);
      files['placements/foo/snapshots/1.yaml'] = files['placements/foo/snapshots/0.yaml']!;
      delete files['placements/foo/snapshots/0.yaml'];
    },
    holds: () => expect(world.fleet.stored('prod-1', '/namespaces', '', 'foo')).toBeDefined(),
    reported: '(status branch) placements/foo/state.yaml',
  },
  'takes an older version for the last good one': {
    async before() {
      await world.untilGate();
      const file = world.fleet.files['placements/tools.yaml']!;
      world.fleet.commit({ 'placements/tools.yaml': file.replace('maxUnavailable: 1', 'maxUnavailable: 2') });
      await world.fleet.run(30);
      world.fleet.commit({ 'placements/tools.yaml': 'spec: [' });
      await world.fleet.run(30);
    },
    attack: edited('placements/tools/status.yaml', ({ spec }) => {
      spec.strategy.rollingUpdate.maxUnavailable = 1;
    }),
    async holds(round) {
      const files = await world.fleet.repo.files('fleet-status');
      // No news for people: it is published within 30 seconds of the next reconciliation.
      if (round > 3)
        expect(parse(files['placements/tools/status.yaml']!).spec.strategy.rollingUpdate.maxUnavailable).toBe(2);
    },
    reported: '(status branch) placements/tools/status.yaml',
  },
  'starts a run that main holds at Initialize': {
    files: { 'runs/web-1.yaml': run('web-1').replace('careful}', 'careful, state: Initialize}') },
    before: () => world.fleet.run(60),
    attack: edited('runs/web-1.yaml', ({ spec }) => {
      spec.state = 'Run';
    }),
    holds: () => expect(world.images()).toEqual([undefined, undefined, undefined]),
    reported: '(status branch) runs/web-1.yaml',
  },
  'lets a run begin anew with another strategy': {
    files: {
      'free.yaml': `
apiVersion: ${group}/v1beta1
kind: ClusterStagedUpdateStrategy
metadata: {name: free}
spec: {stages: [{name: all, labelSelector: {}}]}
`,
    },
    attack: edited('runs/web-1.yaml', (it) => {
      it.spec.stagedRolloutStrategyName = 'free';
      delete it.status;
      delete it.metadata.annotations;
    }),
    holds: () => expect(world.images()).toEqual(['web:1', undefined, undefined]),
    reported: '(status branch) runs/web-1.yaml',
  },
  'puts the record of one run in the place of another': {
    async before() {
      await rolledOut();
      world.fleet.commit({
        'resources/web.yaml': world.fleet.files['resources/web.yaml']!.replace('web:1', 'web:2'),
        'runs/web-2.yaml': run('web-2'),
      });
      await world.untilGate('gitfleet/approve/web-2-after-canary');
    },
    attack(files) {
      files['runs/web-2.yaml'] = files['runs/web-1.yaml']!;
    },
    holds() {
      expect(world.images()).toEqual(['web:2', 'web:1', 'web:1']);
      expect(world.daemon.plan().holds.map(({ reason }) => reason)).toContain('RecordLost');
    },
  },
  'starts a cluster of a later stage': {
    files: {
      'strategy.yaml': gatedFleet('web:1')['strategy.yaml']!.replace(
        'type: Approval',
        'type: TimedWait, waitTime: 24h',
      ),
    },
    before: () => world.fleet.run(90),
    attack: edited('runs/web-1.yaml', ({ status }) => {
      const lastTransitionTime = '2026-11-20T10:00:00Z';
      status.stagesStatus[1].clusters[0].conditions = [
        { type: 'Started', status: 'True', reason: 'Forged', lastTransitionTime },
      ];
    }),
    async holds() {
      expect(world.images()).toEqual(['web:1', undefined, undefined]);
      expect(world.daemon.plan().guard).toEqual([]);
    },
    reported: '(status branch) runs/web-1.yaml',
  },
  'lists an override that no run has brought': {
    async before() {
      await rolledOut();
      world.fleet.commit({ 'override.yaml': override.replace('NAME', 'web') });
      await world.fleet.run(60);
    },
    attack: bindings('web', (binding) => {
      binding.clusterResourceOverrideSnapshots = ['mark-0'];
    }),
    holds: () => expect(namespaceLabels('prod-1', 'web')).not.toHaveProperty('mark'),
    reported: '(status branch) placements/web/state.yaml',
  },
  'takes overrides away from a rolling update': {
    files: { 'override.yaml': override.replace('NAME', 'tools') },
    attack: bindings('tools', (binding) => {
      delete binding.clusterResourceOverrideSnapshots;
    }),
    holds() {
      const sent = sentSince().filter((body) => body.includes('"kind":"Namespace"') && body.includes('"tools"'));
      expect(sent.filter((body) => !body.includes('by-override'))).toEqual([]);
      for (const cluster of names) expect(namespaceLabels(cluster, 'tools')).toHaveProperty('mark');
    },
  },
  'says that what others own is taken over': {
    files: { 'placements/web.yaml': placement('web', '{placementType: PickAll}', take('Never')) },
    async before() {
      await world.fleet.ask('canary-1', 'POST', '/api/v1/namespaces', {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'web' },
      });
      await world.fleet.run(120);
      expect(namespaceLabels('canary-1', 'web')).not.toHaveProperty('gitfleet.dev/placement');
    },
    attack: bindings('web', (binding) => {
      binding.applyStrategy = {
        type: 'ClientSideApply',
        whenToTakeOver: 'Always',
        comparisonOption: 'PartialComparison',
        whenToApply: 'Always',
        allowCoOwnership: false,
      };
    }),
    holds: () => expect(namespaceLabels('canary-1', 'web')).not.toHaveProperty('gitfleet.dev/placement'),
    reported: '(status branch) placements/web/state.yaml',
  },
  'makes up a binding on a cluster that is not picked': {
    files: toolsOnProd,
    attack: edited('placements/tools/state.yaml', (state) => {
      state.bindings.push({ ...state.bindings[0], targetCluster: canary });
    }),
    holds: () => expect(world.images('tools')).toEqual([undefined, 'tools:1', 'tools:1']),
    reported: '(status branch) placements/tools/state.yaml',
  },
  'makes up one that is only scheduled': {
    files: {
      ...toolsOnProd,
      'placements/tools.yaml': placement(
        'tools',
        '{placementType: PickAll, affinity: {clusterAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {clusterSelectorTerms: [{labelSelector: {matchLabels: {env: prod}}}]}}}}',
        rolling,
      ),
    },
    attack: edited('placements/tools/state.yaml', (state) => {
      const { policySnapshotIndex } = state.bindings[0];
      state.bindings.push({ targetCluster: canary, state: 'Scheduled', policySnapshotIndex });
    }),
    holds: () => expect(world.images('tools')).toEqual([undefined, 'tools:1', 'tools:1']),
  },
  'gives back an older snapshot that a run brought once': {
    async before() {
      await rolledOut();
      world.fleet.commit({
        'resources/web.yaml': world.fleet.files['resources/web.yaml']!.replace('web:1', 'web:2'),
        'runs/web-2.yaml': run('web-2'),
      });
      await world.untilGate('gitfleet/approve/web-2-after-canary');
      await world.approve('gitfleet/approve/web-2-after-canary');
      await world.fleet.until('it is everywhere', () => world.images().join() === everywhere('web:2').join(), 600);
      await world.fleet.run(60);
    },
    attack: bindings('web', (binding) => {
      binding.resourceSnapshotIndex = 0;
    }),
    holds: sameAsBefore('web:2'),
    reported: '(status branch) placements/web/state.yaml',
  },
  'gives back an older snapshot of a rolling update': {
    before: toolsTwo,
    attack: bindings('tools', (binding) => {
      binding.resourceSnapshotIndex = 0;
    }),
    holds() {
      expect(sentSince().filter((body) => body.includes('tools:1'))).toEqual([]);
      expect(world.images('tools')).toEqual(everywhere('tools:2'));
    },
  },
  'forgets a run that is over': {
    before: rolledOut,
    attack(files) {
      delete files['runs/web-1.yaml'];
    },
    holds() {
      expect(world.images()).toEqual(everywhere('web:1'));
      expect(world.fleet.repo.tip('gitfleet/approve/web-1-after-canary')).toBeUndefined();
    },
    reported: '(status branch) runs/web-1.yaml',
  },
  'forgets an eviction': {
    async before() {
      await world.untilGate();
      world.fleet.commit({
        'evict.yaml': `{apiVersion: ${group}/v1, kind: ClusterResourcePlacementEviction, metadata: {name: once}, spec: {placementName: tools, clusterName: prod-1}}`,
      });
      await world.fleet.run(120);
      expect(world.images('tools')).toEqual(everywhere('tools:1'));
    },
    attack(files) {
      delete files['evictions/once.yaml'];
    },
    holds() {
      expect(world.images('tools')).toEqual(everywhere('tools:1'));
    },
    reported: '(status branch) evictions/once.yaml',
  },
  'ends a stage in the year 9999': {
    files: {
      'strategy.yaml': gatedFleet('web:1')['strategy.yaml']!.replace('type: Approval', 'type: TimedWait, waitTime: 3m'),
    },
    before: () => world.fleet.run(60),
    attack: edited('runs/web-1.yaml', ({ status }) => {
      for (const cluster of status.stagesStatus[0].clusters)
        for (const condition of cluster.conditions) condition.lastTransitionTime = '9999-01-01T00:00:00Z';
    }),
    async holds(round) {
      const files = await world.fleet.repo.files('fleet-status');
      // No news for people: it is published within 30 seconds of the next reconciliation.
      if (round > 3) expect(files['runs/web-1.yaml']).not.toContain('9999');
    },
  },
  'names an index that leaves none for the next snapshot': {
    attack: edited('placements/tools/state.yaml', (state) => {
      state.resourceSnapshots.push({ ...state.resourceSnapshots[0], index: Number.MAX_SAFE_INTEGER });
      delete state.resourceSnapshots[0].latest;
    }),
    holds: () => expect(world.images('tools')).toEqual(everywhere('tools:1')),
    reported: '(status branch) placements/tools/state.yaml',
  },
  'makes an approval count that was there before its run': {
    async before() {
      await rolledOut();
      const asked = world.fleet.files['approvals/web-1-after-canary.yaml']!;
      world.fleet.commit({ 'runs/web-1.yaml': undefined, 'approvals/web-1-after-canary.yaml': undefined });
      await world.fleet.run(60);
      // The same run once more, of contents that come back: its review has the digest of the first.
      world.fleet.commit({ 'runs/web-1.yaml': run('web-1'), 'approvals/web-1-after-canary.yaml': asked });
      await world.fleet.run(60);
      expect(world.daemon.plan().runs[0]!.status.earlyApprovals).toHaveLength(1);
    },
    attack: edited('runs/web-1.yaml', ({ status }) => {
      delete status.earlyApprovals;
      const [task] = status.stagesStatus[0].afterStageTaskStatus;
      const lastTransitionTime = '2026-11-20T10:00:00Z';
      task.conditions.push({ type: 'ApprovalRequestApproved', status: 'True', reason: 'Forged', lastTransitionTime });
    }),
    holds: () => expect(world.images()).toEqual(everywhere('web:1')),
    reported: '(status branch) runs/web-1.yaml',
  },
  'says that everything is being removed': {
    attack: bindings('tools', (binding) => {
      binding.deleting = true;
    }),
    holds() {
      expect(world.images('tools')).toEqual(everywhere('tools:1'));
      expect(world.fleet.requests.filter((request) => / DELETE .*deployments/.test(request))).toEqual([]);
    },
  },
};

/** A namespace that somebody made of the one that gitfleet made, with its labels and annotations. */
async function copyOfTools(name: string, label = 'tools'): Promise<void> {
  const { labels, annotations } = world.fleet.stored('prod-1', '/namespaces', '', 'tools')!.metadata;
  const metadata = {
    name,
    labels: { ...labels, 'gitfleet.dev/placement': label },
    annotations: JSON.parse(JSON.stringify(annotations).replaceAll('"tools"', `"${label}"`)),
  };
  await world.fleet.ask('prod-1', 'POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata });
  await world.fleet.run(30);
}

describe.each([
  ['while the daemon runs', false],
  ['while the daemon is stopped', true],
])('an edit of the status branch %s', (_, stopped) => {
  it.each(Object.keys(cases))('that %s changes nothing on members, and is undone', async (what) => {
    const { files, before, attack, holds, reported } = cases[what]!;
    world = await AttackedFleet.open({ ...gatedFleet('web:1'), ...files });
    await (before ?? (() => world.untilGate()))();
    if (stopped) world.daemon.kill();
    await world.edit(attack);
    sentBefore = world.sent.length;
    if (stopped) world.start();
    const seen = new Set<string>();
    for (let round = 0; round < 12; round++) {
      await world.fleet.run(10);
      for (const problem of world.problems()) seen.add(problem.split(': ')[0]!);
      await holds(round);
    }
    if (reported) expect([...seen]).toContain(reported);
    // Others continue, and what was attacked converges with them.
    const has = world.images('tools').map((image) => image && 'tools:9');
    world.fleet.commit({
      'placements/tools.yaml': { ...gatedFleet(''), ...files }['placements/tools.yaml']!,
      'resources/tools.yaml': gatedFleet('')['resources/tools.yaml']!.replace('tools:1', 'tools:9'),
    });
    await world.fleet.until('the change is everywhere', () => world.images('tools').join() === has.join(), 900);
    // What an External placement has is believed again once a run came to it.
    expect(world.problems().filter((text) => !text.includes('until a rollout or an update run updates it'))).toEqual(
      [],
    );
  });
});
