import type { Desired } from './desired.ts';
import { gatesOf } from './gates.ts';

/** Strategies, freezes and the namespace of a team, for seeds that draw them. */
export function gateFiles(desired: Desired): Record<string, string> {
  const { gates } = desired;
  if (!gates) return {};
  const files: Record<string, string> = {
    'placements/team.yaml': teamPlacement,
    'placements/team.settings.yaml': settingsPlacement,
    'resources/team.yaml': teamResources(gates.team),
  };
  if (gates.frozen) files['fleet.yaml'] = freeze;
  for (const app of desired.apps.values())
    if (app.external) files[`strategies/${app.name}.yaml`] = strategyOf(desired, app.name);
  return files;
}

/** On at every minute, for a minute: always. */
const freeze =
  'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {freeze: [{name: always, schedule: "* * * * *", duration: 1m}]}\n';

function strategyOf(desired: Desired, app: string): string {
  const gates = gatesOf(desired, app);
  return `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterStagedUpdateStrategy
metadata: {name: ${app}}
spec:
  stages:
  - name: dev
    labelSelector: {matchLabels: {env: dev}}
    afterStageTasks: [{type: TimedWait, waitTime: 30s}${gates.includes('after') ? ', {type: Approval}' : ''}]
  - name: prod
    labelSelector: {matchLabels: {env: prod}}
    beforeStageTasks: [${gates.includes('before') ? '{type: Approval}' : ''}]
`;
}

const teamPlacement = `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterResourcePlacement
metadata: {name: team}
spec:
  resourceSelectors: [{group: "", version: v1, kind: Namespace, name: team, selectionScope: NamespaceOnly}]
  policy: {placementType: PickAll}
`;

const settingsPlacement = `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ResourcePlacement
metadata: {name: settings, namespace: team}
spec:
  resourceSelectors: [{group: "", version: v1, kind: ConfigMap, name: settings}]
  policy: {placementType: PickAll}
  strategy: {type: RollingUpdate, rollingUpdate: {maxUnavailable: 1, maxSurge: 0}}
`;

const teamResources = (version: number): string =>
  `apiVersion: v1\nkind: Namespace\nmetadata: {name: team}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: team}\ndata: {version: "${version}"}\n`;
