import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { drawn, patience } from '../support/law-runs.ts';
import { deployment, placement } from '../support/paper-fleet.ts';
import { AttackedFleet, type Files, gate, gatedFleet, names, run, stuckAt } from './attacked-fleet.ts';
import { attack, type Known, type Step, step } from './record-attacks.ts';
import { uidOn } from './record-edits.ts';

/**
 * Whoever can push only to the status branch, and branches that nobody merges, never brings anything to a member that the followed
 * branch did not hold for this member, passes no gate, and removes nothing. Once the branch is left alone, and people started over what
 * was lost, the fleet converges.
 */
const prod = names.slice(1);

/** A round of the attack: steps done at once, and how long the fleet then runs. */
interface Round {
  readonly steps: readonly Step[];
  readonly stopped: boolean;
  readonly seconds: number;
}

/** What the followed branch asks for, and the rounds of the attack. */
interface Story {
  /** The approval of the gate came with its run. */
  readonly isEarly: boolean;
  /** The run asks for a rollback if it fails. */
  readonly rollsBack: boolean;
  /** A placement vanished; the guard refuses that. */
  readonly hasVanished: boolean;
  readonly rounds: readonly Round[];
}

const round: fc.Arbitrary<Round> = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 5 }),
  stopped: fc.boolean(),
  seconds: fc.constantFrom(1, 15, 60),
});

const story: fc.Arbitrary<Story> = fc.record({
  isEarly: fc.boolean(),
  rollsBack: fc.boolean(),
  hasVanished: fc.boolean(),
  rounds: fc.array(round, { minLength: 1, maxLength: 4 }),
});

/** The status of a fleet of the same names that the attacker runs for himself, all gates open. */
let evilStatus: Files | undefined;
async function statusOfEvilFleet(): Promise<Files> {
  if (evilStatus) return evilStatus;
  const world = await AttackedFleet.open({
    ...gatedFleet('evil:1'),
    'resources/tools.yaml': gatedFleet('evil:1')['resources/tools.yaml']!.replace('tools:1', 'evil:1'),
  });
  await world.untilGate();
  await world.approve();
  await world.fleet.run(120);
  evilStatus = await world.fleet.repo.files('fleet-status');
  world.close();
  return evilStatus;
}

const group = 'placement.kubernetes-fleet.io';
const onProd = (mark: string): string => `
apiVersion: ${group}/v1beta1
kind: ClusterResourceOverride
metadata: {name: mark}
spec:
  clusterResourceSelectors: [{group: "", kind: Namespace, version: v1, name: tools}]
  policy:
    overrideRules:
    - clusterSelector: {clusterSelectorTerms: [{labelSelector: {matchLabels: {env: prod}}}]}
      jsonPatchOverrides: [{op: add, path: /metadata/labels, value: {mark: ${mark}}}]
`;
const eviction = (name: string, cluster: string): string => `
apiVersion: ${group}/v1beta1
kind: ClusterResourcePlacementEviction
metadata: {name: ${name}}
spec: {placementName: tools, clusterName: ${cluster}}
`;
/** Beyond the gated fleet: placements on one cluster each, an override on some, and a strategy without gates. */
const fleetFiles = (): Files => ({
  ...gatedFleet('web:0'),
  'placements/edge.yaml': placement('edge', '{placementType: PickFixed, clusterNames: [prod-1]}'),
  'resources/edge.yaml': deployment('edge', 'edge', 'edge:1'),
  'placements/gone.yaml': placement('gone', '{placementType: PickFixed, clusterNames: [prod-2]}'),
  'resources/gone.yaml': deployment('gone', 'gone', 'gone:1'),
  'override.yaml': onProd('first'),
  'fleet.yaml': 'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {guard: {maxClusters: 1}}\n',
  'free.yaml': `
apiVersion: ${group}/v1beta1
kind: ClusterStagedUpdateStrategy
metadata: {name: free}
spec: {stages: [{name: all, labelSelector: {}}]}
`,
});

/** What happens on the followed branch once the gate asks. */
async function merges(world: AttackedFleet): Promise<void> {
  const { fleet } = world;
  const evicted = uidOn(world, 'prod-2', 'tools');
  fleet.commit({ 'evictions/done.yaml': eviction('done', 'prod-2') });
  await fleet.until('the eviction is done', () => ![undefined, evicted].includes(uidOn(world, 'prod-2', 'tools')), 300);
  await fleet.run(60);
  await ofOthers(world);
  fleet.commit({
    'resources/tools.yaml': fleet.files['resources/tools.yaml']!.replace('tools:1', 'tools:2'),
    'override.yaml': onProd('second'),
    'placements/gone.yaml': undefined,
    'evictions/out.yaml': eviction('out', 'prod-1'),
    'budget.yaml': `apiVersion: ${group}/v1beta1\nkind: ClusterResourcePlacementDisruptionBudget\nmetadata: {name: tools}\nspec: {minAvailable: 3}\n`,
  });
  await fleet.run(60);
  // Waits for a run.
  fleet.commit({ 'resources/web.yaml': gatedFleet('web:1')['resources/web.yaml']! });
  await fleet.run(10);
}

