import { afterAll, describe, expect, it } from 'vitest';
import { FleetOnGit } from '../../support/fleet-on-git.ts';
import { folder, put, removeFolders } from '../../support/folders.ts';
import {
  claim,
  node,
  nodeMember,
  nodePool,
  observedNodes,
  poolPlacement,
  smallMarket,
} from '../../support/node-world.ts';
import { cli } from '../../support/run-cli.ts';

afterAll(removeFolders);

const poolOf = (...budgets: readonly object[]) => JSON.stringify(nodePool('default', { disruption: { budgets } }));
const fleetYaml = (spec: object) =>
  JSON.stringify({ apiVersion: 'gitfleet.dev/v1alpha1', kind: 'FleetConfig', metadata: { name: 'fleet' }, spec });
const fleetBudgets = (...budgets: readonly object[]) => fleetYaml({ nodeDisruption: { budgets } });
const files = (...budgets: readonly object[]) => ({
  'members/eu-1.yaml': nodeMember('eu-1', 'plan'),
  ...smallMarket,
  'placements/pools.yaml': poolPlacement,
  'resources/pool.yaml': poolOf(...budgets),
});
/** Four empty nodes. */
const seen = (...extras: readonly object[]) => {
  const nodes = ['n1', 'n2', 'n3', 'n4'].map((name) => node(name));
  return folder({
    'eu-1.yaml': observedNodes('eu-1', { nodes, pods: [], extras: [...extras, ...nodes.map((of) => claim(of))] }),
  });
};
const at = ['--recorded', 'none', '--now', '2026-11-20T10:00:00Z'];
const half = { nodes: '50%' };
const office = { nodes: '1', schedule: '0 9 * * 1-5', duration: '8h' };

