import { afterEach, describe, expect, it } from 'vitest';
import {
  forgedCommand,
  nodeFiles,
  nodeMemberSpec,
  nodeNames,
  published,
  taintsOf,
  workload,
} from '../daemon/nodes/node-fleet.ts';
import { nodeMember, nodePool } from '../support/node-world.ts';
import { type VirtualDaemon, VirtualFleet } from '../support/virtual-fleet.ts';
import { type Anything, change, modes } from './record-edits.ts';

let fleet: VirtualFleet;
let daemon: VirtualDaemon;
afterEach(() => fleet?.close());

const file = 'nodes/eu-1.yaml';
const since = '2026-11-19T10:00:00Z';
const never = { disruption: { consolidateAfter: 'Never' } };

async function settled(...given: Parameters<typeof VirtualFleet.open>): Promise<void> {
  fleet = await VirtualFleet.open(...given);
  daemon = fleet.start();
  await fleet.until('claims are recorded', async () => ((await published(fleet))?.claims.length ?? 0) > 0, 120);
}

async function attack(
  stopped: boolean,
  edit: (plan: Anything) => void,
  isKept: (path: string) => boolean = () => true,
): Promise<void> {
  if (stopped) daemon.kill();
  const all = await fleet.repo.files('fleet-status');
  const files = Object.fromEntries(Object.entries(all).filter(([path]) => isKept(path)));
  change(files, file, edit);
  fleet.repo.commit('fleet-status', files, 'Attack');
  if (stopped) daemon = fleet.start();
}

const phase = async (): Promise<string | undefined> => (await published(fleet))?.commands[0]?.phase;

/** `METHOD path` of requests that change nodes or evict pods. */
const changes = (): string[] =>
  fleet.requests.flatMap((line) => {
    const [, method, path = ''] = line.split(' ');
    const short = /\/(nodes\/[^/?]+|pods\/[^/?]+(\/eviction)?)/.exec(path)?.[1];
    return method === 'GET' || short === undefined ? [] : [`${method} ${short}`];
  });

const mismatches = (): string[] =>
  daemon.plan().problems.flatMap(({ code, file: of }) => (code === 'record-mismatch' ? [of ?? ''] : []));

const held = { 'karpenter.sh/do-not-disrupt': 'true' };
const on = (name: string) => ({ nodeSelector: { 'kubernetes.io/hostname': name } });

/** A node in use and empty ones that budgets of the fleet keep. */
const usedAndIdle = (idle: number) =>
  nodeMemberSpec(
    [
      { count: 1, prefix: 'used' },
      { count: idle, prefix: 'idle' },
    ],
    [workload('web', 1, '1', on('used-0'), held)],
  );

const fleetConfig = (spec: object) => ({
  'fleet.yaml': JSON.stringify({ apiVersion: 'gitfleet.dev/v1alpha1', kind: 'FleetConfig', spec }),
});

const nothingMayGo = { nodeDisruption: { budgets: [{ nodes: 0 }] } };
const frozen = { freeze: [{ name: 'all', schedule: '* * * * *', duration: '1h' }] };