const digestsIn = (body: string): string[] =>
  [...body.matchAll(/"gitfleet.dev\/digest":"([^"]*)"/g)].map(([, digest]) => digest!);

/** What the same fleet does without any attack: digests that it gives each member, and the approval of its gate. */
interface Honest {
  readonly digests: ReadonlyMap<string, ReadonlySet<string>>;
  readonly approval: Files;
}

let honest: Honest | undefined;
async function honestFleet(): Promise<Honest> {
  if (honest) return honest;
  const world = await AttackedFleet.open(fleetFiles());
  await world.untilGate();
  const asked = await world.fleet.repo.files(gate);
  const approval = Object.fromEntries(Object.entries(asked).filter(([path]) => path.startsWith('approvals/')));
  await merges(world);
  // A run may be made to start over, with what its file then selects: before its first gate that is no secret.
  world.fleet.commit({ 'runs/web-1.yaml': undefined, 'runs/again.yaml': run('again') });
  await world.untilGate('gitfleet/approve/again-after-canary');
  world.fleet.commit({ 'runs/again.yaml': undefined });
  await world.fleet.run(10);
  await converges(world, () => {});
  const digests = new Map<string, Set<string>>(names.map((name) => [name, new Set()]));
  for (const { member, body } of world.sent) for (const digest of digestsIn(body)) digests.get(member)!.add(digest);
  world.close();
  honest = { digests, approval };
  return honest;
}

