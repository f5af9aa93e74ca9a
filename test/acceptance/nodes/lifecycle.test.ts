import { describe, expect, it } from 'vitest';
import { claim, node, pod } from '../../support/node-world.ts';
import { line, planned, type World } from '../../support/planned-nodes.ts';

const execute = { mode: 'execute' };
const at = (seconds: number): string =>
  new Date(Date.parse('2026-11-20T10:00:00Z') + seconds * 1000).toISOString().replace('.000', '');

/** The plans of these observations, each with the record of the one before, at these seconds. */
async function over(...steps: readonly (readonly [number, World])[]) {
  const results: Awaited<ReturnType<typeof planned>>[] = [];
  for (const [seconds, world] of steps) {
    const recorded = results.at(-1)?.recorded;
    results.push(await planned(world, { ...execute, at: at(seconds), ...(recorded ? { recorded } : {}) }));
  }
  return results;
}

describe('a node that gets the name of one that a command removes', () => {
  const keeper = node('n3');
  const full = pod('a', 'n3', { cpu: '7' });
  const named = (name: string, uid: string) => {
    const made = node(name);
    return { ...made, metadata: { ...made.metadata, uid } };
  };
  const shown = (nodes: readonly ReturnType<typeof node>[], hasClaims: boolean): World => ({
    nodes,
    pods: [full, ...(nodes.includes(n1) ? [] : [pod('new', 'n1', { cpu: '7' })])],
    claims: hasClaims
      ? nodes.map((of) => claim(of, { metadata: { name: `c-${of.metadata.uid}`, uid: `c-${of.metadata.uid}` } }))
      : [],
  });
  const n1 = node('n1');
  const other = named('n1', 'another');

  it.each([
    ['with NodeClaims', true, 'c-'],
    ['without NodeClaims', false, ''],
  ])('stays, %s', async (_, hasClaims, prefix) => {
    const before = shown([n1, node('n2'), keeper], hasClaims);
    const after = shown([other, node('n2'), keeper], hasClaims);
    const [, removing, first, second] = await over([0, before], [15, before], [60, after], [90, after]);
    expect(removing!.nodes.commands.map(line)).toEqual(['Emptiness Removing n1,n2']);
    const target = removing!.nodes.target!.nodes.map(({ name, uid }) => [name, uid]);
    expect(target).toEqual([
      ['n1', `${prefix}uid-n1`],
      ['n2', `${prefix}uid-n2`],
    ]);
    for (const { nodes } of [first!, second!]) {
      expect(nodes.commands.map(line)).toEqual(['Emptiness Removing n1,n2']);
      expect(nodes.target!.nodes.map(({ name, uid }) => [name, uid])).toEqual(target);
    }
  });

  it('ends the command where no other node of it is left', async () => {
    const before = shown([n1, keeper], true);
    const after = shown([other, keeper], true);
    const [, removing, later] = await over([0, before], [15, before], [60, after]);
    expect(removing!.nodes.commands.map(line)).toEqual(['Emptiness Removing n1']);
    expect(later!.nodes.commands).toEqual([]);
    expect(later!.nodes.target).toBeUndefined();
  });

  it('is not what a validation looked at', async () => {
    const empty = { ...shown([other, keeper], true), pods: [full] };
    const [, validated] = await over([0, shown([n1, keeper], true)], [15, empty]);
    expect(validated!.nodes.commands.map(line)).toEqual(['Emptiness Validating n1']);
    expect(validated!.nodes.commands[0]!.since).toBe(at(15));
  });
});
