import type { NodePlan } from '../../../../src/api/nodes/node-plan.ts';
import { type ClusterObservation, clusterObservation } from '../../../../src/api/observation.ts';
import { guard } from '../../../../src/engine/guard/guard.ts';
import type { PlanInput } from '../../../../src/engine/input.ts';
import type { Plan } from '../../../../src/engine/plan-document.ts';
import { loadFleet } from '../../../../src/repo/fleet/load-fleet.ts';
import { readRecord } from '../../../../src/repo/record/read.ts';
import { sha256 } from '../../../../src/repo/sha256.ts';
import { treeOf } from '../../../support/paper-fleet.ts';
import { planDefaults } from '../../../support/plan-defaults.ts';

const now = '2026-11-20T10:00:00Z';

/** The input of a plan of these files, with observations as `observedNodes` writes them. */
export async function inputOf(
  files: Readonly<Record<string, string>>,
  observed: readonly string[],
): Promise<PlanInput> {
  const observations = observed.map((text): ClusterObservation => clusterObservation.parse(JSON.parse(text)));
  return {
    now,
    commit: 'c'.repeat(40),
    fleet: await loadFleet(treeOf(files)),
    ...planDefaults,
    record: readRecord(new Map()).record,
    observations: new Map(observations.map((one) => [one.metadata.name, one])),
    digest: sha256,
  };
}

/** Rules that a plan breaks, as the guard judges it by an input. */
export const rulesOf = (plan: Plan, input: PlanInput): string[] =>
  guard({ input, recovered: { record: input.record, lost: false }, plan }).findings.map(({ rule }) => rule);

/** The input a while later, with what a plan recorded of nodes. */
export function later(input: PlanInput, { record }: Plan, seconds: number): PlanInput {
  const nodes = [...record].flatMap(([path, { value }]) => (path.startsWith('nodes/') ? [value as NodePlan] : []));
  return {
    ...input,
    now: new Date(Date.parse(input.now) + seconds * 1000).toISOString().replace('.000', ''),
    record: { ...input.record, nodes: new Map(nodes.map((plan) => [plan.metadata.name, plan])) },
  };
}
