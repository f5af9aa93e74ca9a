import type { UpdateRun } from '../../api/upgrade-run.ts';
import type { UpdateStrategy, UpgradeStages } from '../../api/upgrade-strategy.ts';

/** A run that names no strategy: all members, one at a time. */
const oneByOne: UpgradeStages = {
  stages: [{ name: 'default', memberSelector: { byLabel: 'kubernetes-fleet.io/member-name' }, maxConcurrency: '1' }],
};

/** The stages of a run; undefined where the strategy that it names is not there. */
export const strategyOf = (
  { spec: { strategy, updateStrategyId } }: UpdateRun,
  strategies: readonly UpdateStrategy[],
): UpgradeStages | undefined =>
  updateStrategyId === undefined
    ? (strategy ?? oneByOne)
    : strategies.find(({ metadata }) => metadata.name === updateStrategyId)?.spec.strategy;
