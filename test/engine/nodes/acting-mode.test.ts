import { expect, it } from 'vitest';
import { actingMode } from '../../../src/engine/nodes/acting-mode.ts';

const claim = { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', metadata: { name: 'c' } };
const known = { reachable: true, complete: true, nodes: [], pods: [] };
const mode = (annotations: Readonly<Record<string, string>>, extras: readonly object[] = []) =>
  actingMode({ name: 'eu-1', annotations }, { ...known, extras } as never);
const execute = { 'gitfleet.dev/node-disruption': 'execute' };
const provider = 'gitfleet.dev/upgrade-provider';

it.each([
  ['delegate without the annotation', {}, [], 'delegate'],
  ['delegate for what is no mode', { 'gitfleet.dev/node-disruption': 'act' }, [], 'delegate'],
  ['execute without a provider', execute, [], 'execute'],
  ['execute where machines are simulated', { ...execute, [provider]: 'simulated' }, [], 'execute'],
  ['execute where Cluster API removes machines', { ...execute, [provider]: 'cluster-api' }, [], 'execute'],
  ['plan where nothing can remove machines', { ...execute, [provider]: 'aks' }, [], 'plan'],
  ['execute where NodeClaims stand for machines', { ...execute, [provider]: 'aks' }, [claim], 'execute'],
])('a member is in mode %s', (_, annotations, extras, expected) => {
  expect(mode(annotations, extras)).toBe(expected);
});

it.each([
  ['is unreachable', { reachable: false, complete: false }, 'execute', 'execute'],
  ['lists only some of its objects', { complete: false }, 'execute', 'execute'],
  ['does not list what tells about its nodes', { nodes: undefined, pods: undefined }, 'execute', 'execute'],
  ['has no NodeClaims', {}, 'execute', 'plan'],
  ['was never seen with NodeClaims', { reachable: false, complete: false }, 'plan', 'plan'],
] as const)(
  'where a provider removes no machines, a member that %s is in the mode that was known',
  (_, seen, before, expected) => {
    const annotations = { ...execute, [provider]: 'aks' };
    expect(actingMode({ name: 'eu-1', annotations }, { ...known, extras: [], ...seen } as never, before)).toBe(
      expected,
    );
  },
);
