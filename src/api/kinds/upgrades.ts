import { updateRunIssues, updateStrategyIssues, upgradeGateIssues, withPlainNames } from '../rules/upgrade-rules.ts';
import { type UpgradeGate, upgradeGate } from '../upgrade-gate.ts';
import { type UpdateRun, updateRun } from '../upgrade-run.ts';
import { type UpdateStrategy, updateStrategy } from '../upgrade-strategy.ts';
import { countsAsGone, type Kind, none, ownGroup } from './kind.ts';

const common = { group: ownGroup, scope: 'Cluster', changes: none } as const;

const strategyKind: Kind<UpdateStrategy> = {
  ...common,
  kind: 'UpdateStrategy',
  schema: updateStrategy,
  rules: updateStrategyIssues,
};

/** What may change depends on whether it has started, which the engine knows. */
const runKind: Kind<UpdateRun> = {
  ...common,
  kind: 'UpdateRun',
  schema: updateRun,
  rules: updateRunIssues,
  isWork: true,
  complete: (run) => withPlainNames(run, ['updateStrategyId', 'autoUpgradeProfileId']),
  whenDeleted: countsAsGone,
};

const gateKind: Kind<UpgradeGate> = {
  ...common,
  kind: 'Gate',
  schema: upgradeGate,
  rules: upgradeGateIssues,
  sharesNamesIn: 'approvals',
  answeredBy: 'state',
};

export const upgradeKinds = [strategyKind, runKind, gateKind] as const;
