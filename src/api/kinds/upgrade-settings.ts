import { type AutoUpgradeProfile, autoUpgradeProfile } from '../auto-upgrade-profile.ts';
import { type MaintenanceConfiguration, maintenanceConfiguration } from '../maintenance-configuration.ts';
import { maintenanceIssues } from '../rules/maintenance-rules.ts';
import { longTermWithoutCatalog, profileIssues } from '../rules/profile-rules.ts';
import { withPlainNames } from '../rules/upgrade-rules.ts';
import { versionCatalogIssues } from '../rules/version-catalog-rules.ts';
import { type VersionCatalog, versionCatalog } from '../version-catalog.ts';
import { type Kind, none, ownGroup } from './kind.ts';

const common = { group: ownGroup, scope: 'Cluster', changes: none } as const;

const maintenanceKind: Kind<MaintenanceConfiguration> = {
  ...common,
  kind: 'MaintenanceConfiguration',
  schema: maintenanceConfiguration,
  rules: maintenanceIssues,
};

const catalogKind: Kind<VersionCatalog> = {
  ...common,
  kind: 'VersionCatalog',
  schema: versionCatalog,
  rules: versionCatalogIssues,
};

const profileKind: Kind<AutoUpgradeProfile> = {
  ...common,
  kind: 'AutoUpgradeProfile',
  schema: autoUpgradeProfile,
  rules: profileIssues,
  across: longTermWithoutCatalog,
  complete: (profile) => withPlainNames(profile, ['updateStrategyId']),
};

export const upgradeSettingKinds = [maintenanceKind, catalogKind, profileKind] as const;
