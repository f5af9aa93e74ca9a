import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawn, patience } from '../support/law-runs.ts';
import { deployment, placement } from '../support/paper-fleet.ts';
import { AttackedFleet, type Files, gate, gatedFleet, names, run } from './attacked-fleet.ts';
import { attack, type Known, type Step, step } from './record-attacks.ts';

/**
 * Whoever can push only to the status branch, and branches that nobody merges, never brings anything to a member that the followed
 * branch did not hold for this member, and passes no gate. Once the branch is left alone, and people started over what was lost, the fleet converges.
 */
const prod = names.slice(1);

/** A round of the attack: steps done at once, and how long the fleet then runs. */
interface Round {
  readonly steps: readonly Step[];
  readonly stopped: boolean;
  readonly seconds: number;
}

const round: fc.Arbitrary<Round> = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 5 }),
  stopped: fc.boolean(),
  seconds: fc.constantFrom(1, 15, 60),
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
/** Beyond the gated fleet: a placement on one cluster, an override on some, and a strategy without gates. */
const fleetFiles = (): Files => ({
  ...gatedFleet('web:0'),
  'placements/edge.yaml': placement('edge', '{placementType: PickFixed, clusterNames: [prod-1]}'),
  'resources/edge.yaml': deployment('edge', 'edge', 'edge:1'),
  'override.yaml': onProd('first'),
  'free.yaml': `
apiVersion: ${group}/v1beta1
kind: ClusterStagedUpdateStrategy
metadata: {name: free}
spec: {stages: [{name: all, labelSelector: {}}]}
`,
});

/** What happens on the followed branch once the gate asks. */
async function merges(world: AttackedFleet): Promise<void> {
  world.fleet.commit({
    'resources/tools.yaml': world.fleet.files['resources/tools.yaml']!.replace('tools:1', 'tools:2'),
    'override.yaml': onProd('second'),
  });
  await world.fleet.run(60);
  // Waits for a run.
  world.fleet.commit({ 'resources/web.yaml': gatedFleet('web:1')['resources/web.yaml']! });
  await world.fleet.run(10);
}

const digestsIn = (body: string): string[] =>
  [...body.matchAll(/"gitfleet.dev\/digest":"([^"]*)"/g)].map(([, digest]) => digest!);

/** Digests that the same fleet gives each member without any attack. */
let honest: ReadonlyMap<string, ReadonlySet<string>> | undefined;
async function honestDigests(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  if (honest) return honest;
  const world = await AttackedFleet.open(fleetFiles());
  await world.untilGate();
  await merges(world);
  // A run may be made to start over, with what its file then selects: before its first gate that is no secret.
  world.fleet.commit({ 'runs/web-1.yaml': undefined, 'runs/again.yaml': run('again') });
  await world.untilGate('gitfleet/approve/again-after-canary');
  world.fleet.commit({ 'runs/again.yaml': undefined });
  await world.fleet.run(10);
  await converges(world, () => {});
  const found = new Map<string, Set<string>>(names.map((name) => [name, new Set()]));
  for (const { member, body } of world.sent) for (const digest of digestsIn(body)) found.get(member)!.add(digest);
  world.close();
  honest = found;
  return found;
}

async function attacked(rounds: readonly Round[]): Promise<void> {
  const digests = await honestDigests();
  const world = await AttackedFleet.open(fleetFiles());
  try {
    const { repo } = world.fleet;
    const first = repo.tip('main')!;
    await world.untilGate();
    const early = await repo.files('fleet-status');
    await merges(world);
    await ofAnotherFleet(world);
    const proposed = repo.commit('pull-request', gatedFleet('evil:1'), 'Propose', [repo.tip('main')!]);
    const known: Known = { commits: [repo.tip('main')!, first, proposed], other: [await statusOfEvilFleet(), early] };
    for (const { steps, stopped, seconds } of rounds) {
      if (stopped) world.daemon.kill();
      await world.edit((files) => {
        for (const one of steps) attack(files, one, known);
      });
      if (stopped) world.start();
      await world.fleet.run(seconds);
      holds(world, digests);
    }
    await converges(world, () => holds(world, digests)).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${stuckAt(world)}`);
    });
  } finally {
    world.close();
  }
}

/** What the last plan waits for. */
function stuckAt({ daemon }: AttackedFleet): string {
  const last = daemon.passes.at(-1);
  if (last === undefined || last.kind === 'moved') return `no plan: ${daemon.daemon.notReady()}`;
  const { guard, holds, problems } = last.plan;
  const messages = [...guard, ...holds, ...problems].map(({ message }) => message);
  return [last.kind, daemon.daemon.notReady(), ...messages].join('\n  ');
}

/** Nothing that the followed branch did not hold was sent to a member, and nothing of `web` behind the gate. */
function holds(world: AttackedFleet, digests: ReadonlyMap<string, ReadonlySet<string>>): void {
  const foreign = world.sent.filter(({ member, body }) => digestsIn(body).some((it) => !digests.get(member)!.has(it)));
  expect(foreign).toEqual([]);
  expect(world.fleet.stored('prod-1', '/namespaces', '', 'foo')).toBeDefined();
  const evil = world.sent.filter(({ body }) => body.includes('evil'));
  expect(evil).toEqual([]);
  const behindGate = world.sent.filter(({ member, body }) => prod.includes(member as never) && body.includes('"web'));
  expect(behindGate).toEqual([]);
}

/** A namespace on a shared member whose label is that of no placement here. */
async function ofAnotherFleet(world: AttackedFleet): Promise<void> {
  const metadata = { name: 'foo', labels: { 'gitfleet.dev/placement': 'foo' } };
  await world.fleet.ask('prod-1', 'POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata });
}

/** Nobody touches the status branch any more. What was lost is started over, by people. */
async function converges(world: AttackedFleet, holding: () => void): Promise<void> {
  world.daemon.kill();
  world.start({ acceptRewind: world.fleet.repo.tip('main')! });
  await world.fleet.run(60);
  holding();
  world.fleet.commit({
    'runs/web-1.yaml': undefined,
    'runs/web-2.yaml': run('web-2'),
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

describe('random edits of the status branch', () => {
  it(
    'bring nothing to a member that the followed branch did not hold, pass no gate, and do not last',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 4 }), async (rounds) => attacked(rounds)),
        { ...drawn(15), endOnFailure: true },
      );
    },
    patience(120_000),
  );
});