async function attacked({ isEarly, rollsBack, hasVanished, rounds }: Story): Promise<void> {
  const { digests, approval } = await honestFleet();
  const rollingBack = run('web-1').replace('web-1}', 'web-1, annotations: {gitfleet.dev/on-failure: rollback}}');
  const world = await AttackedFleet.open({
    ...fleetFiles(),
    ...(isEarly ? approval : {}),
    ...(rollsBack ? { 'runs/web-1.yaml': rollingBack } : {}),
  });
  try {
    const { repo } = world.fleet;
    const first = repo.tip('main')!;
    await (isEarly ? refusesApproval(world) : world.untilGate());
    const early = await repo.files('fleet-status');
    await merges(world);
    if (hasVanished) {
      world.fleet.commit({ 'placements/tools.yaml': undefined });
      await world.fleet.run(30);
      expect(world.daemon.plan().guard).toHaveLength(1);
    }
    const proposed = repo.commit('pull-request', gatedFleet('evil:1'), 'Propose', [repo.tip('main')!]);
    const inside = mergeOfEvil(world, approval);
    await world.fleet.run(10);
    const known: Known = {
      commits: [repo.tip('main')!, first, proposed, inside],
      other: [await statusOfEvilFleet(), early],
    };
    const identities = identitiesIn(world);
    const holding = (): void => {
      holds(world, digests);
      expect(identitiesIn(world)).toEqual(identities);
    };
    for (const { steps, stopped, seconds } of rounds) {
      if (stopped) world.daemon.kill();
      await world.edit((files) => {
        for (const one of steps) attack(files, one, known);
      });
      if (stopped) world.start();
      await world.fleet.run(seconds);
      holding();
    }
    await converges(world, holding).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${stuckAt(world.daemon)}`);
    });
  } finally {
    world.close();
  }
}

/** Merges a branch whose last commit changes nothing. Returns a commit inside of it, with evil contents and an open gate. */
function mergeOfEvil({ fleet: { repo, files } }: AttackedFleet, approval: Files): string {
  const base = repo.tip('main')!;
  const inside = repo.commit('change', { ...files, ...gatedFleet('evil:1'), ...approval }, 'Try', [base]);
  const last = repo.commit('change', files, 'Undo', [inside]);
  repo.commit('main', files, 'Merge', [base, last]);
  return inside;
}

/** Until canary is done, and the approval that came with the run is refused. */
const refusesApproval = ({ fleet }: AttackedFleet): Promise<void> =>
  fleet.until(
    'the approval is refused',
    async () => {
      const text = (await fleet.repo.files('fleet-status'))['runs/web-1.yaml'];
      return text !== undefined && parse(text).status?.earlyApprovals?.length === 1 && text.includes('ApprovalRequest');
    },
    300,
  );

/** Of what must not be removed from members, not even to be created again. */
const identitiesIn = (world: AttackedFleet): unknown =>
  [
    ...names.map((name) => [name, 'tools'] as const),
    ...([
      ['canary-1', 'web'],
      ['prod-1', 'edge'],
      ['prod-1', 'foo'],
      ['prod-2', 'gone'],
    ] as const),
  ].map(([cluster, name]) => `${cluster} ${name} ${uidOn(world, cluster, name)}`);

/** Nothing that the followed branch did not hold was sent to a member, and nothing of `web` behind the gate. */
function holds(world: AttackedFleet, digests: ReadonlyMap<string, ReadonlySet<string>>): void {
  const foreign = world.sent.filter(({ member, body }) => digestsIn(body).some((it) => !digests.get(member)!.has(it)));
  expect(foreign).toEqual([]);
  const evil = world.sent.filter(({ body }) => body.includes('evil'));
  expect(evil).toEqual([]);
  const behindGate = world.sent.filter(({ member, body }) => prod.includes(member as never) && body.includes('"web'));
  expect(behindGate).toEqual([]);
}

/** A namespace on a shared member whose label is that of no placement here, and what others have in one of ours. */
async function ofOthers({ fleet }: AttackedFleet): Promise<void> {
  const metadata = { name: 'foo', labels: { 'gitfleet.dev/placement': 'foo' } };
  await fleet.ask('prod-1', 'POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata });
  const theirs = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'theirs' } };
  await fleet.ask('prod-2', 'POST', '/api/v1/namespaces/gone/configmaps', theirs);
}

/** Nobody touches the status branch any more. What was lost is started over, by people. */
async function converges(world: AttackedFleet, holding: () => void): Promise<void> {
  world.daemon.kill();
  world.start({ acceptRewind: world.fleet.repo.tip('main')! });
  await world.fleet.run(60);
  holding();
  world.fleet.commit({
    ...Object.fromEntries(
      Object.keys(world.fleet.files).flatMap((path) => (path.startsWith('approvals/') ? [[path, undefined]] : [])),
    ),
    'runs/web-1.yaml': undefined,
    'runs/web-2.yaml': run('web-2'),
    'placements/tools.yaml': fleetFiles()['placements/tools.yaml'],
    'resources/web.yaml': gatedFleet('web:2')['resources/web.yaml']!,
    'resources/tools.yaml': world.fleet.files['resources/tools.yaml']!.replace('tools:2', 'tools:3'),
  });
  await world.untilGate(gate.replace('web-1', 'web-2'));
  holding();
  await world.approve(gate.replace('web-1', 'web-2'));
  const all = (image: string) => names.map(() => image).join();
  await world.fleet.until(
    'the fleet has what main holds',
    () => world.images().join() === all('web:2') && world.images('tools').join() === all('tools:3'),
    1_200,
  );
}

/** The plan is refused before and after a start, so no actor looks for what the invented binding claims. */
const inventedWhileRefused: Story = {
  isEarly: false,
  rollsBack: false,
  hasVanished: true,
  rounds: [
    { steps: [{ kind: 'inventedBinding', a: 617, b: 948 }], stopped: false, seconds: 15 },
    { steps: [{ kind: 'forgedOverride', a: 652, b: 60 }], stopped: false, seconds: 15 },
  ],
};

/** Its override lists name a snapshot that never was, as if the placement had failed: an eviction then needs no budget. */
const failedByOverrides: Story = {
  isEarly: false,
  rollsBack: false,
  hasVanished: false,
  rounds: [
    {
      steps: [
        { kind: 'removeFolder', a: 786, b: 869 },
        { kind: 'mergedContents', a: 304, b: 184 },
        { kind: 'removeFolder', a: 580, b: 511 },
      ],
      stopped: false,
      seconds: 60,
    },
    {
      steps: [
        { kind: 'overrideLists', a: 139, b: 927 },
        { kind: 'executedEviction', a: 105, b: 39 },
      ],
      stopped: true,
      seconds: 15,
    },
  ],
};

/** A removed placement seems to have two clusters, more than the guard allows, while actors wait for a plan that it accepts. */
const inventedWhileWaiting: Story = {
  isEarly: false,
  rollsBack: false,
  hasVanished: false,
  rounds: [
    {
      steps: [
        { kind: 'inventedBinding', a: 349, b: 757 },
        { kind: 'otherPlacement', a: 543, b: 49 },
      ],
      stopped: true,
      seconds: 15,
    },
  ],
};

/** Contents that nothing proves are unknown, so their kinds are not watched: that looks as if a removal had begun. */
const removalOfUnknown: Story = {
  isEarly: false,
  rollsBack: false,
  hasVanished: true,
  rounds: [
    {
      steps: [
        { kind: 'executedEviction', a: 493, b: 785 },
        { kind: 'forgedOverride', a: 767, b: 753 },
      ],
      stopped: true,
      seconds: 60,
    },
    { steps: [{ kind: 'evilContentsWithHash', a: 838, b: 770 }], stopped: false, seconds: 1 },
  ],
};

describe('random edits of the status branch', () => {
  it(
    'bring nothing to a member that the followed branch did not hold, pass no gate, remove nothing, and do not last',
    async () => {
      await fc.assert(fc.asyncProperty(story, attacked), {
        ...drawn(8, 20261122),
        endOnFailure: true,
        examples: [[inventedWhileRefused], [failedByOverrides], [inventedWhileWaiting], [removalOfUnknown]],
      });
    },
    patience(120_000),
  );
});
