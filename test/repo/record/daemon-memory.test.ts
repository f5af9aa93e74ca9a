import { expect, it } from 'vitest';
import type { ClusterName } from '../../../src/api/meta.ts';
import { type DaemonMemory, writeDaemonMemory } from '../../../src/repo/record/daemon-memory.ts';
import { readRecord } from '../../../src/repo/record/read.ts';
import { renderRecord } from '../../support/render-record.ts';

const memory: DaemonMemory = {
  commit: 'a1',
  unreachable: new Map([
    ['eu-1' as ClusterName, { cause: 'connection refused', lastContact: '2026-11-20T10:00:00Z' }],
    ['constructor' as ClusterName, { cause: 'no kubeconfig' }],
  ]),
  inEffect: {
    commit: 'a0',
    holds: [{ subject: { kind: 'ClusterResourcePlacement', name: 'web' }, reason: 'Freeze', message: 'frozen' }],
    holdCount: 7,
  },
  askedRemovals: new Set(['sha256:a', 'sha256:b']),
};

const rendered = renderRecord(new Map([['daemon.yaml', { kind: 'object', value: writeDaemonMemory(memory) }]]));

const olderSummary = `
commit: b1
commitInForce: b0
counts: {holds: 3}
unreachable: {eu-3: timeout, constructor: no kubeconfig}
lastContact: {eu-3: "2026-11-20T09:00:00Z"}
holds: [{subject: {kind: ClusterResourcePlacement, name: pay}, reason: Freeze, message: frozen}]
guard: [{rule: too-many-clusters, message: too many}]
`;

function remembered(files: ReadonlyMap<string, string>): DaemonMemory {
  const { record, unreachable, problems } = readRecord(files);
  expect(problems).toEqual([]);
  const { commit, inEffect, askedRemovals } = record;
  return { commit, unreachable, inEffect: inEffect!, askedRemovals };
}

it('a daemon reads back what it wrote, with any summary and any names of members', () => {
  expect(remembered(new Map([...rendered, ['summary.yaml', olderSummary]]))).toEqual(memory);
});

it('it reads well', () => {
  expect(rendered.get('daemon.yaml')).toMatchInlineSnapshot(`
    "apiVersion: gitfleet.dev/v1alpha1
    kind: DaemonMemory
    commit: a1
    commitInEffect: a0
    unreachable:
      eu-1:
        cause: connection refused
        lastContact: 2026-11-20T10:00:00Z
      constructor:
        cause: no kubeconfig
    holdCount: 7
    holds:
      - subject:
          kind: ClusterResourcePlacement
          name: web
        reason: Freeze
        message: frozen
    askedRemovals:
      - sha256:a
      - sha256:b
    "
  `);
});

it('without daemon.yaml the summary of an older daemon is read', () => {
  expect(remembered(new Map([['summary.yaml', olderSummary]]))).toEqual({
    commit: 'b1',
    unreachable: new Map([
      ['eu-3', { cause: 'timeout', lastContact: '2026-11-20T09:00:00Z' }],
      ['constructor', { cause: 'no kubeconfig' }],
    ]),
    inEffect: {
      commit: 'b0',
      holds: [{ subject: { kind: 'ClusterResourcePlacement', name: 'pay' }, reason: 'Freeze', message: 'frozen' }],
      holdCount: 3,
    },
    askedRemovals: undefined,
  });
});

it('a daemon.yaml that cannot be read is a warning, and the summary is read', () => {
  const { record, problems } = readRecord(
    new Map([
      ['daemon.yaml', 'kind: DaemonMemory\ncommit: --force\n'],
      ['summary.yaml', olderSummary],
    ]),
  );
  expect(record.commit).toBe('b1');
  expect(problems.map(({ severity, file }) => `${severity} ${file}`)).toContain('warning (status branch) daemon.yaml');
});
