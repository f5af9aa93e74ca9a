import { expect, it } from 'vitest';
import { actingMode } from '../../../src/engine/nodes/acting-mode.ts';

const claim = { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', metadata: { name: 'c' } };
const mode = (annotations: Readonly<Record<string, string>>, extras: readonly object[] = []) =>
  actingMode({ name: 'eu-1', annotations }, { extras } as never);
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
