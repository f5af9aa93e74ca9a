import type { StageConfig } from '../../../../src/api/staged.ts';
import type { RunsInput } from '../../../../src/engine/staged/step.ts';
import { cluster, Rollout, runOf, scheduled, stage, strategyOf, workOf } from '../world.ts';

export const clusters = [cluster('eu-1', 'canary'), cluster('us-1', 'prod'), cluster('us-2', 'prod')];
export const bindings = [scheduled('eu-1'), scheduled('us-1')];

export interface Case {
  readonly work?: Parameters<typeof workOf>[0];
  readonly input?: Partial<RunsInput>;
  readonly stages?: StageConfig[];
  readonly run?: Parameters<typeof runOf>[0];
}

export const plan = ({ work = {}, input = {}, stages = [stage('canary'), stage('prod')], run = {} }: Case): Rollout =>
  new Rollout(workOf({ bindings, ...work }), {
    runs: [runOf({ state: 'Initialize', ...run })],
    strategies: [strategyOf(...stages)],
    clusters,
    ...input,
  }).plan();