describe('what becomes of nodes', () => {
  it('stands in a plan as Markdown: what leaves, what that saves, and what waits for which window', async () => {
    const { out } = await cli(
      'plan',
      '--repo',
      folder(files(half, office)),
      '--observed',
      seen(),
      ...at,
      '-o',
      'markdown',
    );
    expect(out).toContain(`<details><summary>Nodes of eu-1 (3)</summary>

- Mode plan: 1 node may leave, saves 0.4 EUR an hour, 292 EUR a month
- Proposed Emptiness: \`n1\`
- Waits: 3 more nodes of NodePool default would be disrupted than its budgets allow now (they change at 2026-11-20T17:00:00Z)
`);
  });

  it('stands in a plan as text', async () => {
    const { out } = await cli('plan', '--repo', folder(files(half, office)), '--observed', seen(), ...at);
    expect(out).toMatch(/Nodes of eu-1:\n {2}Mode plan: 1 node may leave, .*\n {2}Proposed Emptiness: n1\n {2}Waits: /);
  });

  it('says where nodes come from if it has none', async () => {
    const { out } = await cli('plan', '--repo', folder(files(half)), ...at);
    expect(out).toContain('Note: plan knows nodes with --members or --observed only.');
  });

  it('says where it counts clusters as not connected since they were observed long before', async () => {
    const late = (now: string) =>
      cli('plan', '--repo', folder(files(half)), '--observed', seen(), '--recorded', 'none', '--now', now);
    expect((await late('2026-11-20T10:05:00Z')).err).toBe('');
    expect((await late('2026-11-20T10:05:01Z')).err).toMatch(
      /^note: what \S+ holds was observed at 2026-11-20T10:00:00Z or earlier, so .* give --now 2026-11-20T10:00:00Z, or /,
    );
  });

  it('in mode execute counts where the plan counts what is to be done', async () => {
    const flags = ['plan', '--repo', folder({ ...files(half), 'members/eu-1.yaml': nodeMember('eu-1', 'execute') })];
    const { out } = await cli(...flags, '--observed', seen(), ...at);
    expect(out).toMatch(
      /Mode execute: 2 nodes leave,[\s\S]*Plan: 1 to add, 0 to update, 0 to remove, 2 nodes leaving, /,
    );
    const { out: markdown } = await cli(...flags, '--observed', seen(), ...at, '-o', 'markdown');
    expect(markdown).toContain('### gitfleet plan: 0 to remove, 0 to update, 1 to add, 2 nodes leaving\n');
  });

  it('in mode execute waits where a limit of the fleet lets none go', async () => {
    const repo = folder({
      ...files(half),
      'members/eu-1.yaml': nodeMember('eu-1', 'execute'),
      'fleet.yaml': fleetBudgets({ nodes: '0' }),
    });
    const { out } = await cli('plan', '--repo', repo, '--observed', seen(), ...at);
    expect(out).toMatch(
      /Mode execute: 0 nodes leave, 2 wait,[\s\S]*Plan: 1 to add, 0 to update, 0 to remove, 0 waiting, /,
    );
  });

  const closed = { nodes: '0', schedule: '0 4 * * *', duration: '18h' };
  const noneAtNight = { nodes: '0', schedule: '0 22 * * *', duration: '6h' };

  it.each([
    [
      'now',
      [half, office],
      { 'resources/pool.yaml': poolOf(half) },
      'plan): 2 nodes may go now, 1 before, 292 EUR a month less',
    ],
    [
      'tonight',
      [half, closed, noneAtNight],
      { 'resources/pool.yaml': poolOf(half, closed) },
      'plan): 2 nodes may go from 2026-11-20 22:00 UTC, 0 before, 584 EUR a month less',
    ],
    [
      'by gitfleet',
      [half],
      { 'members/eu-1.yaml': nodeMember('eu-1', 'execute') },
      'execute, before plan): 2 nodes may go now (n1, n2), 2 before; gitfleet carries that out',
    ],
  ])(
    'stands in the preview of a change: how many more may go, and what that saves, %s',
    async (_, old, change, text) => {
      const fleet = await FleetOnGit.open(files(...old));
      fleet.git('checkout', '-q', '-b', 'open');
      put(fleet.dir, change);
      fleet.git('commit', '-q', '-a', '-m', 'Let half of the nodes go at any time');
      const { out } = await cli(
        ...[
          'plan',
          '--repo',
          fleet.dir,
          '--base',
          'main',
          '--ref',
          'open',
          '--observed',
          seen(),
          ...at,
          '-o',
          'markdown',
        ],
      );
      expect(out).toContain(`**Nodes**\n- eu-1 (${text}\n`);
      if (!('resources/pool.yaml' in change))
        expect(out).toContain('plan: changes what becomes of nodes on 1 cluster\n');
    },
  );

  const execute = { 'members/eu-1.yaml': nodeMember('eu-1', 'execute') };
  const atNight = { schedule: '0 22 * * *', duration: '6h' };

  it.each([
    [
      'at any time',
      fleetBudgets({ nodes: '1' }),
      fleetBudgets({ nodes: '2' }),
      'execute): 2 nodes may go now, 1 before, 292 EUR a month less',
    ],
    [
      'for none, before it was removed',
      fleetBudgets({ nodes: '0' }),
      fleetBudgets(),
      'execute): 2 nodes may go now, 0 before, 584 EUR a month less',
    ],
    [
      'in a window',
      fleetBudgets(),
      fleetBudgets({ nodes: '1', ...atNight }),
      'execute): 1 node may go from 2026-11-20 22:00 UTC, 2 before, 292 EUR a month more',
    ],
    [
      'where a freeze ends today',
      fleetYaml({
        freeze: [{ name: 'day', schedule: '0 6 * * *', duration: '12h' }],
        nodeDisruption: { budgets: [{ nodes: '1' }] },
      }),
      fleetYaml({ freeze: [{ name: 'day', schedule: '0 6 * * *', duration: '12h' }] }),
      'execute): 2 nodes may go from 2026-11-20 18:00 UTC, 1 before, 292 EUR a month less',
    ],
  ])('stands in the preview of a budget of the fleet, %s', async (_, old, now, text) => {
    const fleet = await FleetOnGit.open({ ...files(half), ...execute, 'fleet.yaml': old });
    fleet.git('checkout', '-q', '-b', 'open');
    put(fleet.dir, { 'fleet.yaml': now });
    fleet.git('commit', '-q', '-a', '-m', 'Change what the fleet allows');
    const observed = seen(nodePool('default', { disruption: { budgets: [half] } }));
    const flags = ['--base', 'main', '--ref', 'open', '--observed', observed, ...at, '-o', 'markdown'];
    const { out } = await cli('plan', '--repo', fleet.dir, ...flags);
    expect(out).toContain(`**Nodes**\n- eu-1 (${text}\n`);
  });

  const officeHours = { nodes: '0', schedule: '0 6 * * *', duration: '11h' };

  it.each([
    [
      'and a budget of the fleet still keeps one',
      [half],
      fleetBudgets({ nodes: '1' }),
      'execute): 1 node may go now, 0 before, 292 EUR a month less',
    ],
    [
      'and a budget of the fleet keeps all',
      [half],
      fleetBudgets({ nodes: '0' }),
      'execute): 0 nodes may go now, 0 before; 2 wait',
    ],
    [
      'and a budget of the fleet keeps one once a window closes',
      [officeHours, half],
      fleetBudgets({ nodes: '1' }),
      'execute): 1 node may go from 2026-11-20 17:00 UTC, 0 before, 292 EUR a month less',
    ],
    [
      'and a freeze keeps all for longer',
      [officeHours, half],
      fleetYaml({ freeze: [{ name: 'evening', schedule: '0 16 * * *', duration: '12h' }] }),
      'execute): 2 nodes may go from 2026-11-21 04:00 UTC, 0 before, 584 EUR a month less',
    ],
  ])('stands in the preview of a budget of a pool that lets nodes go, %s', async (_, budgets, fleetFile, text) => {
    const never = { nodes: '0' };
    const fleet = await FleetOnGit.open({ ...files(never), ...execute, 'fleet.yaml': fleetFile });
    fleet.git('checkout', '-q', '-b', 'open');
    put(fleet.dir, { 'resources/pool.yaml': poolOf(...budgets) });
    fleet.git('commit', '-q', '-a', '-m', 'Let nodes go');
    const flags = ['--base', 'main', '--ref', 'open', '--observed', seen(), ...at, '-o', 'markdown'];
    const { out } = await cli('plan', '--repo', fleet.dir, ...flags);
    expect(out).toContain(`**Nodes**\n- eu-1 (${text}\n`);
  });
});
