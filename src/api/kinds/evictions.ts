import { type DisruptionBudget, disruptionBudget } from '../disruption-budget.ts';
import { type Eviction, eviction } from '../eviction.ts';
import { budgetIssues, budgetsOfPickAll } from '../rules/budget-rules.ts';
import { type Kind, none, placementGroup } from './kind.ts';

const evictionKind: Kind<Eviction> = {
  group: placementGroup,
  kind: 'ClusterResourcePlacementEviction',
  scope: 'Cluster',
  schema: eviction,
  isWork: true,
  waitsUnrecorded: true,
  rules: none,
  changes: none,
};

const budgetKind: Kind<DisruptionBudget> = {
  group: placementGroup,
  kind: 'ClusterResourcePlacementDisruptionBudget',
  scope: 'Cluster',
  schema: disruptionBudget,
  rules: budgetIssues,
  changes: none,
  across: budgetsOfPickAll,
  keptWhenInvalid: true,
};

export const evictionKinds = [evictionKind, budgetKind] as const;