describe.each(modes)('a command that the status branch claims, %s', (_, stopped) => {
  it('with the id of one that is over takes no other node', async () => {
    await settled(
      nodeFiles('execute'),
      nodeMemberSpec(
        [
          { count: 1, prefix: 'used' },
          { count: 1, prefix: 'idle' },
        ],
        [workload('web', 1, '6', on('used-0'))],
      ),
    );
    let id: string | undefined;
    await fleet.until('the empty one goes', async () => {
      const [command] = (await published(fleet))?.commands ?? [];
      if (command?.phase === 'Removing') id = command.id;
      return nodeNames(fleet).length === 1;
    });
    await fleet.until('it is over', async () => (await published(fleet))?.commands.length === 0);
    expect(id).toBeDefined();
    await attack(stopped, (plan) => {
      plan.commands = [forgedCommand(since, ['used-0'], { id, method: 'Emptiness', reason: 'Empty' })];
    });
    await fleet.run(120);
    expect(nodeNames(fleet)).toEqual(['used-0']);
    expect(taintsOf(fleet)).toEqual([]);
    expect(mismatches()).toEqual([`(status branch) ${file}`]);
    expect((await published(fleet))?.commands).toEqual([]);
  });

  it('takes no node that the status branch adds to it', async () => {
    await settled(
      nodeFiles('execute', { ...never, template: { expireAfter: '1h' } }),
      nodeMemberSpec([{ count: 1, prefix: 'a' }], [workload('web', 1, '1', {}, held)]),
    );
    // A second node comes later, so that it is not due.
    await fleet.run(1800);
    const { body } = await fleet.ask('eu-1', 'GET', '/api/v1/nodes/a-0');
    const other = structuredClone(body);
    other.metadata = { name: 'b-0', labels: { ...body.metadata.labels, 'kubernetes.io/hostname': 'b-0' } };
    await fleet.ask('eu-1', 'POST', '/api/v1/nodes', other);
    await fleet.until('it is removing', async () => (await phase()) === 'Removing', 2400);
    await fleet.run(20);
    await attack(stopped, (plan) => {
      plan.commands[0].nodes.push({ name: 'b-0', pool: 'default', disruptionCost: 1 });
    });
    await fleet.run(120);
    expect(nodeNames(fleet)).toContain('b-0');
    expect(taintsOf(fleet)).not.toContain('b-0');
  });

  it('does not begin beyond the budgets of the fleet, as one that was validated', async () => {
    await settled(nodeFiles('execute', {}, fleetConfig(nothingMayGo)), usedAndIdle(2));
    await fleet.run(60);
    await attack(stopped, (plan) => {
      plan.commands = [
        forgedCommand(since, ['idle-0', 'idle-1'], { method: 'Emptiness', reason: 'Empty', phase: 'Validating' }),
      ];
    });
    await fleet.run(120);
    expect(nodeNames(fleet)).toHaveLength(3);
    expect(changes()).toEqual([]);
  });

  it('takes no node where the record of all placements is removed', async () => {
    await settled(nodeFiles('execute', {}, fleetConfig(nothingMayGo)), usedAndIdle(2));
    await fleet.run(60);
    await attack(
      stopped,
      (plan) => {
        plan.commands = [forgedCommand(since, ['used-0'], { method: 'Emptiness', reason: 'Empty' })];
      },
      (path) => !path.startsWith('placements/'),
    );
    await fleet.run(120);
    expect(nodeNames(fleet)).toHaveLength(3);
    expect(changes()).toEqual([]);
  });

  it('does not end a drain earlier', async () => {
    await settled(
      nodeFiles('execute', { ...never, template: { expireAfter: '1h', terminationGracePeriod: '24h' } }),
      nodeMemberSpec([{ count: 1 }], [workload('web', 1, '1', {}, held)]),
    );
    await fleet.until('it is removing', async () => (await phase()) === 'Removing', 4000);
    await fleet.run(60);
    await attack(stopped, (plan) => {
      plan.commands[0].since = since;
      plan.commands[0].startedAt = since;
    });
    await fleet.run(120);
    expect(nodeNames(fleet)).toEqual(['d8-0']);
    expect(changes().filter((line) => line.startsWith('DELETE'))).toEqual([]);
    expect(await phase()).toBe('Removing');
  });
});

describe.each(modes)('a command that launches replacements, %s', (_, stopped) => {
  const launching = async (): Promise<void> => {
    await settled(
      nodeFiles('execute'),
      nodeMemberSpec([{ count: 2 }], [workload('web', 2, '1')], { launches: { seconds: 5, outcome: 'Hangs' } }),
    );
    await fleet.until('nodes are tainted', () => taintsOf(fleet).length === 2);
    await fleet.until('it is recorded', async () => (await phase()) === 'Launching');
    await fleet.run(15);
  };

  it.each<[string, (command: Anything) => void]>([
    [
      'the phase',
      (command) => {
        command.phase = 'Removing';
      },
    ],
    [
      'the replacements',
      (command) => {
        command.phase = 'Removing';
        command.replacements = [];
      },
    ],
  ])('does not drain before they are up (%s)', async (_what, edit) => {
    await launching();
    await attack(stopped, ({ commands }) => edit(commands[0]));
    await fleet.run(100);
    expect(changes().filter((line) => line.includes('eviction') || line.startsWith('DELETE nodes/d8'))).toEqual([]);
  });

  it.each<[string, (one: Anything) => readonly object[]]>([
    ['more nodes', (one) => [one, ...[2, 3].map((at) => ({ ...one, name: `big-${at}`, instanceType: 'D8' }))]],
    ['another type', (one) => [{ ...one, name: 'big-1', instanceType: 'D8' }]],
  ])('does not launch what the status branch names (%s)', async (_what, edit) => {
    await launching();
    await attack(stopped, ({ commands: [command] }) => {
      command.replacements = edit(command.replacements[0]);
    });
    await fleet.run(60);
    expect(changes().filter((line) => line.includes('big-'))).toEqual([]);
  });
});

