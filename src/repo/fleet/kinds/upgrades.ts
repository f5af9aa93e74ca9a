import type { UpgradeGate } from '../../../api/upgrade-gate.ts';
import type { UpdateRun } from '../../../api/upgrade-run.ts';
import type { UpdateStrategy } from '../../../api/upgrade-strategy.ts';
import { reasonAnnotation, reviewAnnotation } from '../../../engine/gate/review.ts';
import type { FleetRows } from './row.ts';

export const upgradeRows: FleetRows<UpdateStrategy | UpdateRun | UpgradeGate> = {
  UpdateStrategy: { in: 'upgradeStrategies' },
  UpdateRun: {
    in: 'upgradeRuns',
    references: ({ spec: { updateStrategyId: name } }, names) =>
      name === undefined ? [] : [{ ...names.upgradeStrategy(name), path: 'spec.updateStrategyId' }],
    // A strategy is copied when the run starts.
    hasFoundAll: ({ name }, { upgrades }) => upgrades.get(name)?.status?.status.startTime !== undefined,
  },
  Gate: {
    in: 'gates',
    annotations: { [reviewAnnotation]: undefined, [reasonAnnotation]: undefined },
    references: ({ spec: { target } }, names) => [
      {
        ...names.upgradeRun(target.updateRunProperties.name),
        path: 'spec.target.updateRunProperties.name',
        without: 'so the approval is for nothing',
      },
    ],
  },
};
