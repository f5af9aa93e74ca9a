import { type InstanceCatalog, instanceCatalog } from '../nodes/instance-catalog.ts';
import { instanceCatalogIssues } from '../rules/node-rules.ts';
import { type Kind, none, ownGroup } from './kind.ts';

const instanceCatalogKind: Kind<InstanceCatalog> = {
  group: ownGroup,
  kind: 'InstanceCatalog',
  scope: 'Cluster',
  schema: instanceCatalog,
  rules: instanceCatalogIssues,
  changes: none,
};

export const nodeKinds = [instanceCatalogKind] as const;
