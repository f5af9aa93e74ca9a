import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodeFiles, nodeMemberSpec, nodeNames, workload } from '../daemon/nodes/node-fleet.ts';
import {
  gate,
  names,
  requested,
  simulatedMember,
  stagedFiles,
  states,
  versionsOf,
} from '../daemon/upgrades/upgrade-stages.ts';
import { upgradeRun } from '../support/cluster-upgrades.ts';
import { drawn, patience } from '../support/law-runs.ts';
import { VirtualFleet } from '../support/virtual-fleet.ts';
import { stuckAt } from './attacked-fleet.ts';
import { attackDomains, domainSteps } from './domain-attacks.ts';
import { type Known, type StepOf, stepOf } from './record-attacks.ts';

/**
 * Whoever can push only to the status branch starts no cluster upgrade that waits for an approval or is done, takes no node that the
 * budgets of the fleet keep, and evicts no pod before its replacement is up. Once the branch is left alone, and people started over
 * what was lost, the upgrade ends.
 */
interface Story {
  /** Budgets of the fleet keep all nodes; otherwise replacements hang while they launch. */
  readonly keepsNodes: boolean;
  readonly rounds: readonly {
    readonly steps: readonly StepOf<keyof typeof domainSteps>[];
    readonly stopped: boolean;
    readonly seconds: number;
  }[];
}

const story: fc.Arbitrary<Story> = fc.record({
  keepsNodes: fc.boolean(),
  rounds: fc.array(
    fc.record({
      steps: fc.array(stepOf(domainSteps), { minLength: 1, maxLength: 5 }),
      stopped: fc.boolean(),
      seconds: fc.constantFrom(1, 15, 60),
    }),
    { minLength: 1, maxLength: 4 },
  ),
});

const region = { 'topology.kubernetes.io/region': 'westeurope' };
const ours = (kind: string, name: string, spec: object): string =>
  JSON.stringify({ apiVersion: 'gitfleet.dev/v1alpha1', kind, metadata: { name }, spec });

const fleetFiles = (keepsNodes: boolean): Record<string, string> => {
  const files = nodeFiles('execute');
  return {
    ...stagedFiles,
    ...files,
    'clusters/eu-1.yaml': files['clusters/eu-1.yaml']!.replace('"labels":{}', `"labels":${JSON.stringify(region)}`),
    'profile.yaml': ours('AutoUpgradeProfile', 'auto', { channel: 'Rapid' }),
    'catalog.yaml': ours('VersionCatalog', 'all', {
      regions: [{ name: 'westeurope', kubernetesVersions: [{ version: '1.30.9' }, { version: '1.31.5' }] }],
    }),
    'fleet.yaml': ours('FleetConfig', 'fleet', keepsNodes ? { nodeDisruption: { budgets: [{ nodes: 0 }] } } : {}),
  };
};

const held = { 'karpenter.sh/do-not-disrupt': 'true' };
const nodeMember = (keepsNodes: boolean) =>
  keepsNodes
    ? nodeMemberSpec(
        [
          { count: 1, prefix: 'used' },
          { count: 2, prefix: 'idle' },
        ],
        [workload('web', 1, '1', { nodeSelector: { 'kubernetes.io/hostname': 'used-0' } }, held)],
      )
    : nodeMemberSpec([{ count: 2 }], [workload('web', 2, '1')], { launches: { seconds: 5, outcome: 'Hangs' } });

/** Nodes that were there at first and are gone, and evictions. */
const disturbed = (fleet: VirtualFleet, first: readonly string[]): readonly string[] => [
  ...first.filter((name) => !nodeNames(fleet).includes(name)),
  ...fleet.requests.filter((line) => line.includes('/eviction')),
];

async function attacked({ keepsNodes, rounds }: Story): Promise<void> {
  const fleet = await VirtualFleet.open(
    fleetFiles(keepsNodes),
    ...names.map((name) => simulatedMember(name)),
    nodeMember(keepsNodes),
  );
  try {
    let daemon = fleet.start();
    const first = nodeNames(fleet);
    await fleet.until('nodes are recorded', async () => 'nodes/eu-1.yaml' in (await fleet.repo.files('fleet-status')));
    const early = await fleet.repo.files('fleet-status');
    await fleet.until('the gate asks', () => fleet.repo.tip(gate) !== undefined, 300);
    const known: Known = { commits: [fleet.repo.tip('main')!, fleet.repo.tip(gate)!], other: [early] };
    const before = requested(fleet);
    const holding = (): void => {
      expect(requested(fleet)).toEqual(before);
      expect(disturbed(fleet, first)).toEqual([]);
    };
    for (const { steps, stopped, seconds } of rounds) {
      if (stopped) daemon.kill();
      const files = await fleet.repo.files('fleet-status');
      for (const one of steps) attackDomains(files, one, known);
      fleet.repo.commit('fleet-status', files, 'Attack');
      if (stopped) daemon = fleet.start();
      await fleet.run(seconds);
      holding();
    }
    daemon.kill();
    daemon = fleet.start({ acceptRewind: fleet.repo.tip('main')! });
    await fleet.run(60);
    holding();
    await endsUpgrade(fleet).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${stuckAt(daemon)}`);
    });
    expect(disturbed(fleet, first)).toEqual([]);
  } finally {
    fleet.close();
  }
}

/** A new run, since the record of the first may be lost. Test clusters have their version, so only production starts. */
async function endsUpgrade(fleet: VirtualFleet): Promise<void> {
  fleet.commit({ 'upgrades/k8s.yaml': undefined, ...upgradeRun({ updateStrategyId: 'test-then-prod' }, 'again') });
  const asks = gate.replace('k8s', 'again');
  await fleet.until('the gate asks again', () => fleet.repo.tip(asks) !== undefined, 600);
  const asked = await fleet.repo.files(asks);
  fleet.commit(Object.fromEntries(Object.entries(asked).filter(([path]) => path.startsWith('approvals/'))));
  await fleet.until('the upgrade is done', async () => (await states(fleet, 'again'))['run'] === 'Completed', 900);
  expect(requested(fleet).toSorted()).toEqual(names.toSorted());
  for (const name of names) expect(versionsOf(fleet)[name]).toBe('v1.31.5 v1.31.5');
}

describe('random edits of what the status branch has of upgrades, profiles and nodes', () => {
  it(
    'pass no gate, repeat no upgrade, take no node, and do not last',
    async () => {
      await fc.assert(fc.asyncProperty(story, attacked), {
        ...drawn(4, 20261123),
        endOnFailure: true,
      });
    },
    patience(120_000),
  );
});