it('a command whose validation ends in a freeze does not begin', async () => {
  await settled(nodeFiles('execute', {}, fleetConfig(nothingMayGo)), usedAndIdle(1));
  await fleet.run(60);
  fleet.commit(fleetConfig({}));
  await fleet.until('it is validated', async () => (await phase()) === 'Validating');
  fleet.commit(fleetConfig(frozen));
  await fleet.run(60);
  expect(await phase()).toBe('Proposed');
  expect(daemon.plan().holds.map(({ reason }) => reason)).toContain('Freeze');
  expect(daemon.plan().nodes[0]?.pools[0]?.disrupting).toBe(0);
  expect(changes()).toEqual([]);
});

describe.each(modes)('what is remembered of nodes, %s', (_, stopped) => {
  it('does not let them expire by the age of another pool', async () => {
    const files = nodeFiles('execute', never);
    files['resources/short.yaml'] = JSON.stringify(
      nodePool('short', { ...never, template: { expireAfter: '1h', terminationGracePeriod: '1m' } }),
    );
    files['placements/pools.yaml'] = files['placements/pools.yaml']!.replace(
      '"name":"default"}]',
      '"name":"default"},{"group":"karpenter.sh","version":"v1","kind":"NodePool","name":"short"}]',
    );
    await settled(files, nodeMemberSpec([{ count: 2 }], [workload('web', 2, '1', {}, held)]));
    // They are older than nodes of the other pool may be.
    await fleet.run(4000);
    await attack(stopped, (plan) => {
      for (const claim of plan.claims)
        Object.assign(claim, { pool: 'short', expireAfter: '1h', terminationGracePeriod: '1m' });
    });
    await fleet.run(120);
    expect(nodeNames(fleet)).toEqual(['d8-0', 'd8-1']);
    expect(changes()).toEqual([]);
  });
});

it.each<[string, (files: Record<string, string>) => void]>([
  [
    'another digest',
    (files) =>
      change(files, file, (plan) => {
        for (const claim of plan.claims) claim.template = 'sha256:forged';
      }),
  ],
  [
    'no file',
    (files) => {
      delete files[file];
    },
  ],
  [
    'an unreadable file',
    (files) => {
      files[file] = '{';
    },
  ],
])('what a node was made from stays as it was published while the daemon runs (%s)', async (_what, edit) => {
  await settled(nodeFiles('execute', never), nodeMemberSpec([{ count: 2 }], [workload('web', 2, '1')]));
  await fleet.run(60);
  const before = await published(fleet);
  const files = await fleet.repo.files('fleet-status');
  edit(files);
  fleet.repo.commit('fleet-status', files, 'Attack');
  await fleet.run(120);
  expect(await published(fleet)).toEqual(before);
  expect(changes()).toEqual([]);
  expect(mismatches()).toContain(`(status branch) ${file}`);
});

it('budgets of the fleet do not count nodes that only the status branch claims', async () => {
  const files = nodeFiles(
    'execute',
    {},
    {
      ...fleetConfig({ nodeDisruption: { budgets: [{ nodes: '1%' }] } }),
      'clusters/eu-2.yaml': nodeMember('eu-2', 'execute', {}, { 'gitfleet.dev/upgrade-provider': 'simulated' }),
    },
  );
  await settled(files, usedAndIdle(3));
  const status = await fleet.repo.files('fleet-status');
  const plan = structuredClone<Anything>(await published(fleet));
  plan.metadata.name = 'eu-2';
  plan.commands = [];
  plan.claims = [];
  plan.pools = plan.pools.map((pool: Anything) => ({ ...pool, nodes: 100_000 }));
  fleet.repo.commit('fleet-status', { ...status, 'nodes/eu-2.yaml': JSON.stringify(plan) }, 'Attack');
  let most = 0;
  for (let at = 0; at < 30; at++) {
    await fleet.run(1);
    most = Math.max(most, taintsOf(fleet).length);
  }
  expect(most).toBeLessThanOrEqual(1);
});
