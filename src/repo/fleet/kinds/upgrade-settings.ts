import type { AutoUpgradeProfile } from '../../../api/auto-upgrade-profile.ts';
import type { MaintenanceConfiguration } from '../../../api/maintenance-configuration.ts';
import type { VersionCatalog } from '../../../api/version-catalog.ts';
import type { FleetRows } from './row.ts';

export const upgradeSettingRows: FleetRows<MaintenanceConfiguration | VersionCatalog | AutoUpgradeProfile> = {
  MaintenanceConfiguration: {
    in: 'maintenanceConfigurations',
    references: ({ spec: { clusterName } }, names) =>
      clusterName === undefined ? [] : [{ ...names.cluster(clusterName), path: 'spec.clusterName' }],
  },
  VersionCatalog: { in: 'versionCatalogs' },
  AutoUpgradeProfile: {
    in: 'upgradeProfiles',
    references: ({ spec: { updateStrategyId: name } }, names) =>
      name === undefined ? [] : [{ ...names.upgradeStrategy(name), path: 'spec.updateStrategyId' }],
  },
};
