import { expect, it } from 'vitest';
import { type NodePlan, nodePlan } from '../../../../src/api/nodes/node-plan.ts';
import { clusterObservation } from '../../../../src/api/observation.ts';
import { nodeVerifier } from '../../../../src/daemon/record/verify/node-commands.ts';
import { readRecord } from '../../../../src/repo/record/read.ts';
import { node, observedNodes } from '../../../support/node-world.ts';
import { forgedCommand } from '../../nodes/node-fleet.ts';

const recorded = (since: string, more: object = {}): NodePlan =>
  nodePlan.parse({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'NodePlan',
    metadata: { name: 'eu-1' },
    mode: 'execute',
    commands: [{ ...forgedCommand('2026-11-20T10:00:00Z', ['n1']), since, ...more }],
  });
const recordOf = (plan: NodePlan) => ({
  ...readRecord(new Map()).record,
  exists: true,
  nodes: new Map([['eu-1', plan]]),
});
const observations = new Map([
  ['eu-1', clusterObservation.parse(JSON.parse(observedNodes('eu-1', { nodes: [node('n1')], pods: [] })))],
]);

it.each<[string, NodePlan, boolean]>([
  ['at another instant since then', recorded('2026-11-20T10:08:00Z'), true],
  ['at an earlier instant', recorded('2026-11-20T09:59:00Z'), false],
  ['at an instant to come', recorded('2026-11-20T10:11:00Z'), false],
  ['at no instant', recorded('2026-11-20T10:08:00Z', { since: undefined }), false],
  ['in another phase', recorded('2026-11-20T10:08:00Z', { phase: 'Launching' }), false],
])('a command that another daemon took over %s is kept as it says: %s', (_, claimed, isKept) => {
  const verifier = nodeVerifier();
  const of = { observations, now: Date.parse('2026-11-20T10:10:00Z'), isPublished: true };
  const own = recorded('2026-11-20T10:00:00Z');
  verifier.withoutUnproven(recordOf(own), of);
  verifier.published(recordOf(own));
  const { record, problems } = verifier.withoutUnproven(recordOf(claimed), of);
  expect(record.nodes.get('eu-1')).toEqual(isKept ? claimed : own);
  expect(problems).toHaveLength(isKept ? 0 : 1);
});
