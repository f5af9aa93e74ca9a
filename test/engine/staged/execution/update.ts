import type { StageConfig } from '../../../../src/api/staged.ts';
import type { RunsInput } from '../../../../src/engine/staged/step.ts';
import { at, available, bound, cluster, Rollout, stage, strategyOf, workOf } from '../world.ts';

export const everywhere: Partial<StageConfig> = { labelSelector: {} };
export const names = ['a', 'b', 'c', 'd', 'e'];
/** Five clusters bound to snapshot 0 in one stage, and a run that takes snapshot 1. */
export const update = (
  config: Partial<StageConfig> = {},
  input: Partial<RunsInput> = {},
  work: Parameters<typeof workOf>[0] = {},
) =>
  new Rollout(workOf({ bindings: names.map((name) => bound(name)), snapshots: [0], ...work }), {
    strategies: [strategyOf(stage('all', { ...everywhere, ...config }))],
    clusters: names.map((name) => cluster(name, 'x')),
    ...input,
  });
export const failing = (reason: string) => [
  available()[0]!,
  { type: 'Applied', status: 'False' as const, reason, lastTransitionTime: at(0) },
];
